//! The game service: the authoritative referee of every game.
//!
//! Owns the games' logs and the archive. Promises: a move is acknowledged only when it is on disk; any replica serves any
//! game; a retry is harmless; a watcher who comes back misses nothing; a finished game is in the archive exactly once
//! before its log expires; time that our outages took is given back.
//!
//! RPCs: `nigiri.game.v1.GameService`. Writes the topics `finished` (once for each finished game) and `turns.<bot>`; reads
//! `finished` (group `archive`) to fill the archive.
//!
//! On a crash nothing is lost: what is cached here is a fold over the logs. Another replica decides the timeouts, archives
//! what has finished, and takes the streams.

mod archive;
pub mod codec;
mod config;
mod door;
mod error;
mod frame;
mod games;
mod live;
mod metrics;
mod service;
mod store;
mod topics;
mod turns;
mod watch;

use std::time::Duration;

use ledger::{Consumer, Delivery, Policy};
use platform::{Context, server::ServerBuilder};

pub use archive::replay;
pub use config::Args;
pub use error::Error;
use games::Games;
use store::Store;

/// The largest request: a game's settings with two names.
const LARGEST_REQUEST: usize = 16 * 1024;

/// Puts the service into a node.
///
/// # Errors
/// When the ledger is away.
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    let games = Games::new(context.ledger.clone(), Store::new(context.db.clone()));
    context.ledger.join(topics::FINISHED, archive::GROUP).await?;
    games.start(&context.shutdown);
    archive_finished(&games, args.log_keep, context);
    let service = service::Service::new(games, context.clone(), args.heartbeat);
    server.add(door::Door::new(service, LARGEST_REQUEST));
    Ok(())
}

/// Fills the archive in the background.
fn archive_finished(games: &Games, keep: Duration, context: &Context) {
    let consumer = Consumer {
        ledger: context.ledger.clone(),
        topic: topics::FINISHED.to_owned(),
        group: archive::GROUP.to_owned(),
        name: chance::uuid().to_string(),
        policy: Policy::default(),
    };
    let (games, stopping) = (games.clone(), context.shutdown.stopping().clone());
    context.shutdown.spawn(async move {
        let handle = move |delivery: Delivery| {
            let games = games.clone();
            async move { archive::archive(&games, keep, delivery).await }
        };
        consumer.run(handle, stopping).await;
    });
}
