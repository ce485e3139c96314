//! Stand-ins for the services that matchmaking calls. They keep their promises and nothing more.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jsonwebtoken::{
    Algorithm, EncodingKey, Header,
    jwk::{Jwk, JwkSet},
};
use nigiri_proto::{
    game::v1::{
        CheckSettingsRequest, CheckSettingsResponse, CreateGameRequest, CreateGameResponse,
        FindSeatedRequest, FindSeatedResponse, GameCreated, GameEvent, GameFinished, GameRecord, GameSummary,
        GetGameRequest, GetGameResponse, ListLiveGamesRequest, ListLiveGamesResponse, RecordEntry,
        SeatedPlayer, game_event::Event, game_service_server::GameService, time_control::Control,
    },
    rating::v1::{
        BatchGetRatedBansRequest, BatchGetRatedBansResponse, BatchGetRatingsRequest, BatchGetRatingsResponse,
        RatedBan, Rating, rating_service_server::RatingService,
    },
    session::v1::{
        FindPlayerRequest, FindPlayerResponse, GetKeysRequest, GetKeysResponse, GetPlayerRequest,
        GetPlayerResponse, Player, SignInServiceRequest, SignInServiceResponse, Tokens,
        session_service_server::SessionService,
    },
};
use parking_lot::Mutex;
use platform::{
    auth::{AUDIENCE, Claims, ISSUER, Role, caller},
    convert::to_proto_time,
    status::{Failure, Reason, Violation},
};
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use crate::world::START;

/// What the game service does with a new game.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    #[default]
    Makes,
    Away,
    /// Refuses games in which this player sits, and names them; refuses all and names nobody for none.
    Refuses(Option<String>),
}

/// The state of the stand-ins.
pub struct Fakes {
    pub mode: Mutex<Mode>,
    pub games: Mutex<BTreeMap<String, CreateGameRequest>>,
    pub over: Mutex<BTreeSet<String>>,
    pub ratings: Mutex<BTreeMap<String, i32>>,
    pub ratings_away: Mutex<bool>,
    /// Players who may not have rated games, until this second of the Unix epoch.
    pub rated_bans: Mutex<BTreeMap<String, i64>>,
    /// How many games were asked for.
    pub asked: watch::Sender<u32>,
    /// Who there is, by id.
    pub players: Mutex<BTreeMap<String, Player>>,
}

impl Fakes {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            mode: Mutex::default(),
            games: Mutex::default(),
            over: Mutex::default(),
            ratings: Mutex::default(),
            ratings_away: Mutex::default(),
            rated_bans: Mutex::default(),
            asked: watch::channel(0).0,
            players: Mutex::default(),
        })
    }

    pub fn game(&self, id: &str) -> CreateGameRequest {
        self.games.lock().get(id).cloned().expect("no such game")
    }
}

/// The key that signs the tokens of these tests.
pub struct Keys(EncodingKey);

impl Keys {
    pub fn new() -> Self {
        // A private key of Ed25519 in PKCS #8: what RFC 8410 puts before the 32 bytes of the seed.
        let head = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
        Self(EncodingKey::from_ed_der(&[head.as_slice(), &[7; 32]].concat()))
    }

    fn jwks(&self) -> String {
        let mut jwk = Jwk::from_encoding_key(&self.0, Algorithm::EdDSA).unwrap();
        jwk.common.key_id = Some("test".to_owned());
        serde_json::to_string(&JwkSet { keys: vec![jwk] }).unwrap()
    }

    pub fn token(&self, subject: &str, name: &str, role: Role, guest: bool) -> String {
        let seconds = START.as_millis() / 1000;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: subject.to_owned(),
            name: name.to_owned(),
            role,
            guest,
            sid: None,
            iat: seconds,
            nbf: seconds,
            exp: seconds + 86_400,
        };
        let header = Header { kid: Some("test".to_owned()), ..Header::new(Algorithm::EdDSA) };
        jsonwebtoken::encode(&header, &claims, &self.0).unwrap()
    }
}

