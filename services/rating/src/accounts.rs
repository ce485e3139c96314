//! What happens to accounts, and what it means for the names on leaderboards.

use bytes::Bytes;
use kernel::PlayerId;
use ledger::{Consumer, Delivery};
use nigiri_proto::events::v1::{AccountNotice, account_notice::Event};
use platform::{Context, auth::ACCOUNTS};
use prost::Message;
use uuid::Uuid;

use crate::{Args, counter::GROUP, store::Store};

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub(crate) async fn follow(store: &Store, args: &Args, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(ACCOUNTS, GROUP).await?;
    let consumer = Consumer {
        ledger: context.ledger.clone(),
        topic: ACCOUNTS.to_owned(),
        group: GROUP.to_owned(),
        name: Uuid::now_v7().to_string(),
        policy: args.policy(),
    };
    let (store, stopping) = (store.clone(), context.shutdown.stopping().clone());
    context.shutdown.spawn(async move {
        let handler = move |delivery: Delivery| {
            let store = store.clone();
            async move { act(&store, delivery.payload).await }
        };
        consumer.run(handler, stopping).await;
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
    let name = match &notice.event {
        Some(Event::Renamed(renamed)) => &renamed.name,
        Some(Event::Deleted(deleted)) => &deleted.neutral_name,
        // The account's own rating stands, and the guest's is nobody's: under the name of who goes on it says whose games they were.
        Some(Event::Merged(merged)) => &merged.into_name,
        _ => return Ok(()),
    };
    let player: PlayerId = notice.player_id.parse().map_err(|_| Fault::Malformed)?;
    let revision = i64::try_from(notice.revision).map_err(|_| Fault::Malformed)?;
    store.rename(player, revision, name).await?;
    Ok(())
}
