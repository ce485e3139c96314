//! Whom players never want to meet.

use std::collections::HashMap;

use kernel::{PlayerId, Timestamp};
use platform::{
    convert::{from_millis, to_millis},
    on, transact,
};
use uuid::Uuid;

use super::Store;

/// A player blocks so many others at most.
pub const MOST_BLOCKS: i64 = 500;

const COUNT: &str = "SELECT COUNT(*) FROM blocks WHERE player_id = $1 AND blocked_id <> $2";
const ADD: &str = "INSERT INTO blocks (player_id, blocked_id, name, created_at) VALUES ($1, $2, $3, $4) \
     ON CONFLICT DO NOTHING";
const END: &str = "DELETE FROM blocks WHERE player_id = $1 AND blocked_id = $2";
const ALL: &str = "SELECT blocked_id, name, created_at FROM blocks WHERE player_id = $1 \
     ORDER BY created_at DESC, blocked_id";
fn all_of(places: usize) -> String {
    format!("SELECT player_id, blocked_id FROM blocks WHERE player_id IN ({})", platform::db::list(1, places))
}
const BETWEEN: &str = "SELECT COUNT(*) FROM blocks \
     WHERE (player_id = $1 AND blocked_id = $2) OR (player_id = $2 AND blocked_id = $1)";
const MOVE_OWN: &str = "INSERT INTO blocks (player_id, blocked_id, name, created_at) \
     SELECT $2, blocked_id, name, created_at FROM blocks WHERE player_id = $1 AND blocked_id <> $2 ON CONFLICT DO NOTHING";
const MOVE_THEIRS: &str = "INSERT INTO blocks (player_id, blocked_id, name, created_at) \
     SELECT player_id, $2, name, created_at FROM blocks WHERE blocked_id = $1 AND player_id <> $2 ON CONFLICT DO NOTHING";
const FORGET: &str = "DELETE FROM blocks WHERE player_id = $1 OR blocked_id = $1";

/// Somebody who is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Who.
    pub player: PlayerId,
    /// The name when the block was made.
    pub name: String,
    /// Since when.
    pub since: Timestamp,
}

impl Store {
    /// Blocks a player for another. False when they block as many as one may.
    pub async fn block(
        &self,
        player: PlayerId,
        other: PlayerId,
        name: &str,
        now: Timestamp,
    ) -> Result<bool, sqlx::Error> {
        let (player, other) = (player.as_uuid(), other.as_uuid());
        self.run(async {
            Ok(transact!(&self.db, |tx| {
                let count: i64 =
                    sqlx::query_scalar(COUNT).bind(player).bind(other).fetch_one(&mut **tx).await?;
                if count < MOST_BLOCKS {
                    let add = sqlx::query(ADD).bind(player).bind(other).bind(name).bind(to_millis(now));
                    add.execute(&mut **tx).await?;
                }
                count < MOST_BLOCKS
            }))
        })
        .await
    }

    /// Ends a block, if there is one.
    pub async fn unblock(&self, player: PlayerId, other: PlayerId) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(END).bind(player.as_uuid()).bind(other.as_uuid()).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// Whom a player blocks, the latest first.
    pub async fn blocks(&self, player: PlayerId) -> Result<Vec<Block>, sqlx::Error> {
        let rows: Vec<(Uuid, String, i64)> = self
            .run(async {
                on!(&self.db, |pool| sqlx::query_as(ALL).bind(player.as_uuid()).fetch_all(pool).await)
            })
            .await?;
        let block =
            |(id, name, since)| Block { player: PlayerId::from_uuid(id), name, since: from_millis(since) };
        Ok(rows.into_iter().map(block).collect())
    }

    /// Whom each of these players blocks; who blocks nobody is missing.
    pub async fn blocks_of(
        &self,
        players: &[PlayerId],
    ) -> Result<HashMap<PlayerId, Vec<PlayerId>>, sqlx::Error> {
        let rows: Vec<(Uuid, Uuid)> = platform::about!(&self.db, players, all_of)?;
        let mut blocks: HashMap<PlayerId, Vec<PlayerId>> = HashMap::new();
        for (player, blocked) in rows {
            blocks.entry(PlayerId::from_uuid(player)).or_default().push(PlayerId::from_uuid(blocked));
        }
        Ok(blocks)
    }

    /// Whether one of two blocks the other.
    pub async fn is_block_between(&self, a: PlayerId, b: PlayerId) -> Result<bool, sqlx::Error> {
        let count: i64 = self
            .run(async {
                on!(&self.db, |pool| {
                    sqlx::query_scalar(BETWEEN).bind(a.as_uuid()).bind(b.as_uuid()).fetch_one(pool).await
                })
            })
            .await?;
        Ok(count > 0)
    }

    /// A player became part of another: blocks move over, from both sides.
    pub async fn move_blocks(&self, player: PlayerId, into: PlayerId) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                for step in [MOVE_OWN, MOVE_THEIRS] {
                    sqlx::query(step).bind(player.as_uuid()).bind(into.as_uuid()).execute(&mut **tx).await?;
                }
                sqlx::query(FORGET).bind(player.as_uuid()).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// A player is no more.
    pub async fn forget_blocks(&self, player: PlayerId) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(FORGET).bind(player.as_uuid()).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }
}
