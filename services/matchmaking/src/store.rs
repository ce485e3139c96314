//! This service's part of the SQL store: challenges, and blocks.

mod blocks;
mod challenges;

use platform::db::Db;

pub use blocks::{Block, MOST_BLOCKS};
pub use challenges::MOST_OPEN;

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
}
