//! Annulling a game, by an operator: it does not count any more, and what followed is computed anew.

use kernel::{GameId, PlayerId, Timestamp};
use platform::on;
use uuid::Uuid;

use super::{
    Position, Store, millis, moment,
    rewrite::{Rewritten, players, read_game},
    sql::{ANNUL, ANNULMENT, ANNULMENTS, CORRECTION, CORRECTIONS, REMARK},
    tx::{Tx, within},
};
use crate::abuse::Verdict;

/// What annulling a game did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annulled {
    /// It counts no more.
    Now(Annulment),
    /// It had been annulled before; nothing was changed.
    Before(Annulment),
}

/// The trail that annulling a game leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annulment {
    /// Which game.
    pub game: GameId,
    /// Who did it.
    pub operator: String,
    /// Why, in the operator's words.
    pub reason: String,
    /// When.
    pub annulled: Timestamp,
    /// What the game had given Black, in millionths.
    pub black_gain: i64,
    /// Games that were computed anew because of it.
    pub recomputed: u64,
    /// Whose rating is another one since.
    pub corrections: Vec<Correction>,
}

/// How annulling a game moved a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Who.
    pub player: PlayerId,
    /// The rating just before, in millionths.
    pub before: i64,
    /// The rating just after, in millionths.
    pub after: i64,
}

type Row = (Uuid, String, String, i64, i64, i64);

impl Store {
    /// Annuls a game: it counts no more, every later game that it reached is computed anew, and a trail says who did it, why, and whom it moved.
    /// One transaction; a second time changes nothing. Nothing if the game was never agreed to count.
    ///
    /// # Errors
    /// When the store fails: do it again.
    pub async fn annul(
        &self,
        game: GameId,
        operator: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<Option<Annulled>, sqlx::Error> {
        let Some(marked) = self.game(game).await? else { return Ok(None) };
        let at = Position { finished: marked.finished, game };
        let mut everybody = players(&marked);
        loop {
            let mut tx = Tx::begin(&self.db).await?;
            let locked = self.lock_all(&mut tx, marked.pool, &everybody).await?;
            let found = read_game(&mut tx, game).await?.rating;
            if found.verdict == Verdict::Annulled {
                tx.roll_back().await?;
                return Ok(self.annulment(game).await?.map(Annulled::Before));
            }
            within!(&mut tx, |c| {
                let remark =
                    sqlx::query(REMARK).bind(game.as_uuid()).bind(Verdict::Annulled.number()).bind(0_i16);
                let remark = remark.bind(found.black.1.micros()).bind(found.white.1.micros()).bind(0_i64);
                remark.execute(c).await.map(drop)
            })?;
            for row in locked.keys().filter(|id| players(&found).contains(id)) {
                within!(&mut tx, |c| {
                    let annul = sqlx::query(ANNUL).bind(row).bind(marked.pool.number()).bind(at.at());
                    annul.bind(game.as_uuid()).execute(c).await.map(drop)
                })?;
            }
            match self.rewrite(&mut tx, marked.pool, at, &locked).await? {
                Ok(done) => {
                    let trail = trail(game, (operator, reason), now, found.black_gain, &done);
                    write_trail(&mut tx, &trail).await?;
                    tx.commit().await?;
                    return Ok(Some(Annulled::Now(trail)));
                }
                Err(missing) => everybody.extend(missing),
            }
            tx.roll_back().await?;
        }
    }

    /// The trail of a game's annulment.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn annulment(&self, game: GameId) -> Result<Option<Annulment>, sqlx::Error> {
        let row: Option<Row> = self
            .db
            .run(async {
                on!(&self.db, |db| sqlx::query_as(ANNULMENT).bind(game.as_uuid()).fetch_optional(db).await)
            })
            .await?;
        match row {
            Some(row) => Ok(Some(self.with_corrections(row).await?)),
            None => Ok(None),
        }
    }

    /// Annulments, the newest first, from behind one on, at most so many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn annulments(
        &self,
        before: Option<Position>,
        limit: u8,
    ) -> Result<Vec<Annulment>, sqlx::Error> {
        let (time, game) = before.map_or((i64::MAX, Uuid::max()), |at| (at.at(), at.game.as_uuid()));
        let rows: Vec<Row> = self
            .db
            .run(async {
                on!(&self.db, |db| {
                    sqlx::query_as(ANNULMENTS)
                        .bind(time)
                        .bind(game)
                        .bind(i64::from(limit))
                        .fetch_all(db)
                        .await
                })
            })
            .await?;
        let mut annulments = Vec::with_capacity(rows.len());
        for row in rows {
            annulments.push(self.with_corrections(row).await?);
        }
        Ok(annulments)
    }

    async fn with_corrections(&self, row: Row) -> Result<Annulment, sqlx::Error> {
        let rows: Vec<(Uuid, i64, i64)> = self
            .db
            .run(async { on!(&self.db, |db| sqlx::query_as(CORRECTIONS).bind(row.0).fetch_all(db).await) })
            .await?;
        let correction =
            |(player, before, after)| Correction { player: PlayerId::from_uuid(player), before, after };
        Ok(Annulment {
            game: GameId::from_uuid(row.0),
            operator: row.1,
            reason: row.2,
            annulled: moment(row.3),
            black_gain: row.4,
            recomputed: u64::try_from(row.5).unwrap_or(0),
            corrections: rows.into_iter().map(correction).collect(),
        })
    }
}

fn trail(
    game: GameId,
    (operator, reason): (&str, &str),
    now: Timestamp,
    black_gain: i64,
    done: &Rewritten,
) -> Annulment {
    let correction = |&(player, before, after): &(Uuid, i64, i64)| Correction {
        player: PlayerId::from_uuid(player),
        before,
        after,
    };
    Annulment {
        game,
        operator: operator.to_owned(),
        reason: reason.to_owned(),
        annulled: now,
        black_gain,
        recomputed: done.games - 1,
        corrections: done.moved.iter().map(correction).collect(),
    }
}

async fn write_trail(tx: &mut Tx<'_>, trail: &Annulment) -> Result<(), sqlx::Error> {
    use super::sql::TRAIL;
    let game = trail.game.as_uuid();
    within!(&mut *tx, |c| {
        let row = sqlx::query(TRAIL).bind(game).bind(&trail.operator).bind(&trail.reason);
        let row = row.bind(millis(trail.annulled)).bind(trail.black_gain);
        row.bind(i64::try_from(trail.recomputed).unwrap_or(i64::MAX)).execute(c).await.map(drop)
    })?;
    for one in &trail.corrections {
        within!(&mut *tx, |c| {
            let row = sqlx::query(CORRECTION).bind(game).bind(one.player.as_uuid());
            row.bind(one.before).bind(one.after).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}
