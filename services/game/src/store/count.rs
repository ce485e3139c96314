//! How many games are played: exactly while they are few; of many, as one replica has counted them a while ago for all.

use std::time::Duration;

use kernel::Timestamp;
use platform::convert::to_millis as millis;
use tokio::time::Instant;

use super::Store;

/// So many are counted whenever somebody asks: some milliseconds.
const FEW: i64 = 10_000;

/// More are counted this often at most, and the counts take no more than one part in so many of the time.
const EVERY: Duration = Duration::from_secs(10);
const PART: u32 = 100;

impl Store {
    /// How many games are played now, at all replicas together.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn live_games(&self, now: Timestamp) -> Result<u64, sqlx::Error> {
        self.live_games_of(FEW, now).await.map(i64::unsigned_abs)
    }

    pub(super) async fn live_games_of(&self, few: i64, now: Timestamp) -> Result<i64, sqlx::Error> {
        let counted = self.count(few + 1).await?;
        if counted <= few {
            return Ok(counted);
        }
        let (known, due) = self.known_count().await?;
        if due > millis(now) || !self.count_is_ours(due, now).await? {
            return Ok(known.max(counted));
        }
        let began = Instant::now();
        let counted = self.count(i64::MAX).await?;
        self.keep_count(counted, now + EVERY.max(began.elapsed() * PART)).await?;
        Ok(counted)
    }

    async fn count(&self, most: i64) -> Result<i64, sqlx::Error> {
        const SQL: &str = "SELECT COUNT(*) FROM (
             SELECT 1 FROM live_games WHERE (SELECT 1 FROM games WHERE games.id = live_games.id) IS NULL LIMIT $1
         ) AS counted";
        let count = async {
            platform::on!(&self.db, |pool| sqlx::query_scalar(SQL).bind(most).fetch_one(pool).await)
        };
        self.db.run(count).await
    }

    /// The last count of all, and when the next is due.
    async fn known_count(&self) -> Result<(i64, i64), sqlx::Error> {
        const SQL: &str = "SELECT games, due_at FROM live_count WHERE id = 1";
        let known = async { platform::on!(&self.db, |pool| sqlx::query_as(SQL).fetch_one(pool).await) };
        self.db.run(known).await
    }

    /// Takes the count that is due upon oneself; false if another has. If it is never made, the next one is.
    async fn count_is_ours(&self, due: i64, now: Timestamp) -> Result<bool, sqlx::Error> {
        const SQL: &str = "UPDATE live_count SET due_at = $1 WHERE id = 1 AND due_at = $2";
        let claim = async {
            Ok(platform::transact!(&self.db, |tx| {
                sqlx::query(SQL).bind(millis(now + EVERY)).bind(due).execute(&mut **tx).await?.rows_affected()
            }))
        };
        Ok(self.db.run(Box::pin(claim)).await? > 0)
    }

    async fn keep_count(&self, games: i64, due: Timestamp) -> Result<(), sqlx::Error> {
        const SQL: &str = "UPDATE live_count SET games = $1, due_at = $2 WHERE id = 1";
        let keep = async {
            platform::transact!(&self.db, |tx| {
                sqlx::query(SQL).bind(games).bind(millis(due)).execute(&mut **tx).await?;
            });
            Ok(())
        };
        self.db.run(Box::pin(keep)).await
    }
}