pub struct FakeSession(pub Arc<Keys>, pub Arc<Fakes>);

#[tonic::async_trait]
impl SessionService for FakeSession {
    async fn sign_in_service(
        &self,
        request: Request<SignInServiceRequest>,
    ) -> Result<Response<SignInServiceResponse>, Status> {
        let service = request.into_inner().service;
        let tokens = Tokens {
            access_token: self.0.token(&service, &service, Role::Service, false),
            access_expire_time: Some(to_proto_time(START + std::time::Duration::from_secs(86_400))),
            refresh_token: String::new(),
        };
        Ok(Response::new(SignInServiceResponse { tokens: Some(tokens) }))
    }
    async fn find_player(
        &self,
        request: Request<FindPlayerRequest>,
    ) -> Result<Response<FindPlayerResponse>, Status> {
        let name = request.into_inner().name;
        let player = self.1.players.lock().values().find(|player| player.name == name).cloned();
        let nobody = || Failure::new(Reason::PlayerNotFound, "nobody");
        Ok(Response::new(FindPlayerResponse { player: Some(player.ok_or_else(nobody)?) }))
    }

    async fn get_player(
        &self,
        request: Request<GetPlayerRequest>,
    ) -> Result<Response<GetPlayerResponse>, Status> {
        let player = self.1.players.lock().get(&request.into_inner().player_id).cloned();
        let nobody = || Failure::new(Reason::PlayerNotFound, "nobody");
        Ok(Response::new(GetPlayerResponse { player: Some(player.ok_or_else(nobody)?) }))
    }

    async fn get_keys(&self, _: Request<GetKeysRequest>) -> Result<Response<GetKeysResponse>, Status> {
        Ok(Response::new(GetKeysResponse { jwks: self.0.jwks() }))
    }
}

pub struct FakeGame(pub Arc<Fakes>);

#[tonic::async_trait]
impl GameService for FakeGame {
    async fn create_game(
        &self,
        request: Request<CreateGameRequest>,
    ) -> Result<Response<CreateGameResponse>, Status> {
        caller(&request)?.service()?;
        let request = request.into_inner();
        self.0.asked.send_modify(|asked| *asked += 1);
        let mode = self.0.mode.lock().clone();
        let sits = |player: &String| request.seats.iter().any(|seat| seat.player_id == *player);
        match mode {
            Mode::Away => return Err(Status::unavailable("away")),
            Mode::Refuses(Some(player)) if sits(&player) => {
                let failure = Failure::new(Reason::AlreadyPlaying, "plays already");
                return Err(failure.with("player_id", player).into());
            }
            Mode::Refuses(None) => return Err(Failure::new(Reason::InvalidSettings, "no").into()),
            Mode::Makes | Mode::Refuses(Some(_)) => {}
        }
        let mut games = self.0.games.lock();
        let made = games.entry(request.game_id.clone()).or_insert_with(|| request.clone());
        if *made != request {
            return Err(Failure::new(Reason::GameExists, "another game").into());
        }
        Ok(Response::new(CreateGameResponse { created: true }))
    }

    async fn check_settings(
        &self,
        request: Request<CheckSettingsRequest>,
    ) -> Result<Response<CheckSettingsResponse>, Status> {
        // The one rule of this stand-in.
        match request.into_inner().settings {
            Some(settings) if settings.board_size >= 5 => Ok(Response::new(CheckSettingsResponse {})),
            _ => {
                let found = vec![Violation::new("settings.board_size", "too small")];
                Err(Failure::invalid_for(Reason::InvalidSettings, found).into())
            }
        }
    }

    async fn list_live_games(
        &self,
        request: Request<ListLiveGamesRequest>,
    ) -> Result<Response<ListLiveGamesResponse>, Status> {
        let player = request.into_inner().player_id;
        let games = self.0.games.lock();
        let own = games.values().filter(|game| game.seats.iter().any(|seat| seat.player_id == player));
        // Those that are over too: a game stays in the list for a moment.
        let games = own
            .map(|game| GameSummary {
                game_id: game.game_id.clone(),
                settings: game.settings.clone(),
                seats: game.seats.clone(),
                ..GameSummary::default()
            })
            .collect();
        Ok(Response::new(ListLiveGamesResponse { games, ..ListLiveGamesResponse::default() }))
    }

