//! Ratings in the SQL store. A game counts in one transaction or not at all, and never twice.

use kernel::{GameId, PlayerId, Timestamp};
use platform::{db::Db, on, transact};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    elo::{self, Change, Outcome, Rating, Standing},
    leaders::{Board, Leader, Page, Place},
    notice::RatedGame,
    pool::Pool,
    store::sql::{HISTORY, LEADERS, LEADERS_ESTABLISHED, LOCK, MARK, MOVE, RATED_GAME},
};

pub mod sql;

/// What counting a game did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It counted now, and changed this.
    Now(Change),
    /// It had counted before; nothing was changed.
    Before,
}

/// A game that has counted.
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
    /// When it was counted.
    pub rated: Timestamp,
}

/// The ratings in the SQL store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
}

impl Store {
    /// The ratings in this store.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Counts a game: both ratings, both players' history and the game's mark, in one transaction. Any number of replicas may count
    /// any games at the same time, one game several times too.
    ///
    /// # Errors
    /// When the store fails. Nothing has counted then, or (if the commit's answer was lost) everything: do it again.
    pub async fn count(&self, game: &RatedGame, now: Timestamp) -> Result<Counted, sqlx::Error> {
        let (id, size, now) = (game.id.as_uuid(), size(game.pool), millis(now));
        let (black_id, white_id) = (game.black.id.as_uuid(), game.white.id.as_uuid());
        // Rows are locked in the order of the ids: no two transactions can wait for each other.
        let (low, high) =
            if black_id < white_id { (&game.black, &game.white) } else { (&game.white, &game.black) };
        let work = async {
            Ok(transact!(&self.db, |tx| {
                let lock = sqlx::query_as(LOCK).bind(size).bind(low.id.as_uuid()).bind(high.id.as_uuid());
                let lock = lock.bind(&low.name).bind(&high.name).bind(Rating::INITIAL.micros()).bind(now);
                let rows: Vec<StandingRow> = lock.fetch_all(&mut **tx).await?;
                let (black, white) = (standing(&rows, black_id)?, standing(&rows, white_id)?);
                let change = elo::rate(black, white, game.outcome);
                let mark = sqlx::query(MARK).bind(id).bind(size).bind(black_id).bind(white_id);
                let mark = mark.bind(winner(game.outcome)).bind(change.k).bind(black.rating.micros());
                let mark = mark.bind(white.rating.micros()).bind(change.black_gain).bind(now);
                if mark.execute(&mut **tx).await?.rows_affected() == 0 {
                    return Ok(Counted::Before);
                }
                let moved =
                    sqlx::query(MOVE).bind(size).bind(black_id).bind(white_id).bind(change.black_gain);
                let moved = moved.bind(&game.black.name).bind(&game.white.name).bind(now);
                moved.execute(&mut **tx).await?;
                let (black, white) = (black.after(change.black_gain), white.after(-change.black_gain));
                let history = sqlx::query(HISTORY).bind(size).bind(id).bind(now);
                let history = history.bind(black_id).bind(i64::from(black.games)).bind(black.rating.micros());
                let history = history.bind(white_id).bind(i64::from(white.games)).bind(white.rating.micros());
                history.execute(&mut **tx).await?;
                Counted::Now(change)
            }))
        };
        self.db.run(Box::pin(work)).await
    }

