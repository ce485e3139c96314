use std::time::Duration;

use goban::{Color, Point, Verdict};
use kernel::Timestamp;

/// How long the players have to agree.
pub(crate) const TIME: Duration = Duration::from_secs(60);

/// By how much a mark makes that longer, and how often.
pub(crate) const EXTENSION: Duration = Duration::from_secs(15);
pub(crate) const EXTENSIONS: u8 = 3;

/// The score that the players are asked to agree on.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    pub(crate) version: u32,
    /// What the server itself proposed.
    pub(crate) own: Verdict,
    /// What stands after marks; none while that is the server's own.
    pub(crate) marked: Option<Verdict>,
    pub(crate) accepted: [bool; 2],
    pub(crate) started: Timestamp,
    pub(crate) time: Duration,
    pub(crate) extensions: u8,
}

impl Agreement {
    /// The number of the score that is proposed now, from 1. An answer quotes it.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// The score that is proposed now, with the dead stones.
    pub const fn verdict(&self) -> &Verdict {
        match &self.marked {
            Some(verdict) => verdict,
            None => &self.own,
        }
    }

    /// Whether that player has accepted it.
    pub const fn has_accepted(&self, color: Color) -> bool {
        self.accepted[color.index()]
    }

    /// The moment at which the server's own proposal stands if the players have not agreed.
    pub fn deadline(&self) -> Timestamp {
        self.started + self.time
    }

    /// The dead stones if a chain is marked, sorted; none if it is so already. `chain` is all its stones.
    pub(crate) fn marked(&self, chain: &[Point], dead: bool) -> Option<Vec<Point>> {
        let mut stones = self.verdict().dead.clone();
        let before = stones.len();
        stones.retain(|point| !chain.contains(point));
        let known = before - stones.len();
        if dead {
            stones.extend_from_slice(chain);
        }
        stones.sort_unstable();
        (if dead { known < chain.len() } else { known > 0 }).then_some(stones)
    }
}
