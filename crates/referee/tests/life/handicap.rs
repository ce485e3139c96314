use goban::{Color, HandicapBonus, Illegal, Preset};
use referee::{Command, Event, Handicap, Refusal, Settings};

use crate::store::{Answer, BLACK, Store, WHITE, ms, usual};

fn igo(stones: u8, free: bool) -> Settings {
    Settings { handicap: Handicap { stones, free }, ..usual(Preset::Igo, 9) }
}

/// Fixed stones stand where the protocol has them, and White moves first; positions with them are what superko looks back on.
#[test]
fn fixed_handicap_stones_stand_before_white_moves_first() {
    let mut store = Store::create(igo(3, false));
    let black: Vec<_> = store.game.position().board().stones(Color::Black).map(|p| p.to_string()).collect();
    assert_eq!((black.len(), store.game.turn(), store.game.ply()), (3, Some(Color::White), 0));
    let point = "C3".parse().unwrap();
    let occupied = Refusal::Illegal { point, reason: Illegal::Occupied };
    assert_eq!(store.command(Some(WHITE), Command::Play { ply: 0, point }), Err(occupied));
    let pass = Command::Pass { ply: 0 };
    assert_eq!(store.command(Some(BLACK), pass), Err(Refusal::NotYourTurn { turn: Color::White }));
    store.moves("E5 C5");
    assert_eq!(store.game.turn(), Some(Color::White));
    assert_eq!(store.replayed(), store.game);
}

/// Free stones are Black's first moves, one after another, each with its own time; a pass forgoes one and is no pass that ends a game; until White has moved, an
/// end is an abort.
#[test]
fn free_handicap_stones_are_blacks_first_moves() {
    let mut start = Store::create(igo(4, true));
    start.wait(ms(20_000));
    start.moves("C3 pass pass");
    assert_eq!((start.game.turn(), start.game.ply()), (Some(Color::Black), 3));
    assert_eq!(start.game.deadline(), Some(start.now + ms(600_000 + 150_000 - 20_000)));
    let mut store = start.clone();
    store.must(Some(WHITE), Command::Resign);
    assert_eq!(store.result(), "Void");
    start.moves("E5");
    assert_eq!(start.game.turn(), Some(Color::White));
    assert!(start.game.illegal_points().is_empty());
    let mut store = start.clone();
    store.must(Some(BLACK), Command::Resign);
    assert_eq!(store.result(), "Void", "White has not moved");
    start.moves("pass pass");
    assert!(start.game.agreement().is_some(), "two passes after the stones ask for the score");
    assert_eq!(start.replayed(), start.game);
    assert_eq!(start.deadline, start.game.due());
}

/// The bonus of a handicap is counted for White where the rules give one.
#[test]
fn the_bonus_of_a_handicap_is_counted() {
    let mut settings = igo(9, false);
    settings.rules.handicap_bonus = HandicapBonus::NMinusOne;
    let mut store = Store::create(settings);
    store.moves("pass pass");
    let Event::ScoreProposed { verdict, .. } = store.last() else { panic!() };
    assert_eq!(verdict.white.handicap, 8);
}

/// What cannot be is refused: one stone, ten, fixed stones where no points are named for them.
#[test]
fn impossible_handicaps_are_refused() {
    let wrong = |side, stones, free| {
        let handicap = Handicap { stones, free };
        Settings { handicap, ..usual(Preset::Igo, side) }.validate().is_err()
    };
    assert!(!wrong(19, 2, false) && !wrong(19, 9, true) && !wrong(7, 4, true) && !wrong(19, 0, false));
    assert!(wrong(19, 1, false) && wrong(19, 10, false) && wrong(7, 4, false) && wrong(19, 0, true));
    let mut store = Store::create(igo(2, true));
    assert_eq!(store.play("C3"), Ok(Answer::Accepted));
    assert_eq!(
        store.play("C3"),
        Err(Refusal::Illegal { point: "C3".parse().unwrap(), reason: Illegal::Occupied })
    );
}
