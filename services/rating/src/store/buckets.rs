//! How many players of a leaderboard stand in each stretch of ratings: kept with each game, so that a rank is a sum of a few rows.

use std::collections::BTreeMap;

use platform::on;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    Store, sql,
    tx::{Tx, within},
};
use crate::pool::Pool;

/// A short stretch of ratings, in millionths: a quarter of a point. The migration has the same numbers, and so have the statements of `board/sql.rs`.
const WIDTH: i64 = 250_000;
/// Stretches that are counted together as well, so that a sum over many is one over few: 32 points.
const FEW: i64 = 128;
/// Rows over which the players of a short and of a long stretch are spread, by their ids.
const SHARDS: [u8; 2] = [2, 8];

/// The short stretch of a standing (a negated rating): ascending in the order of the leaderboard.
pub(super) const fn bucket(standing: i64) -> i64 {
    standing.div_euclid(WIDTH)
}

/// The long stretch that a short one lies in.
pub(super) const fn long(bucket: i64) -> i64 {
    bucket.div_euclid(FEW)
}

/// The first standing of a short stretch.
pub(super) const fn start(bucket: i64) -> i64 {
    bucket.saturating_mul(WIDTH)
}

/// The first short stretch of a long one.
pub(super) const fn first(long: i64) -> i64 {
    long.saturating_mul(FEW)
}

/// Changes to the counts, gathered so that they are written in one statement and in one order.
#[derive(Default)]
pub(super) struct Changes(BTreeMap<(i16, i16, i64, i16), (i64, i64)>);

impl Changes {
    /// A player on a leaderboard moves from one place to another: each a rating in millionths and a level.
    pub fn moved(&mut self, pool: Pool, player: Uuid, from: (i64, i16), to: (i64, i16)) {
        self.add(pool, player, from, -1);
        self.add(pool, player, to, 1);
    }

    fn add(&mut self, pool: Pool, player: Uuid, (micros, level): (i64, i16), players: i64) {
        let short = bucket(micros.saturating_neg());
        for (length, (bucket, shards)) in (0..).zip([short, long(short)].into_iter().zip(SHARDS)) {
            let shard = player.as_bytes()[15] % shards;
            let counts = self.0.entry((pool.number(), length, bucket, shard.into())).or_default();
            match level {
                1 => counts.0 += players,
                2 => counts.1 += players,
                _ => {}
            }
        }
    }

    /// Writes them.
    pub async fn write(mut self, tx: &mut Tx<'_>) -> Result<(), sqlx::Error> {
        self.0.retain(|_, counts| *counts != (0, 0));
        let rows: Vec<_> = self.0.into_iter().collect();
        for rows in platform::db::parts(&rows) {
            let text = sql::buckets(rows.len());
            within!(&mut *tx, |c| {
                let query = sqlx::query(AssertSqlSafe(text));
                let query = rows.iter().fold(
                    query,
                    |query, ((pool, length, bucket, shard), (provisional, established))| {
                        let query = query.bind(*pool).bind(*length).bind(*bucket);
                        query.bind(*shard).bind(*provisional).bind(*established)
                    },
                );
                query.execute(c).await.map(drop)
            })?;
        }
        Ok(())
    }
}

/// How many players stand where: pool, length of the stretch (0 short, 1 long), stretch, provisional, established.
pub type Census = Vec<(i16, i16, i64, i64, i64)>;

impl Store {
    /// The counts as they are kept. For checking them.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn census(&self) -> Result<Census, sqlx::Error> {
        const TEXT: &str = "\
            SELECT pool, length, bucket, CAST(SUM(provisional) AS BIGINT), CAST(SUM(established) AS BIGINT) FROM rating_buckets \
            GROUP BY pool, length, bucket HAVING SUM(provisional) <> 0 OR SUM(established) <> 0 ORDER BY pool, length, bucket";
        self.db.run(async { on!(&self.db, |db| sqlx::query_as(TEXT).fetch_all(db).await) }).await
    }

    /// The counts as the players' own rows have them. For checking; reads all players.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn census_of_players(&self) -> Result<Census, sqlx::Error> {
        const TEXT: &str = "SELECT pool, standing, level FROM player_ratings WHERE level > 0";
        let rows: Vec<(i16, i64, i16)> =
            self.db.run(async { on!(&self.db, |db| sqlx::query_as(TEXT).fetch_all(db).await) }).await?;
        let mut counts: BTreeMap<(i16, i16, i64), (i64, i64)> = BTreeMap::new();
        for (pool, standing, level) in rows {
            let short = bucket(standing);
            for (length, bucket) in [(0, short), (1, long(short))] {
                let count = counts.entry((pool, length, bucket)).or_default();
                if level == 1 { count.0 += 1 } else { count.1 += 1 }
            }
        }
        let line = |((pool, length, bucket), (one, two))| (pool, length, bucket, one, two);
        Ok(counts.into_iter().map(line).collect())
    }
}
