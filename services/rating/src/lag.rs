//! How many finished games wait to be counted, as a gauge.

use std::time::Duration;

use platform::Context;

use crate::{
    counter::{GROUP, TOPIC},
    metrics,
};

/// Measures until the process stops.
pub(crate) async fn measure(context: Context, interval: Duration) {
    loop {
        match context.ledger.lag(TOPIC, GROUP).await {
            Ok(games) => metrics::lag(games),
            Err(error) => tracing::warn!(%error, "cannot measure the lag of the finished games"),
        }
        tokio::select! {
            biased;
            () = context.shutdown.stopping().cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
    }
}
