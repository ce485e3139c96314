//! Takes those who have not played for long off the leaderboards.

use std::time::Duration;

use platform::Context;

use crate::store::Store;

/// Goes round until the process stops.
pub(crate) async fn lapse(store: Store, context: Context, interval: Duration) {
    loop {
        match store.lapse(context.ledger.now()).await {
            // There may be more: at once.
            Ok(players) if players > 0 && !context.shutdown.stopping().is_cancelled() => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "cannot take anybody off the leaderboards"),
        }
        tokio::select! {
            biased;
            () = context.shutdown.stopping().cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
    }
}
