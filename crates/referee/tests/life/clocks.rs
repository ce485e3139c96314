use std::time::Duration;

use goban::Color;
use referee::{Control, Remaining, Settings};

use crate::store::{Answer, Store, ms, quick};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn store(control: Control) -> Store {
    Store::create(Settings { control, ..quick(19) })
}

/// Black takes that long for a move, White none. The answer is what Black has afterwards: main time, period, count.
fn black_takes(store: &mut Store, millis: u64) -> (u64, u64, u32) {
    store.wait(ms(millis));
    assert_eq!(store.play_anywhere(), Ok(Answer::Accepted), "after {millis} ms");
    assert_eq!(store.play_anywhere(), Ok(Answer::Accepted));
    let Remaining { main, period, count } = store.game.remaining(Color::Black).unwrap();
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap();
    (millis(main), millis(period), count)
}

/// How many milliseconds after the turn's beginning Black loses, and the store is told to look.
fn black_has(store: &Store) -> (u128, u128) {
    assert_eq!(store.game.turn(), Some(Color::Black));
    let since =
        |moment: Option<_>| Duration::as_millis(&kernel::Timestamp::since(moment.unwrap(), store.now));
    assert_eq!(store.deadline, store.game.due());
    (since(store.game.deadline()), since(store.deadline))
}

/// One time for all moves; a pass takes of it as a stone does; what the allowance lent is owed, so that nobody lives on it.
#[test]
fn absolute_time_only_ever_shrinks() {
    let mut store = store(Control::Absolute { time: seconds(10) });
    assert_eq!(black_has(&store), (10_000, 10_500));
    assert_eq!(black_takes(&mut store, 4_000), (6_000, 0, 0));
    store.wait(ms(1_000));
    store.moves("pass");
    assert_eq!(store.play_anywhere(), Ok(Answer::Accepted));
    assert_eq!(black_has(&store), (5_000, 5_500));
    // 300 ms late, but in time for a slow network: the clock shows zero, and 200 ms are left of the allowance.
    assert_eq!(black_takes(&mut store, 5_300), (0, 0, 0));
    assert_eq!(black_has(&store), (0, 200));
    store.wait(ms(199));
    assert_eq!(store.claim(), Ok(Answer::TooEarly));
    store.wait(ms(1));
    assert_eq!(store.play_anywhere(), Ok(Answer::TooLate));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), "W+T");
}

/// Each move adds, up to the cap; what the allowance lent is paid back first.
#[test]
fn fischer_adds_for_each_move_up_to_the_cap() {
    let control = Control::Fischer { time: seconds(10), increment: seconds(5), cap: Some(seconds(12)) };
    let mut capped = store(control);
    assert_eq!(black_takes(&mut capped, 1_000), (12_000, 0, 0));
    assert_eq!(black_takes(&mut capped, 8_000), (9_000, 0, 0));
    assert_eq!(black_takes(&mut capped, 9_400), (4_600, 0, 0));
    assert_eq!(black_has(&capped), (4_600, 5_100));
    let mut free = store(Control::Fischer { time: seconds(10), increment: seconds(5), cap: None });
    assert_eq!(black_takes(&mut free, 0), (15_000, 0, 0));
    assert_eq!(black_takes(&mut free, 0), (20_000, 0, 0));
}

/// A move within a period leaves it whole; at its last millisecond it is gone, and the next one begins without any entry; the deadline is the end of the
/// last one; in the last one the allowance lends but nothing is owed, since the period would be whole again in any case.
#[test]
fn byoyomi_periods_go_one_by_one_to_the_millisecond() {
    let control = Control::Byoyomi { time: seconds(10), period: seconds(5), periods: 3 };
    let mut store = store(control);
    assert_eq!(black_has(&store), (25_000, 25_500));
    assert_eq!(black_takes(&mut store, 9_999), (1, 5_000, 3));
    assert_eq!(black_takes(&mut store, 1), (0, 5_000, 3));
    assert_eq!(black_takes(&mut store, 4_999), (0, 5_000, 3));
    assert_eq!(black_takes(&mut store, 5_000), (0, 5_000, 2));
    assert_eq!(black_has(&store), (10_000, 10_500));
    let entries = store.log.len();
    store.wait(ms(9_000));
    assert_eq!(store.claim(), Ok(Answer::TooEarly), "a period that ends is no end");
    assert_eq!(store.log.len(), entries);
    assert_eq!(black_takes(&mut store, 999), (0, 5_000, 1));
    for late in [4_999, 5_000, 5_499] {
        assert_eq!(black_takes(&mut store, late), (0, 5_000, 1), "the last period, after {late} ms");
    }
    store.wait(ms(5_500));
    assert_eq!(store.clone().play_anywhere(), Ok(Answer::TooLate));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    // From main time through all periods in one turn.
    let mut store = self::store(control);
    assert_eq!(black_takes(&mut store, 24_999), (0, 5_000, 1));
    let mut store = self::store(control);
    assert_eq!(black_takes(&mut store, 25_499), (0, 5_000, 1));
}

