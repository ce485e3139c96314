use goban::{Illegal, KoRule};
use kernel::PlayerId;
use referee::{Command, EndReason, Event, Refusal, Settings};

use crate::store::{Answer, BLACK, Store, WHITE, ms, quick};

/// Until each side has moved once (a pass is a move), giving up or running out of time is an abort without a result; from then on it is a loss.
/// One may resign in the other's turn.
#[test]
fn a_game_that_ends_before_both_have_moved_is_an_abort() {
    for (moves, loser, resigned, flagged) in [
        ("", BLACK, "Void", "Void"),
        ("", WHITE, "Void", "Void"),
        ("E5", BLACK, "Void", "Void"),
        ("pass", WHITE, "Void", "Void"),
        ("E5 D5", BLACK, "W+R", "W+T"),
        ("pass D5", WHITE, "B+R", "W+T"),
        ("E5 pass D5", BLACK, "W+R", "B+T"),
    ] {
        let mut start = Store::create(quick(9));
        start.moves(moves);
        let mut store = start.clone();
        assert_eq!(store.command(Some(loser), Command::Resign), Ok(Answer::Accepted));
        assert_eq!(store.result(), resigned, "resigned after {moves:?}");
        let counts = resigned != "Void";
        let outcome = store.game.outcome().unwrap();
        assert_eq!(outcome.counts_for_rating(), counts);
        assert_eq!(outcome.reason == EndReason::Abort, !counts);
        let mut store = start;
        store.wait(ms(30_500));
        assert_eq!(store.claim(), Ok(Answer::Accepted));
        assert_eq!(store.result(), flagged, "flagged after {moves:?}");
    }
}

/// A wall in the middle of 5x5: Black owns three columns, White two, and one black stone behind White's wall.
const WALLS: &str = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5";

/// Two passes in a row are counted at once, in the entry of the second pass; the verdict is in the event.
#[test]
fn two_passes_are_counted_at_once() {
    let mut store = Store::create(Settings { komi: "0.5".parse().unwrap(), ..quick(5) });
    store.moves(WALLS);
    store.moves("pass E5");
    assert_eq!(
        store.game.turn(),
        Some(goban::Color::Black),
        "one pass is no end, nor are two with a stone between"
    );
    store.moves("pass pass");
    let (events, _) = store.log.last().unwrap();
    let [Event::Passed { .. }, Event::Finished { outcome, verdict: Some(verdict) }] = &events[..] else {
        panic!("{events:?}")
    };
    // 15 points against 10 and the komi.
    assert_eq!((outcome.to_string().as_str(), outcome.reason), ("B+4.5", EndReason::Score));
    assert_eq!(verdict.black.half_points() - verdict.white.half_points(), i32::from(outcome.margin));
    assert_eq!(store.game.verdict(), Some(&**verdict));
    assert_eq!((store.game.turn(), store.deadline), (None, None));
}

/// An empty board is White's by the komi, and a tie is a draw that counts.
#[test]
fn a_tie_is_a_draw() {
    for (komi, result) in [("7", "W+7"), ("0", "Draw"), ("-2.5", "B+2.5")] {
        let mut store = Store::create(Settings { komi: komi.parse().unwrap(), ..quick(9) });
        store.moves("pass pass");
        assert_eq!(store.result(), result);
        assert!(store.game.outcome().unwrap().counts_for_rating());
    }
}

/// The move that reaches the limit, stone or pass, is made, and then the board is counted. If it is also the second pass in a row, that is what
/// ended the game.
#[test]
fn the_move_limit_is_counted_like_two_passes() {
    for (last, reason) in [
        ("E5 E4", EndReason::MoveLimit),
        ("E5 pass", EndReason::MoveLimit),
        ("pass E4", EndReason::MoveLimit),
        ("pass pass", EndReason::Score),
    ] {
        let mut store = Store::create(Settings { move_limit: Some(12), ..quick(5) });
        store.moves(WALLS);
        store.moves(last);
        let outcome = store.game.outcome().unwrap();
        assert_eq!((outcome.reason, store.game.ply()), (reason, 12), "{last}");
        assert!(store.game.verdict().is_some() && outcome.counts_for_rating());
        let (events, _) = store.log.last().unwrap();
        assert_eq!(events.len(), 2, "the move and the end are one entry");
    }
    let mut store = Store::create(Settings { move_limit: None, ..quick(5) });
    store.moves(WALLS);
    assert_eq!(store.game.outcome(), None);
}

/// The 300th move of a game of `quick` in which both play anywhere at all is its last, and not the 299th.
#[test]
fn quick_ends_with_its_300th_move() {
    let mut store = Store::create(quick(9));
    let mut seed = 1_usize;
    while store.game.turn().is_some() {
        let legal = store.game.position().legal_points();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chosen = legal.get((seed >> 33) % legal.len().max(1)).map(ToString::to_string);
        store.moves(&chosen.unwrap_or_else(|| "pass".into()));
        assert_eq!(store.game.outcome().is_some(), store.game.ply() == 300);
    }
    let outcome = store.game.outcome().unwrap();
    assert!(outcome.reason == EndReason::MoveLimit && store.game.verdict().is_some());
}

/// Black throws two stones again and again into a white eye of two points, where suicide of two stones is allowed.
const THROWS: &str = "E5 A2 E4 B2 E3 C1 A1 pass B1 pass A1 pass B1 pass";

/// Under simple ko a position that stands a third time with the same player to move voids the game, in the entry of the stone that
/// brings it about; under superko the second time is already illegal.
#[test]
fn a_threefold_repetition_under_simple_ko_is_void() {
    let mut rules = quick(5).rules;
    rules.multi_stone_suicide = true;
    rules.ko = KoRule::Simple;
    let mut store = Store::create(Settings { rules, ..quick(5) });
    store.moves(THROWS);
    assert_eq!(store.game.outcome(), None);
    let thrown = |(events, _): &(Vec<Event>, _)| match &events[0] {
        Event::MovePlayed { captured, .. } => captured.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    assert_eq!(
        thrown(&store.log[store.log.len() - 2]),
        ["A1", "B1"],
        "a suicide's own stones leave the board"
    );
    store.moves("A1");
    let (events, _) = store.log.last().unwrap();
    let [Event::MovePlayed { .. }, Event::Finished { outcome, verdict: None }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((outcome.to_string().as_str(), outcome.reason), ("Void", EndReason::Repetition));
    assert!(!outcome.counts_for_rating());

    rules.ko = KoRule::Positional;
    let mut store = Store::create(Settings { rules, ..quick(5) });
    store.moves("E5 A2 E4 B2 E3 C1 A1 pass");
    let point = "B1".parse().unwrap();
    assert_eq!(store.play("B1"), Err(Refusal::Illegal { point, reason: Illegal::Superko }));
}

/// Whoever resigns first has resigned: the log's order decides, and the second is told the result.
#[test]
fn two_resignations_are_one_result() {
    let resign = |store: &mut Store, player: PlayerId| store.command(Some(player), Command::Resign);
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    assert_eq!(resign(&mut store, WHITE), Ok(Answer::Accepted));
    assert_eq!(resign(&mut store, BLACK).unwrap_err().to_string(), "the game is over: B+R");
}
