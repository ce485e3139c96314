//! The game's clock: one function for every path, whatever the control. Each control has a file in `clock/`; `decide` and `apply` do
//! not know which one is played.

mod per_move;

use std::time::Duration;

use kernel::Timestamp;

use crate::Violation;

/// How late a move may arrive that was sent in time.
pub const NETWORK_ALLOWANCE: Duration = Duration::from_millis(500);

/// How time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// No clock at all.
    None,
    /// The same time for each move, a pass included; what is left over is lost.
    PerMove {
        /// Time for a move: whole milliseconds, from 1 s to 1 day.
        time: Duration,
    },
}

impl Control {
    /// What is wrong with it, if anything is.
    pub(crate) fn violation(self) -> Option<Violation> {
        match self {
            Self::None => None,
            Self::PerMove { time } => per_move::violation(time),
        }
    }
}

/// The clock of one game. It runs for whoever is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    control: Control,
    /// When the running turn began.
    turn_started: Timestamp,
    /// Time that was given back in the running turn.
    credited: Duration,
    /// Outages that ended up to this moment have been credited.
    credited_until: Timestamp,
    running: bool,
}

impl Clock {
    /// The clock of a game that begins at that moment.
    pub fn start(control: Control, at: Timestamp) -> Self {
        Self {
            control,
            turn_started: at,
            credited: Duration::ZERO,
            credited_until: Timestamp::default(),
            running: true,
        }
    }

    /// The turn ends, and the other player's begins.
    pub fn press(&mut self, at: Timestamp) {
        self.turn_started = at;
        self.credited = Duration::ZERO;
    }

    /// The game is over: nobody's clock runs any more.
    pub fn stop(&mut self) {
        self.running = false;
    }

    /// When the running turn began.
    pub const fn turn_started(&self) -> Timestamp {
        self.turn_started
    }

    /// The time that the player to move has for the turn, if there is a clock.
    fn allotted(&self) -> Option<Duration> {
        match self.control {
            Control::None => None,
            Control::PerMove { time } => Some(per_move::allotted(time)),
        }
    }

    /// The time that the other player will have once the player to move has moved, if there is a clock.
    fn allotted_next(&self) -> Option<Duration> {
        match self.control {
            Control::None => None,
            Control::PerMove { time } => Some(per_move::allotted(time)),
        }
    }

    /// The moment at which the player to move loses on time.
    pub fn deadline(&self) -> Option<Timestamp> {
        let allotted = self.allotted().filter(|_| self.running)?;
        Some(self.turn_started + allotted + self.credited)
    }

    /// The first moment at which a move is refused and a claim of a timeout is accepted.
    pub fn due(&self) -> Option<Timestamp> {
        self.deadline().map(|deadline| deadline + NETWORK_ALLOWANCE)
    }

    /// How long after the stamp of a first entry the game is due.
    pub fn due_after_start(control: Control) -> Option<Duration> {
        Self::start(control, Timestamp::default())
            .allotted()
            .map(|allotted| allotted.saturating_add(NETWORK_ALLOWANCE))
    }

    /// How long after the stamp of the move that ends the running turn the next turn is due.
    pub fn due_after_move(&self) -> Option<Duration> {
        self.allotted_next().map(|allotted| allotted.saturating_add(NETWORK_ALLOWANCE))
    }

    /// Outages that ended up to this moment do not concern the running turn, or have been credited to it.
    pub fn settled_until(&self) -> Timestamp {
        self.turn_started.max(self.credited_until)
    }

    /// What the outages took from the running turn and has not been given back: how much, and until when they are then settled.
    /// Times that overlap count once.
    pub fn owed(&self, outages: &[(Timestamp, Timestamp)]) -> Option<(Duration, Timestamp)> {
        let mut outages = outages.to_vec();
        outages.sort_unstable();
        let (mut owed, mut settled) = (Duration::ZERO, self.settled_until());
        for (from, to) in outages {
            owed += to.since(from.max(settled));
            settled = settled.max(to);
        }
        (owed > Duration::ZERO).then_some((owed, settled))
    }

    /// Gives time back to the running turn. False, and nothing happens, if no outage can have taken that much.
    pub fn credit(&mut self, credit: Duration, settled_until: Timestamp) -> bool {
        let possible =
            self.running && self.allotted().is_some() && credit <= settled_until.since(self.settled_until());
        if possible {
            self.credited = self.credited.saturating_add(credit);
            self.credited_until = settled_until;
        }
        possible
    }
}
