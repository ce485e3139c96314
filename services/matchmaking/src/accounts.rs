//! What happens to accounts, and what it means for tickets, challenges and blocks.

use ledger::{Delivery, Policy};
use nigiri_proto::{
    events::v1::{AccountNotice, account_notice::Event},
    matchmaking::v1::EndedReason,
};
use platform::{Context, auth::ACCOUNTS};
use prost::Message;

use crate::{Error, GROUP, replica::Handle, store::Store};

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub async fn follow(handle: &Handle, store: &Store, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(ACCOUNTS, GROUP).await?;
    let (handle, store) = (handle.clone(), store.clone());
    context.consume(ACCOUNTS, GROUP, Policy::default(), move |delivery| {
        let (handle, store) = (handle.clone(), store.clone());
        async move { act(&handle, &store, delivery).await }
    });
    Ok(())
}

/// Why a notice was not dealt with: it comes again.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It makes no sense to this version.
    #[error("a notice of an account is malformed")]
    Malformed,
    /// The ticket could not be closed.
    #[error(transparent)]
    Queue(#[from] Error),
}

/// Closes the ticket and the challenges of a player who is no more, or may not play. Doing it again changes nothing: whoever is out opens no other.
async fn act(handle: &Handle, store: &Store, delivery: Delivery) -> Result<(), Fault> {
    let notice = AccountNotice::decode(delivery.payload).map_err(|_| Fault::Malformed)?;
    let player = notice.player_id.parse().map_err(|_| Fault::Malformed)?;
    match notice.event {
        Some(Event::Merged(merged)) => {
            let into = merged.into_player_id.parse().map_err(|_| Fault::Malformed)?;
            store.move_blocks(player, into).await.map_err(Error::from)?;
        }
        Some(Event::Deleted(_)) => store.forget_blocks(player).await.map_err(Error::from)?,
        Some(Event::Banned(_)) => {}
        // Of a newer version: whoever knows what it is shall have it.
        None => return Err(Fault::Malformed),
        Some(_) => return Ok(()),
    }
    store.close_all(player, None, handle.now()).await.map_err(Error::from)?;
    handle.dismiss(player);
    // A match that was made before stands: the game service decides what becomes of its game.
    Ok(handle.leave_for(player, EndedReason::Cancelled).await?)
}
