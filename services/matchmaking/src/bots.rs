//! Bots: what they say of themselves, who they are, and which of them somebody may play by name.
//!
//! A bot's offer is a fact of the queue's log and stands for a while; a bot that does not repeat it is gone. How many games it plays is a matter of the log as well: see
//! the fold, `queue::bots`.

pub mod choice;
pub mod plays;

use std::{sync::Arc, time::Duration};

use kernel::{GameId, PlayerId};
use nigiri_proto::{
    game::v1::{Color, GameSettings, ListLiveGamesRequest, game_service_client::GameServiceClient},
    matchmaking::v1::{self as pb, ListReadyBotsRequest},
    rating::v1::{BatchGetRatingsRequest, rating_service_client::RatingServiceClient},
};
use platform::{network::ServiceChannel, status::Violation};
use tonic::{Response, Status};

use crate::{
    error::Error,
    games::Games,
    kinds::SIDES,
    players::Players,
    queue::{Offer, Queue},
    replica::Handle,
    ticket::{Bot, Player},
    wire,
};

use plays::Said;

/// A bot's offer stands this long.
pub const OFFER: Duration = Duration::from_secs(30);

/// A call of another service that takes longer is given up: what it would say can be done without.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Bots of a page, unless the caller says otherwise, and at most.
const USUAL: u32 = 50;
const MOST: u32 = 200;

/// Games of a bot that are looked at: more than a bot with a limit should have.
const LISTED: u32 = 200;

/// Bots, and what is asked about them elsewhere.
#[derive(Clone)]
pub struct Bots {
    /// The queue, in whose log they are.
    pub handle: Handle,
    /// Whether their games are over.
    pub games: Games,
    /// Who owns them.
    pub players: Players,
    /// The game service: which games they play.
    pub live: GameServiceClient<ServiceChannel>,
    /// The rating service: how strong they are among bots.
    pub ratings: RatingServiceClient<ServiceChannel>,
}

/// A bot that is ready, and how many more games it would begin; none for any number.
type Ready = (Bot, Option<u32>);

impl Bots {
    /// A bot is ready, or leaves. How many more games it would begin; none for any number.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`], [`Error::Draining`].
    pub async fn offer(&self, player: Player, said: Said) -> Result<Option<u32>, Error> {
        let id = player.id;
        let Said { level, accepts, max_games, leaving } = said;
        let known =
            move |queue: &Queue, _| (queue.bot(id).and_then(|bot| bot.owner.clone()), queue.games_of_bot(id));
        let (owner, seats) = self.handle.look(known).await?;
        let owner = match owner {
            None if !leaving => self.players.owner_of(id).await,
            known => known,
        };
        let games = if max_games > 0 { self.playing(id, &seats).await } else { None };
        let accepts: Arc<[_]> = accepts.into();
        let bot = Bot { player, level, expires: self.handle.now() + OFFER, accepts, max_games, owner };
        self.handle.offer(Offer { bot, leaving, games }).await?;
        self.handle.look(move |queue, _| queue.free_places(queue.bot(id)?)).await
    }

    /// The games that a bot plays now, as far as the game service lists them. A game is in that list until a moment after its end, so of those that are
    /// news it is looked whether they go on. None when that cannot be told: then what the log says counts on.
    async fn playing(&self, bot: PlayerId, known: &[GameId]) -> Option<Vec<GameId>> {
        let request = ListLiveGamesRequest {
            player_id: bot.to_string(),
            page_size: LISTED,
            ..ListLiveGamesRequest::default()
        };
        let mut client = self.live.clone();
        let listed = in_time("the games of a bot", client.list_live_games(request)).await?;
        let mut games = Vec::new();
        for game in listed.games.iter().filter_map(|game| game.game_id.parse().ok()) {
            let goes_on = async || self.games.is_over_now(game).await.is_ok_and(|over| !over);
            if known.contains(&game) || goes_on().await {
                games.push(game);
            }
        }
        Some(games)
    }

