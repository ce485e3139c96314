//! What the rules against abuse found, for operators.

use kernel::{GameId, PlayerId, Timestamp};
use platform::{on, transact};
use uuid::Uuid;

use super::{Position, Store, damaged, millis, moment, pool};
use crate::{
    abuse::{Finding, Rule},
    pool::Pool,
};

pub mod sql;

/// Something that operators should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its id.
    pub id: Uuid,
    /// What was found.
    pub finding: Finding,
    /// In which pool.
    pub pool: Pool,
    /// The game after which it was found.
    pub game: GameId,
    /// When that game finished.
    pub raised: Timestamp,
}

type Row = (Uuid, i16, i16, Uuid, Uuid, Uuid, String, i64);

impl Store {
    /// Raises flags. Those that were raised before, resolved or not, stay as they are.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn raise(&self, pool: Pool, at: Position, findings: &[Finding]) -> Result<(), sqlx::Error> {
        if findings.is_empty() {
            return Ok(());
        }
        let raise = async {
            transact!(&self.db, |tx| {
                for finding in findings {
                    let raise = sqlx::query(sql::RAISE).bind(finding.id(pool, at.finished));
                    let raise = raise.bind(finding.rule.number()).bind(pool.number());
                    let raise = raise.bind(finding.player.as_uuid()).bind(finding.other.as_uuid());
                    let raise = raise.bind(at.game.as_uuid()).bind(&finding.detail).bind(at.at());
                    raise.execute(&mut **tx).await?;
                }
            });
            Ok(())
        };
        self.db.run(Box::pin(raise)).await
    }

    /// Open flags, the newest first, from behind one on (its time and id), at most so many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn flags(
        &self,
        before: Option<(Timestamp, Uuid)>,
        limit: u8,
    ) -> Result<Vec<Flag>, sqlx::Error> {
        let (time, id) = before.map_or((i64::MAX, Uuid::max()), |(time, id)| (millis(time), id));
        let rows: Vec<Row> = self
            .db
            .run(async {
                on!(&self.db, |db| {
                    sqlx::query_as(sql::OPEN).bind(time).bind(id).bind(i64::from(limit)).fetch_all(db).await
                })
            })
            .await?;
        let flag = |(id, rule, number, player, other, game, detail, raised): Row| {
            let rule = Rule::from_number(rule).ok_or_else(|| damaged("rule", rule))?;
            let (player, other) = (PlayerId::from_uuid(player), PlayerId::from_uuid(other));
            let finding = Finding { rule, player, other, detail };
            let game = GameId::from_uuid(game);
            Ok(Flag { id, finding, pool: pool(number)?, game, raised: moment(raised) })
        };
        rows.into_iter().map(flag).collect()
    }

    /// Resolves a flag: it is not shown any more. False if there is none; one that is resolved stays as it is.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn resolve(
        &self,
        flag: Uuid,
        operator: &str,
        note: &str,
        now: Timestamp,
    ) -> Result<bool, sqlx::Error> {
        let known: Option<Uuid> = self
            .db
            .run(Box::pin(async {
                Ok(transact!(&self.db, |tx| {
                    let resolve =
                        sqlx::query(sql::RESOLVE).bind(flag).bind(millis(now)).bind(operator).bind(note);
                    resolve.execute(&mut **tx).await?;
                    sqlx::query_scalar(sql::KNOWN).bind(flag).fetch_optional(&mut **tx).await?
                }))
            }))
            .await?;
        Ok(known.is_some())
    }
}
