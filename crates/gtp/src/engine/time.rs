//! The controller's clock.

use std::time::Duration;

use goban::{Color, Position};

use super::{Engine, word};
use crate::command::{Reply, color};

/// What is kept back of every move for the way there and back.
const LAG: Duration = Duration::from_millis(150);

/// What is known of the time.
#[derive(Debug, Clone, Default)]
pub(super) struct Clocks {
    settings: Option<Settings>,
    /// What each player has left, and for how many stones; 0 stones in main time.
    left: [Option<(Duration, u32)>; 2],
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    main: Duration,
    period: Duration,
    stones: u32,
}

impl Clocks {
    /// What a move may take. None without a limit.
    pub(super) fn allowance(&self, color: Color, position: &Position) -> Option<Duration> {
        let Settings { main, period, stones } = self.settings?;
        let (left, for_stones) = self.left[color.index()].unwrap_or((main, 0));
        // About as many moves are still to come as half of what is empty, and never few.
        let to_come = (position.board().empties() / 2).max(15);
        let each = period.checked_div(stones.max(1)).unwrap_or_default();
        let share = match for_stones {
            0 if left.is_zero() => each,
            // With overtime behind it main time can be spent more freely.
            0 => (left / to_come * if period.is_zero() { 1 } else { 2 }).max(each.min(left)),
            stones => left / stones,
        };
        let least = Duration::from_millis(20);
        Some(share.saturating_sub(LAG.min(share / 4)).max(least))
    }
}

impl Engine {
    /// `time_settings MAIN PERIOD STONES`, in seconds. A period without stones means that there is no limit.
    pub(super) fn time_settings(&mut self, arguments: &[String]) -> Reply {
        let number = |at| {
            word(arguments, at)
                .and_then(|text| text.parse::<u32>().map_err(|_| "syntax error: not an integer".to_owned()))
        };
        let (main, period, stones) = (number(0)?, number(1)?, number(2)?);
        self.set_clock(main, period, if period == 0 { 1 } else { stones })
    }

    /// `kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES`.
    pub(super) fn kgs_time_settings(&mut self, arguments: &[String]) -> Reply {
        let number = |at| {
            word(arguments, at)
                .and_then(|text| text.parse::<u32>().map_err(|_| "syntax error: not an integer".to_owned()))
        };
        match word(arguments, 0)? {
            "none" => self.set_clock(0, 1, 0),
            "absolute" => self.set_clock(number(1)?, 0, 1),
            "byoyomi" => self.set_clock(number(1)?, number(2)?, 1),
            "canadian" => self.set_clock(number(1)?, number(2)?, number(3)?),
            _ => Err("syntax error: none, absolute, byoyomi or canadian".to_owned()),
        }
    }

    fn set_clock(&mut self, main: u32, period: u32, stones: u32) -> Reply {
        let seconds = |n: u32| Duration::from_secs(n.into());
        let settings = Settings { main: seconds(main), period: seconds(period), stones };
        self.clocks = Clocks { settings: (stones > 0).then_some(settings), left: [None; 2] };
        Ok(String::new())
    }

    /// `time_left COLOR TIME STONES`.
    pub(super) fn time_left(&mut self, arguments: &[String]) -> Reply {
        let color = color(word(arguments, 0)?).ok_or("invalid color")?;
        let wrong = "syntax error: not a number";
        let time: f64 = word(arguments, 1)?.parse().map_err(|_| wrong)?;
        let stones: u32 = word(arguments, 2)?.parse().map_err(|_| wrong)?;
        let time = Duration::try_from_secs_f64(time.max(0.0)).map_err(|_| wrong)?;
        self.clocks.left[color.index()] = Some((time, stones));
        Ok(String::new())
    }
}
