//! From the log to the list of live games: every game once, soon after it has begun.

use ledger::Delivery;
use nigiri_proto::events::v1::CreatedNotice;
use prost::Message;

use crate::{
    archive::replay,
    error::Error,
    games::{Games, log_name},
    store::lists::{Begun, created_in},
};

/// The consumer group of the topic `created` that fills the list.
pub const GROUP: &str = "live";

/// Lists the game of a notice. Doing it again changes nothing, nor does doing it after the game's end.
///
/// # Errors
/// When ledger or store are away, or the log does not begin with a game: the notice is tried again and, in the end, set aside.
pub async fn list(games: &Games, delivery: Delivery) -> Result<(), Error> {
    let damaged = |what: &str| Error::Internal(format!("a notice of a new game {what}"));
    let notice = CreatedNotice::decode(delivery.payload).map_err(|_| damaged("cannot be read"))?;
    let id = notice.game_id.parse().map_err(|_| damaged("has no id"))?;
    let first = games.ledger().read(&log_name(id)?, 0, 1).await?;
    // A log that has gone is in the archive.
    let Some(first) = first.first().filter(|entry| entry.sequence == 1) else { return Ok(()) };
    let game = replay(std::slice::from_ref(first)).ok_or_else(|| damaged("has a log that makes no game"))?;
    let created = created_in(&first.payload).ok_or_else(|| damaged("has a log that makes no game"))?;
    games.store().begun(Begun { id, game: &game, created: &created }).await?;
    Ok(())
}
