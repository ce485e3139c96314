//! The rating service: how strong somebody is.
//!
//! **Owns** the tables `ratings`, `rated_games` and `rating_history`: an Elo pool for each board size.
//!
//! **Promises** that every rated game counts exactly once, whatever is delivered however often to however many replicas, and that the sum of the
//! ratings of a pool's players is 1,200 times their number, to the last millionth. A game counts in one transaction: both ratings, both histories
//! and the game's mark. Games of one player count one after another, under a lock of the player's row.
//!
//! **In**: the topic `finished` ([`counter`]), with the consumer group `rating`. A game counts if it was agreed to be rated, both players
//! are people, and it ended with a result: not by an abort, not by repetition. What makes no sense is tried again and ends
//! among the dead letters. While the store is away nothing is lost and nothing is set aside: the games wait.
//!
//! **Out**: the read-only RPCs of `nigiri.rating.v1`, for everybody with a token.
//!
//! **On a crash** a notice that was not acknowledged is delivered again, here or to another replica; if its game had counted already, its mark is
//! found and nothing happens. The order in which games count is the order in which their transactions commit: `rating_history` numbers each
//! player's games by it, so that a replay of the marks gives the same ratings.

mod config;
pub mod counter;
pub mod elo;
mod error;
mod lag;
pub mod leaders;
mod metrics;
pub mod notice;
mod pool;
mod request;
mod service;
pub mod store;

use nigiri_proto::rating::v1::rating_service_server::RatingServiceServer;
use platform::{Context, server::ServerBuilder};

use crate::{counter::Counter, service::Service, store::Store};

pub use config::Args;
pub use error::Error;
pub use pool::Pool;

/// Adds the service to a server, and begins to count finished games.
///
/// # Errors
/// When the store's schema is not up to date.
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    context.db.check_schema().await?;
    let store = Store::new(context.db.clone());
    let counter = Counter::new(store.clone(), context.ledger.clone());
    context.shutdown.spawn(counter.run(args.policy(), context.shutdown.stopping().clone()));
    context.shutdown.spawn(lag::measure(context.clone(), args.rating_lag_interval));
    server.add(RatingServiceServer::new(Service::new(store)));
    Ok(())
}
