use kernel::Timestamp;
use platform::{on, transact};

use super::{Store, millis, timestamp};
use crate::{
    error::Error,
    keys::{Seed, StoredKey},
};

const ADD_FIRST: &str =
    "INSERT INTO signing_keys (generation, seed, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";
const ADD_NEXT: &str =
    "INSERT INTO signing_keys (generation, seed, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const KEYS: &str = "SELECT generation, seed, created_at FROM signing_keys ORDER BY generation";
const REMOVE: &str = "DELETE FROM signing_keys WHERE generation < $1";

impl Store {
    /// The signing keys, oldest first.
    pub async fn keys(&self) -> Result<Vec<StoredKey>, Error> {
        let rows: Vec<(i64, Vec<u8>, i64)> =
            on!(&self.db, |pool| sqlx::query_as(KEYS).fetch_all(pool).await)?;
        let key = |(generation, seed, created)| StoredKey { generation, seed, created: timestamp(created) };
        Ok(rows.into_iter().map(key).collect())
    }

    /// Writes the first signing key, unless there is one.
    pub async fn add_first_key(&self, seed: &Seed, now: Timestamp) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(ADD_FIRST).bind(seed.to_vec()).bind(millis(now)).execute(&mut **tx).await?;
        });
        Ok(())
    }

    /// Writes the key of this generation, unless another replica has.
    pub async fn add_key(&self, generation: i64, seed: &Seed, now: Timestamp) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            let add = sqlx::query(ADD_NEXT).bind(generation).bind(seed.to_vec()).bind(millis(now));
            add.execute(&mut **tx).await?;
        });
        Ok(())
    }

    /// Removes the keys before this generation.
    pub async fn remove_keys_before(&self, generation: i64) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(REMOVE).bind(generation).execute(&mut **tx).await?;
        });
        Ok(())
    }
}
