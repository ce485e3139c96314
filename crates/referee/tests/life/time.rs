use kernel::Timestamp;
use referee::{Command, Control, Event, NETWORK_ALLOWANCE, Refusal, Settings, decide};

use crate::store::{Answer, BLACK, Store, WHITE, ms, quick};

/// 30 s for a move: a move is in time before the clock shows zero, and is taken for 500 ms more; from then on the timeout holds. There is
/// no millisecond in which both hold, and none in which neither does.
#[test]
fn a_turn_ends_to_the_millisecond() {
    let mut start = Store::create(quick(9));
    start.moves("E5 D5");
    assert_eq!(start.game.deadline(), Some(start.now + ms(30_000)));
    assert_eq!(start.game.due(), Some(start.now + ms(30_500)));
    for waited in [0, 29_999, 30_000, 30_001, 30_499, 30_500, 30_501, 90_000] {
        let mut store = start.clone();
        store.wait(ms(waited));
        let in_time = waited < 30_500;
        for chosen in ["C3", "pass"] {
            let mut store = store.clone();
            let answer = if in_time { Answer::Accepted } else { Answer::TooLate };
            assert_eq!(store.play(chosen), Ok(answer), "{chosen} after {waited} ms");
            if in_time {
                // The next turn is a whole one, however late this move was.
                assert_eq!(store.game.deadline(), Some(store.now + ms(30_000)));
            }
        }
        let claim = store.clone().claim();
        if waited == 0 {
            // A hint that is far too early is refused without asking the store.
            assert_eq!(claim, Err(Refusal::NotDue { deadline: store.now + ms(30_000) }));
        } else {
            let answer = if in_time { Answer::TooEarly } else { Answer::Accepted };
            assert_eq!(claim, Ok(answer), "a claim after {waited} ms");
        }
    }
}

/// The deadline that the store keeps is the first moment at which a claim of a timeout is accepted: whoever acts on it is not sent away.
#[test]
fn a_claim_at_the_stores_deadline_is_accepted() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.now = store.deadline.unwrap();
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!((store.result().as_str(), store.deadline, store.game.deadline()), ("W+T", None, None));
}

/// A replica whose idea of the time lags behind the store's by seconds still makes a rightful claim.
#[test]
fn a_replica_with_a_slow_clock_claims_all_the_same() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.now = store.deadline.unwrap();
    let decision = decide(&store.game, None, Command::Timeout, store.now - ms(4_000)).unwrap();
    assert_eq!(store.append(decision), Answer::Accepted);
}

/// A move that is past its deadline because the servers were away is neither refused nor accepted before the time is given back,
/// and then it counts; a timeout cannot be claimed in between.
#[test]
fn a_move_after_an_outage_counts_once_the_time_is_given_back() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.wait(ms(20_000));
    store.away(ms(60_000));
    let unsettled = Answer::Outage(store.outages.clone());
    assert_eq!(store.claim(), Ok(unsettled.clone()));
    assert_eq!(store.play("C3"), Ok(unsettled));
    let own = store.game.deadline().unwrap();
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    assert_eq!(store.game.deadline(), Some(own + ms(60_000)));
    assert_eq!(store.deadline, store.game.due());
    let Event::TimeCredited { credit, settled_until, reason, .. } = store.last() else { panic!() };
    assert_eq!((*credit, *settled_until, &**reason), (ms(60_000), store.now, "the server was away"));
    assert_eq!(store.credit(), Err(Refusal::NothingToCredit));
    // 10 s were left, and the allowance.
    store.wait(ms(10_499));
    assert_eq!(store.claim(), Ok(Answer::TooEarly));
    assert_eq!(store.play("C3"), Ok(Answer::Accepted));
    assert_eq!(store.game.deadline(), Some(store.now + ms(30_000)), "a credit is for one turn only");
}

