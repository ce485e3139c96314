//! The bot service: the house's AI players, one for each level.
//!
//! **Owns** nothing: a bot is a player with an account, a token and no other way to a game than the public API. What it knows is in the turn
//! that it was given.
//!
//! **Promises** that a turn is answered once, with a legal move, soon: moves are chosen by `search` with a seed that the game and the ply
//! give, and carried by a command whose id they give too, so that two processes with one turn make one move. A long thought of one level does not
//! hold up another level. A bot neither plays on in a game that is over, nor passes before it is.
//!
//! **RPCs**: `nigiri.bot.v1.BotService`, read-only. Calls `SessionService.SignInBot` (with the secret of the services),
//! `GameService.WatchTurns`, `PlayMove`, `Pass`, `Resign`, and `MatchmakingService.OfferBot`.
//!
//! **On a crash** the turns that were being thought about go to another process of the same bots, by their lease; with none, they wait. A
//! process that drains takes no new turns and goes on with those that it has; what is not answered when it stops goes to another one likewise.

mod config;
mod house;
mod metrics;
mod player;
mod service;
mod thinker;
mod turn;

use std::sync::Arc;

use nigiri_client::{Client, Options, Service as Called};
use nigiri_proto::bot::v1::bot_service_server::BotServiceServer;
use platform::{Context, network::Peer, server::ServerBuilder};

pub use config::Args;
use house::House;
use player::Player;
use thinker::Thinker;

/// Puts the service into a node, and sets its bots to work as soon as the other services answer.
///
/// # Errors
/// When no address is configured for a service that the bots call.
#[expect(clippy::unused_async, reason = "every service is bound alike")]
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    let house = Arc::new(House::new());
    let client = client(context)?;
    let thinker = Thinker::new();
    for bot in house.bots() {
        let player = Player {
            bot: Arc::clone(bot),
            client: client.clone(),
            secret: context.service_secret.clone(),
            thinker: thinker.clone(),
            args: args.clone(),
            shutdown: context.shutdown.clone(),
        };
        context.shutdown.spawn(player.live());
    }
    server.add(BotServiceServer::new(service::Service::new(house)));
    Ok(())
}

/// A client that reaches each service where this process does.
fn client(context: &Context) -> anyhow::Result<Client> {
    let session = context.bare_channel(Peer::Session)?;
    let game = context.bare_channel(Peer::Game)?;
    let matchmaking = context.bare_channel(Peer::Matchmaking)?;
    // Bots ask for nobody's rating; there need not be a rating service where they run.
    let channel = |service| match service {
        Called::Session | Called::Rating => session.clone(),
        Called::Game => game.clone(),
        Called::Matchmaking => matchmaking.clone(),
    };
    Ok(Client::from_channels(channel, Options::default()))
}
