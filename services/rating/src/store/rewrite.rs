//! Computing games anew: what follows a game that came late or was annulled.
//!
//! A change in one game moves both its players, and so every later game of theirs, and so those opponents, and so on. The games are taken in the
//! order in which they finished, each with what its players had before it. All players that are reached are locked first, in the order of
//! their ids; who they are is only known once the games have been read under the locks, so it is done again with more until none is missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kernel::{GameId, PlayerId, Timestamp};
use uuid::Uuid;

use super::{
    Counted, Effect, GameRating, GameRow, PlayerRow, Position, Store,
    buckets::Changes,
    count::{Entry, Worth, mark, remark, since, write_history},
    level,
    sql::{BEFORE, FROM, LOCK_ONE, NAME, PAIR, PLACE, PLAYED, RATED_GAME, REACHED, REWRITE},
    standing,
    tx::{Tx, within},
};
use crate::{
    abuse::{self, Pair, Verdict},
    elo::{Rating, Standing},
    notice::RatedGame,
    pool::Pool,
};

/// Games of a player that are read at a time.
const CHUNK: i64 = 64;

/// A row of a player's history.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct Row {
    pub finished_at: i64,
    pub game_id: Uuid,
    pub opponent_id: Uuid,
    pub color: i16,
    pub score: i16,
    pub short: bool,
    pub verdict: i16,
    pub number: i64,
    pub before_micros: i64,
    pub after_micros: i64,
    pub opponent_micros: i64,
}

impl Row {
    pub fn position(&self) -> Position {
        Position::new(self.finished_at, self.game_id)
    }
}

/// What computing anew has done.
pub(super) struct Rewritten {
    /// Games, the first one included.
    pub games: u64,
    /// Whose rating is another one: before and after, in millionths.
    pub moved: Vec<(Uuid, i64, i64)>,
}

/// One pass over the games.
struct Pass<'p> {
    store: &'p Store,
    pool: Pool,
    locked: &'p BTreeMap<Uuid, PlayerRow>,
    /// Players that have to be locked before this can be written.
    missing: BTreeSet<Uuid>,
    /// Where players stand before the next game.
    standings: HashMap<Uuid, Standing>,
    /// Games that are still to be computed.
    waiting: BTreeSet<Position>,
    /// Later games of players, read ahead.
    ahead: HashMap<Uuid, std::collections::VecDeque<Position>>,
    games: u64,
}

impl Store {
    /// Counts a game that finished before others which have counted already: in its place, and those after it anew.
    pub(super) async fn insert(
        &self,
        game: &RatedGame,
        at: Position,
        now: Timestamp,
    ) -> Result<Counted, sqlx::Error> {
        let mut players = BTreeSet::from([game.black.id.as_uuid(), game.white.id.as_uuid()]);
        loop {
            let mut tx = Tx::begin(&self.db).await?;
            let locked = self.lock_all(&mut tx, game.pool, &players).await?;
            let newcomers = (self.rules.newcomer(), self.rules.newcomer());
            let nothing = Worth::of(self, Verdict::Annulled, newcomers, game.outcome);
            let entry = [Entry { game, at, before: newcomers, worth: nothing }];
            let Some(pair) = mark(&mut tx, &entry, now).await?.remove(&at.game.as_uuid()) else {
                tx.roll_back().await?;
                return Ok(Counted::Before);
            };
            write_history(&mut tx, &entry).await?;
            for player in [&game.black, &game.white] {
                within!(&mut tx, |c| {
                    let name = sqlx::query(NAME).bind(player.id.as_uuid()).bind(game.pool.number());
                    name.bind(&player.name).execute(c).await.map(drop)
                })?;
            }
            let missing = match self.rewrite(&mut tx, game.pool, at, &locked).await? {
                Ok(rewritten) => {
                    let done = read_game(&mut tx, at.game).await?;
                    let games = (
                        games_after(&mut tx, game.pool, game.black.id.as_uuid(), at).await?,
                        games_after(&mut tx, game.pool, game.white.id.as_uuid(), at).await?,
                    );
                    tx.commit().await?;
                    let change = crate::elo::Change { k: done.k, black_gain: done.rating.black_gain };
                    let recomputed = rewritten.games - 1;
                    let verdict = done.rating.verdict;
                    return Ok(Counted::Now(Effect { change, verdict, pair, games, recomputed }));
                }
                Err(missing) => missing,
            };
            tx.roll_back().await?;
            players.extend(missing);
        }
    }

