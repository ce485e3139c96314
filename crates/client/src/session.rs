use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use bytes::Bytes;
use http::HeaderValue;
use kernel::{GameId, PlayerId};
use nigiri_proto::{
    game::v1::{
        AnswerPingRequest, Color, GameSettings, ListLiveGamesRequest, ListLiveGamesResponse,
        game_service_client::GameServiceClient,
    },
    matchmaking::v1::{
        AiLevel, CancelTicketRequest, FindMatchRequest, ListReadyBotsRequest, ListReadyBotsResponse,
        OfferBotRequest, OfferBotResponse, StartAiGameRequest, StartAiGameResponse,
        matchmaking_service_client::MatchmakingServiceClient,
    },
    rating::v1::{
        BatchGetRatingsRequest, GetGameRatingRequest, GetGameRatingResponse, GetRatingRequest, Rating,
        rating_service_client::RatingServiceClient,
    },
    session::v1::{CreateBotRequest, Player, Tokens, session_service_client::SessionServiceClient},
};
use tokio::time::Instant;
use tonic::{Response, Status};

use crate::{
    Client, Error, FindMatch, Game, PlayStream, Service, SessionChannel, Turns,
    retry::{Ended, until_answered},
    token::Credentials,
};

/// How a session gets new tokens.
#[derive(Clone)]
pub(crate) enum Renewal {
    /// By its refresh token.
    Refresh,
    /// By its refresh token, and by the bot's secret when that is not good any more.
    Bot { name: String, secret: String },
}

type Keeper = Box<dyn Fn(&Player, &Tokens) + Send + Sync>;

/// Somebody who is signed in. Cheap to clone; all clones share the tokens.
#[derive(Clone)]
pub struct Session(Arc<Shared>);

struct Shared {
    client: Client,
    credentials: RwLock<Credentials>,
    renewal: Renewal,
    renewing: tokio::sync::Mutex<()>,
    keeper: Mutex<Option<Keeper>>,
    /// Proofs of the network delay, of games that are followed.
    delays: Mutex<HashMap<GameId, Bytes>>,
}