/// The move in which main time ends is the first of a period; the last of a period begins the next one, and what is left over is lost.
#[test]
fn canadian_periods_hold_so_many_stones() {
    let control = Control::Canadian { time: seconds(10), period: seconds(6), stones: 3 };
    let mut store = store(control);
    assert_eq!(black_has(&store), (16_000, 16_500));
    assert_eq!(black_takes(&mut store, 9_999), (1, 6_000, 3));
    assert_eq!(black_takes(&mut store, 1), (0, 6_000, 2));
    assert_eq!(black_takes(&mut store, 2_000), (0, 4_000, 1));
    assert_eq!(black_takes(&mut store, 3_999), (0, 6_000, 3));
    assert_eq!(black_takes(&mut store, 5_900), (0, 100, 2));
    assert_eq!(black_takes(&mut store, 300), (0, 0, 1), "late, and owed");
    assert_eq!(black_has(&store), (0, 300));
    assert_eq!(black_takes(&mut store, 299), (0, 6_000, 3));
    store.wait(ms(6_500));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
}

/// The network delay that was measured narrows the allowance for a move, and never widens it.
#[test]
fn the_allowance_is_the_measured_delay_and_at_most_500_ms() {
    let store = store(Control::PerMove { time: seconds(30) });
    for (measured, last) in [(0, 29_999), (80, 30_079), (500, 30_499), (60_000, 30_499)] {
        let command = referee::Command::Pass { ply: 0 };
        let decision = referee::decide(&store.game, Some(store.mover()), command, store.now).unwrap();
        let guard = decision.with_delay(ms(measured)).guard;
        assert_eq!(guard.not_after, Some(store.now + ms(last)), "{measured}");
    }
}

/// Each control's ranges hold to their ends, and every part is named.
#[test]
fn controls_have_ranges() {
    let wrong = |control| {
        let violations = Settings { control, ..quick(9) }.validate().err().unwrap_or_default();
        violations.iter().map(|violation| violation.field).collect::<Vec<_>>()
    };
    let (day, week, more) = (seconds(86_400), seconds(604_800), seconds(604_800) + ms(1));
    let (zero, one) = (Duration::ZERO, seconds(1));
    for good in [
        Control::Absolute { time: one },
        Control::Absolute { time: week },
        Control::Fischer { time: one, increment: one, cap: Some(one) },
        Control::Fischer { time: week, increment: day, cap: Some(week) },
        Control::Byoyomi { time: zero, period: one, periods: 1 },
        Control::Byoyomi { time: week, period: day, periods: 100 },
        Control::Canadian { time: zero, period: one, stones: 1 },
        Control::Canadian { time: week, period: week, stones: 100 },
    ] {
        assert!(wrong(good).is_empty(), "{good:?}");
    }
    assert_eq!(wrong(Control::Absolute { time: more }), ["time_control.absolute.time"]);
    assert_eq!(
        wrong(Control::Fischer { time: seconds(9), increment: zero, cap: Some(seconds(8)) }),
        ["time_control.fischer.increment", "time_control.fischer.cap"]
    );
    assert_eq!(
        wrong(Control::Byoyomi { time: more, period: day + ms(1), periods: 0 }),
        ["time_control.byoyomi.time", "time_control.byoyomi.period", "time_control.byoyomi.periods"]
    );
    assert_eq!(
        wrong(Control::Canadian { time: Duration::MAX, period: zero, stones: 101 }),
        ["time_control.canadian.time", "time_control.canadian.period", "time_control.canadian.stones"]
    );
}
