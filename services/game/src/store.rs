//! The archive: finished games, each exactly once; and the list of those that are played.

pub mod accounts;
mod count;
pub mod export;
pub mod lists;
#[cfg(test)]
mod tests;

use kernel::GameId;
use ledger::Entry;
use nigiri_proto::events::v1::{ArchivedEntry, ArchivedGame};
use platform::{
    convert::{from_proto_time, to_millis as millis, to_proto_time},
    db::Db,
};
use prost::Message;
use referee::Game;

use crate::codec::result_to_proto;

/// The archive.
#[derive(Clone)]
pub struct Store {
    db: Db,
}

impl Store {
    /// The archive in this store.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Every entry of an archived game, in order; none if it is not in the archive.
    ///
    /// # Errors
    /// When the store is away, or the record is damaged.
    pub async fn entries(&self, id: GameId) -> Result<Option<Vec<Entry>>, sqlx::Error> {
        let record: Option<Vec<u8>> = self
            .db
            .run(async {
                platform::on!(&self.db, |pool| {
                    sqlx::query_scalar("SELECT record FROM games WHERE id = $1")
                        .bind(id.as_uuid())
                        .fetch_optional(pool)
                        .await
                })
            })
            .await?;
        let Some(record) = record else { return Ok(None) };
        read_record(&record).map(Some).map_err(|error| sqlx::Error::Decode(error.into()))
    }

    /// Puts a finished game into the archive, and takes it from the list of live games. False if it was there already.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn insert(&self, id: GameId, game: &Game, entries: &[Entry]) -> Result<bool, sqlx::Error> {
        let record = record(entries).encode_to_vec();
        let (settings, seats) = (game.settings(), game.seats());
        let outcome = game.outcome();
        let result = outcome.map(|outcome| outcome.to_string()).unwrap_or_default();
        let reason = outcome.map_or(0, |outcome| result_to_proto(&outcome).reason);
        let created = entries.first().and_then(|entry| lists::created_in(&entry.payload));
        let inserted = self.db.run(Box::pin(async { Ok(platform::transact!(&self.db, |tx| {
            sqlx::query("DELETE FROM live_games WHERE id = $1").bind(id.as_uuid()).execute(&mut **tx).await?;
            sqlx::query(
                "INSERT INTO games (id, black_id, white_id, board_size, rated, result, created_at, finished_at, record,
                                    preset, private, reason, moves, created)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING",
            )
            .bind(id.as_uuid())
            .bind(seats.black.player.as_uuid())
            .bind(seats.white.player.as_uuid())
            .bind(i16::from(settings.size.columns()))
            .bind(settings.rated)
            .bind(&result)
            .bind(millis(game.created_at()))
            .bind(millis(game.last_stamp()))
            .bind(&record)
            .bind(settings.preset.name())
            .bind(settings.watch_key.is_some())
            .bind(reason)
            .bind(i32::try_from(game.move_number()).unwrap_or(i32::MAX))
            .bind(created.map(|created| created.encode_to_vec()))
            .execute(&mut **tx)
            .await?
            .rows_affected()
        })) })).await?;
        Ok(inserted > 0)
    }
}

#[cfg(feature = "next")]
impl Store {
    /// Notes who has archived a game, in a column that only the next version has.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn sign(&self, id: GameId) -> Result<(), sqlx::Error> {
        const SIGN: &str = "UPDATE games SET writer = 'next' WHERE id = $1";
        platform::on!(&self.db, |pool| sqlx::query(SIGN).bind(id.as_uuid()).execute(pool).await.map(drop))
    }
}

/// The entries of a record, in order.
///
/// # Errors
/// When it cannot be read.
pub fn read_record(record: &[u8]) -> Result<Vec<Entry>, prost::DecodeError> {
    let entry = |entry: ArchivedEntry| Entry {
        sequence: entry.sequence,
        stamp: from_proto_time(entry.event_time.unwrap_or_default()),
        payload: entry.entry,
    };
    Ok(ArchivedGame::decode(record)?.entries.into_iter().map(entry).collect())
}

/// A moment as a column has it.
fn record(entries: &[Entry]) -> ArchivedGame {
    let archived = |entry: &Entry| ArchivedEntry {
        sequence: entry.sequence,
        event_time: Some(to_proto_time(entry.stamp)),
        entry: entry.payload.clone(),
    };
    ArchivedGame { entries: entries.iter().map(archived).collect() }
}
