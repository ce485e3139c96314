//! Counting games: the usual case, in which each is the last one of both its players.
//!
//! Games that wait at the same time are counted in one transaction, as far as no player is in two of them: a statement with the rows of many games costs little
//! more than one with those of a single game, and the commit is shared.

use std::collections::{BTreeMap, HashMap, HashSet};

use kernel::{PlayerId, Timestamp};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    Counted, Effect, PlayerRow, Position, Store,
    buckets::Changes,
    level, millis, scores,
    sql::{self, MARKED, REMARK},
    tx::{Tx, within},
    winner,
};
use crate::{
    abuse::{self, Pair, Verdict, WINDOW},
    elo::{Change, Standing},
    notice::{Player, RatedGame},
};

/// Whether a game could be counted at the end of both histories.
enum Step {
    Done(Counted),
    /// A game that finished later has counted already.
    Late,
}

/// Both sides of a game, Black first.
pub(super) type Sides = (Standing, Standing);

/// A game that is marked, or is about to be.
pub(super) struct Entry<'g> {
    pub game: &'g RatedGame,
    pub at: Position,
    pub before: Sides,
    pub worth: Worth,
}

/// A marked game that comes last for both its players.
struct Last<'g> {
    entry: Entry<'g>,
    /// Its place among those that are counted with it.
    place: usize,
    black: PlayerRow,
    white: PlayerRow,
}

/// What a game is worth.
pub(super) struct Worth {
    pub verdict: Verdict,
    pub change: Change,
}

impl Worth {
    /// Of a game between players who stand so.
    pub fn of(store: &Store, verdict: Verdict, (black, white): Sides, outcome: crate::elo::Outcome) -> Self {
        let change = if verdict.counts() {
            store.rules.rate(black, white, outcome)
        } else {
            Change { k: 0, black_gain: 0 }
        };
        Self { verdict, change }
    }

    /// Where both stand afterwards.
    pub fn after(&self, (black, white): Sides) -> Sides {
        if self.verdict.counts() {
            (black.after(self.change.black_gain), white.after(-self.change.black_gain))
        } else {
            (black, white)
        }
    }
}

impl Store {
    /// Counts a game: see [`Store::count_all`].
    ///
    /// # Errors
    /// When the store fails. Nothing has counted then, or (if the commit's answer was lost) everything: do it again.
    pub async fn count(
        &self,
        game: &RatedGame,
        finished: Timestamp,
        now: Timestamp,
    ) -> Result<Counted, sqlx::Error> {
        let counted = self.count_all(&[(game.clone(), finished)], now).await.pop();
        counted.unwrap_or(Err(sqlx::Error::RowNotFound))
    }

    /// Counts games, each with the time at which it finished: both ratings, both players' history and the game's mark are changed in one transaction, which other games may share. Any
    /// number of replicas may count any games at the same time, one game several times too; games that are counted in another order come out the same. The answers are in the
    /// order of the games; a game whose answer is an error has not counted, or (if the commit's answer was lost) has: count it again.
    pub async fn count_all(
        &self,
        games: &[(RatedGame, Timestamp)],
        now: Timestamp,
    ) -> Vec<Result<Counted, sqlx::Error>> {
        let mut answers: BTreeMap<usize, Result<Counted, sqlx::Error>> = BTreeMap::new();
        let mut left: Vec<usize> = (0..games.len()).collect();
        let mut one_by_one = false;
        while let Some(first) = left.first().copied() {
            let (wave, others) =
                if one_by_one { (vec![first], left[1..].to_vec()) } else { apart(games, &left) };
            left = others;
            let due: Vec<_> = wave.iter().map(|n| (&games[*n].0, position(&games[*n]))).collect();
            match self.db.run(Box::pin(self.append(&due, now))).await {
                Ok(steps) => {
                    for (n, step) in wave.into_iter().zip(steps) {
                        answers.insert(n, self.finish(&games[n], step, now).await);
                    }
                }
                Err(error) if platform::db::is_away(&error) => {
                    // Those that are left would only wait for a store that is away.
                    let stopped = wave.into_iter().chain(left.drain(..));
                    answers.extend(stopped.map(|n| (n, Err(platform::db::again(&error)))));
                }
                Err(error) if wave.len() == 1 => {
                    answers.insert(first, Err(error));
                }
                Err(error) => {
                    tracing::warn!(%error, games = wave.len(), "games could not be counted together: one after the other");
                    one_by_one = true;
                    left = [wave, left].concat();
                }
            }
        }
        answers.into_values().collect()
    }

    /// A game that finished before one that has counted is counted in its place.
    async fn finish(
        &self,
        game: &(RatedGame, Timestamp),
        step: Step,
        now: Timestamp,
    ) -> Result<Counted, sqlx::Error> {
        match step {
            Step::Done(counted) => Ok(counted),
            Step::Late => self.db.run(Box::pin(self.insert(&game.0, position(game), now))).await,
        }
    }

