use std::{ops::RangeInclusive, time::Duration};

use super::{Bank, absolute, byoyomi, canadian, fischer, millis, per_move};
use crate::Violation;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How time is measured. All times are whole milliseconds; a pass is a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// No clock at all.
    None,
    /// The same time for each move; what is left over is lost.
    PerMove {
        /// Time for a move: 1 s to 1 day.
        time: Duration,
    },
    /// All of a player's moves share one time.
    Absolute {
        /// Time for the game: 1 s to 7 days.
        time: Duration,
    },
    /// As absolute, and each move adds some time.
    Fischer {
        /// Time at the start: 1 s to 7 days.
        time: Duration,
        /// What each move adds: 1 s to 1 day.
        increment: Duration,
        /// No move makes it more than this: from the time at the start to 7 days, or no cap.
        cap: Option<Duration>,
    },
    /// Main time, then a number of periods. A move within a period leaves the period whole.
    Byoyomi {
        /// Main time: 0 to 7 days.
        time: Duration,
        /// A period: 1 s to 1 day.
        period: Duration,
        /// The number of periods: 1 to 100.
        periods: u8,
    },
    /// Main time, then a number of moves in each period. What is left of a period is lost.
    Canadian {
        /// Main time: 0 to 7 days.
        time: Duration,
        /// A period: 1 s to 7 days.
        period: Duration,
        /// Moves in each period: 1 to 100.
        stones: u8,
    },
}

impl Control {
    /// Byo-yomi as `igo` has it: 10 minutes, then 5 periods of 30 s.
    pub const USUAL_BYOYOMI: Self =
        Self::Byoyomi { time: Duration::from_secs(600), period: Duration::from_secs(30), periods: 5 };

    /// What each side starts with.
    pub(super) fn bank(self) -> Bank {
        match self {
            Self::None => Bank::main(0),
            Self::PerMove { time } | Self::Absolute { time } | Self::Fischer { time, .. } => {
                Bank::main(millis(time))
            }
            Self::Byoyomi { time, period, periods: count }
            | Self::Canadian { time, period, stones: count } => {
                Bank { main: millis(time), period: millis(period), count: count.max(1).into() }
            }
        }
    }

    /// Milliseconds until the player loses on time, if nothing is played; none without a clock.
    pub(super) fn left(self, bank: Bank) -> Option<i64> {
        match self {
            Self::None => None,
            Self::PerMove { .. } | Self::Absolute { .. } | Self::Fischer { .. } => Some(bank.main),
            Self::Byoyomi { .. } => Some(byoyomi::left(bank)),
            Self::Canadian { .. } => Some(canadian::left(bank)),
        }
    }

    /// What a player has after a turn that took so many milliseconds.
    pub(super) fn spend(self, bank: Bank, used: i64) -> Bank {
        match self {
            Self::None => bank,
            Self::PerMove { .. } => per_move::spend(bank),
            Self::Absolute { .. } => absolute::spend(bank, used),
            Self::Fischer { increment, cap, .. } => {
                fischer::spend(bank, used, millis(increment), cap.map(millis))
            }
            Self::Byoyomi { .. } => byoyomi::spend(bank, used),
            Self::Canadian { period, stones, .. } => canadian::spend(bank, used, millis(period), stones),
        }
    }

    /// All that is wrong with it.
    pub(crate) fn violations(self) -> Vec<Violation> {
        let per_move = "time_control.per_move.time";
        let found = match self {
            Self::None => vec![],
            Self::PerMove { time } => vec![span(per_move, "a move", time, SECOND..=DAY)],
            Self::Absolute { time } => {
                vec![span("time_control.absolute.time", "a game", time, SECOND..=WEEK)]
            }
            Self::Fischer { time, increment, cap } => vec![
                span("time_control.fischer.time", "at the start", time, SECOND..=WEEK),
                span("time_control.fischer.increment", "for each move", increment, SECOND..=DAY),
                cap.and_then(|cap| span("time_control.fischer.cap", "at most", cap, time..=WEEK)),
            ],
            Self::Byoyomi { time, period, periods } => vec![
                span("time_control.byoyomi.time", "of main time", time, Duration::ZERO..=WEEK),
                span("time_control.byoyomi.period", "a period", period, SECOND..=DAY),
                count("time_control.byoyomi.periods", "periods", periods),
            ],
            Self::Canadian { time, period, stones } => vec![
                span("time_control.canadian.time", "of main time", time, Duration::ZERO..=WEEK),
                span("time_control.canadian.period", "a period", period, SECOND..=WEEK),
                count("time_control.canadian.stones", "stones a period", stones),
            ],
        };
        found.into_iter().flatten().collect()
    }
}

/// What is wrong with a time, if anything is.
pub(crate) fn span(
    field: &'static str,
    what: &str,
    time: Duration,
    range: RangeInclusive<Duration>,
) -> Option<Violation> {
    let whole = time.subsec_nanos().is_multiple_of(1_000_000);
    (!whole || !range.contains(&time)).then(|| {
        let (low, high) = (words(*range.start()), words(*range.end()));
        let problem = format!("{time:?} {what} is not possible");
        Violation::new(field, problem, format!("from {low} to {high} in whole milliseconds"))
    })
}

/// A time in the largest unit in which it is whole.
fn words(time: Duration) -> String {
    match time.as_secs() {
        0 => "0".into(),
        s if s > 86_400 && s.is_multiple_of(86_400) => format!("{} days", s / 86_400),
        s if s.is_multiple_of(3_600) => format!("{} h", s / 3_600),
        s => format!("{s} s"),
    }
}

fn count(field: &'static str, what: &str, number: u8) -> Option<Violation> {
    (!(1..=100).contains(&number))
        .then(|| Violation::new(field, format!("{number} {what} are not possible"), "from 1 to 100".into()))
}
