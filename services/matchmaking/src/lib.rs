//! The matchmaking service: who meets whom.
//!
//! **Owns** the queue's log, `queue:main`: tickets, matches, offers of bots; and in the store challenges, and blocks.
//!
//! **Promises.** A player has one open ticket. A match counts only if each of its tickets is open at its place in the log, so
//! nobody is in two matches, whatever replicas propose. A ticket that counts is never lost: it ends by its player, by a
//! game, or by time that its player was away. A match becomes exactly one game, also when the replica that proposed it dies; so does a challenge that
//! is accepted. Who has blocked somebody does not meet them, whoever of the two was first in the queue.
//!
//! **RPCs in:** `MatchmakingService`, `ChallengeService` and `BlockService`, and `QueueService` for operators (see the protos). **Out:**
//! `GameService.CreateGame`, `CheckSettings`, `FindSeated`, `GetGame` and `ListLiveGames`, `RatingService.BatchGetRatings` and `BatchGetRatedBans`,
//! `SessionService.FindPlayer` and `GetPlayer`.
//! **Events:** in: the topic `accounts` (group `matchmaking`): tickets and challenges of players who are out end; the topic
//! `created` (the same group): who has begun a game elsewhere leaves the queue; the topic `finished` (the same group): a bot has a place for another game. Out: none but the entries of the queue's log, [`nigiri_proto::events::v1::QueueEntry`].
//!
//! **On a crash** of a replica its tickets stand until its lease ends (10 s after the last renewal). A player who calls any
//! other replica takes the ticket up, as soon as the dead replica has missed its renewals for 3 s, with the waiting time. Matches
//! whose game is not there after a second are finished by any other replica, or by the same one when it starts again.
//! While the ledger is away nothing changes and calls wait; afterwards, tickets whose streams live go on where they were.
//!
//! A bot that states how many games it plays at once gets no more: each counts from its place in the log on, so that replicas agree about the last place.
//!
//! The parts: [`queue`] folds the log, [`kinds`] are the games that can be asked for, the crate [`pairing`] decides who suits whom, [`wave`] turns all
//! into proposals, [`bots`] are offered and chosen, [`replica`] follows and writes the log, [`search`] is the stream of one player.

mod accounts;
mod ai_game;
mod begun;
mod blocked;
pub mod bots;
pub mod challenge;
mod challenge_service;
mod config;
mod error;
mod finished;
mod games;
pub mod kinds;
mod metrics;
mod oversight;
mod players;
pub mod queue;
mod ratings;
pub mod replica;
mod request;
pub mod search;
mod service;
pub mod store;
pub mod ticket;
pub mod wave;
mod wire;

use nigiri_proto::{
    game::v1::game_service_client::GameServiceClient,
    matchmaking::v1::{
        block_service_server::BlockServiceServer, challenge_service_server::ChallengeServiceServer,
        matchmaking_service_server::MatchmakingServiceServer, queue_service_server::QueueServiceServer,
    },
    rating::v1::rating_service_client::RatingServiceClient,
};
use platform::{
    Context, config::RatedArgs, network::Peer, server::ServerBuilder, tower::Settings as Switches,
};

pub use config::Args;
pub use error::Error;
pub use games::Games;
pub use ratings::Ratings;

use crate::{
    blocked::{Blocked, Promised},
    bots::Bots,
    challenge::{Challenges, Feed},
    oversight::Oversight,
    players::Players,
    replica::{Handle, Outside},
    search::Search,
    service::Service,
    store::Store,
};

/// This service's group of the consumers of topics.
const GROUP: &str = "matchmaking";

/// Adds the matchmaking service to a server, and begins to follow the queue in the background.
///
/// # Errors
/// When the queue's log cannot be read, or another service has no address.
pub async fn bind(
    args: Args,
    rated: RatedArgs,
    context: &Context,
    server: &mut ServerBuilder,
) -> anyhow::Result<()> {
    metrics::describe();
    let games = Games::new(context.channel("matchmaking", Peer::Game)?);
    let ratings = Ratings::new(context.channel("matchmaking", Peer::Rating)?);
    let (patience, public_url) = (args.patience(), args.matchmaking_public_url.clone());
    let players = Players::new(context.channel("matchmaking", Peer::Session)?);
    let store = Store::new(context.db.clone());
    let blocked = Blocked::new(store.clone());
    let outside = Outside {
        games: games.clone(),
        ratings: ratings.clone(),
        blocked: blocked.clone(),
        promised: Promised::new(store.clone(), context.ledger.clone()),
    };
    let handle = Handle::start(args, context.ledger.clone(), outside, &context.shutdown).await?;
    accounts::follow(&handle, &store, context).await?;
    begun::follow(&handle, &games, context).await?;
    finished::follow(&handle, context).await?;
    let bots = Bots {
        handle: handle.clone(),
        games: games.clone(),
        players: players.clone(),
        live: GameServiceClient::new(context.channel("matchmaking", Peer::Game)?),
        ratings: RatingServiceClient::new(context.channel("matchmaking", Peer::Rating)?),
    };
    context.shutdown.spawn_until_stopping(heed_pauses(handle.clone(), context.switches().settings()));
    server.add(QueueServiceServer::new(Oversight(handle.clone())));
    let draining = context.shutdown.draining().clone();
    let challenges = Challenges {
        store: store.clone(),
        games: games.clone(),
        players,
        ratings: ratings.clone(),
        handle: handle.clone(),
        feed: Feed::default(),
        public_url,
        rated_guests: rated.rated_guests,
    };
    context.shutdown.spawn_until_stopping(challenge::tend(challenges.clone()));
    let agreed = challenge_service::Service { challenges, draining: draining.clone() };
    server.add(ChallengeServiceServer::new(agreed.clone()));
    server.add(BlockServiceServer::new(agreed));
    let search = Search { handle, ratings, games, blocked, patience, draining };
    let service = Service { search, bots, rated_guests: rated.rated_guests };
    server.add(MatchmakingServiceServer::new(service));
    Ok(())
}

/// Makes no matches while operators do not want any.
async fn heed_pauses(handle: Handle, mut switches: tokio::sync::watch::Receiver<Switches>) {
    loop {
        let paused = switches.borrow_and_update().matchmaking_paused;
        handle.pause(paused);
        if switches.changed().await.is_err() {
            return;
        }
    }
}