    /// Counts games of which no two have a player in common, in one transaction.
    async fn append(
        &self,
        games: &[(&RatedGame, Position)],
        now: Timestamp,
    ) -> Result<Vec<Step>, sqlx::Error> {
        let mut tx = Tx::begin(&self.db).await?;
        let rows = self.lock(&mut tx, games).await?;
        let mut steps: Vec<Step> = games.iter().map(|_| Step::Late).collect();
        let mut last = Vec::with_capacity(games.len());
        for (place, (game, at)) in games.iter().enumerate() {
            let row = |player: &Player| rows.get(&(player.id.as_uuid(), game.pool.number())).cloned();
            let (Some(black), Some(white)) = (row(&game.black), row(&game.white)) else {
                return Err(sqlx::Error::RowNotFound);
            };
            if black.is_before(*at) && white.is_before(*at) {
                let before = (black.standing(), white.standing());
                let worth = Worth::of(self, Verdict::Counted, before, game.outcome);
                last.push(Last { entry: Entry { game, at: *at, before, worth }, place, black, white });
            } else if is_marked(&mut tx, *at).await? {
                steps[place] = Step::Done(Counted::Before);
            }
        }
        let pairs = mark(&mut tx, last.iter().map(|last| &last.entry), now).await?;
        let mut counted = Vec::with_capacity(last.len());
        for mut one in last {
            let Some(pair) = pairs.get(&one.entry.at.game.as_uuid()).copied() else {
                steps[one.place] = Step::Done(Counted::Before);
                continue;
            };
            let Entry { game, at, before, worth } = &mut one.entry;
            let verdict = abuse::judge(game.pool, pair, game.is_short());
            if !verdict.counts() {
                *worth = Worth::of(self, verdict, *before, game.outcome);
                remark(&mut tx, *at, *before, worth).await?;
            }
            let after = worth.after(*before);
            let games = (after.0.games, after.1.games);
            let effect = Effect { change: worth.change, verdict, pair, games, recomputed: 0 };
            steps[one.place] = Step::Done(Counted::Now(effect));
            counted.push(one);
        }
        self.settle(&mut tx, &counted).await?;
        tx.commit().await?;
        Ok(steps)
    }

    /// Rows are locked in the order of the players' ids: no two transactions can wait for each other.
    async fn lock(
        &self,
        tx: &mut Tx<'_>,
        games: &[(&RatedGame, Position)],
    ) -> Result<HashMap<(Uuid, i16), PlayerRow>, sqlx::Error> {
        let mut players: Vec<(Uuid, i16, &str)> = games
            .iter()
            .flat_map(|(game, _)| [&game.black, &game.white].map(|player| (player, game.pool.number())))
            .map(|(player, pool)| (player.id.as_uuid(), pool, player.name.as_str()))
            .collect();
        players.sort_unstable();
        let mut found = HashMap::new();
        for players in platform::db::parts(&players) {
            let rows: Vec<PlayerRow> = within!(&mut *tx, |c| {
                let query = sqlx::query_as(AssertSqlSafe(sql::lock(players.len())));
                let query = query.bind(self.rules.newcomer().rating.micros());
                let query = players
                    .iter()
                    .fold(query, |query, (player, pool, name)| query.bind(*player).bind(*pool).bind(*name));
                query.fetch_all(c).await
            })?;
            found.extend(rows.into_iter().map(|row| ((row.player_id, row.pool), row)));
        }
        Ok(found)
    }

    /// Moves the ratings, and writes the histories.
    async fn settle(&self, tx: &mut Tx<'_>, games: &[Last<'_>]) -> Result<(), sqlx::Error> {
        let (mut changes, mut moves) = (Changes::default(), Vec::with_capacity(2 * games.len()));
        for Last { entry: Entry { game, at, before, worth }, black, white, .. } in games {
            let (after, gain) = (worth.after(*before), worth.change.black_gain);
            for (row, player, after, gain) in
                [(black, &game.black, after.0, gain), (white, &game.white, after.1, -gain)]
            {
                // A game that does not count puts nobody on a leaderboard.
                let level = if worth.verdict.counts() { level(&self.rules, after) } else { row.level };
                changes.moved(
                    game.pool,
                    row.player_id,
                    (row.micros, row.level),
                    (after.rating.micros(), level),
                );
                moves.push((player, game.pool, gain, *at, i64::from(worth.verdict.counts()), level));
            }
        }
        for moves in platform::db::parts(&moves) {
            within!(&mut *tx, |c| {
                let query = sqlx::query(AssertSqlSafe(sql::moved(moves.len())));
                let query = moves.iter().fold(query, |query, (player, pool, gain, at, counts, level)| {
                    let query = query.bind(player.id.as_uuid()).bind(pool.number()).bind(*gain);
                    let query = query.bind(&player.name).bind(at.at()).bind(at.game.as_uuid());
                    query.bind(*counts).bind(*level)
                });
                query.execute(c).await.map(drop)
            })?;
        }
        write_history(tx, games.iter().map(|last| &last.entry)).await?;
        changes.write(tx).await
    }
}

