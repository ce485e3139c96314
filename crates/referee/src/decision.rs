use std::time::Duration;

use goban::Color;
use kernel::Timestamp;

use crate::{Event, NETWORK_ALLOWANCE};

/// What happens: one entry of the log, and what goes with it. All of it or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The events, in order; never empty.
    pub events: Vec<Event>,
    /// What must hold of the store's clock and outages, or the entry is refused.
    pub guard: Guard,
    /// What becomes of the deadline that the store keeps for the game.
    pub deadline: NextDeadline,
    /// Whose turn begins with this entry, if one does, and the ply that an answer to it quotes.
    pub turn: Option<(Color, u32)>,
}

impl Decision {
    /// Narrows the allowance for a late move to the network delay that was measured for its player: a move that needed less time on its way
    /// than the full allowance was not sent in time if it comes at the end of that. For moves only.
    #[must_use]
    pub fn with_delay(mut self, measured: Duration) -> Self {
        if let Some(last) = &mut self.guard.not_after {
            *last = *last - NETWORK_ALLOWANCE.saturating_sub(measured);
        }
        self
    }
}

/// What must hold of the store for an entry to be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// The last moment at which the entry is accepted: 1 ms before what it depends on is due.
    pub not_after: Option<Timestamp>,
    /// The first moment at which the entry is accepted: [`crate::Game::due`] for a claim of a timeout.
    pub not_before: Option<Timestamp>,
    /// Outages that ended up to this moment are settled: they ended before anything that runs began, or have been credited. When an
    /// outage ended later, an entry that would be refused as too late, or that claims a timeout, waits for a
    /// [`crate::Command::Credit`].
    pub settled_until: Timestamp,
}

/// What becomes of the deadline that the store keeps for the game. It is the moment at which somebody has to claim a timeout
/// ([`crate::Game::due`]), so it lies [`crate::NETWORK_ALLOWANCE`] after what players are told. It is never earlier than that, and late by no more
/// than `now` in [`crate::decide`] differs from the store's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextDeadline {
    /// It stays as it is.
    Keep,
    /// It is this long after the stamp of this entry.
    After(Duration),
    /// It is this moment.
    At(Timestamp),
    /// There is none any more.
    Clear,
}
