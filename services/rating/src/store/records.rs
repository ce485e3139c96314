//! What a player has done: ratings in all pools, points of a graph, statistics.

use kernel::{GameId, PlayerId};
use platform::on;
use uuid::Uuid;

use super::{
    GameRating, Position, Store,
    count::since,
    moment, pool,
    rewrite::Row,
    sql::{BEFORE, EVERYWHERE, PAIR, STATISTICS},
    standing, verdict,
};
use crate::{
    abuse::{Pair, Past, Verdict},
    elo::{MICROS, Standing},
    pool::Pool,
};

/// An opponent is stronger or weaker if the ratings were further apart than this, in millionths: 100 points.
pub const STRENGTH_GAP: i64 = 100 * MICROS;

/// A player's rating in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerPool {
    /// The pool.
    pub pool: Pool,
    /// Rating and games.
    pub standing: Standing,
}

/// A point of a player's graph: one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// When the game finished, and which it was.
    pub at: Position,
    /// Against whom.
    pub opponent: PlayerId,
    /// Whether the player had Black.
    pub black: bool,
    /// What the player scored, in halves: 0, 1 or 2.
    pub score: i16,
    /// Whether it ended after a few moves.
    pub short: bool,
    /// Whether it counted.
    pub verdict: Verdict,
    /// Games of the player that have counted, this one included if it did.
    pub number: u32,
    /// The rating before it, in millionths.
    pub before: i64,
    /// The rating after it, in millionths.
    pub after: i64,
    /// The opponent's rating before it, in millionths.
    pub opponent_before: i64,
}

impl Point {
    /// The game as the rules against abuse look at it.
    pub(crate) fn past(&self) -> Past {
        Past { opponent: self.opponent, lost: self.score == 0, short: self.short }
    }

    fn of(row: Row) -> Result<Self, sqlx::Error> {
        Ok(Self {
            at: Position { finished: moment(row.finished_at), game: GameId::from_uuid(row.game_id) },
            opponent: PlayerId::from_uuid(row.opponent_id),
            black: row.color == 1,
            score: row.score,
            short: row.short,
            verdict: verdict(row.verdict)?,
            number: standing(0, row.number).games,
            before: row.before_micros,
            after: row.after_micros,
            opponent_before: row.opponent_micros,
        })
    }
}

/// How often a player had such games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Whether the player had Black.
    pub black: bool,
    /// What the player scored, in halves: 0, 1 or 2.
    pub score: i16,
    /// The opponent: -1 weaker by more than [`STRENGTH_GAP`], 0 about as strong, 1 stronger.
    pub strength: i32,
    /// How many games.
    pub games: u64,
}

impl Store {
    /// A player's ratings in all pools where they have played a game that counted, by pool.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn everywhere(&self, player: PlayerId) -> Result<Vec<PlayerPool>, sqlx::Error> {
        let rows: Vec<(i16, i64, i64)> = self
            .db
            .run(async {
                on!(&self.db, |db| sqlx::query_as(EVERYWHERE).bind(player.as_uuid()).fetch_all(db).await)
            })
            .await?;
        let played = rows.into_iter().filter(|row| row.2 > 0);
        let of = |(number, micros, games)| {
            Ok(PlayerPool { pool: pool(number)?, standing: standing(micros, games) })
        };
        played.map(of).collect()
    }

    /// A player's games of a pool before a place (from the last one if none is given), the newest first, at most so many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn history(
        &self,
        pool: Pool,
        player: PlayerId,
        before: Option<Position>,
        limit: u16,
    ) -> Result<Vec<Point>, sqlx::Error> {
        let (at, game) = before.map_or((i64::MAX, Uuid::max()), |at| (at.at(), at.game.as_uuid()));
        let rows: Vec<Row> = self
            .db
            .run(async {
                on!(&self.db, |db| {
                    let query =
                        sqlx::query_as(BEFORE).bind(player.as_uuid()).bind(pool.number()).bind(at).bind(game);
                    query.bind(i64::from(limit)).fetch_all(db).await
                })
            })
            .await?;
        rows.into_iter().map(Point::of).collect()
    }

    /// What a pair played within a day before a game.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn pair(&self, game: &GameRating, at: Position) -> Result<Pair, sqlx::Error> {
        self.db
            .run(async {
                on!(&self.db, |db| {
                    let pair =
                        sqlx::query_as(PAIR).bind(at.game.as_uuid()).bind(game.pool.number()).bind(at.at());
                    let pair = pair.bind(game.black.0.as_uuid()).bind(game.white.0.as_uuid());
                    pair.bind(since(at)).fetch_one(db).await
                })
            })
            .await
    }

    /// How often a player had which colour, score and strength of opponent, in games that counted.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn statistics(&self, pool: Pool, player: PlayerId) -> Result<Vec<Statistic>, sqlx::Error> {
        let rows: Vec<(i16, i16, i32, i64)> = self
            .db
            .run(async {
                on!(&self.db, |db| {
                    let query = sqlx::query_as(STATISTICS).bind(player.as_uuid()).bind(pool.number());
                    query.bind(STRENGTH_GAP).fetch_all(db).await
                })
            })
            .await?;
        let of = |(color, score, strength, games)| Statistic {
            black: color == 1,
            score,
            strength,
            games: u64::try_from(games).unwrap_or(0),
        };
        Ok(rows.into_iter().map(of).collect())
    }
}
