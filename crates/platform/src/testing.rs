//! For tests of a service: stores in temporary folders. Behind the feature `testing`.

mod authority;
mod postgres;

pub use authority::{Authority, Certified};
pub use postgres::{PostgresServer, TestPostgres, postgres};

use std::path::Path;

use ledger::WriteGate;

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

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

/// A SQLite file as the store of a simulation, which each of its processes sees in its own way. For speed it survives no power cut, and all processes use the same
/// connections: to open one costs more than most of what is done with it.
#[derive(Clone, Debug)]
pub struct SimulatedStore(SqlitePool);

impl SimulatedStore {
    /// The store in this file, which is migrated. Connections are many, since one that was used goes back to the pool only when the simulation goes on.
    pub fn new(file: &Path) -> Self {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .journal_mode(SqliteJournalMode::Memory)
            .synchronous(SqliteSynchronous::Off)
            .foreign_keys(true);
        let pool = SqlitePoolOptions::new().max_connections(64).idle_timeout(None).max_lifetime(None);
        Self(pool.connect_lazy_with(options))
    }

    /// The store as a process with these fates sees it.
    pub fn seen_by(&self, fates: Fates) -> Db {
        Db::Sqlite(Lite { pool: self.0.clone(), gate: WriteGate::new(), fates: Some(fates) })
    }
}
