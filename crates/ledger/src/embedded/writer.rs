use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures::future::BoxFuture;
use kernel::Timestamp;
use sqlx::{Connection, SqliteConnection};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::JoinHandle,
};

use super::{logs::Head, open::Lock, topics::Group};
use crate::{Clock, LogName, Outage, Unavailable, Wake, WriteGate, rules::Heart, wakes::Wakes};

/// So many actions are committed together at most.
const BATCH: usize = 256;

/// Answers an action's caller, once it is on disk.
type Answer = Box<dyn FnOnce() + Send>;
type Job = Box<dyn for<'a> FnOnce(&'a mut Store) -> BoxFuture<'a, sqlx::Result<Answer>> + Send>;

/// The handle on the one task that writes.
pub(super) struct Writer {
    jobs: parking_lot::Mutex<Option<mpsc::Sender<Job>>>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    pub fn start(store: Store, lock: Lock, gate: WriteGate, wakes: Arc<Wakes>, bell: Arc<Notify>) -> Self {
        let (sender, jobs) = mpsc::channel(4 * BATCH);
        let task = tokio::spawn(run(store, jobs, lock, gate, wakes, bell));
        Self { jobs: Some(sender).into(), task: Some(task).into() }
    }

    pub async fn write<T, F>(&self, action: F) -> Result<T, Unavailable>
    where
        F: for<'a> FnOnce(&'a mut Store) -> BoxFuture<'a, sqlx::Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |store| {
            Box::pin(async move {
                let value = action(store).await?;
                // The caller may have gone; the entry is there all the same.
                Ok(Box::new(move || drop(sender.send(value))) as Answer)
            })
        });
        let jobs = self.jobs.lock().clone().ok_or_else(closed)?;
        jobs.send(job).await.map_err(|_| closed())?;
        drop(jobs);
        receiver.await.map_err(|_| Unavailable("the write was not committed".into()))
    }

    pub async fn close(&self) {
        drop(self.jobs.lock().take());
        let mut task = self.task.lock().await;
        if let Some(running) = task.take()
            && let Err(error) = running.await
        {
            tracing::error!(%error, "the ledger's writer failed");
        }
    }
}

fn closed() -> Unavailable {
    Unavailable("the ledger is closed".into())
}

/// What the writer has: the connection, and a copy of what it needs of the file. Nobody else changes these tables.
pub(super) struct Store {
    pub connection: SqliteConnection,
    pub heart: Heart,
    pub heads: HashMap<LogName, Head>,
    pub groups: HashMap<(String, String), Group>,
    /// To be sent after the commit.
    pub wakes: Vec<Wake>,
    /// A topic has a new message.
    pub ring: bool,
    clock: Clock,
    floor: Arc<AtomicU64>,
}

impl Store {
    pub fn new(connection: SqliteConnection, clock: Clock, floor: Arc<AtomicU64>) -> Self {
        Self {
            connection,
            heart: Heart::default(),
            heads: HashMap::new(),
            groups: HashMap::new(),
            wakes: Vec::new(),
            ring: false,
            clock,
            floor,
        }
    }

    /// The raw clock.
    pub fn raw(&self) -> Timestamp {
        let raw = self.clock.now();
        self.floor.fetch_max(self.heart.now(raw).as_millis(), Ordering::SeqCst);
        raw
    }

    /// Forgets the copies and reads the heartbeat again: after a start, and after a transaction that was given up.
    pub async fn reload(&mut self) -> sqlx::Result<()> {
        self.heads.clear();
        self.groups.clear();
        self.wakes.clear();
        self.ring = false;
        let outages: Vec<(i64, i64)> = sqlx::query_as("SELECT began, ended FROM ledger_outages ORDER BY id")
            .fetch_all(&mut self.connection)
            .await?;
        let beat: Option<(i64, i64)> = sqlx::query_as("SELECT beat, swept FROM ledger_heart")
            .fetch_optional(&mut self.connection)
            .await?;
        self.heart = Heart {
            beat: beat.map(|(beat, _)| moment(beat)),
            swept: beat.map(|(_, swept)| moment(swept)),
            outages: outages
                .iter()
                .map(|(from, to)| Outage { from: moment(*from), to: moment(*to) })
                .collect(),
        };
        Ok(())
    }

    async fn commit(&mut self, jobs: &mut Vec<Job>) -> sqlx::Result<Vec<Answer>> {
        sqlx::query("BEGIN IMMEDIATE").execute(&mut self.connection).await?;
        let mut answers = Vec::with_capacity(jobs.len());
        for job in jobs.drain(..) {
            answers.push(job(self).await?);
        }
        sqlx::query("COMMIT").execute(&mut self.connection).await?;
        Ok(answers)
    }
}

async fn run(
    mut store: Store,
    mut jobs: mpsc::Receiver<Job>,
    lock: Lock,
    gate: WriteGate,
    wakes: Arc<Wakes>,
    bell: Arc<Notify>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut trusted = true;
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        let permit = gate.lock().await;
        if !trusted {
            // An error means that no transaction is open, which is what is wanted.
            let _none_open = sqlx::query("ROLLBACK").execute(&mut store.connection).await;
            trusted = store.reload().await.is_ok();
        }
        let committed =
            if trusted { store.commit(&mut batch).await } else { Err(sqlx::Error::WorkerCrashed) };
        drop(permit);
        match committed {
            Ok(answers) => {
                answers.into_iter().for_each(|answer| answer());
                store.wakes.drain(..).for_each(|wake| wakes.send(&wake));
                if std::mem::take(&mut store.ring) {
                    bell.notify_waiters();
                }
            }
            Err(error) => {
                tracing::error!(%error, "the ledger could not commit");
                // Dropping the jobs tells their callers.
                batch.clear();
                trusted = false;
            }
        }
    }
    if let Err(error) = store.connection.close().await {
        tracing::warn!(%error, "the ledger's file was not closed cleanly");
    }
    drop(lock);
}

/// A moment as SQLite keeps it. What is beyond its range is the far future.
pub(super) fn millis(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}

/// A moment from SQLite.
pub(super) fn moment(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
