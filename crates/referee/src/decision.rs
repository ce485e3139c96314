use std::time::Duration;

use kernel::Timestamp;

use crate::Event;

/// What happens: one entry of the log, and what goes with it. All of it or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The events, in order; never empty.
    pub events: Vec<Event>,
    /// What must hold of the store's clock and outages, or the entry is refused.
    pub guard: Guard,
    /// What becomes of the deadline that the store keeps for the game.
    pub deadline: NextDeadline,
}

/// What must hold of the store for an entry to be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// The last moment at which the entry is accepted: 1 ms before [`crate::Game::due`] for a move or a pass.
    pub not_after: Option<Timestamp>,
    /// The first moment at which the entry is accepted: [`crate::Game::due`] for a claim of a timeout.
    pub not_before: Option<Timestamp>,
    /// Outages that ended up to this moment are settled: they ended before the running turn began, or have been credited to it. When an
    /// outage ended later, an entry that would be refused as too late, or that claims a timeout, waits for a
    /// [`crate::Command::Credit`].
    pub settled_until: Timestamp,
}

/// What becomes of the deadline that the store keeps for the game. It is the moment at which somebody has to claim a timeout
/// ([`crate::Game::due`]), so it lies [`crate::NETWORK_ALLOWANCE`] after the player's own deadline.
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
