//! The rating service: how strong somebody is.
//!
//! **Owns** the tables `player_ratings`, `rated_games`, `rating_history`, `rating_buckets` and the others named `rating_...`: Elo, a pool for each
//! board size, and as many for programs.
//!
//! **Promises** that every rated game counts exactly once, whatever is delivered however often, in whatever order, to however many replicas: what
//! comes out depends on the games alone, as they finished one after another. The sum of the ratings of a pool is the first rating times
//! its players, to the last millionth. A game counts in one transaction: both ratings, both histories, the leaderboards' counts and the
//! game's mark, under locks of both players' rows. One that comes late is put in its place, and what followed is computed anew.
//!
//! **In**: the topic `finished` ([`counter`]), with the consumer group `rating`; the games' logs and the archive, for when a game finished. A game
//! counts if it was agreed to be rated, without handicap, both players are people, and it ended with a result: not by an abort, not by
//! repetition, not by our fault; and if its pair does not play each other too often ([`abuse`]). Games between two programs count
//! among programs. What makes no sense is tried again and ends among the dead letters. While the store is away nothing is lost
//! and nothing is set aside: the games wait.
//!
//! **Out**: the RPCs of `nigiri.rating.v1`, those that read for everybody with a token, those that decide for operators.
//!
//! **On a crash** a notice that was not acknowledged is delivered again, here or to another replica; if its game had counted already, its mark is
//! found and nothing happens. [`recompute`] replays the archive and reports every difference.

pub mod abuse;
mod config;
pub mod counter;
pub mod elo;
mod error;
mod examine;
mod lag;
mod lapse;
pub mod leaders;
mod metrics;
pub mod notice;
mod pool;
pub mod recompute;
pub mod record;
mod reply;
mod request;
mod service;
pub mod store;
mod token;

use nigiri_proto::rating::v1::rating_service_server::RatingServiceServer;
use platform::{Context, server::ServerBuilder};

use crate::{counter::Counter, service::Service, store::Store};

pub use config::Args;
pub use error::Error;
pub use pool::Pool;

/// Adds the service to a server, and begins to count finished games.
///
/// # Errors
/// When the store's schema is not up to date, or games have counted by other numbers than these.
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    context.db.check_schema().await?;
    let store = Store::open(context.db.clone(), args.rules()).await?;
    let counter = Counter::new(store.clone(), context.ledger.clone());
    context.shutdown.spawn(counter.run(args.policy(), context.shutdown.stopping().clone()));
    context.shutdown.spawn(lag::measure(context.clone(), args.rating_lag_interval));
    context.shutdown.spawn(lapse::lapse(store.clone(), context.clone(), args.rating_lapse_interval));
    server.add(RatingServiceServer::new(Service::new(store, context.ledger.clone())));
    Ok(())
}
