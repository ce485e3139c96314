//! The ledger in one SQLite file: nothing to install, survives a restart and a `kill -9`, and one process at a time.
//!
//! All writes go through one task, which commits together what has gathered while the commit before was being synced to the disk
//! (`journal_mode=WAL`, `synchronous=FULL`), as Redis does with its log. The services keep their tables in the same file; they hold the
//! [`crate::WriteGate`] while they write, so that neither finds the file busy.

mod logs;
mod open;
mod topics;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures::{FutureExt, future::BoxFuture};
use kernel::Timestamp;
use sqlx::SqlitePool;
use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

pub use self::open::EmbeddedError;
use self::writer::{Store, Writer};
use crate::{
    Append, AppendError, Appended, Clock, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs,
    Notice, Sequence, Sweep, Unavailable, Wake, WriteGate, rules, wakes::Wakes,
};

/// Where an embedded ledger lives and what it goes by.
#[derive(Clone, Debug)]
pub struct EmbeddedConfig {
    /// The SQLite file; it and its folder are made when they are not there.
    pub path: PathBuf,
    /// Shared with everybody who writes to the file.
    pub gate: WriteGate,
    /// The store's clock: the machine's, or a test's.
    pub clock: Clock,
}

/// A ledger in one SQLite file. Clones share everything, so a clone is another handle on the same store.
#[derive(Clone, Debug)]
pub struct EmbeddedLedger {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    writer: Writer,
    readers: SqlitePool,
    clock: Clock,
    /// Milliseconds: time has been seen to come this far.
    floor: Arc<AtomicU64>,
    wakes: Arc<Wakes>,
    bell: Arc<Notify>,
}

impl EmbeddedLedger {
    /// Opens the ledger in this file, by the machine's clock, and makes it if it is not there.
    ///
    /// # Errors
    /// When another process has the file open, the folder cannot be written, or the file is no ledger that this version knows.
    pub async fn open(path: impl AsRef<Path>, gate: WriteGate) -> Result<Self, EmbeddedError> {
        Self::open_with(EmbeddedConfig { path: path.as_ref().to_owned(), gate, clock: Clock::system() }).await
    }

    /// Like [`EmbeddedLedger::open`], with a clock of one's own.
    ///
    /// # Errors
    /// As [`EmbeddedLedger::open`].
    pub async fn open_with(config: EmbeddedConfig) -> Result<Self, EmbeddedError> {
        let EmbeddedConfig { path, gate, clock } = config;
        let opened = open::open(&path).await?;
        let (wakes, bell, floor) = (Arc::default(), Arc::default(), Arc::default());
        let mut store = Store::new(opened.connection, clock.clone(), Arc::clone(&floor));
        store.reload().await?;
        let (heard, rung) = (Arc::clone(&wakes), Arc::clone(&bell));
        let writer = Writer::start(store, opened.lock, gate, heard, rung);
        Ok(Self { shared: Arc::new(Shared { writer, readers: opened.readers, clock, floor, wakes, bell }) })
    }

    /// Commits what has come in, closes the file and gives it free. Every later call fails with [`Unavailable`].
    pub async fn close(&self) {
        self.shared.readers.close().await;
        self.shared.writer.close().await;
    }

    /// Does something in the writer's next transaction and answers when it is on disk.
    async fn write<T, F>(&self, action: F) -> Result<T, Unavailable>
    where
        F: for<'a> FnOnce(&'a mut Store) -> BoxFuture<'a, sqlx::Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        self.shared.writer.write(action).await
    }
}

fn unavailable(error: sqlx::Error) -> Unavailable {
    Unavailable(error.to_string())
}

#[async_trait]
impl Ledger for EmbeddedLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        rules::check_append(&append)?;
        Ok(self.write(move |store| store.append(append).boxed()).await??)
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        let raw = self.shared.clock.now();
        logs::read(&self.shared.readers, log, raw, after, limit).await.map_err(unavailable)
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        self.shared.wakes.subscribe(logs)
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        self.write(move |store| store.sweep(limit).boxed()).await
    }

    fn now(&self) -> Timestamp {
        let raw = self.shared.clock.now().as_millis();
        Timestamp::from_millis(self.shared.floor.fetch_max(raw, Ordering::SeqCst).max(raw))
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        let log = log.clone();
        self.write(move |store| store.retire(log, after).boxed()).await
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        let log = log.clone();
        self.write(move |store| store.trim(log, first).boxed()).await
    }

    async fn publish(&self, _key: &str, notice: Notice) -> Result<(), Unavailable> {
        rules::check_publish(&notice.topic, notice.payload.len())?;
        self.write(move |store| async move { store.publish(&notice).await }.boxed()).await
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        rules::check_group(topic, group)?;
        let (topic, group) = (topic.to_owned(), group.to_owned());
        self.write(move |store| async move { store.group(&topic, &group).await.map(|_| ()) }.boxed()).await
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
            let names = [topic, group, consumer].map(str::to_owned);
            let deliveries = self
                .write(move |store| {
                    async move {
                        let [topic, group, consumer] = names;
                        store.fetch(&topic, &group, &consumer, max).await
                    }
                    .boxed()
                })
                .await?;
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
        let names = [topic, group, consumer].map(str::to_owned);
        self.write(move |store| {
            async move {
                let [topic, group, consumer] = names;
                store.claim(&topic, &group, &consumer, idle, max).await
            }
            .boxed()
        })
        .await
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        let (names, id) = ([topic, group, consumer].map(str::to_owned), id.clone());
        self.write(move |store| async move { store.touch(names, &id, true).await }.boxed()).await
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        let (names, id) = ([topic, group, consumer].map(str::to_owned), id.clone());
        self.write(move |store| async move { store.touch(names, &id, false).await.map(|_| ()) }.boxed()).await
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        let (topic, group, ids) = (topic.to_owned(), group.to_owned(), ids.to_owned());
        self.write(move |store| {
            async move {
                for id in &ids {
                    store.acknowledge(&topic, &group, id).await?;
                }
                Ok(())
            }
            .boxed()
        })
        .await
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        let (names, delivery) = ([topic, group, error].map(str::to_owned), delivery.clone());
        self.write(move |store| {
            async move {
                let [topic, group, error] = names;
                store.bury(&topic, &group, &delivery, &error).await
            }
            .boxed()
        })
        .await
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        topics::dead_letters(&self.shared.readers, topic, group, limit).await.map_err(unavailable)
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        let (topic, group, id) = (topic.to_owned(), group.to_owned(), id.clone());
        self.write(move |store| async move { store.revive(&topic, &group, &id).await }.boxed()).await
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        let (topic, group, id) = (topic.to_owned(), group.to_owned(), id.clone());
        self.write(move |store| {
            async move { store.take_letter(&topic, &group, &id).await.map(|letter| letter.is_some()) }.boxed()
        })
        .await
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        topics::groups(&self.shared.readers).await.map_err(unavailable)
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        let mut total = 0;
        loop {
            let topic = topic.to_owned();
            // Bit by bit, so that nobody's append waits for long.
            let dropped =
                self.write(move |store| async move { store.trim_some(&topic).await }.boxed()).await?;
            total += dropped;
            if dropped < topics::TRIM_STEP {
                return Ok(total);
            }
        }
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        topics::lag(&self.shared.readers, topic, group).await.map_err(unavailable)
    }
}