impl Session {
    pub(crate) fn new(
        client: Client,
        player: Player,
        tokens: Tokens,
        renewal: Renewal,
    ) -> Result<Self, Error> {
        let credentials = RwLock::new(Credentials::new(player, tokens, 0, Instant::now())?);
        let renewing = tokio::sync::Mutex::new(());
        let (keeper, delays) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Shared { client, credentials, renewal, renewing, keeper, delays })))
    }

    /// Goes on with tokens that were kept, without asking the server.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the access token cannot be one.
    pub fn from_tokens(client: &Client, player: Player, tokens: Tokens) -> Result<Self, Error> {
        Self::new(client.clone(), player, tokens, Renewal::Refresh)
    }

    /// Calls `keep` with the tokens: now, and after each renewal before they are used.
    pub fn keep_tokens(&self, keep: impl Fn(&Player, &Tokens) + Send + Sync + 'static) {
        let mut keeper = self.0.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let credentials = self.credentials();
        keep(&credentials.player, &credentials.tokens);
        *keeper = Some(Box::new(keep));
    }

    /// Who is signed in.
    pub fn player(&self) -> Player {
        self.credentials().player
    }

    /// The player's id.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the server gave something else.
    pub fn player_id(&self) -> Result<PlayerId, Error> {
        self.player().id.parse().map_err(|_| Error::Malformed("a player's id that is no id"))
    }

    /// The tokens.
    pub fn tokens(&self) -> Tokens {
        self.credentials().tokens
    }

    /// The client that it was made by.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// A game, to play or to watch. Asks nobody yet.
    pub fn game(&self, id: GameId) -> Game {
        Game::new(self.clone(), id)
    }

    /// Looks for an opponent, until there is a game.
    pub fn find_match(&self, request: FindMatchRequest) -> FindMatch {
        FindMatch::new(self.clone(), request)
    }

    /// Follows the turns of this bot, at most `capacity` at once (1 to 64).
    pub fn turns(&self, capacity: u32) -> Turns {
        Turns::new(self.clone(), capacity)
    }

    /// Closes the player's ticket for good.
    ///
    /// # Errors
    /// [`Error::Refused`] (`NO_TICKET`, `TICKET_MATCHED`); else as [`Session::call`].
    pub async fn cancel_ticket(&self) -> Result<(), Error> {
        let call = self.call(Service::Matchmaking, |channel| async move {
            MatchmakingServiceClient::new(channel).cancel_ticket(CancelTicketRequest {}).await
        });
        call.await.map(|_| ())
    }

    /// Begins a game without a clock against an AI; [`Color::Unspecified`] for a random colour. Waits for a bot to be ready.
    ///
    /// # Errors
    /// [`Error::Refused`] (`ALREADY_PLAYING`); [`Error::Unreachable`] also when no bot of that level was ready in time.
    pub async fn start_ai_game(&self, level: AiLevel, color: Color) -> Result<StartAiGameResponse, Error> {
        self.start_ai_game_of(level, color, None).await
    }

    /// Likewise, of these settings; none for `quick` without a clock.
    ///
    /// # Errors
    /// [`Error::Refused`] (`INVALID_SETTINGS`, with everything that is wrong); else as [`Session::start_ai_game`].
    pub async fn start_ai_game_of(
        &self,
        level: AiLevel,
        color: Color,
        settings: Option<GameSettings>,
    ) -> Result<StartAiGameResponse, Error> {
        let (level, color) = (level.into(), color.into());
        let request = StartAiGameRequest { level, color, settings, ..StartAiGameRequest::default() };
        self.begin(request).await
    }

    /// Begins an unrated game against the bot of this name: of these settings, or the first that it plays. [`Session::ready_bots`] has those that are ready.
    ///
    /// # Errors
    /// [`Error::Refused`] (`BOT_NOT_READY`, `BOT_DECLINES` with what it would play, `BOT_FULL`, `PLAYER_NOT_FOUND`, `BLOCKED`, `INVALID_SETTINGS`); else as
    /// [`Session::call`].
    pub async fn start_bot_game(
        &self,
        bot_name: &str,
        color: Color,
        settings: Option<GameSettings>,
    ) -> Result<StartAiGameResponse, Error> {
        let (bot_name, color) = (bot_name.to_owned(), color.into());
        let request = StartAiGameRequest { bot_name, color, settings, ..StartAiGameRequest::default() };
        self.begin(request).await
    }

    async fn begin(&self, request: StartAiGameRequest) -> Result<StartAiGameResponse, Error> {
        let request = StartAiGameRequest { request_id: crate::game::new_id(), ..request };
        self.call(Service::Matchmaking, |channel| {
            let request = request.clone();
            async move { MatchmakingServiceClient::new(channel).start_ai_game(request).await }
        })
        .await
    }

    /// Games that are played now, a page at a time, newest first.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub async fn live_games(&self, request: &ListLiveGamesRequest) -> Result<ListLiveGamesResponse, Error> {
        self.call(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).list_live_games(request).await }
        })
        .await
    }

    /// Makes a bot account of the caller's, and gives it with its secret; with the name of a bot that the caller has, a new secret.
    ///
    /// # Errors
    /// [`Error::Refused`] (`ACCOUNT_REQUIRED`, `TOO_MANY_BOTS`, `NAME_TAKEN`, `NICKNAME_...`); else as [`Session::call`].
    pub async fn create_bot(&self, name: &str) -> Result<(Player, String), Error> {
        let request = CreateBotRequest { name: name.to_owned() };
        let answer = self.call(Service::Session, |channel| {
            let request = request.clone();
            async move { SessionServiceClient::new(channel).create_bot(request).await }
        });
        let answer = answer.await?;
        let bot = answer.bot.ok_or(Error::Malformed("a bot account without a player"))?;
        Ok((bot, answer.secret))
    }

    /// Says that this bot is ready to play at this level. How long that stands: say it again well before then.
    ///
    /// # Errors
    /// [`Error::Refused`] (`ROLE_REQUIRED`) for whoever is no bot; else as [`Session::call`].
    pub async fn offer_bot(&self, level: AiLevel) -> Result<Duration, Error> {
        let offered =
            self.offer_bot_of(OfferBotRequest { level: level.into(), ..OfferBotRequest::default() });
        let valid_for = offered.await?.valid_for.unwrap_or_default();
        Ok(valid_for.try_into().unwrap_or_default())
    }

    /// Says what this bot would play and how many games at once, or that it leaves; see [`OfferBotRequest`].
    ///
    /// # Errors
    /// [`Error::Refused`] (`INVALID_REQUEST`, with everything that is wrong); else as [`Session::offer_bot`].
    pub async fn offer_bot_of(&self, request: OfferBotRequest) -> Result<OfferBotResponse, Error> {
        self.call(Service::Matchmaking, |channel| {
            let request = request.clone();
            async move { MatchmakingServiceClient::new(channel).offer_bot(request).await }
        })
        .await
    }

    /// Bots that are ready to play, a page at a time, by name: see [`Session::start_bot_game`].
    ///
    /// # Errors
    /// As [`Session::call`].
    pub async fn ready_bots(&self, request: ListReadyBotsRequest) -> Result<ListReadyBotsResponse, Error> {
        self.call(Service::Matchmaking, |channel| {
            let request = request.clone();
            async move { MatchmakingServiceClient::new(channel).list_ready_bots(request).await }
        })
        .await
    }

    /// A player's rating in the pool of this board size.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub async fn rating(&self, player: PlayerId, board_size: u32) -> Result<Rating, Error> {
        let request =
            GetRatingRequest { player_id: player.to_string(), board_size, ..GetRatingRequest::default() };
        let answer = self.call(Service::Rating, |channel| {
            let request = request.clone();
            async move { RatingServiceClient::new(channel).get_rating(request).await }
        });
        answer.await?.rating.ok_or(Error::Malformed("a rating without a rating"))
    }

    /// Ratings of at most 1,000 players in the pool of this board size, in their order.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub async fn ratings_of(&self, players: &[PlayerId], board_size: u32) -> Result<Vec<Rating>, Error> {
        let player_ids = players.iter().map(ToString::to_string).collect();
        let request = BatchGetRatingsRequest { player_ids, board_size, ..BatchGetRatingsRequest::default() };
        let answer = self.call(Service::Rating, |channel| {
            let request = request.clone();
            async move { RatingServiceClient::new(channel).batch_get_ratings(request).await }
        });
        Ok(answer.await?.ratings)
    }

    /// What a rated game changed.
    ///
    /// # Errors
    /// [`Error::Refused`] (`NOT_RATED`) until it has counted; else as [`Session::call`].
    pub async fn game_rating(&self, game: GameId) -> Result<GetGameRatingResponse, Error> {
        let request = GetGameRatingRequest { game_id: game.to_string() };
        self.call(Service::Rating, |channel| {
            let request = request.clone();
            async move { RatingServiceClient::new(channel).get_game_rating(request).await }
        })
        .await
    }

    /// Calls a service until there is an answer: `attempt` makes one attempt over the channel that it is given. It must be harmless
    /// to make it again after an attempt whose end is unknown.
    ///
    /// # Errors
    /// [`Error::Refused`] when the server says no; [`Error::Unreachable`] when nobody answered for [`crate::Options::retry_for`];
    /// [`Error::SignedOut`] when the session has ended.
    pub async fn call<T, A, F>(&self, service: Service, attempt: A) -> Result<T, Error>
    where
        A: Fn(SessionChannel) -> F,
        F: Future<Output = Result<Response<T>, Status>>,
    {
        self.call_uncertain(service, attempt).await.result
    }

    /// Likewise, and tells whether an attempt before the last may have had an effect.
    pub(crate) async fn call_uncertain<T, A, F>(&self, service: Service, attempt: A) -> Ended<T>
    where
        A: Fn(SessionChannel) -> F,
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let route = self.0.client.route(service);
        until_answered(self.0.client.options(), route, |way| {
            let channel = SessionChannel::new(self.clone(), Arc::clone(route), way);
            attempt(channel.within(self.0.client.timeout_header()))
        })
        .await
    }

    /// Answers a ping of a game's stream, and keeps what that proves.
    pub(crate) fn answer_ping(&self, game: GameId, token: Bytes) {
        let session = self.clone();
        tokio::spawn(async move {
            let request = AnswerPingRequest { game_id: game.to_string(), token };
            // One attempt: what is tried again would measure the pause as well. The next ping comes with a turn.
            match session.games().answer_ping(request).await {
                Ok(answer) => {
                    session.delays().insert(game, answer.into_inner().proof);
                }
                Err(status) => tracing::debug!(%status, "a ping could not be answered"),
            }
        });
    }

    /// The proof of the network delay in a game; empty for none.
    pub(crate) fn delay_proof(&self, game: GameId) -> Bytes {
        self.delays().get(&game).cloned().unwrap_or_default()
    }

    /// Nothing of this game has to be proven any more.
    pub(crate) fn forget_delay(&self, game: GameId) {
        self.delays().remove(&game);
    }

    fn delays(&self) -> MutexGuard<'_, HashMap<GameId, Bytes>> {
        self.0.delays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One stream for many games. Must be called within a tokio runtime; connects when it is first used.
    pub fn play_stream(&self) -> PlayStream {
        PlayStream::new(self.clone())
    }

    /// A channel to a service at the address in use.
    pub fn channel(&self, service: Service) -> SessionChannel {
        let route = self.0.client.route(service);
        SessionChannel::new(self.clone(), Arc::clone(route), route.pick())
    }

    /// The generated client of the game service, for one call; nothing is tried again.
    pub fn games(&self) -> GameServiceClient<SessionChannel> {
        GameServiceClient::new(self.channel(Service::Game))
    }

    /// The generated client of the matchmaking service, for one call; nothing is tried again.
    pub fn matchmaking(&self) -> MatchmakingServiceClient<SessionChannel> {
        MatchmakingServiceClient::new(self.channel(Service::Matchmaking))
    }

    /// The generated client of the rating service, for one call; nothing is tried again.
    pub fn ratings(&self) -> RatingServiceClient<SessionChannel> {
        RatingServiceClient::new(self.channel(Service::Rating))
    }

    /// The generated client of the session service, for one call; nothing is tried again.
    pub fn sessions(&self) -> SessionServiceClient<SessionChannel> {
        SessionServiceClient::new(self.channel(Service::Session))
    }

    /// The generation of the tokens in use.
    pub(crate) fn generation(&self) -> u64 {
        self.read().generation
    }

    /// The metadata for a call, renewed if that is due, and its generation. While the old token may still hold, a renewal that
    /// fails is put off.
    pub(crate) async fn authorization(&self) -> Result<(HeaderValue, u64), Error> {
        let (header, generation, rejected) = {
            let credentials = self.read();
            if !credentials.is_due(Instant::now()) {
                return Ok((credentials.header.clone(), credentials.generation));
            }
            (credentials.header.clone(), credentials.generation, credentials.rejected)
        };
        let session = self.clone();
        // A task of its own: a call that is given up must not take the renewal with it, whose refresh token is good only once.
        let renewed = tokio::spawn(async move { session.renew(generation).await }).await;
        match renewed.unwrap_or(Err(Error::Malformed("a renewal that did not end"))) {
            Ok(()) => {
                let credentials = self.read();
                Ok((credentials.header.clone(), credentials.generation))
            }
            Err(_) if !rejected => {
                self.write(|credentials| credentials.put_off(Instant::now()));
                Ok((header, generation))
            }
            Err(error) => Err(error),
        }
    }

    /// Says that the server has refused the token of this generation as expired.
    pub(crate) fn reject(&self, generation: u64) {
        self.write(|credentials| credentials.rejected |= credentials.generation == generation);
    }

    /// Gets new tokens, unless somebody has got newer ones than those of this generation already.
    async fn renew(&self, generation: u64) -> Result<(), Error> {
        let _one_at_a_time = self.0.renewing.lock().await;
        let current = self.credentials();
        if current.generation != generation {
            return Ok(());
        }
        let client = &self.0.client;
        let refreshed = client.refresh(&current.tokens.refresh_token).await;
        let (player, tokens) = match (refreshed, &self.0.renewal) {
            (Err(Error::SignedOut(_) | Error::Refused(_)), Renewal::Bot { name, secret }) => {
                client.bot_tokens(name, secret).await?
            }
            (refreshed, _) => refreshed?,
        };
        let tokens = tokens.ok_or(Error::Malformed("a renewal without tokens"))?;
        let player = player.unwrap_or(current.player);
        let renewed = Credentials::new(player, tokens, generation + 1, Instant::now())?;
        if let Some(keep) = &*self.0.keeper.lock().unwrap_or_else(PoisonError::into_inner) {
            keep(&renewed.player, &renewed.tokens);
        }
        self.write(|credentials| *credentials = renewed);
        Ok(())
    }

    fn credentials(&self) -> Credentials {
        self.read().clone()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Credentials> {
        self.0.credentials.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut Credentials)) {
        change(&mut self.0.credentials.write().unwrap_or_else(PoisonError::into_inner));
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("player", &self.read().player.id).finish_non_exhaustive()
    }
}
