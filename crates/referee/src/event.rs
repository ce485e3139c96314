use std::{sync::Arc, time::Duration};

use goban::{Color, Point, Verdict};
use kernel::Timestamp;

use crate::{Outcome, Seats, Settings};

/// One thing that happened in a game. When it happened is the stamp of its entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The game was made: always the first event. Its clock runs from here.
    Created {
        /// What is played.
        settings: Settings,
        /// Who plays.
        seats: Seats,
    },
    /// A stone was played.
    MovePlayed {
        /// Whose stone.
        color: Color,
        /// Where.
        point: Point,
        /// Stones that left the board by it, sorted.
        captured: Vec<Point>,
    },
    /// A player passed.
    Passed {
        /// Who.
        color: Color,
    },
    /// Time in which the servers were away was given back to the running clock.
    TimeCredited {
        /// How much.
        credit: Duration,
        /// Outages that ended up to this moment are settled by it.
        settled_until: Timestamp,
        /// Why, in words for people.
        reason: Arc<str>,
    },
    /// The game ended: always the last event.
    Finished {
        /// How.
        outcome: Outcome,
        /// How the board was counted, if it was.
        verdict: Option<Verdict>,
    },
}