    async fn find_seated(
        &self,
        request: Request<FindSeatedRequest>,
    ) -> Result<Response<FindSeatedResponse>, Status> {
        let FindSeatedRequest { player_ids, game_ids } = request.into_inner();
        let (games, over) = (self.0.games.lock(), self.0.over.lock());
        let has_clock = |game: &CreateGameRequest| {
            let control = game.settings.as_ref().and_then(|settings| settings.time_control.as_ref()?.control);
            !matches!(control, Some(Control::None(_)))
        };
        let occupies = |game: &&CreateGameRequest| {
            has_clock(game) && game.seats.iter().all(|seat| !seat.bot) && !over.contains(&game.game_id)
        };
        let seated = |player_id: String| {
            let sits = |game: &&CreateGameRequest| game.seats.iter().any(|seat| seat.player_id == player_id);
            let game_id = games.values().filter(occupies).find(sits)?.game_id.clone();
            Some(SeatedPlayer { player_id, game_id })
        };
        let is_over = |id: &String| over.contains(id) || !games.contains_key(id);
        Ok(Response::new(FindSeatedResponse {
            over_game_ids: game_ids.into_iter().filter(is_over).collect(),
            seated: player_ids.into_iter().filter_map(seated).collect(),
        }))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Result<Response<GetGameResponse>, Status> {
        let id = request.into_inner().game_id;
        let Some(game) = self.0.games.lock().get(&id).cloned() else {
            return Err(Failure::new(Reason::GameNotFound, "none").into());
        };
        let created = GameCreated { settings: game.settings, seats: game.seats };
        let mut events = vec![GameEvent { event: Some(Event::Created(created)) }];
        if self.0.over.lock().contains(&id) {
            events.push(GameEvent { event: Some(Event::Finished(GameFinished::default())) });
        }
        let entries = vec![RecordEntry { sequence: 1, events, ..RecordEntry::default() }];
        let record = GameRecord { game_id: id, entries, archived: false };
        Ok(Response::new(GetGameResponse { record: Some(record) }))
    }
}

pub struct FakeRating(pub Arc<Fakes>);

#[tonic::async_trait]
impl RatingService for FakeRating {
    async fn batch_get_rated_bans(
        &self,
        request: Request<BatchGetRatedBansRequest>,
    ) -> Result<Response<BatchGetRatedBansResponse>, Status> {
        if *self.0.ratings_away.lock() {
            return Err(Status::unavailable("away"));
        }
        let bans = self.0.rated_bans.lock();
        let ban = |player_id: &String| {
            let seconds = *bans.get(player_id)?;
            let end_time = Some(prost_types::Timestamp { seconds, nanos: 0 });
            Some(RatedBan { player_id: player_id.clone(), end_time, leaves: 4 })
        };
        let bans = request.get_ref().player_ids.iter().filter_map(ban).collect();
        Ok(Response::new(BatchGetRatedBansResponse { bans }))
    }

    async fn batch_get_ratings(
        &self,
        request: Request<BatchGetRatingsRequest>,
    ) -> Result<Response<BatchGetRatingsResponse>, Status> {
        let BatchGetRatingsRequest { player_ids, board_size, .. } = request.into_inner();
        if *self.0.ratings_away.lock() {
            return Err(Status::unavailable("away"));
        }
        let known = self.0.ratings.lock();
        let rating = |player_id: String| {
            let points = known.get(&player_id).copied().unwrap_or(1_200);
            let micros = i64::from(points) * 1_000_000;
            Rating { player_id, board_size, micros, points, games: 0, provisional: true, bots: false }
        };
        let ratings = player_ids.into_iter().map(rating).collect();
        Ok(Response::new(BatchGetRatingsResponse { ratings }))
    }
}
