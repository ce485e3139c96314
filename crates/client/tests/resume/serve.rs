//! The fake server's RPCs.

use nigiri_proto::{
    game::v1::{game_service_server::GameService, *},
    matchmaking::v1::{matchmaking_service_server::MatchmakingService, *},
    session::v1::{session_service_server::SessionService, *},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, codegen::BoxStream};

use crate::fake::{Fake, Find, ME, idle, refusal};

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl GameService for Fake {
    async fn play_move(&self, request: Request<PlayMoveRequest>) -> Answer<PlayMoveResponse> {
        self.admit(&request)?;
        self.state().plays += 1;
        let request = request.into_inner();
        let event = MovePlayed { point: request.point, ..MovePlayed::default() };
        let sequence = self.command(game_event::Event::MovePlayed(event), &request.command_id)?;
        Ok(Response::new(PlayMoveResponse { sequence }))
    }

    async fn watch(&self, request: Request<WatchRequest>) -> Answer<BoxStream<WatchResponse>> {
        self.admit(&request)?;
        Ok(Response::new(self.follow(request.into_inner().after_sequence)))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Answer<GetGameResponse> {
        self.admit(&request)?;
        let entries = self.state().log.clone();
        let record = GameRecord { game_id: request.into_inner().game_id, entries, archived: false };
        Ok(Response::new(GetGameResponse { record: Some(record) }))
    }
}

#[tonic::async_trait]
impl SessionService for Fake {
    async fn sign_in_as_guest(&self, _: Request<SignInAsGuestRequest>) -> Answer<SignInAsGuestResponse> {
        let player = Player { id: ME.to_owned(), ..Player::default() };
        Ok(Response::new(SignInAsGuestResponse { player: Some(player), tokens: Some(self.tokens()) }))
    }

    async fn refresh_session(
        &self,
        request: Request<RefreshSessionRequest>,
    ) -> Answer<RefreshSessionResponse> {
        let expected = format!("refresh-{}", self.state().refreshes);
        if request.into_inner().refresh_token != expected {
            return Err(refusal(Code::Unauthenticated, "REFRESH_TOKEN_REUSED"));
        }
        self.state().refreshes += 1;
        Ok(Response::new(RefreshSessionResponse { player: None, tokens: Some(self.tokens()) }))
    }
}

#[tonic::async_trait]
impl MatchmakingService for Fake {
    async fn find_match(&self, request: Request<FindMatchRequest>) -> Answer<BoxStream<FindMatchResponse>> {
        self.admit(&request)?;
        let next = self.state().finds.remove(0);
        match next {
            Find::Refused(code, reason) => Err(refusal(code, reason)),
            Find::QueuedThenCut => {
                let (sender, receiver) = tokio::sync::mpsc::channel(1);
                let fake = self.clone();
                tokio::spawn(async move {
                    let message = find_match_response::Message::Queued(Queued::default());
                    let _gone = sender.send(Ok(FindMatchResponse { message: Some(message) })).await;
                    idle().await;
                    fake.cut();
                });
                Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
            }
        }
    }
}

impl Fake {
    fn tokens(&self) -> Tokens {
        let state = self.state();
        Tokens {
            access_token: format!("token-{}", state.valid_token),
            access_expire_time: None,
            refresh_token: format!("refresh-{}", state.refreshes),
        }
    }
}