    /// Where these players stand, in the order asked for; who has not played stands at the start.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn standings(&self, pool: Pool, players: &[PlayerId]) -> Result<Vec<Standing>, sqlx::Error> {
        let Some(first) = players.first() else { return Ok(Vec::new()) };
        let places = sql::standings_places(players.len());
        let text = sql::standings(places);
        let asked = players.iter().chain(std::iter::repeat(first)).map(PlayerId::as_uuid).take(places);
        let read = async {
            on!(&self.db, |db| {
                let query = sqlx::query_as(AssertSqlSafe(text)).bind(size(pool));
                asked.fold(query, |query, id| query.bind(id)).fetch_all(db).await
            })
        };
        let rows: Vec<StandingRow> = self.db.run(read).await?;
        let found: std::collections::HashMap<_, _> = rows.iter().map(|row| (row.0, row.standing())).collect();
        Ok(players.iter().map(|id| found.get(&id.as_uuid()).copied().unwrap_or(Standing::NEW)).collect())
    }

    /// What a game changed; nothing if it has not counted.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn game(&self, id: GameId) -> Result<Option<GameRating>, sqlx::Error> {
        let read = async {
            on!(&self.db, |db| sqlx::query_as(RATED_GAME).bind(id.as_uuid()).fetch_optional(db).await)
        };
        let row: Option<(i16, Uuid, Uuid, i64, i64, i64, i64)> = self.db.run(read).await?;
        row.map(|(size, black, white, black_before, white_before, black_gain, rated)| {
            let side = |id, micros| (PlayerId::from_uuid(id), Rating::from_micros(micros));
            Ok(GameRating {
                pool: pool(size)?,
                black: side(black, black_before),
                white: side(white, white_before),
                black_gain,
                rated: moment(rated),
            })
        })
        .transpose()
    }

    /// The players of a leaderboard behind a place (from its head if none is given), at most `limit`. Their ranks hold for
    /// the moment of this call; finding them costs a step for each player who is ahead.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn leaders(&self, board: Board, after: Option<Place>, limit: u8) -> Result<Page, sqlx::Error> {
        let text = if board.provisional { LEADERS } else { LEADERS_ESTABLISHED };
        // Nobody stands ahead of the head: no rating is that high.
        let (standing, reached, player) = after.map_or((i64::MIN, i64::MIN, Uuid::nil()), |place| {
            (place.rating.micros().saturating_neg(), millis(place.reached), place.player.as_uuid())
        });
        let read = async {
            on!(&self.db, |db| {
                let query =
                    sqlx::query_as(text).bind(size(board.pool)).bind(standing).bind(reached).bind(player);
                query.bind(i64::from(limit) + 1).fetch_all(db).await
            })
        };
        let mut rows: Vec<LeaderRow> = self.db.run(read).await?;
        let more = rows.len() > usize::from(limit);
        rows.truncate(limit.into());
        let leaders = rows.into_iter().zip(1..).map(|(row, n)| row.leader(n)).collect();
        Ok(Page { leaders, more })
    }
}

/// Player, rating, games.
#[derive(sqlx::FromRow)]
struct StandingRow(Uuid, i64, i64);

impl StandingRow {
    fn standing(&self) -> Standing {
        Standing { rating: Rating::from_micros(self.1), games: games(self.2) }
    }
}

fn standing(rows: &[StandingRow], player: Uuid) -> Result<Standing, sqlx::Error> {
    rows.iter().find(|row| row.0 == player).map(StandingRow::standing).ok_or(sqlx::Error::RowNotFound)
}

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
    /// The `n`-th line of its page, 1 for the first.
    fn leader(self, n: u64) -> Leader {
        let rating = Rating::from_micros(self.micros);
        Leader {
            rank: u64::try_from(self.ahead).unwrap_or(0) + n,
            place: Place {
                rating,
                reached: moment(self.reached_at),
                player: PlayerId::from_uuid(self.player_id),
            },
            standing: Standing { rating, games: games(self.games) },
            name: self.name,
        }
    }
}

fn games(games: i64) -> u32 {
    u32::try_from(games).unwrap_or(u32::MAX)
}

fn size(pool: Pool) -> i16 {
    pool.board_size().into()
}

fn pool(size: i16) -> Result<Pool, sqlx::Error> {
    let pool = u32::try_from(size).ok().and_then(Pool::new);
    pool.ok_or_else(|| sqlx::Error::Decode(format!("{size} is no pool's board size").into()))
}

fn winner(outcome: Outcome) -> i16 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Black => 1,
        Outcome::White => 2,
    }
}

fn millis(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn moment(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
