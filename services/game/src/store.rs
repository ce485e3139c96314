//! The archive: finished games, each exactly once.

use kernel::GameId;
use ledger::Entry;
use nigiri_proto::events::v1::{ArchivedEntry, ArchivedGame};
use platform::{
    convert::{from_proto_time, to_proto_time},
    db::Db,
};
use prost::Message;
use referee::Game;

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
        let read = async {
            platform::on!(&self.db, |pool| {
                sqlx::query_scalar("SELECT record FROM games WHERE id = $1")
                    .bind(id.as_uuid())
                    .fetch_optional(pool)
                    .await
            })
        };
        let record: Option<Vec<u8>> = self.db.run(read).await?;
        let Some(record) = record else { return Ok(None) };
        let game =
            ArchivedGame::decode(record.as_slice()).map_err(|error| sqlx::Error::Decode(error.into()))?;
        let entry = |entry: ArchivedEntry| Entry {
            sequence: entry.sequence,
            stamp: from_proto_time(entry.event_time.unwrap_or_default()),
            payload: entry.entry,
        };
        Ok(Some(game.entries.into_iter().map(entry).collect()))
    }

    /// Puts a finished game into the archive. False if it was there already.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn insert(&self, id: GameId, game: &Game, entries: &[Entry]) -> Result<bool, sqlx::Error> {
        let record = record(entries).encode_to_vec();
        let (settings, seats) = (game.settings(), game.seats());
        let outcome = game.outcome().map(|outcome| outcome.to_string()).unwrap_or_default();
        let time = |time: kernel::Timestamp| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let insert = async {
            Ok(platform::transact!(&self.db, |tx| {
                sqlx::query(
                "INSERT INTO games (id, black_id, white_id, board_size, rated, result, created_at, finished_at, record)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
            )
            .bind(id.as_uuid())
            .bind(seats.black.player.as_uuid())
            .bind(seats.white.player.as_uuid())
            .bind(i16::from(settings.size.columns()))
            .bind(settings.rated)
            .bind(&outcome)
            .bind(time(game.created_at()))
            .bind(time(game.last_stamp()))
            .bind(&record)
            .execute(&mut **tx)
            .await?
            .rows_affected()
            }))
        };
        Ok(self.db.run(Box::pin(insert)).await? > 0)
    }
}

fn record(entries: &[Entry]) -> ArchivedGame {
    let archived = |entry: &Entry| ArchivedEntry {
        sequence: entry.sequence,
        event_time: Some(to_proto_time(entry.stamp)),
        entry: entry.payload.clone(),
    };
    ArchivedGame { entries: entries.iter().map(archived).collect() }
}