    /// A page of the bots that are ready, by name, and where the list goes on.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::LedgerSlow`], [`Error::Draining`].
    pub async fn list(&self, asked: ListReadyBotsRequest) -> Result<(Vec<pb::ReadyBot>, String), Error> {
        let size = match asked.page_size {
            0 => USUAL,
            size @ 1..=MOST => size,
            other => {
                let words = format!("{other} is out of range: 1 to {MOST}, or 0 for {USUAL}");
                return Err(Error::Invalid(vec![Violation::new("page_size", words)]));
            }
        };
        let ListReadyBotsRequest { settings, full_too, page_token, .. } = asked;
        let mut ready = self.ready(settings, full_too).await?;
        ready.retain(|(bot, _)| *bot.player.name > *page_token);
        ready.sort_unstable_by(|(a, _), (b, _)| a.player.name.cmp(&b.player.name));
        let more = ready.len() > size as usize;
        ready.truncate(size as usize);
        let next = ready.last().filter(|_| more).map(|(bot, _)| bot.player.name.to_string());
        let ratings = self.ratings_of(&ready).await;
        let shown = ready.into_iter().zip(ratings).map(|(ready, ratings)| show(ready, ratings)).collect();
        Ok((shown, next.unwrap_or_default()))
    }

    async fn ready(&self, settings: Option<GameSettings>, full_too: bool) -> Result<Vec<Ready>, Error> {
        let look = move |queue: &Queue, now| {
            let plays = |bot: &&Bot| {
                settings.as_ref().is_none_or(|settings| plays::declines(&bot.accepts, settings).is_empty())
            };
            let ready = queue.bots().filter(|bot| bot.expires > now).filter(plays);
            let ready = ready.map(|bot| (bot.clone(), queue.free_places(bot)));
            ready.filter(|(_, places)| full_too || *places != Some(0)).collect()
        };
        self.handle.look(look).await
    }

    /// The ratings of these bots among bots, for each those that it has. Where the rating service does not say, it is none.
    async fn ratings_of(&self, bots: &[Ready]) -> Vec<Vec<pb::BotRating>> {
        let player_ids: Vec<_> = bots.iter().map(|(bot, _)| bot.player.id.to_string()).collect();
        let mut found = vec![Vec::new(); bots.len()];
        if bots.is_empty() {
            return found;
        }
        let on = |side: u8| {
            let (mut client, player_ids) = (self.ratings.clone(), player_ids.clone());
            let request = BatchGetRatingsRequest { player_ids, board_size: side.into(), bots: true };
            async move { in_time("ratings of bots", client.batch_get_ratings(request)).await }
        };
        for answer in futures::future::join_all(SIDES.map(on)).await.into_iter().flatten() {
            for (found, rating) in found.iter_mut().zip(answer.ratings).filter(|(_, rating)| rating.games > 0)
            {
                let (board_size, points) = (rating.board_size, rating.points);
                found.push(pb::BotRating { board_size, points, provisional: rating.provisional });
            }
        }
        found
    }
}

fn show((bot, free_places): Ready, ratings: Vec<pb::BotRating>) -> pb::ReadyBot {
    let owner = bot.owner.as_ref();
    pb::ReadyBot {
        player: Some(wire::seat(&bot.player, Color::Unspecified, true)),
        owner_id: owner.map(|owner| owner.id.to_string()).unwrap_or_default(),
        owner_name: owner.map(|owner| owner.name.to_string()).unwrap_or_default(),
        level: bot.level.into(),
        accepts: bot.accepts.to_vec(),
        max_games: bot.max_games,
        free_places,
        ratings,
    }
}

/// The answer, or none when there is none in time.
async fn in_time<T>(what: &str, call: impl Future<Output = Result<Response<T>, Status>>) -> Option<T> {
    let problem = match tokio::time::timeout(TIMEOUT, call).await {
        Ok(Ok(answer)) => return Some(answer.into_inner()),
        Ok(Err(status)) => status.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    tracing::warn!(problem, what, "it goes on without");
    None
}
