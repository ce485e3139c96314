use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kernel::Timestamp;
use tokio::sync::broadcast;

use crate::{
    Append, AppendError, Appended, Delivery, DeliveryId, Entry, LogName, Logs, Notice, Sequence, Sweep,
    Unavailable, Wake,
};

/// A ledger that is shared by everything in a process.
pub type SharedLedger = Arc<dyn Ledger>;

/// Event logs, topics and deadlines. All promises of the crate's documentation are this trait's contract.
#[async_trait]
pub trait Ledger: Send + Sync + 'static {
    /// Appends one entry, sets the log's deadline and writes the notices: all of it or nothing, on disk before the answer.
    ///
    /// # Errors
    /// [`AppendError::Refused`] says that nothing was written, and why. [`AppendError::Unavailable`] says that it is *not known*
    /// whether it was written: read the log again, or repeat the same append (which then either succeeds or is refused
    /// by a conflict with one's own entry).
    async fn append(&self, append: Append) -> Result<Appended, AppendError>;

    /// Entries after `after`, in order and without a gap, at most `limit`. Empty for a log that does not exist. A log whose
    /// beginning was trimmed starts with the first entry that is left.
    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable>;

    /// Hints about new entries of these logs, appended here or elsewhere, from now on. Best effort:
    /// a receiver that lags, or a connection that broke, loses hints; [`Wake::Lost`] says so where it is known.
    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake>;

    /// Beats the heart of all partitions, records outages, and finds the logs that are due, at most `limit`. Call it from every replica about
    /// every [`crate::SWEEP_INTERVAL`]; while another replica has just swept a partition, that partition is skipped.
    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable>;

    /// The store's clock, estimated from its last answer without asking it again. Never runs backwards within a process.
    fn now(&self) -> Timestamp;

    /// Lets a log expire this long from now: its end is in the archive. Clears its deadline, and it takes no new one. Appends are still
    /// possible until then; afterwards the log is not there, and one with its name begins anew.
    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable>;

    /// Drops entries with a number below `first`; the last entry always stays.
    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable>;

    /// Writes a message to a topic, outside of any append. `key` chooses the partition, so messages with one key stay in order.
    async fn publish(&self, key: &str, notice: Notice) -> Result<(), Unavailable>;

    /// Registers a consumer group of a topic, from the beginning of what is left of it. Doing it again changes nothing. Register before
    /// others trim: what no group needs is dropped.
    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable>;

    /// Takes up to `max` messages that no consumer of the group has had yet; waits up to `wait` for the first one, and does not wait for
    /// more. Registers the group if it is not. Dropping the future can leave what was taken until its lease ends.
    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable>;

    /// Takes over up to `max` messages that some consumer of the group has had for at least `idle` without acknowledging or renewing.
    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable>;

    /// Renews the lease on a message that is still being worked on. False if another consumer has it by now.
    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable>;

    /// Gives a message back at once, so that the next [`Ledger::claim`] of any consumer finds it, whatever its `idle`.
    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable>;

    /// Acknowledges messages for the group.
    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable>;

    /// Moves a message that keeps failing to the group's dead letters, with the error, and acknowledges it: one step. Does nothing if the
    /// message is not pending any more, so that it can be repeated.
    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable>;

    /// The group's dead letters, oldest first, at most `limit`.
    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<crate::DeadLetter>, Unavailable>;

    /// Puts a dead letter back at the end of its topic, where all groups get it, and removes it from the dead letters. False if it is not
    /// there.
    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable>;

    /// Forgets a dead letter for good. False if it is not there.
    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable>;

    /// Every topic and group that was ever registered by [`Ledger::join`], in order.
    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable>;

    /// Drops messages of a topic that every registered group has acknowledged; never drops others. Returns how many.
    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable>;

    /// Messages of a topic that the group has not acknowledged yet (delivered or not); all of them for a group that is not registered.
    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable>;
}
