//! The rulesets that players know by name, superko over long games, and handicaps.

use std::collections::HashSet;

use goban::{HandicapBonus, Illegal, KoRule, Komi, Move, Position, Preset, Rng, Rules, Scoring, Size, Tax};

/// Each ruleset is what its own text, and KataGo's table of rules, say it is.
#[test]
fn each_ruleset_is_what_its_name_says() {
    use HandicapBonus::{N, NMinusOne, None as Nothing};
    use KoRule::{Positional, Simple, Situational};
    use Scoring::{Area, Territory};
    for (preset, ko, scoring, tax, suicide, bonus, half_komi) in [
        (Preset::Chinese, Simple, Area, Tax::None, false, N, 15),
        (Preset::ChineseSuperko, Positional, Area, Tax::None, false, N, 15),
        (Preset::Japanese, Simple, Territory, Tax::Seki, false, Nothing, 13),
        (Preset::Korean, Simple, Territory, Tax::Seki, false, Nothing, 13),
        (Preset::Aga, Situational, Area, Tax::None, false, NMinusOne, 15),
        (Preset::NewZealand, Situational, Area, Tax::None, true, Nothing, 14),
        (Preset::TrompTaylor, Positional, Area, Tax::None, true, Nothing, 15),
    ] {
        let rules = Rules { ko, scoring, multi_stone_suicide: suicide, tax, handicap_bonus: bonus };
        assert_eq!(preset.rules(), rules, "{preset}");
        assert_eq!(Ok(preset.komi()), Komi::from_half_points(half_komi), "{preset}");
    }
    for stones in 0..=9_u8 {
        let bonuses = [Nothing, NMinusOne, N].map(|bonus| bonus.points(stones));
        assert_eq!(bonuses, if stones < 2 { [0; 3] } else { [0, stones - 1, stones] });
    }
}

/// On tiny boards superko games of thousands of moves go through most positions there are: none comes back, whatever lies between, and
/// what is refused as a repetition did stand before.
#[test]
fn superko_looks_back_over_the_whole_game() {
    let mut longest = 0;
    for (ko, suicide, seed) in
        [(KoRule::Positional, true, 1), (KoRule::Positional, false, 2), (KoRule::Situational, true, 3)]
    {
        let rules = Rules { ko, multi_stone_suicide: suicide, ..Preset::TrompTaylor.rules() };
        let size = Size::new(5, 4).unwrap();
        let mut position = Position::new(size, rules);
        let mut rng = Rng::new(seed);
        let key = |position: &Position| {
            let turn = (ko == KoRule::Situational).then(|| position.turn());
            (position.board().to_rows(), turn)
        };
        let mut stood = HashSet::from([key(&position)]);
        let mut stones = 0;
        for _ in 0..40_000 {
            let legal = position.legal_points();
            let Some(&point) = legal.get(rng.below(legal.len() as u32) as usize) else {
                position.play(Move::Pass).unwrap();
                if ko == KoRule::Situational {
                    stood.insert(key(&position));
                }
                if position.passes() >= 2 {
                    break;
                }
                continue;
            };
            position.play(Move::Play(point)).unwrap();
            stones += 1;
            assert!(stood.insert(key(&position)), "came back after {stones} stones\n{}", position.board());
        }
        for (point, why) in position.illegal_points() {
            if why == Illegal::Superko {
                let lax = Rules { ko: KoRule::Simple, ..rules };
                let mut free = Position::from_board(position.board().clone(), lax, position.turn());
                free.play(Move::Play(point)).unwrap();
                assert!(stood.contains(&key(&free)));
            }
        }
        longest = longest.max(stones);
    }
    assert!(longest > 1_000, "the longest game had {longest} stones");
}
