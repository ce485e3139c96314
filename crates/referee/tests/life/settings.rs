use std::time::Duration;

use goban::{Preset, Scoring, Size};
use referee::{Control, Game, NextDeadline, Settings};

use crate::store::{BLACK, ms, quick, seats};

/// Everything that is wrong is said at once, each with its field, what is wrong and what would be right.
#[test]
fn all_violations_are_named_at_once() {
    let mut seats = seats();
    seats.white.player = BLACK;
    seats.white.bot = true;
    let settings = Settings {
        preset: Preset::Igo,
        size: Size::new(9, 13).unwrap(),
        control: Control::PerMove { time: ms(999) },
        rated: true,
        move_limit: Some(0),
        ..quick(9)
    };
    let told: Vec<String> =
        Game::create(settings, seats).unwrap_err().iter().map(ToString::to_string).collect();
    let player = BLACK;
    assert_eq!(
        told,
        [
            "preset: igo ends with an agreement about the dead stones, which this server does not offer yet; for now only quick",
            "board_size: a 9x13 board is not possible; a square board with 5 to 19 lines a side",
            "time_control.per_move.time: 999ms a move is not possible; from 1 s to 24 h in whole milliseconds",
            "move_limit: a limit of 0 moves is not possible; from 2 to 10000 moves, or none",
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
        assert_eq!(valid(Settings::of_preset(preset, Size::NINE)), preset == Preset::Quick, "{preset}");
    }
    let mut territory = quick(9);
    territory.rules.scoring = Scoring::Territory;
    assert_eq!(territory.validate().unwrap_err()[0].field, "rules.scoring");
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
