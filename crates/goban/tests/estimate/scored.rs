//! What each ruleset counts where stones are in seki or dead, by hand.

use goban::{
    Board, Color, Dead, HandicapBonus, Illegal, KoRule, Komi, Move, Outcome, Position, Preset, Rules,
    Scoring, Tax, Verdict, judge,
};

use crate::fixtures::{FALSE_EYES, SEKI};
use crate::rare::{
    BENT_FOUR, ETERNAL_LIFE, LIFE_BY_KOS, MOONSHINE, SEKI_BY_FALSE_EYES, SEKI_BY_KOS, TEN_THOUSAND_YEARS,
    TWO_HEADED_DRAGON,
};

fn count(rows: &str, scoring: Scoring, tax: Tax) -> Verdict {
    let rules = Rules {
        ko: KoRule::Simple,
        scoring,
        multi_stone_suicide: false,
        tax,
        handicap_bonus: HandicapBonus::None,
    };
    let board = Board::parse(&rows.to_uppercase()).unwrap();
    judge(&Position::from_board(board, rules, Color::Black), Komi::ZERO, 0, Dead::Estimate)
}

/// Black's and White's points.
fn points(rows: &str, scoring: Scoring, tax: Tax) -> [i32; 2] {
    let verdict = count(rows, scoring, tax);
    [verdict.black, verdict.white].map(|score| score.half_points() / 2)
}

/// An eye in a seki counts under each scoring as long as there is no tax; a tax on seki takes it away, whichever way is counted, and shared
/// liberties are nobody's in any case. A tax on all groups takes two points more from each group that lives by two eyes, and none from those in seki.
#[test]
fn points_in_seki_count_as_the_tax_says() {
    // Area and territory without a tax, and the eyes that lie in the seki.
    let known = [
        ("no eyes", [40, 39], [17, 12], [0, 0]),
        ("an eye each", [41, 39], [21, 21], [1, 1]),
        ("two eyes against none", [29, 50], [5, 23], [0, 2]),
    ];
    for ((name, rows), (same, area, territory, eyes)) in SEKI.into_iter().zip(known) {
        assert_eq!(name, same);
        let less = |points: [i32; 2], tax: i32| [points[0] - eyes[0] - tax, points[1] - eyes[1] - tax];
        for (scoring, all) in [(Scoring::Area, area), (Scoring::Territory, territory)] {
            assert_eq!(points(rows, scoring, Tax::None), all, "{name}, {scoring:?}");
            assert_eq!(points(rows, scoring, Tax::Seki), less(all, 0), "{name}, {scoring:?}, tax on seki");
            assert_eq!(points(rows, scoring, Tax::All), less(all, 2), "{name}, {scoring:?}, tax on all");
        }
    }
}

/// Dead stones and the points below them are the opponent's: area counts each once, territory twice, and the tax on seki changes nothing.
#[test]
fn dead_stones_count_as_the_scoring_says() {
    for tax in [Tax::None, Tax::Seki] {
        assert_eq!(points(FALSE_EYES, Scoring::Area, tax), [36, 32]);
        assert_eq!(points(FALSE_EYES, Scoring::Territory, tax), [26, 18]);
        let verdict = count(FALSE_EYES, Scoring::Territory, tax);
        assert_eq!((verdict.black.prisoners, verdict.white.prisoners, verdict.dead.len()), (9, 0, 9));
    }
}

/// Kos that are left over, by area and by territory without a tax: what nobody can settle stands and counts, and a corner that one side can
/// take whenever it likes is that side's.
#[test]
fn kos_that_are_left_over_count_as_they_stand() {
    for (name, rows, area, territory) in [
        ("bent four", BENT_FOUR, [30, 51], [16, 27]),
        ("ten-thousand-year ko", TEN_THOUSAND_YEARS, [37, 42], [9, 15]),
        ("seki by two kos", SEKI_BY_KOS, [42, 38], [10, 5]),
        ("moonshine life", MOONSHINE, [16, 63], [5, 44]),
        ("life by two kos", LIFE_BY_KOS, [51, 48], [15, 5]),
    ] {
        assert_eq!(points(rows, Scoring::Area, Tax::None), area, "{name}");
        assert_eq!(points(rows, Scoring::Territory, Tax::None), territory, "{name}");
    }
}

/// A false eye counts where its owner never has to fill it: as any eye does in a seki without a tax on it, and always where two of them are life. Black has
/// one group of two eyes and White two on the board with the dragon.
#[test]
fn false_eyes_that_are_needed_count() {
    for (tax, area, territory) in
        [(Tax::None, [40, 40], [3, 3]), (Tax::Seki, [39, 39], [2, 2]), (Tax::All, [37, 37], [0, 0])]
    {
        assert_eq!(points(SEKI_BY_FALSE_EYES, Scoring::Area, tax), area, "{tax:?}");
        assert_eq!(points(SEKI_BY_FALSE_EYES, Scoring::Territory, tax), territory, "{tax:?}");
    }
    for (tax, area, territory) in
        [(Tax::None, [26, 55], [2, 4]), (Tax::Seki, [26, 55], [2, 4]), (Tax::All, [24, 51], [0, 0])]
    {
        assert_eq!(points(TWO_HEADED_DRAGON, Scoring::Area, tax), area, "{tax:?}");
        assert_eq!(points(TWO_HEADED_DRAGON, Scoring::Territory, tax), territory, "{tax:?}");
    }
}

/// The cycle of eternal life under each ruleset: with simple ko the third time that the position stands is the end without a result, whatever else the
/// rules say. Superko forbids the very first return, as nothing in it was a ko; after a move elsewhere and its answer the same stones may be taken, and
/// without one White goes on and Black's corner is dead.
#[test]
fn eternal_life_ends_as_each_ruleset_says() {
    let play = |position: &mut Position, point: &str| position.play(Move::Play(point.parse().unwrap()));
    for preset in Preset::ALL {
        let mut position =
            Position::from_board(Board::parse(ETERNAL_LIFE).unwrap(), preset.rules(), Color::White);
        for point in ["F9", "C9", "E9"] {
            assert!(play(&mut position, point).is_ok(), "{preset}: {point}");
        }
        if preset.rules().ko == KoRule::Simple {
            assert!(play(&mut position, "D9").is_ok(), "{preset}");
            assert!(!position.repetition(), "{preset}: it stands for the second time");
            for point in ["F9", "C9", "E9", "D9"] {
                assert!(play(&mut position, point).is_ok(), "{preset}: {point}");
            }
            let verdict = judge(&position, preset.komi(), 0, Dead::Estimate);
            assert!(position.repetition() && verdict.result == Outcome::Void, "{preset}: {verdict:?}");
            continue;
        }
        assert_eq!(play(&mut position, "D9"), Err(Illegal::Superko), "{preset}");
        let mut elsewhere = position.clone();
        for point in ["F5", "A5", "D9", "F9"] {
            assert!(play(&mut elsewhere, point).is_ok(), "{preset}: {point}");
        }
        position.play(Move::Pass).unwrap();
        assert!(play(&mut position, "D9").is_ok(), "{preset}");
        let verdict = judge(&position, preset.komi(), 0, Dead::Estimate);
        assert!(!position.repetition() && verdict.result != Outcome::Void, "{preset}");
        assert!(verdict.dead.contains(&"A8".parse().unwrap()), "{preset}: {:?}", verdict.dead);
    }
}
