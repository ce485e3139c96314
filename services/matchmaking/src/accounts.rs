//! What happens to accounts, and what it means for tickets.

use ledger::{Delivery, Policy};
use nigiri_proto::events::v1::{AccountNotice, account_notice::Event};
use platform::{Context, auth::ACCOUNTS};
use prost::Message;

use crate::{Error, replica::Handle};

/// This service's group of the topic's consumers.
const GROUP: &str = "matchmaking";

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub async fn follow(handle: &Handle, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(ACCOUNTS, GROUP).await?;
    let handle = handle.clone();
    context.consume(ACCOUNTS, GROUP, Policy::default(), move |delivery| {
        let handle = handle.clone();
        async move { act(&handle, delivery).await }
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

/// Closes the ticket of a player who is no more, or may not play. Doing it again changes nothing: whoever is out opens no other.
async fn act(handle: &Handle, delivery: Delivery) -> Result<(), Fault> {
    let notice = AccountNotice::decode(delivery.payload).map_err(|_| Fault::Malformed)?;
    if !matches!(notice.event, Some(Event::Banned(_) | Event::Merged(_) | Event::Deleted(_))) {
        return Ok(());
    }
    let player = notice.player_id.parse().map_err(|_| Fault::Malformed)?;
    match handle.cancel(player).await {
        // A match that was made before stands: the game service decides what becomes of its game.
        Ok(()) | Err(Error::NoTicket | Error::TicketMatched(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
