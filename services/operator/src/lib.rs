//! The operator service: the tower, from which everything is seen and acted upon.
//!
//! **Owns** the tables `operator_acts` (the audit log) and `operator_switches`, and looks at `replicas`, which every process writes
//! ([`platform::tower`]).
//!
//! **Promises** that every act of an operator is in the audit log, with who, what, why and when, before it is done, and with its outcome after
//! that. What it sees it asks the services for, with the operator's own token: nobody can do here what they may not do there.
//!
//! **RPCs in:** `nigiri.operator.v1.OperatorService`. **Out:** `OversightService` and `GameService` of the game service, `QueueService` of
//! matchmaking, `AccountsService` and `SessionService` of the session service, `RatingService`. **Events:** none; it lists, replays and
//! discards the dead letters of all groups.
//!
//! **On a crash** between an act and its outcome the audit log says that it has begun. Each act may be repeated.

mod audit;
mod config;
mod error;
mod letters;
mod metrics;
mod overview;
mod peers;
mod request;
mod service;
mod store;

use std::time::Duration;

use nigiri_proto::operator::v1::operator_service_server::OperatorServiceServer;
use platform::{Context, server::ServerBuilder};

pub use config::Args;
pub use error::Error;

use crate::{audit::Audit, peers::Peers, service::Service, store::Store};

/// The largest request: a notice takes far less.
const LARGEST_REQUEST: usize = 16 * 1024;

/// How often consumer groups are measured.
const MEASURE: Duration = Duration::from_secs(15);

/// How often acts that are too old are dropped.
const SWEEP: Duration = Duration::from_secs(3600);

/// Puts the service on a server.
///
/// # Errors
/// When another service has no address.
#[expect(clippy::unused_async, reason = "every service's bind is awaited")]
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    let store = Store::new(context.db.clone());
    let peers = Peers::new(context)?;
    let audit = Audit::new(store.clone(), context.clock.clone());
    let keep = args.operator_acts_keep;
    context.shutdown.spawn_until_stopping(sweep(store.clone(), context.clone(), keep));
    context.shutdown.spawn_until_stopping(measure(context.clone()));
    let service = OperatorServiceServer::new(Service::new(store, peers, audit, context.clone()));
    server.add(service.max_decoding_message_size(LARGEST_REQUEST));
    Ok(())
}

/// Drops acts that are too old.
async fn sweep(store: Store, context: Context, keep: Duration) {
    loop {
        match store.drop_acts_before(context.clock.now() - keep).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "old acts have left the audit log"),
            Err(error) => tracing::warn!(%error, "cannot drop old acts: trying again later"),
        }
        tokio::time::sleep(SWEEP).await;
    }
}

/// Shows how far consumer groups are behind, and how many dead letters they have.
async fn measure(context: Context) {
    loop {
        match letters::groups(&context.ledger).await {
            Ok(groups) => metrics::groups(&groups),
            Err(error) => tracing::debug!(%error, "cannot measure the consumer groups"),
        }
        tokio::time::sleep(MEASURE).await;
    }
}
