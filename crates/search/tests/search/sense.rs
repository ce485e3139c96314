use goban::{Color, Illegal, KoRule, Komi, Move, Position, Preset, Rng, Rules, Scoring, Size};
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

/// Easy play takes three stones or more (that are not dead as they stand) whenever it can, and of a hundred games there are less than two in
/// which it plays on the first line before move 20: against random play, against itself, and against a search.
#[test]
fn easy_play_is_greedy_and_stays_off_the_edge() {
    const GAMES: u64 = 240;
    let easy = Player::level(Level::Easy);
    let opponents = [Player::Random, easy.clone(), Player::Level(Level::Normal, 40)];
    let (mut on_edge, mut great) = (0, 0);
    for game in 0..GAMES {
        let opponent = &opponents[game as usize % opponents.len()];
        let own = Color::BOTH[(game / 3) as usize % 2];
        let mut position = Position::new(Size::NINE, Preset::Quick.rules());
        let mut was_on_edge = false;
        while position.passes() < 2 && position.ply() < 150 {
            let turn = position.turn();
            let seed = game * 1_000 + u64::from(position.ply());
            if turn != own {
                let Choice::Move(chosen) = opponent.choose(&position, seed) else { break };
                position.play(chosen).unwrap();
                continue;
            }
            // What is dead for good need not be taken.
            let dead = goban::clearly_dead(position.board());
            let victims = |p| position.board().victims(turn, p).iter().filter(|v| !dead.contains(v)).count();
            let could = position.legal_points().into_iter().map(victims).max().unwrap_or(0);
            let chosen = easy.choose(&position, seed);
            let taken = if let Choice::Move(Move::Play(point)) = chosen { victims(point) } else { 0 };
            let board = position.board();
            assert!(could < 3 || taken >= 3, "game {game}: {chosen:?} takes {taken} of {could} in\n{board}");
            great += usize::from(could >= 3);
            let Choice::Move(chosen) = chosen else { break };
            if let Move::Play(point) = chosen {
                was_on_edge |=
                    position.ply() < 20 && [point.column(), point.row()].iter().any(|&at| at == 0 || at == 8);
            }
            position.play(chosen).unwrap();
        }
        on_edge += u64::from(was_on_edge);
    }
    assert!(great > 100, "{great}");
    assert!(on_edge * 50 < GAMES, "{on_edge} of {GAMES}");
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
