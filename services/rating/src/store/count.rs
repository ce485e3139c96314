//! Counting a game: the usual case, in which it is the last one of both its players.

use kernel::Timestamp;

use super::{
    Counted, Effect, PlayerRow, Position, Store,
    buckets::Changes,
    level, millis, scores,
    sql::{HISTORY, LOCK, MARK, MOVE, REMARK},
    tx::{Tx, within},
    winner,
};
use crate::{
    abuse::{self, Pair, Verdict, WINDOW},
    elo::{Change, Standing},
    notice::RatedGame,
};

/// Whether a game could be counted at the end of both histories.
enum Step {
    Done(Counted),
    /// A game that finished later has counted already.
    Late,
}

/// Both sides of a game, Black first.
pub(super) type Sides = (Standing, Standing);

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
    /// Counts a game: both ratings, both players' history and the game's mark, in one transaction. Any number of replicas may count
    /// any games at the same time, one game several times too. `finished` says when it ended: games that are counted in another order come out the
    /// same.
    ///
    /// # Errors
    /// When the store fails. Nothing has counted then, or (if the commit's answer was lost) everything: do it again.
    pub async fn count(
        &self,
        game: &RatedGame,
        finished: Timestamp,
        now: Timestamp,
    ) -> Result<Counted, sqlx::Error> {
        let at = Position { finished, game: game.id };
        match self.db.run(Box::pin(self.append(game, at, now))).await? {
            Step::Done(counted) => Ok(counted),
            Step::Late => self.db.run(Box::pin(self.insert(game, at, now))).await,
        }
    }

    async fn append(&self, game: &RatedGame, at: Position, now: Timestamp) -> Result<Step, sqlx::Error> {
        let mut tx = Tx::begin(&self.db).await?;
        let [black, white] = self.lock_both(&mut tx, game).await?;
        let before = (black.standing(), white.standing());
        let counted = Worth::of(self, Verdict::Counted, before, game.outcome);
        let Some(pair) = self.mark(&mut tx, game, at, before, &counted, now).await? else {
            tx.roll_back().await?;
            return Ok(Step::Done(Counted::Before));
        };
        if !black.is_before(at) || !white.is_before(at) {
            tx.roll_back().await?;
            return Ok(Step::Late);
        }
        let verdict = abuse::judge(game.pool, pair, game.is_short());
        let worth = if verdict.counts() { counted } else { Worth::of(self, verdict, before, game.outcome) };
        if !verdict.counts() {
            remark(&mut tx, at, before, &worth).await?;
        }
        self.settle(&mut tx, game, at, (&black, &white), &worth).await?;
        tx.commit().await?;
        let after = worth.after(before);
        let games = (after.0.games, after.1.games);
        Ok(Step::Done(Counted::Now(Effect { change: worth.change, verdict, pair, games, recomputed: 0 })))
    }

    /// Rows are locked in the order of the ids: no two transactions can wait for each other. Black first in the answer.
    async fn lock_both(&self, tx: &mut Tx<'_>, game: &RatedGame) -> Result<[PlayerRow; 2], sqlx::Error> {
        let (black, white) = (&game.black, &game.white);
        let (low, high) = if black.id < white.id { (black, white) } else { (white, black) };
        let rows: Vec<PlayerRow> = within!(tx, |c| {
            let lock = sqlx::query_as(LOCK).bind(game.pool.number()).bind(low.id.as_uuid());
            let lock = lock.bind(high.id.as_uuid()).bind(&low.name).bind(&high.name);
            let lock = lock.bind(self.rules.newcomer().rating.micros()).bind(game.id.as_uuid());
            lock.fetch_all(c).await
        })?;
        let of = |id| rows.iter().find(|row| row.player_id == id).cloned().ok_or(sqlx::Error::RowNotFound);
        Ok([of(black.id.as_uuid())?, of(white.id.as_uuid())?])
    }

    /// Marks a game; nothing if it was marked before.
    pub(super) async fn mark(
        &self,
        tx: &mut Tx<'_>,
        game: &RatedGame,
        at: Position,
        (black, white): Sides,
        worth: &Worth,
        now: Timestamp,
    ) -> Result<Option<Pair>, sqlx::Error> {
        within!(tx, |c| {
            let mark = sqlx::query_as(MARK).bind(game.id.as_uuid()).bind(game.pool.number()).bind(at.at());
            let mark = mark.bind(game.black.id.as_uuid()).bind(game.white.id.as_uuid());
            let mark = mark.bind(winner(game.outcome)).bind(game.is_short()).bind(worth.change.k);
            let mark =
                mark.bind(black.rating.micros()).bind(white.rating.micros()).bind(worth.change.black_gain);
            mark.bind(millis(now)).bind(since(at)).fetch_optional(c).await
        })
    }

    /// Moves both ratings, and writes both histories.
    async fn settle(
        &self,
        tx: &mut Tx<'_>,
        game: &RatedGame,
        at: Position,
        (black, white): (&PlayerRow, &PlayerRow),
        worth: &Worth,
    ) -> Result<(), sqlx::Error> {
        let before = (black.standing(), white.standing());
        let after = worth.after(before);
        let counts = i64::from(worth.verdict.counts());
        // A game that does not count puts nobody on a leaderboard.
        let levels = if worth.verdict.counts() {
            (level(&self.rules, after.0), level(&self.rules, after.1))
        } else {
            (black.level, white.level)
        };
        within!(&mut *tx, |c| {
            let moved =
                sqlx::query(MOVE).bind(game.pool.number()).bind(black.player_id).bind(white.player_id);
            let moved = moved.bind(worth.change.black_gain).bind(&game.black.name).bind(&game.white.name);
            let moved =
                moved.bind(at.at()).bind(at.game.as_uuid()).bind(counts).bind(levels.0).bind(levels.1);
            moved.execute(c).await.map(drop)
        })?;
        write_history(tx, game, at, before, worth).await?;
        let mut changes = Changes::default();
        for (row, after, level) in [(black, after.0, levels.0), (white, after.1, levels.1)] {
            let to = (after.rating.micros(), level);
            changes.moved(game.pool, row.player_id, (row.micros, row.level), to);
        }
        changes.write(tx).await
    }
}

/// Since when a pair's games are looked at.
pub(super) fn since(at: Position) -> i64 {
    at.at().saturating_sub(i64::try_from(WINDOW.as_millis()).unwrap_or(i64::MAX))
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

/// Writes both players' history rows.
pub(super) async fn write_history(
    tx: &mut Tx<'_>,
    game: &RatedGame,
    at: Position,
    before: Sides,
    worth: &Worth,
) -> Result<(), sqlx::Error> {
    let (after, scores) = (worth.after(before), scores(game.outcome));
    within!(tx, |c| {
        let history = sqlx::query(HISTORY).bind(game.pool.number()).bind(at.game.as_uuid()).bind(at.at());
        let history = history.bind(game.is_short()).bind(worth.verdict.number());
        let history = history.bind(game.black.id.as_uuid()).bind(scores.0);
        let history = history.bind(i64::from(after.0.games)).bind(before.0.rating.micros());
        let history = history.bind(game.white.id.as_uuid()).bind(scores.1);
        let history = history.bind(i64::from(after.1.games)).bind(before.1.rating.micros());
        history.bind(worth.change.black_gain).execute(c).await.map(drop)
    })
}
