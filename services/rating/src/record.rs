//! A game's record, as the rating service needs it: when the game finished, and whether the server was away during it. From the game's log or, if
//! that is gone, from the archive.

use kernel::{GameId, Timestamp};
use ledger::{Entry, LogName, SharedLedger};
use nigiri_proto::{
    events::v1::{ArchivedGame, GameEntry},
    game::v1::game_event::Event,
};
use platform::{convert::from_proto_time, db::Db, on};
use prost::Message;

/// Entries of a log that are read at a time.
const CHUNK: usize = 1_000;

/// An archived game's record. `$1` game.
pub const RECORD: &str = "SELECT record FROM games WHERE id = $1";

/// Why a record cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The ledger is away.
    #[error(transparent)]
    Ledger(#[from] ledger::Unavailable),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[from] sqlx::Error),
}

/// Where records are. Cheap to clone.
#[derive(Clone)]
pub struct Records {
    ledger: SharedLedger,
    db: Db,
}

impl Records {
    /// The records in this ledger and this archive.
    pub fn new(ledger: SharedLedger, db: Db) -> Self {
        Self { ledger, db }
    }

    /// The ledger's clock.
    pub fn now(&self) -> Timestamp {
        self.ledger.now()
    }

    /// When the entry of this number, which finished a game, was written; nothing if neither log nor archive know it.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn finished(&self, game: GameId, sequence: u64) -> Result<Option<Timestamp>, Error> {
        if let (Ok(log), Some(before)) = (log(game), sequence.checked_sub(1)) {
            let entries = self.ledger.read(&log, before, 1).await?;
            if let Some(entry) = entries.first().filter(|entry| entry.sequence == sequence) {
                return Ok(Some(entry.stamp));
            }
        }
        let archived = self.archived(game).await?;
        let entries = archived.iter().flat_map(|archived| &archived.entries);
        let mut found = entries.filter(|entry| entry.sequence == sequence);
        Ok(found.find_map(|entry| entry.event_time).map(from_proto_time))
    }

    /// Whether time was given back in a game because the server was away; nothing if its record is not known.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn was_away(&self, game: GameId) -> Result<Option<bool>, Error> {
        let mut payloads = self.log(game).await?;
        if payloads.is_empty() {
            let Some(archived) = self.archived(game).await? else { return Ok(None) };
            payloads = archived.entries.into_iter().map(|entry| entry.entry).collect();
        }
        let credited =
            payloads.into_iter().filter_map(|payload| GameEntry::decode(payload).ok()).any(|entry| {
                entry.events.iter().any(|event| matches!(event.event, Some(Event::TimeCredited(_))))
            });
        Ok(Some(credited))
    }

    async fn log(&self, game: GameId) -> Result<Vec<bytes::Bytes>, Error> {
        let Ok(log) = log(game) else { return Ok(Vec::new()) };
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let after = entries.last().map_or(0, |entry| entry.sequence);
            let more = self.ledger.read(&log, after, CHUNK).await?;
            if more.is_empty() {
                return Ok(entries.into_iter().map(|entry| entry.payload).collect());
            }
            entries.extend(more);
        }
    }

    async fn archived(&self, game: GameId) -> Result<Option<ArchivedGame>, Error> {
        let record: Option<Vec<u8>> = self
            .db
            .run(async {
                on!(&self.db, |db| sqlx::query_scalar(RECORD).bind(game.as_uuid()).fetch_optional(db).await)
            })
            .await?;
        Ok(record
            .map(|record| ArchivedGame::decode(record.as_slice()))
            .transpose()
            .map_err(|error| sqlx::Error::Decode(error.into()))?)
    }
}

fn log(game: GameId) -> Result<LogName, ledger::LogNameError> {
    LogName::new(&format!("game:{game}"))
}
