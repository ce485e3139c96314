use goban::{Color, Illegal, Point, Size};
use kernel::Timestamp;
use referee::{Command, Event, Game, Outcome, Refusal, decide};

use crate::store::{Answer, BLACK, STRANGER, Store, WHITE, ms, quick};

fn point(text: &str) -> Point {
    text.parse().unwrap()
}

/// Each refusal names the first thing that is wrong, in the order seat, end, ply, turn, board, rule, and gives the input back.
#[test]
fn a_refusal_names_the_first_thing_that_is_wrong() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    let play = |ply, text| Command::Play { ply, point: point(text) };
    let turn = Color::Black;
    let off = Refusal::OffBoard { point: point("K10"), size: Size::NINE };
    let occupied = Refusal::Illegal { point: point("E5"), reason: Illegal::Occupied };
    let outages = [(store.now, store.now + ms(9))];
    for (actor, command, refusal) in [
        (None, play(2, "C3"), Refusal::NotASeat),
        (None, Command::Resign, Refusal::NotASeat),
        (Some(STRANGER), play(9, "K10"), Refusal::NotASeat),
        (Some(STRANGER), Command::Pass { ply: 2 }, Refusal::NotASeat),
        (Some(STRANGER), Command::Resign, Refusal::NotASeat),
        (Some(BLACK), Command::Timeout, Refusal::ServerOnly),
        (Some(STRANGER), Command::Credit { outages: &outages }, Refusal::ServerOnly),
        (Some(WHITE), play(1, "K10"), Refusal::StalePly { ply: 2 }),
        (Some(BLACK), play(3, "C3"), Refusal::StalePly { ply: 2 }),
        (Some(BLACK), Command::Pass { ply: 0 }, Refusal::StalePly { ply: 2 }),
        (Some(WHITE), play(2, "K10"), Refusal::NotYourTurn { turn }),
        (Some(WHITE), Command::Pass { ply: 2 }, Refusal::NotYourTurn { turn }),
        (Some(BLACK), play(2, "K10"), off),
        (Some(BLACK), play(2, "E5"), occupied),
    ] {
        assert_eq!(decide(&store.game, actor, command, store.now), Err(refusal), "{actor:?} {command:?}");
    }
    let before = store.clone();
    assert_eq!(store.play("A10").unwrap_err().to_string(), "A10 is off the 9x9 board");
    assert_eq!((store.game.clone(), store.log.len()), (before.game, before.log.len()));
    store.command(Some(WHITE), Command::Resign).unwrap();
    let over = Refusal::GameOver { outcome: store.game.outcome().unwrap() };
    assert_eq!(store.command(Some(WHITE), play(7, "K10")), Err(over));
    assert_eq!(store.command(Some(STRANGER), play(2, "C3")), Err(Refusal::NotASeat));
}

/// A retaken ko and a suicide are refused with the rule's name.
#[test]
fn ko_recapture_and_suicide_are_rejected() {
    let mut store = Store::create(quick(9));
    store.moves("D5 G5 E6 F6 E4 F4 F5 E5");
    let Event::MovePlayed { captured, .. } = store.last() else { panic!() };
    assert_eq!(captured[..], [point("F5")]);
    let refused = |reason| Err(Refusal::Illegal { point: point("F5"), reason });
    assert_eq!(store.play("F5"), refused(Illegal::Ko));
    store.moves("A1 pass");
    assert_eq!(store.play("F5"), Ok(Answer::Accepted), "after a move elsewhere the ko may be taken");
    let mut store = Store::create(quick(9));
    store.moves("A2 pass B1");
    let refusal = Refusal::Illegal { point: point("A1"), reason: Illegal::Suicide };
    assert_eq!(store.play("A1"), Err(refusal));
}

/// An event that does not fit marks the game as corrupt; from then on it changes no more and takes no commands.
#[test]
fn an_event_that_does_not_fit_marks_the_game_as_corrupt() {
    let mut start = Store::create(quick(9));
    start.moves("E5 D5");
    let created = start.log[0].0[0].clone();
    let move_played = |color, text, captured| Event::MovePlayed { color, point: point(text), captured };
    let credit = |credit, until| Event::TimeCredited {
        credit,
        grace: [ms(0); 2],
        settled_until: until,
        reason: "".into(),
    };
    let now = start.now;
    let misfits = [
        created,
        Event::Passed { color: Color::White },
        move_played(Color::White, "C3", vec![]),
        move_played(Color::Black, "E5", vec![]),
        move_played(Color::Black, "T19", vec![]),
        move_played(Color::Black, "C3", vec![point("D5")]),
        credit(ms(1), now),
        credit(ms(1_001), now + ms(1_000)),
    ];
    for event in misfits {
        let mut game = start.game.clone();
        game.apply(&event, now + ms(5_000));
        assert!(game.is_corrupt() && game.corruption().is_some(), "{event:?}");
        let frozen = game.clone();
        game.apply(&Event::Passed { color: game.position().turn() }, now + ms(6_000));
        assert_eq!(game, frozen);
        assert_eq!(decide(&game, Some(BLACK), Command::Resign, now), Err(Refusal::Corrupt));
    }
    let mut game = start.game.clone();
    let outcome = Outcome::read(referee::EndReason::Resignation, "B+R").unwrap();
    game.apply(&Event::Finished { outcome, verdict: None }, now);
    assert!(!game.is_corrupt());
    game.apply(&Event::Finished { outcome, verdict: None }, now);
    assert!(game.is_corrupt(), "a game ends once");
    // A log that does not begin with the creation tells no game.
    assert_eq!(Game::replay([(vec![Event::Passed { color: Color::Black }], now)]), None);
    assert_eq!(Game::replay(Vec::<(Vec<Event>, Timestamp)>::new()), None);
}

/// A stamp that runs backwards, which no store makes, does not turn the clock back.
#[test]
fn a_stamp_never_runs_backwards() {
    let store = Store::create(quick(9));
    let mut game = store.game;
    game.apply(&Event::Passed { color: Color::Black }, store.now - ms(1));
    assert_eq!((game.is_corrupt(), game.turn_started(), game.last_stamp()), (false, store.now, store.now));
}
