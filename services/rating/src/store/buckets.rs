//! How many players of a leaderboard stand in each stretch of ratings: kept with each game, so that a rank is a sum of a few rows.

use std::collections::BTreeMap;

use platform::on;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Store, sql, tx::{Tx, within}};
use crate::pool::Pool;

/// A stretch of ratings, in millionths: two points. The migration has the same number.
const WIDTH: i64 = 2_000_000;
/// Rows over which a stretch's players are spread, by their ids.
const SHARDS: u8 = 4;

/// The stretch of a standing (a negated rating): ascending in the order of the leaderboard.
pub(super) const fn bucket(standing: i64) -> i64 {
    standing.div_euclid(WIDTH)
}

/// The first standing of a stretch.
pub(super) const fn start(bucket: i64) -> i64 {
    bucket.saturating_mul(WIDTH)
}

/// Changes to the counts, gathered so that they are written in one statement and in one order.
#[derive(Default)]
pub(super) struct Changes(BTreeMap<(i16, i64, i16), (i64, i64)>);

impl Changes {
    /// A player on a leaderboard moves from one place to another: each a rating in millionths and a level.
    pub fn moved(&mut self, pool: Pool, player: Uuid, from: (i64, i16), to: (i64, i16)) {
        self.add(pool, player, from, -1);
        self.add(pool, player, to, 1);
    }

    fn add(&mut self, pool: Pool, player: Uuid, (micros, level): (i64, i16), players: i64) {
        let shard = player.as_bytes()[15] % SHARDS;
        let key = (pool.number(), bucket(micros.saturating_neg()), shard.into());
        let counts = self.0.entry(key).or_default();
        match level {
            1 => counts.0 += players,
            2 => counts.1 += players,
            _ => {}
        }
    }

    /// Writes them.
    pub async fn write(mut self, tx: &mut Tx<'_>) -> Result<(), sqlx::Error> {
        self.0.retain(|_, counts| *counts != (0, 0));
        let rows: Vec<_> = self.0.into_iter().collect();
        for rows in rows.chunks(4) {
            let text = sql::buckets(rows.len());
            within!(&mut *tx, |c| {
                let query = sqlx::query(AssertSqlSafe(text));
                let query = rows.iter().fold(query, |query, ((pool, bucket, shard), (provisional, established))| {
                    query.bind(*pool).bind(*bucket).bind(*shard).bind(*provisional).bind(*established)
                });
                query.execute(c).await.map(drop)
            })?;
        }
        Ok(())
    }
}

/// How many players stand where: pool, stretch, provisional, established.
pub type Census = Vec<(i16, i64, i64, i64)>;

impl Store {
    /// The counts as they are kept. For checking them.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn census(&self) -> Result<Census, sqlx::Error> {
        const TEXT: &str = "\
            SELECT pool, bucket, CAST(SUM(provisional) AS BIGINT), CAST(SUM(established) AS BIGINT) FROM rating_buckets \
            GROUP BY pool, bucket HAVING SUM(provisional) <> 0 OR SUM(established) <> 0 ORDER BY pool, bucket";
        on!(&self.db, |db| sqlx::query_as(TEXT).fetch_all(db).await)
    }

    /// The counts as the players' own rows have them. For checking; reads all players.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn census_of_players(&self) -> Result<Census, sqlx::Error> {
        const TEXT: &str = "SELECT pool, standing, level FROM player_ratings WHERE level > 0";
        let rows: Vec<(i16, i64, i16)> = on!(&self.db, |db| sqlx::query_as(TEXT).fetch_all(db).await?);
        let mut counts: BTreeMap<(i16, i64), (i64, i64)> = BTreeMap::new();
        for (pool, standing, level) in rows {
            let count = counts.entry((pool, bucket(standing))).or_default();
            if level == 1 { count.0 += 1 } else { count.1 += 1 }
        }
        Ok(counts.into_iter().map(|((pool, bucket), (one, two))| (pool, bucket, one, two)).collect())
    }
}