/// What the outages took of the turn is given back once: where they overlap, in any order, before the turn began, and after what was
/// given back before.
#[test]
fn only_time_of_the_running_turn_is_given_back_and_only_once() {
    type Outages<'a> = &'a [(u64, u64)];
    // Seconds since the turn began, moved by 100 so that they can lie before it.
    let cases: &[(&str, Outages<'_>, Outages<'_>, u64)] = &[
        ("none at all", &[], &[], 0),
        ("before the turn", &[], &[(40, 90)], 0),
        ("up to its beginning", &[], &[(40, 100)], 0),
        ("across its beginning", &[], &[(40, 107)], 7),
        ("within", &[], &[(103, 107)], 4),
        ("two that overlap", &[], &[(103, 107), (105, 110)], 7),
        ("two that overlap, the later first", &[], &[(105, 110), (103, 107)], 7),
        ("one inside of the other", &[], &[(103, 110), (105, 107)], 7),
        ("the same twice", &[], &[(103, 107), (103, 107)], 4),
        ("two apart", &[], &[(103, 104), (108, 110)], 3),
        ("from after to", &[], &[(107, 103)], 0),
        ("settled already", &[(103, 107)], &[(103, 107)], 0),
        ("partly settled", &[(103, 107)], &[(103, 110)], 3),
        ("one settled, one new", &[(103, 107)], &[(103, 107), (109, 111)], 2),
    ];
    for &(name, settled, outages, expected) in cases {
        let mut store = Store::create(quick(9));
        store.moves("E5");
        let start = store.now;
        store.wait(ms(20_000));
        let at = |second: u64| start - ms(100_000) + ms(second * 1_000);
        let convert = |list: Outages<'_>| list.iter().map(|&(a, b)| (at(a), at(b))).collect::<Vec<_>>();
        store.outages = convert(settled);
        if !settled.is_empty() {
            assert_eq!(store.credit(), Ok(Answer::Accepted), "{name}");
        }
        let before = store.game.deadline().unwrap();
        store.outages = convert(outages);
        let answer = store.credit();
        if expected == 0 {
            assert_eq!(answer, Err(Refusal::NothingToCredit), "{name}");
        } else {
            assert_eq!(answer, Ok(Answer::Accepted), "{name}");
            assert_eq!(store.game.deadline().unwrap().since(before), ms(expected * 1_000), "{name}");
            assert_eq!(store.deadline, store.game.due(), "{name}");
        }
    }
}

/// A clock that had run out before the servers went away has still run out when they come back.
#[test]
fn an_outage_does_not_revive_a_clock_that_had_run_out() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.wait(ms(30_500));
    store.away(ms(3_600_000));
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    assert_eq!(store.play("C3"), Ok(Answer::TooLate));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), "W+T");
}

/// Without a clock there is no deadline, no timeout and nothing to give back, and a move is taken after any time.
#[test]
fn a_game_without_a_clock_waits_for_ever() {
    let mut store = Store::create(Settings { control: Control::None, ..quick(9) });
    store.moves("E5");
    store.away(ms(100 * 24 * 3_600_000));
    assert_eq!((store.deadline, store.game.deadline(), store.game.due()), (None, None, None));
    assert_eq!(store.claim(), Err(Refusal::NoClock));
    assert_eq!(store.credit(), Err(Refusal::NoClock));
    store.moves("D5 pass");
    assert_eq!(store.deadline, None);
}

/// The winner's clock does not run on, and nothing moves it after the end.
#[test]
fn no_clock_runs_after_the_end() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    assert_eq!(store.command(Some(WHITE), Command::Resign), Ok(Answer::Accepted));
    store.away(ms(60_000));
    let over = Refusal::GameOver { outcome: store.game.outcome().unwrap() };
    assert_eq!((store.game.deadline(), store.deadline), (None, None));
    assert_eq!(store.claim(), Err(over.clone()));
    assert_eq!(store.credit(), Err(over.clone()));
    assert_eq!(store.command(Some(BLACK), Command::Resign), Err(over));
}

/// The guard names the start of the turn as the moment from which outages matter, and later what was given back.
#[test]
fn the_guard_says_which_outages_are_settled() {
    let mut store = Store::create(quick(9));
    store.away(ms(9_000));
    store.moves("E5");
    let settled = |store: &Store| -> Timestamp {
        let decision = decide(&store.game, Some(store.mover()), Command::Pass { ply: 1 }, store.now).unwrap();
        let due = store.game.deadline().unwrap() + NETWORK_ALLOWANCE;
        assert_eq!((decision.guard.not_after, decision.guard.not_before), (Some(due - ms(1)), None));
        decision.guard.settled_until
    };
    let started = store.now;
    assert_eq!(settled(&store), started);
    store.away(ms(2_000));
    store.wait(ms(1_000));
    assert_eq!(settled(&store), started);
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    assert_eq!(settled(&store), started + ms(2_000));
}
