//! Ratings in the SQL store. A game counts in one transaction or not at all, and never twice; and what comes out depends on the games alone, not
//! on when their news came: games stand in the order in which they finished, and one that comes late is put where it belongs.

use kernel::{GameId, PlayerId, Timestamp};
use platform::{
    convert::{from_millis as moment, to_millis as millis},
    db::Db,
    on,
};
use uuid::Uuid;

use crate::{
    abuse::{Pair, Verdict},
    elo::{Change, Outcome, Rating, Rules, Standing},
    pool::Pool,
    store::sql::RATED_GAME,
};

mod annul;
mod board;
mod buckets;
mod count;
mod flags;
mod leaves;
mod names;
mod records;
mod rewrite;
mod rules;
pub mod sql;
mod tx;

pub use annul::{Annulled, Annulment, Correction};
pub use board::sql as board_sql;
pub use buckets::Census;
pub use flags::{Flag, sql as flag_sql};
pub use leaves::{Ban, sql as leave_sql};
pub use records::{PlayerPool, Point, Statistic};

/// A place in the order of all games of a pool: when a game finished, then its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// When it finished, by the ledger's clock.
    pub finished: Timestamp,
    /// Which game.
    pub game: GameId,
}

impl Position {
    pub(crate) fn new(finished: i64, game: Uuid) -> Self {
        Self { finished: moment(finished), game: GameId::from_uuid(game) }
    }

    fn at(self) -> i64 {
        millis(self.finished)
    }
}

/// What counting a game did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It was dealt with now.
    Now(Effect),
    /// It had been dealt with before; nothing was changed.
    Before,
}

/// What a game did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it changed; nothing, if it does not count.
    pub change: Change,
    /// Whether it counts.
    pub verdict: Verdict,
    /// What the pair played before it.
    pub pair: Pair,
    /// Games of Black and of White that have counted, this one included if it does.
    pub games: (u32, u32),
    /// Games that finished later but had counted before, which were computed anew.
    pub recomputed: u64,
}

/// A game that was agreed to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRating {
    /// The pool.
    pub pool: Pool,
    /// Who had Black, and the rating before.
    pub black: (PlayerId, Rating),
    /// Who had White, and the rating before.
    pub white: (PlayerId, Rating),
    /// What Black won and White lost, in millionths of a point.
    pub black_gain: i64,
    /// Whether it counts.
    pub verdict: Verdict,
    /// When it finished.
    pub finished: Timestamp,
    /// When it was counted.
    pub rated: Timestamp,
    /// Who won.
    pub outcome: Outcome,
    /// Whether it ended after a few moves.
    pub short: bool,
}

/// Connections for leaderboards, besides the others.
const BOARDS: u32 = 4;

/// The ratings in the SQL store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
    /// The same store, for leaderboards.
    boards: Db,
    rules: Rules,
}

impl Store {
    /// The ratings in this store, by these numbers: see [`Store::open`].
    pub fn new(db: Db, rules: Rules) -> Self {
        let boards = db.planned_once(BOARDS);
        Self { db, boards, rules }
    }

    /// The store itself.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The numbers of the system.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where these players stand, in the order asked for; who has not played stands at the start.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn standings(&self, pool: Pool, players: &[PlayerId]) -> Result<Vec<Standing>, sqlx::Error> {
        let rows: Vec<(Uuid, i64, i64)> = platform::about!(&self.db, players, sql::standings, pool.number())?;
        let found: std::collections::HashMap<_, _> =
            rows.iter().map(|row| (row.0, standing(row.1, row.2))).collect();
        let of = |id: &PlayerId| found.get(&id.as_uuid()).copied().unwrap_or_else(|| self.rules.newcomer());
        Ok(players.iter().map(of).collect())
    }

    /// What a game changed; nothing if it has not counted.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn game(&self, id: GameId) -> Result<Option<GameRating>, sqlx::Error> {
        let row: Option<GameRow> = self
            .db
            .run(async {
                on!(&self.db, |db| sqlx::query_as(RATED_GAME).bind(id.as_uuid()).fetch_optional(db).await)
            })
            .await?;
        row.map(GameRow::rating).transpose()
    }
}

/// A row of [`RATED_GAME`].
#[derive(sqlx::FromRow)]
struct GameRow {
    pool: i16,
    black_id: Uuid,
    white_id: Uuid,
    black_before: i64,
    white_before: i64,
    black_gain: i64,
    verdict: i16,
    finished_at: i64,
    rated_at: i64,
    winner: i16,
    short: bool,
    k: i16,
}

impl GameRow {
    fn rating(self) -> Result<GameRating, sqlx::Error> {
        let side = |id, micros| (PlayerId::from_uuid(id), Rating::from_micros(micros));
        Ok(GameRating {
            pool: pool(self.pool)?,
            black: side(self.black_id, self.black_before),
            white: side(self.white_id, self.white_before),
            black_gain: self.black_gain,
            verdict: verdict(self.verdict)?,
            finished: moment(self.finished_at),
            rated: moment(self.rated_at),
            outcome: outcome(self.winner)?,
            short: self.short,
        })
    }
}

/// A player's row, as it is under its lock.
#[derive(Clone, Debug, sqlx::FromRow)]
struct PlayerRow {
    player_id: Uuid,
    pool: i16,
    micros: i64,
    games: i64,
    last_at: i64,
    last_game: Uuid,
    level: i16,
}

impl PlayerRow {
    fn standing(&self) -> Standing {
        standing(self.micros, self.games)
    }

    /// Whether a game stands behind all others of the player.
    fn is_before(&self, at: Position) -> bool {
        (self.last_at, self.last_game) < (at.at(), at.game.as_uuid())
    }
}

/// The leaderboard that a player is on: 0 none, 1 provisional, 2 established.
fn level(rules: &Rules, standing: Standing) -> i16 {
    match standing.games {
        0 => 0,
        _ if rules.is_provisional(standing) => 1,
        _ => 2,
    }
}

fn standing(micros: i64, games: i64) -> Standing {
    Standing { rating: Rating::from_micros(micros), games: u32::try_from(games).unwrap_or(u32::MAX) }
}

fn damaged(what: &str, value: impl std::fmt::Display) -> sqlx::Error {
    sqlx::Error::Decode(format!("{value} is no {what}").into())
}

fn pool(number: i16) -> Result<Pool, sqlx::Error> {
    Pool::from_number(number).ok_or_else(|| damaged("pool", number))
}

fn verdict(number: i16) -> Result<Verdict, sqlx::Error> {
    Verdict::from_number(number).ok_or_else(|| damaged("verdict", number))
}

fn winner(outcome: Outcome) -> i16 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Black => 1,
        Outcome::White => 2,
    }
}

fn outcome(winner: i16) -> Result<Outcome, sqlx::Error> {
    match winner {
        0 => Ok(Outcome::Draw),
        1 => Ok(Outcome::Black),
        2 => Ok(Outcome::White),
        _ => Err(damaged("winner", winner)),
    }
}

/// What each side scored, in halves: Black, White.
fn scores(outcome: Outcome) -> (i16, i16) {
    match outcome {
        Outcome::Draw => (1, 1),
        Outcome::Black => (2, 0),
        Outcome::White => (0, 2),
    }
}
