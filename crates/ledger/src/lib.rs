//! Event logs, topics and deadlines: the one primitive on which everything else stands.
//!
//! A *log* is an append-only sequence of entries, numbered from 1 without a gap. Whoever appends entry *n+1* first has made
//! the move: [`Ledger::append`] names the last entry that its caller has seen and is refused when that is no longer
//! the last. Each entry is stamped by the store's own clock; stamps of one log never run backwards. One append also
//! sets the log's next *deadline* and writes *notices* to topics, all or nothing.
//!
//! A *topic* is read by *consumer groups*, at least once: see [`consumer`].
//!
//! Logs live in *partitions*; all that one append touches lives in the log's partition. A partition has a *heartbeat*, written
//! by [`Ledger::sweep`]: a gap in it is an *outage*, and no claim of a timeout is accepted while an outage that touched the running
//! clock is not settled (see [`Guard`]).
//!
//! Three implementations keep the same promises, and one conformance suite runs on all of them: [`memory`] (simulation,
//! tests), [`embedded`] (one SQLite file), [`redis`] (one Redis or a Redis Cluster).

mod clock;
pub mod consumer;
pub mod embedded;
mod error;
mod gate;
mod ledger;
pub mod memory;
pub mod redis;
mod rules;
#[cfg(feature = "testing")]
pub mod testing;
mod types;
mod wakes;

use std::time::Duration;

pub use clock::{Clock, ManualClock};
pub use consumer::{Consumer, Policy};
pub use error::{AppendError, Refused, Unavailable};
pub use gate::WriteGate;
pub use ledger::{Ledger, SharedLedger};
pub use types::{
    Append, Appended, DeadLetter, Deadline, Delivery, DeliveryId, Entry, Guard, LogName, LogNameError, Logs,
    Notice, Outage, Sequence, Sweep, Wake,
};

/// How often each replica sweeps.
pub const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// A partition that nobody swept for this long was away: an outage.
pub const OUTAGE_AFTER: Duration = Duration::from_secs(1);

/// The most bytes that one entry or one notice may have: 1 MiB.
pub const MAX_PAYLOAD: usize = 1 << 20;