    /// Locks players in the order of their ids.
    pub(super) async fn lock_all(
        &self,
        tx: &mut Tx<'_>,
        pool: Pool,
        players: &BTreeSet<Uuid>,
    ) -> Result<BTreeMap<Uuid, PlayerRow>, sqlx::Error> {
        let mut rows = BTreeMap::new();
        let initial = self.rules.newcomer().rating.micros();
        for player in players {
            let row: PlayerRow = within!(&mut *tx, |c| {
                sqlx::query_as(LOCK_ONE).bind(pool.number()).bind(player).bind(initial).fetch_one(c).await
            })?;
            rows.insert(*player, row);
        }
        Ok(rows)
    }

    /// Computes the game of a place and all that it reaches anew; or gives the players that have to be locked as well, and then what was written
    /// is to be rolled back.
    pub(super) async fn rewrite(
        &self,
        tx: &mut Tx<'_>,
        pool: Pool,
        first: Position,
        locked: &BTreeMap<Uuid, PlayerRow>,
    ) -> Result<Result<Rewritten, BTreeSet<Uuid>>, sqlx::Error> {
        let mut pass = Pass {
            store: self,
            pool,
            locked,
            missing: BTreeSet::new(),
            standings: HashMap::new(),
            waiting: BTreeSet::from([first]),
            ahead: HashMap::new(),
            games: 0,
        };
        while let Some(at) = pass.waiting.pop_first() {
            pass.game(tx, at).await?;
        }
        if !pass.missing.is_empty() {
            return Ok(Err(pass.missing));
        }
        let games = pass.games;
        let moved = self.place_all(tx, pool, locked).await?;
        Ok(Ok(Rewritten { games, moved }))
    }

    /// Puts every locked player where the history says.
    async fn place_all(
        &self,
        tx: &mut Tx<'_>,
        pool: Pool,
        locked: &BTreeMap<Uuid, PlayerRow>,
    ) -> Result<Vec<(Uuid, i64, i64)>, sqlx::Error> {
        let (mut changes, mut moved) = (Changes::default(), Vec::new());
        for (player, old) in locked {
            let Some(last) = before(tx, pool, *player, None).await? else { continue };
            let now = standing(last.after_micros, last.number);
            // Who was taken off the leaderboards comes back by a game of theirs, not by what others have played.
            let is_off = old.level == 0 && old.games > 0 && last.number <= old.games;
            let level = if is_off { 0 } else { level(&self.rules, now) };
            let at = |text| moment_of(text, *player, pool, last.position());
            let (reached, played) = (at(REACHED), at(PLAYED));
            let (reached, played) = (reached.find(tx).await?, played.find(tx).await?);
            within!(&mut *tx, |c| {
                let place = sqlx::query(PLACE).bind(pool.number()).bind(player).bind(last.after_micros);
                let place = place.bind(last.number).bind(reached).bind(played).bind(last.finished_at);
                place.bind(last.game_id).bind(level).execute(c).await.map(drop)
            })?;
            changes.moved(pool, *player, (old.micros, old.level), (last.after_micros, level));
            if old.micros != last.after_micros {
                moved.push((*player, old.micros, last.after_micros));
            }
        }
        changes.write(tx).await?;
        Ok(moved)
    }
}

impl Pass<'_> {
    /// Computes one game anew, and puts its players' next games in line.
    async fn game(&mut self, tx: &mut Tx<'_>, at: Position) -> Result<(), sqlx::Error> {
        let game = read_game(tx, at.game).await?.rating;
        let (black, white) = (game.black.0.as_uuid(), game.white.0.as_uuid());
        let sides = (self.standing(tx, black, at).await?, self.standing(tx, white, at).await?);
        let verdict = match game.verdict {
            Verdict::Annulled => Verdict::Annulled,
            _ => abuse::judge(self.pool, pair(tx, at, &game).await?, game.short),
        };
        let worth = Worth::of(self.store, verdict, sides, game.outcome);
        let after = worth.after(sides);
        for player in [black, white] {
            if !self.locked.contains_key(&player) {
                self.missing.insert(player);
            }
        }
        // What will be rolled back need not be written.
        if self.missing.is_empty() {
            remark(tx, at, sides, &worth).await?;
            rewrite_row(tx, self.pool, black, at, verdict, (sides.0, after.0, sides.1.rating)).await?;
            rewrite_row(tx, self.pool, white, at, verdict, (sides.1, after.1, sides.0.rating)).await?;
        }
        self.games += 1;
        for (player, after) in [(black, after.0), (white, after.1)] {
            self.standings.insert(player, after);
            if let Some(next) = self.next(tx, player, at).await? {
                self.waiting.insert(next);
            }
        }
        Ok(())
    }

    /// Where a player stands before a game.
    async fn standing(
        &mut self,
        tx: &mut Tx<'_>,
        player: Uuid,
        at: Position,
    ) -> Result<Standing, sqlx::Error> {
        if let Some(standing) = self.standings.get(&player) {
            return Ok(*standing);
        }
        let last = before(tx, self.pool, player, Some(at)).await?;
        Ok(last.map_or_else(|| self.store.rules.newcomer(), |row| standing(row.after_micros, row.number)))
    }

    /// A player's game after one.
    async fn next(
        &mut self,
        tx: &mut Tx<'_>,
        player: Uuid,
        at: Position,
    ) -> Result<Option<Position>, sqlx::Error> {
        let ahead = self.ahead.entry(player).or_default();
        if ahead.is_empty() {
            let rows: Vec<Row> = within!(tx, |c| {
                let from = sqlx::query_as(FROM).bind(player).bind(self.pool.number()).bind(at.at());
                from.bind(at.game.as_uuid()).bind(CHUNK).fetch_all(c).await
            })?;
            ahead.extend(rows.iter().map(Row::position).filter(|next| *next > at));
        }
        Ok(ahead.pop_front())
    }
}

