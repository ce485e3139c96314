//! The numbers of the system, as the store has them.

use anyhow::Context;
use platform::{db::Db, on};

use super::{
    Store,
    sql::{CHOOSE, RULES},
    tx::{Tx, within},
};
use crate::elo::Rules;

type Row = (i64, i16, i16, i16, i64, i64, i64);

impl Store {
    /// The ratings in this store. The first rated game fixes the numbers of the system: until then those given here are written down, from
    /// then on they have to be those that are written.
    ///
    /// # Errors
    /// When the store fails, or games have counted by other numbers: the error names both.
    pub async fn open(db: Db, rules: Rules) -> anyhow::Result<Self> {
        let provisional = i64::from(rules.provisional_games);
        let choose = async {
            let mut tx = Tx::begin(&db).await?;
            within!(&mut tx, |c| {
                let choose = sqlx::query(CHOOSE).bind(rules.initial).bind(rules.k_new).bind(rules.k_usual);
                let choose = choose.bind(rules.k_top).bind(i64::from(rules.new_games)).bind(rules.top);
                choose.bind(provisional).execute(c).await.map(drop)
            })?;
            tx.commit().await
        };
        db.run(Box::pin(choose)).await?;
        let found =
            Self::found_rules(&db).await?.context("the store has lost the numbers of the rating system")?;
        anyhow::ensure!(
            found == rules,
            "games have counted by other numbers than these, which are fixed by the first rated game: they counted by {found:?}, \
             and NIGIRI_RATING_* say {rules:?}"
        );
        Ok(Self::new(db, rules))
    }

    /// The numbers that are written in a store; none before the rating service's first start.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn found_rules(db: &Db) -> Result<Option<Rules>, sqlx::Error> {
        let row: Option<Row> =
            db.run(async { on!(db, |db| sqlx::query_as(RULES).fetch_optional(db).await) }).await?;
        Ok(row.map(|(initial, k_new, k_usual, k_top, new_games, top, provisional)| Rules {
            initial,
            k_new,
            k_usual,
            k_top,
            new_games: u32::try_from(new_games).unwrap_or(u32::MAX),
            top,
            provisional_games: u32::try_from(provisional).unwrap_or(u32::MAX),
        }))
    }
}
