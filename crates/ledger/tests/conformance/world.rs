use std::{future::Future, time::Duration};

use bytes::Bytes;
use kernel::Timestamp;
use ledger::{
    Append, AppendError, Appended, Clock, Deadline, Entry, Guard, LogName, ManualClock, Notice, Refused,
    Sequence, SharedLedger, memory::MemoryLedger,
};

/// A fresh store and two handles on it, as two processes would have them.
pub struct World {
    pub ledger: SharedLedger,
    pub other: SharedLedger,
    pub time: Time,
    /// What must outlive the ledgers: a folder, a server.
    pub _keep: Box<dyn std::any::Any + Send + Sync>,
}

/// Whose clock the store goes by.
pub enum Time {
    Manual(ManualClock),
    Real,
}

impl World {
    /// Lets the store's clock go on by at least this.
    pub async fn pass(&self, time: Duration) {
        match &self.time {
            Time::Manual(clock) => clock.advance(time),
            // The store is another process; its time passes only by waiting.
            Time::Real => tokio::time::sleep(time).await,
        }
    }

    /// A model to compare with, by the same clock where it is ours.
    pub fn model(&self) -> MemoryLedger {
        MemoryLedger::new(match &self.time {
            Time::Manual(clock) => clock.clock(),
            Time::Real => Clock::system(),
        })
    }

    /// Sweeps, long enough after the last time that nothing is skipped.
    pub async fn sweep(&self) -> Vec<(LogName, Timestamp)> {
        self.pass(Duration::from_millis(160)).await;
        self.ledger.sweep(100).await.unwrap().due
    }
}

pub fn log(name: &str) -> LogName {
    LogName::new(name).unwrap()
}

pub fn entry(name: &str, expected: Sequence, payload: impl Into<Bytes>) -> Append {
    Append {
        log: log(name),
        expected,
        payload: payload.into(),
        guard: Guard::default(),
        deadline: Deadline::Keep,
        notices: Vec::new(),
    }
}

pub fn notice(topic: &str, payload: impl Into<Bytes>) -> Notice {
    Notice { topic: topic.to_owned(), payload: payload.into() }
}

pub async fn append(ledger: &SharedLedger, name: &str, expected: Sequence, payload: &str) -> Appended {
    ledger.append(entry(name, expected, payload.to_owned())).await.unwrap()
}

pub fn refused(result: Result<Appended, AppendError>) -> Refused {
    match result {
        Err(AppendError::Refused(refused)) => refused,
        other => panic!("expected a refusal, not {other:?}"),
    }
}

pub fn texts(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| String::from_utf8_lossy(&entry.payload).into_owned()).collect()
}

/// Fails the test when something takes longer than anything here may take.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("this should not take so long")
}
