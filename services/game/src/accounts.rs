//! What happens to accounts, and what it means for games.
//!
//! - Whoever is banned loses the games they are in; so does, by resignation, whoever deletes their account. Before both have moved there is
//!   no result.
//! - A guest who became part of an account is that account from then on, in games that are played as in finished ones.
//! - Whoever was deleted is shown under the neutral name, in records too. Somebody who only has another name keeps the old one in games
//!   that have begun.
//!
//! What is done once is done by the topic's consumers; what each replica has in its memory is put right by each, from the log of the same
//! notices. A replica that missed one finds it in the store: when it loads a game, and when somebody acts who has no seat.

use kernel::PlayerId;
use ledger::Delivery;
use nigiri_proto::events::v1::{AccountNotice, account_notice::Event};
use platform::Context;
use prost::Message;
use tokio::sync::broadcast::error::RecvError;

use crate::{error::Error, games::Games, store::accounts::Moved};

/// The consumer group of the topic `accounts`.
pub const GROUP: &str = "game";

/// Acts on a notice. Doing it again changes nothing.
///
/// # Errors
/// When ledger or store are away, or the notice makes no sense: it is tried again and, in the end, set aside.
pub async fn act(games: &Games, delivery: Delivery) -> Result<(), Error> {
    let malformed = || Error::Internal("a notice of an account is malformed".to_owned());
    let notice = AccountNotice::decode(delivery.payload).map_err(|_| malformed())?;
    let player: PlayerId = notice.player_id.parse().map_err(|_| malformed())?;
    match &notice.event {
        Some(Event::Banned(_)) => {
            for id in games.store().live_of(player).await? {
                games.put_out(id, player).await?;
            }
        }
        Some(Event::Merged(_) | Event::Deleted(_)) => {
            let moved = moved(player, &notice).ok_or_else(malformed)?;
            if moved.into == player {
                for id in games.store().live_of(player).await? {
                    games.give_up(id, player).await?;
                }
            }
            games.store().remember(&moved).await?;
            games.store().rewrite(&moved).await?;
        }
        // Of a newer version: whoever knows what it is shall have it.
        None => return Err(malformed()),
        Some(_) => {}
    }
    Ok(())
}

/// Puts right what this replica has in its memory, for as long as it is polled.
pub async fn follow(games: Games, context: Context) {
    let mut notices = context.bans().notices();
    loop {
        match notices.recv().await {
            Ok(notice) => {
                let player = notice.player_id.parse().ok();
                if let Some(moved) = player.and_then(|player| moved(player, &notice)) {
                    games.reseat(&moved);
                }
            }
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "news of accounts came too fast: the store has what was missed");
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// What a notice says of whose a player's seats are; none if it says nothing of it.
fn moved(player: PlayerId, notice: &AccountNotice) -> Option<Moved> {
    match &notice.event {
        Some(Event::Merged(merged)) => {
            let into = merged.into_player_id.parse().ok()?;
            Some(Moved { player, into, name: merged.into_name.clone() })
        }
        Some(Event::Deleted(deleted)) => {
            Some(Moved { player, into: player, name: deleted.neutral_name.clone() })
        }
        _ => None,
    }
}
