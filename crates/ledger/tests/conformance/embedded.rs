//! The suite on the ledger in a SQLite file, and what only that one promises.

use std::{path::Path, sync::Arc, time::Duration};

use kernel::Timestamp;
use ledger::{
    Append, Deadline, Guard, Ledger, ManualClock, Refused, WriteGate,
    embedded::{EmbeddedConfig, EmbeddedError, EmbeddedLedger},
};

use crate::world::{Time, World, entry, log, notice, refused, soon, texts};

const START: Timestamp = Timestamp::from_millis(1_764_000_000_000);

async fn open(folder: &Path, clock: &ManualClock) -> Result<EmbeddedLedger, EmbeddedError> {
    let config =
        EmbeddedConfig { path: folder.join("nigiri.db"), gate: WriteGate::new(), clock: clock.clock() };
    EmbeddedLedger::open_with(config).await
}

async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(START);
    let ledger = open(folder.path(), &clock).await.unwrap();
    World {
        other: Arc::new(ledger.clone()),
        ledger: Arc::new(ledger),
        time: Time::Manual(clock),
        _keep: Box::new(folder),
    }
}

crate::suite!(world);
crate::suite!(world; model::random_operations_equal_the_model);

/// Entries, deadlines, messages, leases, dead letters and the heartbeat survive; the time between is an outage.
#[tokio::test]
async fn everything_survives_a_restart_and_the_time_between_is_an_outage() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(START);
    let ledger = open(folder.path(), &clock).await.unwrap();
    ledger.sweep(1).await.unwrap();
    let first = Append {
        deadline: Deadline::After(Duration::from_secs(30)),
        notices: (0..3).map(|number| notice("topic", format!("message {number}"))).collect(),
        ..entry("game", 0, "first")
    };
    let appended = ledger.append(first).await.unwrap();
    let taken = ledger.fetch("topic", "group", "c", 2, Duration::ZERO).await.unwrap();
    ledger.bury("topic", "group", &taken[0], "an error").await.unwrap();
    ledger.close().await;
    assert!(ledger.append(entry("game", 1, "closed")).await.is_err());

    clock.advance(Duration::from_secs(60));
    let ledger = open(folder.path(), &clock).await.unwrap();
    assert_eq!(texts(&ledger.read(&log("game"), 0, 10).await.unwrap()), ["first"]);
    let claim = Append {
        guard: Guard { not_before: Some(appended.stamp + Duration::from_secs(30)), ..Guard::default() },
        ..entry("game", 1, "flag")
    };
    for _ in 0..2 {
        match refused(ledger.append(claim.clone()).await) {
            Refused::Outage { outages, .. } => {
                assert_eq!(outages[0].from, START);
                assert_eq!(outages[0].to, START + Duration::from_secs(60));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(ledger.sweep(9).await.unwrap().due.len(), 1);
        clock.advance(Duration::from_millis(200));
        ledger.sweep(9).await.unwrap();
        clock.set(START + Duration::from_secs(60));
    }
    assert_eq!(ledger.dead_letters("topic", "group", 9).await.unwrap().len(), 1);
    let again = ledger.claim("topic", "group", "d", Duration::from_secs(59), 9).await.unwrap();
    assert_eq!((again.len(), again[0].attempt), (1, 2));
    assert_eq!(ledger.fetch("topic", "group", "d", 9, Duration::ZERO).await.unwrap().len(), 1);
}

/// A second process on one data folder is told so at once, and can have it when the first has closed it.
#[tokio::test]
async fn a_second_ledger_on_one_file_is_refused_until_the_first_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(START);
    let ledger = open(folder.path(), &clock).await.unwrap();
    let error = open(folder.path(), &clock).await.unwrap_err();
    assert!(matches!(&error, EmbeddedError::InUse { .. }), "{error}");
    assert!(error.to_string().contains("nigiri.db is in use"), "{error}");
    ledger.close().await;
    open(folder.path(), &clock).await.unwrap();
}

/// A folder that is a file, and a file that is no database, are clear errors.
#[tokio::test]
async fn what_cannot_be_opened_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(START);
    std::fs::write(folder.path().join("file"), "no folder").unwrap();
    let error = open(&folder.path().join("file"), &clock).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::Folder { .. }), "{error}");
    std::fs::write(
        folder.path().join("nigiri.db"),
        "no database, but long enough to be looked at ".repeat(99),
    )
    .unwrap();
    let error = open(folder.path(), &clock).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::Database(_)), "{error}");
}

/// While somebody else holds the gate no append is committed; they are when it is given free.
#[tokio::test]
async fn the_ledger_waits_for_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let gate = WriteGate::new();
    let ledger = EmbeddedLedger::open(folder.path().join("db"), gate.clone()).await.unwrap();
    let permit = gate.lock().await;
    let appending = {
        let ledger = ledger.clone();
        tokio::spawn(async move { ledger.append(entry("game", 0, "waits")).await })
    };
    let reading =
        tokio::time::timeout(Duration::from_millis(100), ledger.append(entry("x", 0, "waits too"))).await;
    assert!(reading.is_err());
    assert!(ledger.read(&log("game"), 0, 1).await.unwrap().is_empty());
    drop(permit);
    soon(appending).await.unwrap().unwrap();
    assert_eq!(ledger.read(&log("game"), 0, 1).await.unwrap().len(), 1);
}

/// What the disk has at any moment is enough: a copy of the files, taken while the ledger has them open and nothing was closed, has
/// every acknowledged append. So has the folder of a process that was killed.
#[tokio::test]
async fn what_was_acknowledged_is_in_the_files_without_a_goodbye() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let clock = ManualClock::new(START);
    let ledger = open(folder.path(), &clock).await.unwrap();
    let writers = (0..20).map(|writer| {
        let ledger = ledger.clone();
        async move {
            for expected in 0..10 {
                ledger.append(entry(&format!("game-{writer}"), expected, "entry")).await.unwrap();
            }
        }
    });
    futures::future::join_all(writers).await;
    for file in ["nigiri.db", "nigiri.db-wal"] {
        std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let found = open(copy.path(), &clock).await.unwrap();
    for writer in 0..20 {
        assert_eq!(found.read(&log(&format!("game-{writer}")), 0, 100).await.unwrap().len(), 10);
    }
}
