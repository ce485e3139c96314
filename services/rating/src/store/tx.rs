//! One write transaction on either store, so that its steps can be functions.

use platform::db::Db;
use sqlx::{Postgres, Sqlite, Transaction};
use tokio::sync::MutexGuard;

/// A write transaction. Rolled back when it is dropped.
pub(super) enum Tx<'a> {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>, MutexGuard<'a, ()>),
}

impl<'a> Tx<'a> {
    pub async fn begin(db: &'a Db) -> Result<Self, sqlx::Error> {
        Ok(match db {
            Db::Postgres(pool) => Self::Postgres(pool.begin().await?),
            Db::Sqlite(lite) => {
                let gate = lite.gate.lock().await;
                Self::Sqlite(lite.pool.begin_with("BEGIN IMMEDIATE").await?, gate)
            }
        })
    }

    pub async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Postgres(tx) => tx.commit().await,
            Self::Sqlite(tx, _gate) => tx.commit().await,
        }
    }

    pub async fn roll_back(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Postgres(tx) => tx.rollback().await,
            Self::Sqlite(tx, _gate) => tx.rollback().await,
        }
    }
}

/// Runs a statement in whichever transaction it is: `within!(tx, |c| sqlx::query("...").execute(c).await)`.
macro_rules! within {
    ($tx:expr, |$connection:ident| $body:expr) => {
        match $tx {
            $crate::store::tx::Tx::Postgres(tx) => {
                let $connection = &mut **tx;
                $body
            }
            $crate::store::tx::Tx::Sqlite(tx, _) => {
                let $connection = &mut **tx;
                $body
            }
        }
    };
}
pub(super) use within;
