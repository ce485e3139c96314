//! For tests of a service: stores in temporary folders. Behind the feature `testing`.

mod authority;
mod postgres;

pub use authority::{Authority, Certified};
pub use postgres::{PostgresServer, TestPostgres, postgres};

use ledger::WriteGate;

use crate::{config::Secret, db::Db};

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
