//! For tests of a service: stores in temporary folders. Behind the feature `testing`.

mod postgres;

pub use postgres::{TestPostgres, postgres};

use ledger::WriteGate;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::{
    config::Secret,
    db::{Db, Fates, Lite},
};

/// The secret that services share in tests.
pub fn secret() -> Secret {
    Secret::new("a secret for tests only")
}

/// A migrated SQLite store in a folder that is removed when the second value is dropped.
///
/// # Errors
/// When the folder or the file cannot be made.
pub async fn sqlite() -> anyhow::Result<(Db, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    let db = Db::sqlite(&folder.path().join("nigiri.db"), WriteGate::new()).await?;
    db.migrate().await?;
    Ok((db, folder))
}

/// A copy of a migrated SQLite file as the store of a simulation: for speed it survives no power cut. Connections are many, since a
/// connection goes back to the pool only when the simulation goes on.
///
/// # Errors
/// When the file cannot be copied or opened.
pub async fn simulated(template: &std::path::Path, copy: &std::path::Path) -> anyhow::Result<SimulatedStore> {
    std::fs::copy(template, copy)?;
    let options = SqliteConnectOptions::new()
        .filename(copy)
        .journal_mode(SqliteJournalMode::Memory)
        .synchronous(SqliteSynchronous::Off)
        .foreign_keys(true);
    let pool = SqlitePoolOptions::new().max_connections(64).idle_timeout(None).max_lifetime(None);
    Ok(SimulatedStore(Lite { pool: pool.connect_with(options).await?, gate: WriteGate::new(), fates: None }))
}

/// The store of a simulation, which each of its processes sees in its own way.
#[derive(Clone, Debug)]
pub struct SimulatedStore(Lite);

impl SimulatedStore {
    /// The store as a process with these fates sees it.
    pub fn seen_by(&self, fates: Fates) -> Db {
        Db::Sqlite(Lite { fates: Some(fates), gate: WriteGate::new(), ..self.0.clone() })
    }
}
