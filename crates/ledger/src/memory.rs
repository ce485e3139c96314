//! The ledger in memory: deterministic, for simulations and tests. Nothing survives the process.

mod logs;
mod topics;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kernel::Timestamp;
use parking_lot::Mutex;
use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

use crate::{
    Append, AppendError, Appended, Clock, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs,
    Notice, Sequence, Sweep, Unavailable, Wake,
    rules::{self, Heart},
    wakes::Wakes,
};

/// A ledger in memory. Clones share everything, so a clone is another handle on the same store.
#[derive(Clone, Debug)]
pub struct MemoryLedger {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    /// The test switch of [`MemoryLedger::with_broken_compare_and_set`].
    broken: bool,
    state: Mutex<State>,
    wakes: Wakes,
    /// Rung whenever a topic has a new message.
    bell: Notify,
}

#[derive(Debug, Default)]
struct State {
    now: Timestamp,
    heart: Heart,
    logs: logs::Logs,
    topics: topics::Topics,
}

impl MemoryLedger {
    /// An empty ledger that goes by this clock.
    pub fn new(clock: Clock) -> Self {
        Self::build(clock, false)
    }

    /// An empty ledger that goes by the machine's clock.
    pub fn system() -> Self {
        Self::new(Clock::system())
    }

    /// A ledger that is **wrong on purpose**: an append whose `expected` is behind the log is accepted, after the log's end. A
    /// simulation uses it to show that it would notice.
    pub fn with_broken_compare_and_set(clock: Clock) -> Self {
        Self::build(clock, true)
    }

    fn build(clock: Clock, broken: bool) -> Self {
        let shared =
            Shared { clock, broken, state: Mutex::default(), wakes: Wakes::default(), bell: Notify::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Does something with the state, at the store's time.
    fn with<T>(&self, action: impl FnOnce(&mut State, Timestamp) -> T) -> T {
        let mut state = self.shared.state.lock();
        let raw = self.shared.clock.now();
        state.now = state.heart.now(raw).max(state.now);
        action(&mut state, raw)
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        rules::check_append(&append)?;
        let rings = !append.notices.is_empty();
        let appended = self.with(|state, raw| {
            let mut append = append;
            if self.shared.broken {
                append.expected = append.expected.max(state.logs.end(&append.log, raw).0);
            }
            let State { heart, logs, topics, .. } = state;
            let (log, entry) = logs.append(heart, raw, append, topics)?;
            let appended = Appended { sequence: entry.sequence, stamp: entry.stamp };
            // Inside of the lock, so that hints come in the order of the entries.
            self.shared.wakes.send(&Wake::Appended(log, entry));
            Ok::<_, AppendError>(appended)
        })?;
        if rings {
            self.shared.bell.notify_waiters();
        }
        Ok(appended)
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        Ok(self.with(|state, raw| state.logs.read(log, raw, after, limit)))
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        self.shared.wakes.subscribe(logs)
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        Ok(self.with(|state, raw| {
            if !state.heart.sweep(raw) {
                return Sweep::default();
            }
            state.logs.expire(raw);
            Sweep { due: state.logs.due(state.heart.now(raw), limit) }
        }))
    }

    fn now(&self) -> Timestamp {
        self.with(|state, _| state.now)
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        self.with(|state, raw| state.logs.retire(log, raw, after));
        Ok(())
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        self.with(|state, _| state.logs.trim(log, first));
        Ok(())
    }

    async fn publish(&self, _key: &str, notice: Notice) -> Result<(), Unavailable> {
        rules::check_publish(&notice.topic, notice.payload.len())?;
        self.with(|state, _| state.topics.publish(notice));
        self.shared.bell.notify_waiters();
        Ok(())
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        rules::check_group(topic, group)?;
        self.with(|state, _| state.topics.join(topic, group));
        Ok(())
    }

    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        rules::check_group(topic, group)?;
        let end = Instant::now() + wait;
        loop {
            let rung = self.shared.bell.notified();
            tokio::pin!(rung);
            // From here on no ring is missed.
            rung.as_mut().enable();
            let deliveries = self.with(|state, raw| state.topics.fetch(topic, group, consumer, max, raw));
            if !deliveries.is_empty() || max == 0 {
                return Ok(deliveries);
            }
            if tokio::time::timeout_at(end, rung).await.is_err() {
                return Ok(Vec::new());
            }
        }
    }

    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        rules::check_group(topic, group)?;
        Ok(self.with(|state, raw| state.topics.claim(topic, group, consumer, idle, max, raw)))
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        Ok(self.with(|state, raw| state.topics.touch(topic, group, consumer, id, Some(raw))))
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        self.with(|state, _| state.topics.touch(topic, group, consumer, id, None));
        Ok(())
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        self.with(|state, _| {
            for id in ids {
                state.topics.acknowledge(topic, group, id);
            }
        });
        Ok(())
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        self.with(|state, _| state.topics.bury(topic, group, delivery, error));
        Ok(())
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        Ok(self.with(|state, _| state.topics.dead_letters(topic, group, limit)))
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        let revived = self.with(|state, _| state.topics.revive(topic, group, id));
        self.shared.bell.notify_waiters();
        Ok(revived)
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        Ok(self.with(|state, _| state.topics.take_letter(topic, group, id).is_some()))
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        Ok(self.with(|state, _| state.topics.groups()))
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        Ok(self.with(|state, _| state.topics.trim(topic)))
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        Ok(self.with(|state, _| state.topics.lag(topic, group)))
    }
}
