//! What happens to accounts, and what it means for the names on leaderboards.

use bytes::Bytes;
use kernel::PlayerId;
use nigiri_proto::events::v1::{AccountNotice, account_notice::Event};
use platform::{Context, auth::ACCOUNTS};
use prost::Message;

use crate::{Args, counter::GROUP, store::Store};

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub(crate) async fn follow(store: &Store, args: &Args, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(ACCOUNTS, GROUP).await?;
    let store = store.clone();
    context.consume(ACCOUNTS, GROUP, args.policy(), move |delivery| {
        let store = store.clone();
        async move { act(&store, delivery.payload).await }
    });
    Ok(())
}

/// Why a notice was not dealt with: it comes again.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It makes no sense to this version.
    #[error("a notice of an account is malformed")]
    Malformed,
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[from] sqlx::Error),
}

/// Takes the name that a player has from now on. Keyed by player the latest revision wins, so a notice may come twice, or late.
///
/// # Errors
/// When the notice makes no sense, or the store fails.
pub async fn act(store: &Store, payload: Bytes) -> Result<(), Fault> {
    let notice = AccountNotice::decode(payload).map_err(|_| Fault::Malformed)?;
    let (name, goes) = match &notice.event {
        Some(Event::Renamed(renamed)) => (&renamed.name, false),
        Some(Event::Deleted(deleted)) => (&deleted.neutral_name, true),
        // The account's own rating stands, and the guest's is nobody's: under the name of who goes on it says whose games they were.
        Some(Event::Merged(merged)) => (&merged.into_name, true),
        // Of a newer version: whoever knows what it is shall have it.
        None => return Err(Fault::Malformed),
        Some(_) => return Ok(()),
    };
    let player: PlayerId = notice.player_id.parse().map_err(|_| Fault::Malformed)?;
    let revision = i64::try_from(notice.revision).map_err(|_| Fault::Malformed)?;
    store.rename(player, revision, name).await?;
    if goes {
        store.leave_boards(player).await?;
    }
    Ok(())
}
