//! Follows the topic of finished games until the process stops.

use std::time::Duration;

use ledger::{Delivery, Unavailable};
use platform::Context;
use uuid::Uuid;

use crate::counter::{Counter, GROUP, TOPIC};

const BATCH: usize = 16;
const IDLE: Duration = Duration::from_secs(30);
const WAIT: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 5;

pub(crate) async fn run(counter: Counter, context: Context) {
    let name = Uuid::now_v7().to_string();
    while !context.shutdown.stopping().is_cancelled() {
        let round = round(&counter, &context, &name);
        if let Err(error) = round.await {
            tracing::warn!(%error, "cannot follow the finished games");
            tokio::time::sleep(WAIT).await;
        }
    }
}

async fn round(counter: &Counter, context: &Context, name: &str) -> Result<(), Unavailable> {
    let ledger = &context.ledger;
    let mut deliveries = ledger.claim(TOPIC, GROUP, name, IDLE, BATCH).await?;
    if deliveries.is_empty() {
        deliveries = ledger.fetch(TOPIC, GROUP, name, BATCH, WAIT).await?;
    }
    for delivery in deliveries {
        deal_with(counter, context, name, delivery).await?;
    }
    Ok(())
}

async fn deal_with(
    counter: &Counter,
    context: &Context,
    name: &str,
    delivery: Delivery,
) -> Result<(), Unavailable> {
    let ledger = &context.ledger;
    match counter.deal_with(&delivery.payload).await {
        Ok(()) => ledger.acknowledge(TOPIC, GROUP, std::slice::from_ref(&delivery.id)).await,
        Err(error) if delivery.attempt >= ATTEMPTS => {
            ledger.bury(TOPIC, GROUP, &delivery, &error.to_string()).await
        }
        Err(_) => ledger.release(TOPIC, GROUP, name, &delivery.id).await,
    }
}
