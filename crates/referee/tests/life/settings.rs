use std::time::Duration;

use goban::{Preset, Scoring, Size};
use referee::{Control, Game, Grace, Handicap, NextDeadline, Settings};

use crate::store::{BLACK, ms, quick, seats};

/// Everything that is wrong is said at once, each with its field, what is wrong and what would be right.
#[test]
fn all_violations_are_named_at_once() {
    let mut seats = seats();
    seats.white.player = BLACK;
    seats.white.bot = true;
    seats.black.guest = true;
    let settings = Settings {
        preset: Preset::Igo,
        rules: Preset::Igo.rules(),
        size: Size::new(9, 13).unwrap(),
        control: Control::PerMove { time: ms(999) },
        rated: true,
        move_limit: Some(0),
        handicap: Handicap { stones: 1, free: false },
        grace: Grace { left: ms(0), ..Grace::of_size(Size::NINE) },
        ..quick(9)
    };
    let told: Vec<String> =
        Game::create(settings, seats).unwrap_err().iter().map(ToString::to_string).collect();
    let player = BLACK;
    assert_eq!(
        told,
        [
            "board_size: a 9x13 board is not possible; a square board with 5 to 19 lines a side",
            "time_control.per_move.time: 999ms a move is not possible; from 1 s to 24 h in whole milliseconds",
            "move_limit: a limit of 0 moves is not possible; from 2 to 10000 moves, or none",
            "options.dead_stones: territory cannot be counted without knowing all dead stones; a best estimate, an agreement, or area scoring",
            "options.handicap: a handicap of 1 is not possible; 0, or 2 to 9 stones",
            "options.grace.left: 0ns of grace is not possible; from 1 s to 7 days in whole milliseconds",
            "rated: games of igo on 9x13 are never rated; an unrated game, or a preset as it is",
            &format!("seats: {player} would play against themselves; two different players"),
            "rated: a game with a program is never rated; an unrated game",
        ]
    );
}

/// The ends of each range are in it, and what lies just beyond is not.
#[test]
fn ranges_hold_to_their_ends() {
    let valid = |settings: Settings| settings.validate().is_ok();
    for side in 1..=25 {
        assert_eq!(valid(quick(side)), (5..=19).contains(&side), "{side}");
    }
    let day = Duration::from_secs(86_400);
    for (time, expected) in [
        (Duration::ZERO, false),
        (ms(999), false),
        (ms(1_000), true),
        (Duration::from_micros(1_000_500), false),
        (day, true),
        (day + ms(1), false),
        (Duration::MAX, false),
    ] {
        assert_eq!(valid(Settings { control: Control::PerMove { time }, ..quick(9) }), expected, "{time:?}");
    }
    for (limit, expected) in
        [(Some(1), false), (Some(2), true), (Some(10_000), true), (Some(10_001), false), (None, true)]
    {
        assert_eq!(valid(Settings { move_limit: limit, ..quick(9) }), expected, "{limit:?}");
    }
    for preset in Preset::ALL {
        assert!(valid(Settings::of_preset(preset, Size::NINE)), "{preset}");
    }
    let mut territory = quick(9);
    territory.rules.scoring = Scoring::Territory;
    assert_eq!(territory.validate().unwrap_err()[0].field, "options.dead_stones");
}

/// `quick` is what its description says, and a new game is due after its first turn.
#[test]
fn quick_is_as_described() {
    let settings = quick(9);
    assert_eq!(settings.control, Control::PerMove { time: ms(30_000) });
    assert_eq!((settings.komi.to_string().as_str(), settings.move_limit), ("7", Some(300)));
    let decision = Game::create(settings, seats()).unwrap();
    assert_eq!(decision.deadline, NextDeadline::After(ms(30_500)));
    let decision = Game::create(Settings { control: Control::None, ..settings }, seats()).unwrap();
    assert_eq!(decision.deadline, NextDeadline::Keep);
}
