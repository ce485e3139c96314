use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

/// The gate that all writers of one SQLite file pass one at a time, in the order in which they came: the ledger and the services'
/// store share a file, and SQLite has one writer. Held during every write transaction.
#[derive(Clone, Debug, Default)]
pub struct WriteGate(Arc<Mutex<()>>);

impl WriteGate {
    /// A gate for one file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until the file is free to be written, and keeps others out while the guard lives.
    pub async fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().await
    }
}