/// A player's last game before a place; before the end of time if there is none.
async fn before(
    tx: &mut Tx<'_>,
    pool: Pool,
    player: Uuid,
    at: Option<Position>,
) -> Result<Option<Row>, sqlx::Error> {
    let (finished, game) = at.map_or((i64::MAX, Uuid::max()), |at| (at.at(), at.game.as_uuid()));
    within!(tx, |c| {
        let before = sqlx::query_as(BEFORE).bind(player).bind(pool.number()).bind(finished);
        before.bind(game).bind(1_i64).fetch_optional(c).await
    })
}

/// A player's games that had counted after a game.
async fn games_after(tx: &mut Tx<'_>, pool: Pool, player: Uuid, at: Position) -> Result<u32, sqlx::Error> {
    let rows: Vec<Row> = within!(tx, |c| {
        let from = sqlx::query_as(FROM).bind(player).bind(pool.number()).bind(at.at());
        from.bind(at.game.as_uuid()).bind(1_i64).fetch_all(c).await
    })?;
    Ok(rows.first().map_or(0, |row| standing(0, row.number).games))
}

/// What a pair played before a game.
async fn pair(tx: &mut Tx<'_>, at: Position, game: &GameRating) -> Result<Pair, sqlx::Error> {
    within!(tx, |c| {
        let pair = sqlx::query_as(PAIR).bind(at.game.as_uuid()).bind(game.pool.number()).bind(at.at());
        let pair = pair.bind(game.black.0.as_uuid()).bind(game.white.0.as_uuid());
        pair.bind(since(at)).fetch_one(c).await
    })
}

async fn rewrite_row(
    tx: &mut Tx<'_>,
    pool: Pool,
    player: Uuid,
    at: Position,
    verdict: Verdict,
    (before, after, opponent): (Standing, Standing, Rating),
) -> Result<(), sqlx::Error> {
    within!(tx, |c| {
        let row = sqlx::query(REWRITE).bind(player).bind(pool.number()).bind(at.at()).bind(at.game.as_uuid());
        let row = row.bind(verdict.number()).bind(i64::from(after.games)).bind(before.rating.micros());
        row.bind(after.rating.micros()).bind(opponent.micros()).execute(c).await.map(drop)
    })
}

/// A game as it is marked.
pub(super) struct Marked {
    pub rating: GameRating,
    pub k: i16,
}

/// Reads the mark of a game.
pub(super) async fn read_game(tx: &mut Tx<'_>, game: GameId) -> Result<Marked, sqlx::Error> {
    let row: GameRow =
        within!(&mut *tx, |c| sqlx::query_as(RATED_GAME).bind(game.as_uuid()).fetch_one(c).await)?;
    let k = row.k;
    Ok(Marked { rating: row.rating()?, k })
}

/// A moment of a player's history, by one of the statements that find one.
struct MomentOf {
    text: &'static str,
    player: Uuid,
    pool: Pool,
    at: Position,
}

fn moment_of(text: &'static str, player: Uuid, pool: Pool, at: Position) -> MomentOf {
    MomentOf { text, player, pool, at }
}

impl MomentOf {
    /// The moment; 0 if there is none.
    async fn find(self, tx: &mut Tx<'_>) -> Result<i64, sqlx::Error> {
        let found: Option<i64> = within!(tx, |c| {
            let query = sqlx::query_scalar(self.text).bind(self.player).bind(self.pool.number());
            query.bind(self.at.at()).bind(self.at.game.as_uuid()).fetch_optional(c).await
        })?;
        Ok(found.unwrap_or(0))
    }
}

/// The players of a game.
pub(super) fn players(game: &GameRating) -> BTreeSet<Uuid> {
    let id = |player: PlayerId| player.as_uuid();
    BTreeSet::from([id(game.black.0), id(game.white.0)])
}