/// The places of games of which no two have a player in common, in the order in which they came, and those of the others.
fn apart(games: &[(RatedGame, Timestamp)], places: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut seen = HashSet::new();
    places.iter().partition(|place| {
        let game = &games[**place].0;
        // Who waits for one game is not overtaken by another of theirs.
        let (black, white) = (seen.insert(game.black.id), seen.insert(game.white.id));
        black && white
    })
}

fn position((game, finished): &(RatedGame, Timestamp)) -> Position {
    Position { finished: *finished, game: game.id }
}

async fn is_marked(tx: &mut Tx<'_>, at: Position) -> Result<bool, sqlx::Error> {
    let found: Option<i32> =
        within!(tx, |c| sqlx::query_scalar(MARKED).bind(at.game.as_uuid()).fetch_optional(c).await)?;
    Ok(found.is_some())
}

/// Marks games, and tells what each pair had played before; a game that was marked before is missing in the answer.
pub(super) async fn mark<'m>(
    tx: &mut Tx<'_>,
    games: impl IntoIterator<Item = &'m Entry<'m>>,
    now: Timestamp,
) -> Result<HashMap<Uuid, Pair>, sqlx::Error> {
    let games: Vec<_> = games.into_iter().collect();
    let mut pairs = HashMap::new();
    for games in platform::db::parts(&games) {
        let rows: Vec<(Uuid, i64, i64)> = within!(&mut *tx, |c| {
            let query =
                sqlx::query_as(AssertSqlSafe(sql::mark(games.len()))).bind(window()).bind(millis(now));
            let query = games.iter().fold(query, |query, Entry { game, at, before, worth }| {
                let query = query.bind(game.id.as_uuid()).bind(game.pool.number()).bind(at.at());
                let query = query.bind(game.black.id.as_uuid()).bind(game.white.id.as_uuid());
                let query = query.bind(winner(game.outcome)).bind(game.is_short()).bind(worth.change.k);
                let query = query.bind(before.0.rating.micros()).bind(before.1.rating.micros());
                query.bind(worth.change.black_gain)
            });
            query.fetch_all(c).await
        })?;
        pairs.extend(rows.into_iter().map(|(game, games, short)| (game, Pair { games, short })));
    }
    Ok(pairs)
}

/// How long a pair's games are looked back at, in milliseconds.
fn window() -> i64 {
    i64::try_from(WINDOW.as_millis()).unwrap_or(i64::MAX)
}

/// Since when a pair's games are looked at.
pub(super) fn since(at: Position) -> i64 {
    at.at().saturating_sub(window())
}

/// What a marked game is worth, anew.
pub(super) async fn remark(
    tx: &mut Tx<'_>,
    at: Position,
    (black, white): Sides,
    worth: &Worth,
) -> Result<(), sqlx::Error> {
    within!(tx, |c| {
        let remark = sqlx::query(REMARK).bind(at.game.as_uuid()).bind(worth.verdict.number());
        let remark = remark.bind(worth.change.k).bind(black.rating.micros()).bind(white.rating.micros());
        remark.bind(worth.change.black_gain).execute(c).await.map(drop)
    })
}

/// Writes both players' history rows of games.
pub(super) async fn write_history<'m>(
    tx: &mut Tx<'_>,
    games: impl IntoIterator<Item = &'m Entry<'m>>,
) -> Result<(), sqlx::Error> {
    let sides = |entry: &'m Entry<'m>| {
        let Entry { game, before, worth, .. } = entry;
        let (after, scores) = (worth.after(*before), scores(game.outcome));
        let black = Side {
            entry,
            player: game.black.id,
            opponent: game.white.id,
            color: 1,
            score: scores.0,
            before: before.0,
            after: after.0,
            opponent_before: before.1,
            gain: worth.change.black_gain,
        };
        let white = Side {
            entry,
            player: game.white.id,
            opponent: game.black.id,
            color: 2,
            score: scores.1,
            before: before.1,
            after: after.1,
            opponent_before: before.0,
            gain: -worth.change.black_gain,
        };
        [black, white]
    };
    let rows: Vec<Side<'_>> = games.into_iter().flat_map(sides).collect();
    for rows in platform::db::parts(&rows) {
        within!(&mut *tx, |c| {
            let query = sqlx::query(AssertSqlSafe(sql::history(rows.len())));
            let query = rows.iter().fold(query, |query, side| {
                let Entry { game, at, worth, .. } = side.entry;
                let before = side.before.rating.micros();
                let query = query.bind(side.player.as_uuid()).bind(game.pool.number()).bind(at.at());
                let query = query.bind(at.game.as_uuid()).bind(side.opponent.as_uuid());
                let query = query.bind(side.color).bind(side.score).bind(game.is_short());
                let query = query.bind(worth.verdict.number()).bind(i64::from(side.after.games));
                let query = query.bind(before).bind(before + side.gain);
                query.bind(side.opponent_before.rating.micros())
            });
            query.execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// One player's part in a game, for their history.
struct Side<'m> {
    entry: &'m Entry<'m>,
    player: PlayerId,
    opponent: PlayerId,
    color: i16,
    score: i16,
    before: Standing,
    after: Standing,
    opponent_before: Standing,
    gain: i64,
}
