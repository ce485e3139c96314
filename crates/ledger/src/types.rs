use std::time::Duration;

use bytes::Bytes;
use kernel::Timestamp;

/// A number of an entry: 1 for the first. 0 stands for "before the first".
pub type Sequence = u64;

/// The name of a log: 1 to 64 characters of `a-z`, `0-9`, `-`, `_`, `.` and `:`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogName(std::sync::Arc<str>);

/// One entry of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub sequence: Sequence,
    /// When it was appended, by the store's clock; never before the entry before it.
    pub stamp: Timestamp,
    /// What it says; the ledger does not look inside.
    pub payload: Bytes,
}

/// Which logs somebody follows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Logs {
    /// Every log.
    All,
    /// Those of one kind: see [`LogName::kind`].
    Kind(String),
    /// One.
    One(LogName),
}

/// A wish to append one entry.
#[derive(Clone, Debug)]
pub struct Append {
    /// Where.
    pub log: LogName,
    /// The last entry that the caller has seen; 0 for a new log.
    pub expected: Sequence,
    /// What the entry says: at most 1 MiB.
    pub payload: Bytes,
    /// What must hold of the store's clock.
    pub guard: Guard,
    /// What becomes of the log's deadline.
    pub deadline: Deadline,
    /// Messages for topics, written together with the entry.
    pub notices: Vec<Notice>,
}

/// What must hold of the store's clock and of the partition's outages for an append to be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// Refused with [`crate::Refused::TooLate`] when the store's clock is past this: the mover's deadline plus the allowance
    /// for the network.
    pub not_after: Option<Timestamp>,
    /// Refused with [`crate::Refused::TooEarly`] while the store's clock is before this: a claim that a deadline has passed.
    /// A claim is also refused with [`crate::Refused::Outage`] while an outage is unsettled.
    pub not_before: Option<Timestamp>,
    /// Outages that ended up to this moment are settled: they ended before the running clock started, or an entry has credited them. Only
    /// looked at together with `not_after` or `not_before`. An append that is too late, or claims a deadline, is refused with [`crate::Refused::Outage`]
    /// and not with `TooLate` when an outage ended after this.
    pub settled_until: Timestamp,
}

/// What an append does to the log's deadline. A log has at most one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadline {
    /// Leaves it as it is.
    #[default]
    Keep,
    /// Sets it to this long after the entry's own stamp.
    After(Duration),
    /// Sets it to a moment.
    At(Timestamp),
    /// Removes it.
    Clear,
}

/// A message for a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The topic: 1 to 64 characters of `a-z`, `0-9`, `-`, `_` and `.`.
    pub topic: String,
    /// The message.
    pub payload: Bytes,
}

/// An accepted append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The entry's number: `expected + 1`.
    pub sequence: Sequence,
    /// The entry's stamp.
    pub stamp: Timestamp,
}

/// A time in which nobody swept a partition: an outage of ours, not of the players. One that is still going on is reported too, up to
/// the moment of the append; when it ends it is recorded as a whole, so whoever has settled a part of it settles what comes after that part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The last heartbeat before it.
    pub from: Timestamp,
    /// The first heartbeat after it.
    pub to: Timestamp,
}

/// What a sweep found.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Logs whose deadline has passed by the store's clock, the most overdue first, with the deadline. A hint: only an append decides.
    pub due: Vec<(LogName, Timestamp)>,
}

/// A hint that a log has grown. The log is the truth; hints can be lost, doubled or late.
#[derive(Clone, Debug)]
pub enum Wake {
    /// This log has this new entry.
    Appended(LogName, Entry),
    /// Hints were lost: whoever follows a log reads it again.
    Lost,
}

/// Names one message of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryId {
    /// The partition that it lies in.
    pub partition: u16,
    /// Its id within the partition's stream.
    pub id: String,
}

/// A message that a consumer has taken.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Its name.
    pub id: DeliveryId,
    /// What it says.
    pub payload: Bytes,
    /// How often it has been delivered, this time included: 1 for the first.
    pub attempt: u32,
}

/// A message that failed for good.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    /// Its name among the dead letters.
    pub id: DeliveryId,
    /// What it says.
    pub payload: Bytes,
    /// The last error.
    pub error: String,
}

/// A text that is no log name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a log name: 1 to 64 characters of a-z, 0-9, -, _, . and :")]
pub struct LogNameError {
    /// The text that was given, cut after 80 characters.
    pub text: String,
}

impl LogName {
    /// The log with this name.
    ///
    /// # Errors
    /// When the text is empty, too long, or has other characters.
    pub fn new(text: &str) -> Result<Self, LogNameError> {
        let valid = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-_.:".contains(&c);
        if text.is_empty() || text.len() > 64 || !text.bytes().all(valid) {
            return Err(LogNameError { text: text.chars().take(80).collect() });
        }
        Ok(Self(text.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What kind of log it is: the name up to the first colon, or all of it.
    pub fn kind(&self) -> &str {
        self.0.split_once(':').map_or(&*self.0, |(kind, _)| kind)
    }

    /// Which of its kind it is: the name behind the first colon, or nothing.
    pub fn id(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, id)| id)
    }
}

impl std::fmt::Display for LogName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
