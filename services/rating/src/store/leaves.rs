//! Rated games that were left, and what that costs.

use std::collections::HashMap;

use kernel::{PlayerId, Timestamp};
use platform::transact;
use uuid::Uuid;

use super::{Position, Store, count::since, millis, moment};
use crate::abuse;

pub mod sql;

/// A ban from rated play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ban {
    /// Until when.
    pub until: Timestamp,
    /// Games left within a day that led to it.
    pub leaves: u32,
}

impl Store {
    /// Notes that a player left a game, and bans who does that again and again. Noting it again changes nothing.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn left(&self, player: PlayerId, at: Position) -> Result<Option<Ban>, sqlx::Error> {
        let id = player.as_uuid();
        let leave = async {
            Ok(transact!(&self.db, |tx| {
                let leave = sqlx::query(sql::LEAVE).bind(id).bind(at.at()).bind(at.game.as_uuid());
                leave.execute(&mut **tx).await?;
                let leaves = sqlx::query_scalar(sql::LEAVES).bind(id).bind(since(at)).bind(at.at());
                let leaves: i64 = leaves.fetch_one(&mut **tx).await?;
                match abuse::ban(leaves) {
                    None => None,
                    Some(time) => {
                        let until = at.finished + time;
                        let ban = sqlx::query(sql::BAN).bind(id).bind(millis(until)).bind(leaves);
                        ban.execute(&mut **tx).await?;
                        Some(Ban { until, leaves: u32::try_from(leaves).unwrap_or(u32::MAX) })
                    }
                }
            }))
        };
        self.db.run(Box::pin(leave)).await
    }

    /// A player's ban from rated play, while it lasts.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn ban(&self, player: PlayerId, now: Timestamp) -> Result<Option<Ban>, sqlx::Error> {
        Ok(self.bans(&[player], now).await?.remove(&player))
    }

    /// The bans of those of these players who are banned from rated play.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn bans(
        &self,
        players: &[PlayerId],
        now: Timestamp,
    ) -> Result<HashMap<PlayerId, Ban>, sqlx::Error> {
        let rows: Vec<(Uuid, i64, i64)> = platform::about!(&self.db, players, sql::banned, millis(now))?;
        let ban = |(player, until, leaves)| {
            let leaves = u32::try_from(leaves).unwrap_or(u32::MAX);
            (PlayerId::from_uuid(player), Ban { until: moment(until), leaves })
        };
        Ok(rows.into_iter().map(ban).collect())
    }
}
