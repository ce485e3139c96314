//! This service's part of the SQL store: challenges, and blocks.

mod blocks;
mod challenges;

use futures::future::BoxFuture;
use platform::db::Db;

pub use blocks::{Block, MOST_BLOCKS};
pub use challenges::{Accepted, MOST_OPEN};

/// Challenges and blocks in the SQL store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
}

impl Store {
    /// Those of this store.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Does one piece of work. It is boxed: the future of a transaction is large, and is part of that of every call.
    fn run<'a, T: Send + 'a>(
        &'a self,
        work: impl Future<Output = Result<T, sqlx::Error>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, sqlx::Error>> {
        Box::pin(self.db.run(work))
    }
}
