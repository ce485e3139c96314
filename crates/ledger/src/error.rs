use kernel::Timestamp;

use crate::{Outage, Sequence};

/// Why an append did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Not known whether it was written.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Why an append was refused. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The log's last entry is another one than expected.
    #[error("the log has grown: its last entry is {last}")]
    Conflict {
        /// The log's last entry.
        last: Sequence,
    },
    /// The store's clock is past `not_after`.
    #[error("too late: it is {now}")]
    TooLate {
        /// The store's clock.
        now: Timestamp,
    },
    /// The store's clock is before `not_before`.
    #[error("too early: it is {now}")]
    TooEarly {
        /// The store's clock.
        now: Timestamp,
    },
    /// An outage has touched the running clock and is not settled.
    #[error("an outage is not settled yet")]
    Outage {
        /// The store's clock.
        now: Timestamp,
        /// The outages that ended after the guard's `settled_until`, oldest first.
        outages: Vec<Outage>,
    },
    /// The append itself is malformed: a name, a topic, or a payload that is too large.
    #[error("malformed append: {0}")]
    Malformed(String),
}

/// The store cannot be reached, or did not answer in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ledger is unavailable: {0}")]
pub struct Unavailable(pub String);
