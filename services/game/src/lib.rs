//! The game service: the authoritative referee of every game.
//!
//! Owns the games' logs and the archive. Promises: a move is acknowledged only when it is on disk; any replica serves any
//! game; a retry is harmless; a watcher who comes back misses nothing; a finished game is in the archive exactly once
//! before its log expires; time that our outages took is given back.
//!
//! RPCs: `nigiri.game.v1.GameService`, `nigiri.game.v1.PlayService` for programs with many games on one stream, and
//! `nigiri.game.v1.OversightService` for operators. Writes the
//! topics `created` and `finished` (once for each game) and `turns.<bot>`; reads `finished` (group `archive`) to fill the archive, and
//! `created` (group `live`) to list the games that are played.
//!
//! On a crash nothing is lost: what is cached here is a fold over the logs. Another replica decides the timeouts, archives
//! what has finished, and takes the streams.

mod accounts;
mod archive;
pub mod audit;
mod begun;
mod bells;
pub mod codec;
mod config;
mod delay;
mod door;
mod error;
mod estimates;
mod export;
mod frame;
mod games;
mod inquiry;
mod lists;
mod live;
mod metrics;
mod oversight;
mod play;
mod presence;
mod private;
mod seated;
mod service;
mod sgf;
mod store;
#[cfg(test)]
mod testing;
mod topics;
mod turns;
mod wanted;
mod watch;

use std::{sync::Arc, time::Duration};

use ledger::Policy;
use nigiri_proto::game::v1::oversight_service_server::OversightServiceServer;
use platform::{Context, auth::ACCOUNTS, server::ServerBuilder};

pub use archive::replay;
pub use codec::read_entry;
pub use config::Args;
pub use error::Error;
use games::Games;
use presence::Presence;
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
    context.ledger.join(topics::CREATED, begun::GROUP).await?;
    context.ledger.join(ACCOUNTS, accounts::GROUP).await?;
    let presence = Presence::new(games.clone(), presence::steady_clock(), args.patience());
    games.start(&context.shutdown, &presence);
    presence.start(&context.shutdown);
    context.shutdown.spawn_until_stopping(inquiry::answer(games.clone(), context.replica()));
    archive_finished(&games, args.log_keep, context);
    list_begun(&games, context);
    heed_accounts(&games, context);
    let service = Arc::new(service::Service::new(games, presence, context.clone(), args.manner()));
    let oversight = oversight::Oversight(Arc::clone(&service));
    server.add(OversightServiceServer::new(oversight).max_decoding_message_size(LARGEST_REQUEST));
    server.add(play::Play::new(Arc::clone(&service), LARGEST_REQUEST));
    server.add(door::Door::new(service, LARGEST_REQUEST));
    Ok(())
}

/// Fills the archive in the background.
fn archive_finished(games: &Games, keep: Duration, context: &Context) {
    let games = games.clone();
    context.consume(topics::FINISHED, archive::GROUP, Policy::default(), move |delivery| {
        let games = games.clone();
        async move { archive::archive(&games, keep, delivery).await }
    });
}

/// Fills the list of live games in the background.
fn list_begun(games: &Games, context: &Context) {
    let lister = begun::Lister::new(games.clone());
    let policy = Policy { batch: begun::MOST, ..Policy::default() };
    context.consume(topics::CREATED, begun::GROUP, policy, move |delivery| {
        let lister = lister.clone();
        async move { lister.list(delivery).await }
    });
}

/// Acts on what happens to accounts in the background.
fn heed_accounts(games: &Games, context: &Context) {
    context.shutdown.spawn_until_stopping(accounts::follow(games.clone(), context.clone()));
    let games = games.clone();
    context.consume(ACCOUNTS, accounts::GROUP, Policy::default(), move |delivery| {
        let games = games.clone();
        async move { accounts::act(&games, delivery).await }
    });
}
