use std::time::Duration;

use goban::{Color, Size};
use kernel::Timestamp;

use crate::{Violation, clock::control_span};

const SECOND: Duration = Duration::from_secs(1);
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long a game against a program that one chose waits for its player.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a game waits for a player who is gone: each 1 s to 7 days, in whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// For a player with an account, and for a program.
    pub signed_in: Duration,
    /// For a guest.
    pub guest: Duration,
    /// For anybody who said that they leave.
    pub left: Duration,
}

impl Grace {
    /// The usual grace on a board: that of the next larger of 9x9, 13x13 and 19x19.
    pub const fn of_size(size: Size) -> Self {
        let side = if size.columns() > size.rows() { size.columns() } else { size.rows() };
        let signed_in = match side {
            0..=9 => 60,
            10..=13 => 120,
            14.. => 180,
        };
        Self {
            signed_in: Duration::from_secs(signed_in),
            guest: Duration::from_secs(signed_in / 2),
            left: Duration::from_secs(10),
        }
    }

    pub(crate) fn violations(self) -> impl Iterator<Item = Violation> {
        let check = |field, time| control_span(field, "of grace", time, SECOND..=WEEK);
        let found = [
            check("options.grace.signed_in", self.signed_in),
            check("options.grace.guest", self.guest),
            check("options.grace.left", self.left),
        ];
        found.into_iter().flatten()
    }
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// There, or away for so short a time that it is nobody's business.
    Connected,
    /// Gone.
    Away {
        /// Since when.
        since: Timestamp,
        /// Whether the player said so.
        left: bool,
        /// The moment at which the game is lost if the player is not back. None while the players agree on a score, where grace
        /// stands still, and after the end.
        deadline: Option<Timestamp>,
    },
}

/// That a player is gone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Absence {
    pub since: Timestamp,
    pub left: bool,
    /// Grace runs from here,
    pub from: Timestamp,
    /// for so long.
    pub grace: Duration,
}

impl Absence {
    pub fn deadline(&self) -> Timestamp {
        self.from + self.grace
    }

    /// Grace stands still from that moment.
    pub fn freeze(&mut self, at: Timestamp) {
        self.grace = self.deadline().since(at.max(self.from));
        self.from = at;
    }
}

/// Both players' absences.
pub(crate) type Absences = [Option<Box<Absence>>; 2];

pub(crate) fn of(absences: &Absences, color: Color) -> Option<&Absence> {
    absences[color.index()].as_deref()
}
