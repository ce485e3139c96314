use goban::{Illegal, KoRule, Komi, Move, Position, Preset, Rng, Rules, Scoring, Size};
use proptest::prelude::*;
use search::{Budget, Choice, Level, Terms, choose};

use crate::arena::{Player, random};

fn rules() -> impl Strategy<Value = Rules> {
    let ko = prop_oneof![Just(KoRule::Simple), Just(KoRule::Positional), Just(KoRule::Situational)];
    let scoring = prop_oneof![Just(Scoring::Area), Just(Scoring::Territory)];
    (ko, scoring, any::<bool>()).prop_map(|(ko, scoring, multi_stone_suicide)| Rules {
        ko,
        scoring,
        multi_stone_suicide,
        ..Preset::Quick.rules()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// In whatever position, under whatever rules, each level's move is legal and fills no own eye, and the same seed gives the same move.
    #[test]
    fn moves_are_legal_spare_own_eyes_and_repeat(
        rules in rules(), side in 2_u8..=9, moves in 0..200_u32, seed: u64, level in 0..3_usize,
    ) {
        let mut rng = Rng::new(seed);
        let mut position = Position::new(Size::square(side).unwrap(), rules);
        for _ in 0..moves {
            position.play(random(&position, &mut rng)).unwrap();
        }
        let level = Level::ALL[level];
        let komi = Preset::Quick.komi();
        let choice = choose(&position, &Terms::even(komi), level, &Budget::playouts(60), seed);
        prop_assert_eq!(choice, choose(&position, &Terms::even(komi), level, &Budget::playouts(60), seed));
        if let Choice::Move(Move::Play(point)) = choice {
            prop_assert_eq!(position.check(point), Ok(()));
            prop_assert!(!position.board().is_eye(position.turn(), point), "{} in\n{}", point, position.board());
        }
    }
}

/// Easy play takes three stones or more (that are not dead as they stand) whenever it can, and is not seen on the first line before move 20, in games against random play.
#[test]
fn easy_play_is_greedy_and_stays_off_the_edge() {
    let easy = Player::level(Level::Easy);
    let (mut early, mut on_edge, mut great, mut taken) = (0, 0, 0, 0);
    for game in 0..60 {
        let mut rng = Rng::new(game);
        let mut position = Position::new(Size::NINE, Preset::Quick.rules());
        for _ in 0..60 {
            position.play(random(&position, &mut rng)).unwrap();
            let turn = position.turn();
            // What is dead for good need not be taken.
            let dead = goban::clearly_dead(position.board());
            let victims =
                |p| position.board().victims(turn, p).into_iter().filter(|v| !dead.contains(v)).count();
            let could = position.legal_points().into_iter().map(victims).max().unwrap_or(0);
            let Choice::Move(chosen) = easy.choose(&position, game) else { break };
            let Move::Play(point) = chosen else { break };
            let victims = victims(point);
            great += usize::from(could >= 3);
            taken += usize::from(could >= 3 && victims >= 3);
            let is_edge = [point.column(), point.row()].iter().any(|&at| at == 0 || at == 8);
            early += usize::from(position.ply() < 20);
            on_edge += usize::from(position.ply() < 20 && is_edge && victims == 0);
            position.play(chosen).unwrap();
        }
    }
    assert!(great > 50 && taken == great, "{taken} of {great}");
    assert!(on_edge * 50 < early, "{on_edge} of {early}");
}

/// A raised flag ends a thought at once, with a legal move all the same.
#[test]
fn a_stopped_thought_still_answers() {
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let position = Position::new(Size::NINETEEN, Preset::Weiqi.rules());
    // Without the flag this would take days.
    let budget = Budget::playouts(u32::MAX).stopped_by(stop);
    let choice = choose(&position, &Terms::even(Preset::Weiqi.komi()), Level::Hard, &budget, 1);
    let Choice::Move(Move::Play(point)) = choice else { panic!("{choice:?}") };
    assert_eq!(position.check(point), Ok(()));
}

/// Superko is obeyed where simple ko would forbid nothing: in positions of random games on small boards that have such a point.
#[test]
fn a_ban_by_superko_is_obeyed() {
    let (mut found, mut seed) = (0, 0);
    while found < 50 {
        seed += 1;
        let mut rng = Rng::new(seed);
        let mut position = Position::new(Size::square(4).unwrap(), Preset::Quick.rules());
        for _ in 0..60 {
            position.play(random(&position, &mut rng)).unwrap();
            if !position.illegal_points().iter().any(|(_, why)| *why == Illegal::Superko) {
                continue;
            }
            found += 1;
            for level in Level::ALL {
                let choice = choose(&position, &Terms::even(Komi::ZERO), level, &Budget::playouts(100), seed);
                if let Choice::Move(Move::Play(point)) = choice {
                    assert_eq!(position.check(point), Ok(()), "{level} {point}\n{}", position.board());
                }
            }
        }
    }
}
