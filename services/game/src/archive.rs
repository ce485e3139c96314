//! From the log to the archive: every finished game, exactly once, and only then may its log expire.

use std::time::Duration;

use ::metrics::counter;
use kernel::GameId;
use ledger::{Delivery, Entry};
use nigiri_proto::events::v1::FinishedNotice;
use platform::telemetry::trace;
use prost::Message;
use referee::{Event, Game};
use tracing::Instrument;

use crate::{
    codec::{self, Unreadable},
    error::Error,
    games::{Games, log_name},
    metrics as names,
};

/// The consumer group of the topic `finished` that fills the archive.
pub const GROUP: &str = "archive";

/// Puts the game of a notice into the archive. Doing it again changes nothing.
///
/// # Errors
/// When ledger or store are away, or the record makes no finished game: the notice is tried again and, in the end, set aside.
pub async fn archive(games: &Games, keep: Duration, delivery: Delivery) -> Result<(), Error> {
    let notice = FinishedNotice::decode(delivery.payload).map_err(|_| damaged("cannot be read"))?;
    let id = notice.game_id.parse().map_err(|_| damaged("has no id"))?;
    let span = trace::caused("game.archive", notice.traceparent.parse());
    keep_for_good(games, id, keep).instrument(span).await
}

fn damaged(what: &str) -> Error {
    Error::Internal(format!("a notice of a finished game {what}"))
}

async fn keep_for_good(games: &Games, id: GameId, keep: Duration) -> Result<(), Error> {
    let (entries, archived) = games.entries(id).await?;
    if !archived {
        let game = replay(id, &entries)?.ok_or_else(|| damaged("has a log that makes no game"))?;
        if game.outcome().is_none() || game.is_corrupt() {
            return Err(damaged("has a log without an end"));
        }
        if games.store().insert(id, &game, &entries).await? {
            counter!(names::ARCHIVED).increment(1);
            #[cfg(feature = "next")]
            games.store().sign(id).await?;
        }
        // After it is there: whoever is forgotten or merged meanwhile finds it, or is found here.
        let players = [game.seats().black.player, game.seats().white.player];
        for moved in games.store().moved(players).await? {
            games.store().rewrite(&moved).await?;
        }
    }
    games.ledger().retire(&log_name(id)?, keep).await?;
    Ok(())
}

/// The game that these entries make; none if they do not begin with its creation, or are damaged.
///
/// # Errors
/// When a newer version has written what this one does not understand.
pub fn replay(id: GameId, entries: &[Entry]) -> Result<Option<Game>, Error> {
    let mut size = None;
    let mut read = Vec::with_capacity(entries.len());
    for entry in entries {
        let decoded = match codec::read_entry(&entry.payload) {
            Ok(decoded) => decoded,
            Err(Unreadable::Newer) => return Err(Error::Newer(id)),
            Err(Unreadable::Damaged(_)) => return Ok(None),
        };
        let mut events = Vec::with_capacity(decoded.events.len());
        for event in &decoded.events {
            let Some(event) = codec::event_from_proto(event, size) else { return Ok(None) };
            if let Event::Created { settings, .. } = &event {
                size = Some(settings.size);
            }
            events.push(event);
        }
        read.push((events, entry.stamp));
    }
    Ok(Game::replay(read))
}
