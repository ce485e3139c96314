//! Leaderboards in the store.

use kernel::{PlayerId, Timestamp};
use platform::on;
use uuid::Uuid;

use super::{
    Store,
    buckets::{Changes, bucket, first, long, start},
    level, millis, moment, standing,
    tx::{Tx, within},
};
use crate::{
    leaders::{ACTIVE, Board, Leader, Page, Place},
    pool::Pool,
};

pub mod sql;

/// Players taken off the leaderboards in one round.
const ROUND: i64 = 500;

#[derive(sqlx::FromRow)]
struct LeaderRow {
    player_id: Uuid,
    micros: i64,
    games: i64,
    name: String,
    reached_at: i64,
    ahead: i64,
}

impl LeaderRow {
    /// A line so many places behind those who are ahead: 1 for the next.
    fn leader(self, n: i64) -> Leader {
        let standing = standing(self.micros, self.games);
        let player = PlayerId::from_uuid(self.player_id);
        Leader {
            rank: u64::try_from(self.ahead + n).unwrap_or(0),
            place: Place { rating: standing.rating, reached: moment(self.reached_at), player },
            standing,
            name: self.name,
        }
    }
}

/// Who played after this is on the leaderboards.
fn cutoff(now: Timestamp) -> i64 {
    millis(now).saturating_sub(i64::try_from(ACTIVE.as_millis()).unwrap_or(i64::MAX))
}

/// A place before everybody: no rating is that high.
const HEAD: (i64, i64, Uuid) = (i64::MIN, i64::MIN, Uuid::nil());

impl Store {
    /// The players of a leaderboard behind a place (from its head if none is given), at most `limit`. Their ranks hold for the moment of this call.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn leaders(
        &self,
        board: Board,
        after: Option<Place>,
        limit: u8,
        now: Timestamp,
    ) -> Result<Page, sqlx::Error> {
        let text = match (after, board.provisional) {
            (None, false) => sql::HEAD,
            (None, true) => sql::HEAD_EVERYBODY,
            (Some(_), false) => sql::BEHIND,
            (Some(_), true) => sql::BEHIND_EVERYBODY,
        };
        let mut rows = self.lines(text, board, after, i64::from(limit) + 1, now).await?;
        let more = rows.len() > usize::from(limit);
        rows.truncate(limit.into());
        Ok(Page { leaders: rows.into_iter().zip(1..).map(|(row, n)| row.leader(n)).collect(), more })
    }

    /// A player's line, with at most so many before it and behind it. Nothing if the player is not on the leaderboard.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn around(
        &self,
        board: Board,
        player: PlayerId,
        (before, behind): (u8, u8),
        now: Timestamp,
    ) -> Result<Option<Vec<Leader>>, sqlx::Error> {
        let text = if board.provisional { sql::AROUND_EVERYBODY } else { sql::AROUND };
        let mut rows: Vec<LeaderRow> = self
            .boards
            .run(async {
                on!(&self.boards, |db| {
                    let query = sqlx::query_as(text).bind(player.as_uuid()).bind(board.pool.number());
                    let query = query.bind(cutoff(now)).bind(i64::from(behind) + 1).bind(i64::from(before));
                    query.fetch_all(db).await
                })
            })
            .await?;
        rows.sort_by_key(|row| (row.micros.saturating_neg(), row.reached_at, row.player_id));
        // One statement, one moment: the ranks of the others follow from the player's own.
        let Some(own) = rows.iter().position(|row| row.player_id == player.as_uuid()) else {
            return Ok(None);
        };
        let first = 1 - i64::try_from(own).unwrap_or(0);
        Ok(Some(rows.into_iter().zip(first..).map(|(row, n)| row.leader(n)).collect()))
    }

    /// A player's line alone: rank and rating. Nothing if the player is not on the leaderboard.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn rank(
        &self,
        board: Board,
        player: PlayerId,
        now: Timestamp,
    ) -> Result<Option<Leader>, sqlx::Error> {
        Ok(self.around(board, player, (0, 0), now).await?.and_then(|leaders| leaders.into_iter().next()))
    }

    /// How many players are on a leaderboard.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn board_size(&self, board: Board, now: Timestamp) -> Result<u64, sqlx::Error> {
        let (established, everybody): (i64, i64) = self
            .boards
            .run(async {
                on!(&self.boards, |db| {
                    let query = sqlx::query_as(sql::SIZE).bind(board.pool.number()).bind(cutoff(now));
                    query.fetch_one(db).await
                })
            })
            .await?;
        Ok(u64::try_from(if board.provisional { everybody } else { established }).unwrap_or(0))
    }

    /// Takes players who have not played for long off the leaderboards, at most some hundreds of each pool; how many. The leaderboards leave them
    /// out by themselves already: this keeps the counts small that they do it with.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn lapse(&self, now: Timestamp) -> Result<u64, sqlx::Error> {
        let mut lapsed = 0;
        for number in (5..=19).chain(105..=119) {
            let Some(pool) = Pool::from_number(number) else { continue };
            let players: Vec<Uuid> = self
                .db
                .run(async {
                    on!(&self.db, |db| {
                        let query =
                            sqlx::query_scalar(sql::LAPSED).bind(number).bind(cutoff(now)).bind(ROUND);
                        query.fetch_all(db).await
                    })
                })
                .await?;
            for player in players {
                lapsed += u64::from(self.db.run(Box::pin(self.take_off(pool, player, cutoff(now)))).await?);
            }
        }
        Ok(lapsed)
    }

    /// Takes a player off the leaderboards for good: one who is somebody else now, or nobody. Doing it again changes nothing.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn leave_boards(&self, player: PlayerId) -> Result<(), sqlx::Error> {
        for on in self.everywhere(player).await? {
            self.db.run(Box::pin(self.take_off(on.pool, player.as_uuid(), i64::MAX))).await?;
        }
        Ok(())
    }

    /// Takes a player off who has not played since then. False if they were not on the leaderboard, or have.
    async fn take_off(&self, pool: Pool, player: Uuid, since: i64) -> Result<bool, sqlx::Error> {
        let mut tx = Tx::begin(&self.db).await?;
        let row: Option<(i64, i64)> = within!(&mut tx, |c| {
            let lapse = sqlx::query_as(sql::LAPSE).bind(player).bind(pool.number()).bind(since);
            lapse.fetch_optional(c).await
        })?;
        let Some((micros, games)) = row else {
            tx.roll_back().await?;
            return Ok(false);
        };
        let before = level(&self.rules, standing(micros, games));
        let mut changes = Changes::default();
        changes.moved(pool, player, (micros, before), (micros, 0));
        changes.write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn lines(
        &self,
        text: &'static str,
        board: Board,
        place: Option<Place>,
        limit: i64,
        now: Timestamp,
    ) -> Result<Vec<LeaderRow>, sqlx::Error> {
        let (standing, reached, player) = place.map_or(HEAD, |place| {
            (place.rating.micros().saturating_neg(), millis(place.reached), place.player.as_uuid())
        });
        self.boards
            .run(async {
                on!(&self.boards, |db| {
                    let query = sqlx::query_as(text).bind(board.pool.number()).bind(standing).bind(reached);
                    let mut query = query.bind(player).bind(limit).bind(cutoff(now));
                    if place.is_some() {
                        let short = bucket(standing);
                        query =
                            query.bind(short).bind(start(short)).bind(long(short)).bind(first(long(short)));
                    }
                    query.fetch_all(db).await
                })
            })
            .await
    }
}
