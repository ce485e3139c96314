//! For tests of a service: stores in temporary folders. Behind the feature `testing`.

mod authority;
mod postgres;

pub use authority::{Authority, Certified};
pub use postgres::{PostgresServer, TestPostgres, postgres};

use std::{path::Path, sync::OnceLock};

use ledger::WriteGate;

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use tokio::runtime::{Builder, Handle, Runtime};

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
/// few connections: to open one, with the schema to parse and each statement to prepare anew, costs more than most of what is done with it.
#[derive(Clone, Debug)]
pub struct SimulatedStore {
    pool: SqlitePool,
    keeper: Handle,
}

impl SimulatedStore {
    /// The store in this file, which is migrated.
    ///
    /// # Errors
    /// When there can be no thread that takes connections back into the pool.
    pub fn new(file: &Path) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .journal_mode(SqliteJournalMode::Memory)
            .synchronous(SqliteSynchronous::Off)
            .foreign_keys(true);
        let keeper = keeper()?;
        let pool = SqlitePoolOptions::new()
            .max_connections(2)
            .idle_timeout(None)
            .max_lifetime(None)
            // Nobody closes a connection to a file, and to ask costs as much as most of the work.
            .test_before_acquire(false);
        Ok(Self { pool: pool.connect_lazy_with(options), keeper })
    }

    /// The store as a process with these fates sees it.
    pub fn seen_by(&self, fates: Fates) -> Db {
        let fates = Some(fates.kept_by(self.keeper.clone()));
        Db::Sqlite(Lite { pool: self.pool.clone(), gate: WriteGate::new(), fates })
    }
}

/// What takes the connections of all simulations back into their pools, on a thread of its own: where simulated time stands still, a
/// connection that was used a moment ago would not be back yet.
fn keeper() -> anyhow::Result<Handle> {
    static KEEPER: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let made = KEEPER.get_or_init(|| Builder::new_multi_thread().worker_threads(1).enable_time().build());
    match made {
        Ok(runtime) => Ok(runtime.handle().clone()),
        Err(error) => anyhow::bail!("no thread for the store's connections: {error}"),
    }
}
