//! The services that the bots call: they tell the test of every call, and fail on demand. An access token is the bot's name.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nigiri_proto::{
    game::v1::{game_service_server::GameService, watch_turns_response::Message, *},
    matchmaking::v1::{OfferBotRequest, OfferBotResponse, matchmaking_service_server::MatchmakingService},
    session::v1::{session_service_server::SessionService, *},
};
use platform::{
    status::{Failure, Reason},
    testing::secret,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, codegen::BoxStream};

/// The test's end of a bot's stream.
pub type Turns = mpsc::Sender<Result<WatchTurnsResponse, Status>>;

/// A call of a bot's.
#[derive(Debug)]
pub enum Called {
    Opened { bot: String, turns: Turns },
    Offered { bot: String, level: i32 },
    Sent { bot: String, command: Command },
}

/// A command of a bot's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Play { game: String, ply: u32, point: String, id: String },
    Pass { game: String, ply: u32, id: String },
    Resign { game: String, id: String },
}

impl Command {
    pub fn ply(&self) -> Option<u32> {
        match self {
            Self::Play { ply, .. } | Self::Pass { ply, .. } => Some(*ply),
            Self::Resign { .. } => None,
        }
    }
}

/// Something that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The stream ends.
    Ended,
    /// The stream fails.
    Broken,
    /// The replica says that it drains, and ends the stream.
    Draining,
    /// The next command is answered with UNAVAILABLE.
    Away,
    /// The next command is answered with STALE_PLY.
    GoneBy,
    /// The access token has expired, and the refresh token is not good any more.
    SignedOut,
}

impl Fault {
    pub const ALL: [Self; 6] =
        [Self::Ended, Self::Broken, Self::Draining, Self::Away, Self::GoneBy, Self::SignedOut];
}

/// The services. Clones are the same ones.
#[derive(Clone)]
pub struct Fake {
    called: mpsc::UnboundedSender<Called>,
    /// What the next command is answered with.
    refuse: Arc<Mutex<Option<Failure>>>,
}

impl Fake {
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Called>) {
        let (called, calls) = mpsc::unbounded_channel();
        (Self { called, refuse: Arc::default() }, calls)
    }

    fn refuse(&self) -> MutexGuard<'_, Option<Failure>> {
        self.refuse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes something go wrong; whether it takes the stream.
    pub fn fault(&self, fault: Fault, stream: Option<Turns>) -> bool {
        let last = match fault {
            Fault::Away => return self.refuse_next(Reason::LedgerUnavailable),
            Fault::GoneBy => return self.refuse_next(Reason::StalePly),
            Fault::SignedOut => return self.refuse_next(Reason::TokenExpired),
            Fault::Ended => None,
            Fault::Broken => Some(Err(Status::unknown("h2 protocol error"))),
            Fault::Draining => Some(Ok(WatchTurnsResponse { message: Some(Message::Draining(Draining {})) })),
        };
        if let (Some(stream), Some(last)) = (stream, last) {
            assert!(stream.try_send(last).is_ok(), "the bot does not listen");
        }
        true
    }

    fn refuse_next(&self, reason: Reason) -> bool {
        *self.refuse() = Some(Failure::new(reason, "as the test wants it"));
        false
    }

    fn tell(&self, called: Called) {
        // The test may have ended.
        let _ = self.called.send(called);
    }

    fn sent<T>(&self, request: &Request<T>, command: Command) -> Result<u64, Status> {
        self.tell(Called::Sent { bot: name(request), command });
        match self.refuse().take() {
            Some(failure) => Err(failure.into()),
            None => Ok(7),
        }
    }
}

fn name<T>(request: &Request<T>) -> String {
    let header = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
    header.and_then(|text| text.strip_prefix("Bearer ")).unwrap_or_default().to_owned()
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl SessionService for Fake {
    async fn sign_in_bot(&self, request: Request<SignInBotRequest>) -> Answer<SignInBotResponse> {
        let request = request.into_inner();
        if request.secret != secret().expose() {
            return Err(Failure::new(Reason::SecretWrong, "the secret is wrong").into());
        }
        let ids = ["Nigiri Easy", "Nigiri Normal", "Nigiri Hard"];
        let id = ids.iter().position(|name| *name == request.name).map_or(0, |at| at + 1).to_string();
        let player = Player { id, name: request.name.clone(), ..Player::default() };
        let tokens =
            Tokens { access_token: request.name, refresh_token: "used up".to_owned(), ..Tokens::default() };
        Ok(Response::new(SignInBotResponse { player: Some(player), tokens: Some(tokens) }))
    }

    async fn refresh_session(&self, _: Request<RefreshSessionRequest>) -> Answer<RefreshSessionResponse> {
        Err(Failure::new(Reason::RefreshTokenInvalid, "unknown").into())
    }
}

#[tonic::async_trait]
impl MatchmakingService for Fake {
    async fn offer_bot(&self, request: Request<OfferBotRequest>) -> Answer<OfferBotResponse> {
        self.tell(Called::Offered { bot: name(&request), level: request.get_ref().level });
        Ok(Response::new(OfferBotResponse::default()))
    }
}

#[tonic::async_trait]
impl GameService for Fake {
    async fn watch_turns(
        &self,
        request: Request<WatchTurnsRequest>,
    ) -> Answer<BoxStream<WatchTurnsResponse>> {
        let (turns, stream) = mpsc::channel(8);
        self.tell(Called::Opened { bot: name(&request), turns });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    async fn play_move(&self, request: Request<PlayMoveRequest>) -> Answer<PlayMoveResponse> {
        let PlayMoveRequest { game_id, ply, point, command_id, .. } = request.get_ref().clone();
        let command = Command::Play { game: game_id, ply, point, id: command_id };
        Ok(Response::new(PlayMoveResponse { sequence: self.sent(&request, command)? }))
    }

    async fn pass(&self, request: Request<PassRequest>) -> Answer<PassResponse> {
        let PassRequest { game_id, ply, command_id, .. } = request.get_ref().clone();
        let command = Command::Pass { game: game_id, ply, id: command_id };
        Ok(Response::new(PassResponse { sequence: self.sent(&request, command)? }))
    }

    async fn resign(&self, request: Request<ResignRequest>) -> Answer<ResignResponse> {
        let ResignRequest { game_id, command_id } = request.get_ref().clone();
        let command = Command::Resign { game: game_id, id: command_id };
        Ok(Response::new(ResignResponse { sequence: self.sent(&request, command)? }))
    }
}
