//! The game's clock: one function for every path, whatever the control. Each control has a file in `clock/`; `decide` and `apply` do
//! not know which one is played.

mod absolute;
mod byoyomi;
mod canadian;
mod control;
mod fischer;
mod per_move;

use std::time::Duration;

use goban::Color;
use kernel::Timestamp;

pub use control::Control;
pub(crate) use control::span as control_span;

/// How late a move may arrive that was sent in time, at most.
pub const NETWORK_ALLOWANCE: Duration = Duration::from_millis(500);

/// The allowance in milliseconds.
const ALLOWANCE: i64 = 500;

/// What a player has on the clock when a turn begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remaining {
    /// Main time.
    pub main: Duration,
    /// Byo-yomi: the length of a period. Canadian: what is left of the running period, or the whole of the first one. Else zero.
    pub period: Duration,
    /// Byo-yomi: periods left. Canadian: stones still to be played in the period. Else 0.
    pub count: u32,
}

/// What a player has on the clock between turns, in milliseconds. What the allowance lent is owed: main time or a
/// Canadian period may be as low as -499, so that no player can live on the allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bank {
    main: i64,
    period: i64,
    count: u32,
}

impl Bank {
    const fn main(main: i64) -> Self {
        Self { main, period: 0, count: 0 }
    }
}

/// Whole milliseconds of a time; no time is too long.
fn millis(time: Duration) -> i64 {
    // Half of the range, so that sums of two stay in it.
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// The clock of one game. It runs for whoever is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    control: Control,
    /// Black's and White's.
    banks: [Bank; 2],
    /// When the running turn began.
    turn_started: Timestamp,
    /// Time that was given back in the running turn.
    credited: Duration,
    running: bool,
}

impl Clock {
    /// The clock of a game that begins at that moment.
    pub fn start(control: Control, at: Timestamp) -> Self {
        Self {
            control,
            banks: [control.bank(); 2],
            turn_started: at,
            credited: Duration::ZERO,
            running: true,
        }
    }

    /// A turn ends, and the next one begins. The answer is the time that the turn took, credits taken off.
    pub fn press(&mut self, color: Color, at: Timestamp) -> Duration {
        let used = at.since(self.turn_started).saturating_sub(self.credited);
        self.spend(color, used);
        self.begin_turn(at);
        used
    }

    fn spend(&mut self, color: Color, used: Duration) {
        let bank = &mut self.banks[color.index()];
        *bank = self.control.spend(*bank, millis(used));
    }

    /// Sets both sides to where they stood after turns of that length, and begins a turn.
    pub fn restore(&mut self, turns: impl Iterator<Item = (Color, Duration)>, at: Timestamp) {
        self.banks = [self.control.bank(); 2];
        turns.for_each(|(color, used)| self.spend(color, used));
        self.begin_turn(at);
    }

    /// A turn begins with what both sides have; the clock runs.
    pub fn begin_turn(&mut self, at: Timestamp) {
        self.turn_started = at;
        self.credited = Duration::ZERO;
        self.running = true;
    }

    /// Nobody's clock runs any more, or for a while.
    pub fn stop(&mut self) {
        self.running = false;
    }

    /// When the running turn began, or the last one if none runs.
    pub const fn turn_started(&self) -> Timestamp {
        self.turn_started
    }

    /// Time that was given back in the running turn.
    pub const fn credited(&self) -> Duration {
        self.credited
    }

    /// What a player has when a turn of theirs begins; none without a clock.
    pub fn remaining(&self, color: Color) -> Option<Remaining> {
        let Bank { main, period, count } = self.banks[color.index()];
        self.control.left(self.banks[color.index()])?;
        Some(Remaining { main: duration(main), period: duration(period), count })
    }

    /// When the running turn began, if time is measured in it.
    pub fn started(&self) -> Option<Timestamp> {
        (self.running && self.control != Control::None).then_some(self.turn_started)
    }

    /// The moment at which that player, if to move, loses on time.
    pub fn deadline(&self, color: Color) -> Option<Timestamp> {
        self.after_start(color, 0)
    }

    /// The first moment at which a move is refused and a claim of a timeout is accepted.
    pub fn due(&self, color: Color) -> Option<Timestamp> {
        self.after_start(color, ALLOWANCE)
    }

    fn after_start(&self, color: Color, allowance: i64) -> Option<Timestamp> {
        let left = self.control.left(self.banks[color.index()]).filter(|_| self.running)?;
        let time = duration(left.saturating_add(allowance));
        Some(self.turn_started + time + self.credited)
    }

    /// Gives time back to the running turn.
    pub fn credit(&mut self, credit: Duration) {
        self.credited = self.credited.saturating_add(credit);
    }

    /// Whether the time of past turns is needed to set the clock back to an earlier turn.
    pub const fn keeps_turns(&self) -> bool {
        !matches!(self.control, Control::None | Control::PerMove { .. })
    }
}
