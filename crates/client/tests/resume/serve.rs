//! The fake server's RPCs.

use nigiri_proto::{
    game::v1::{game_service_server::GameService, *},
    matchmaking::v1::{matchmaking_service_server::MatchmakingService, *},
    session::v1::{session_service_server::SessionService, *},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status};

use crate::fake::{Fake, Find, ME, Reply, idle, refusal};

type Answer<T> = Result<Response<T>, Status>;

fn no<T>() -> Answer<T> {
    Err(Status::unimplemented("not of this test"))
}

#[tonic::async_trait]
impl GameService for Fake {
    type WatchStream = Reply<WatchResponse>;
    type WatchTurnsStream = Reply<WatchTurnsResponse>;

    async fn create_game(&self, _: Request<CreateGameRequest>) -> Answer<CreateGameResponse> {
        no()
    }

    async fn play_move(&self, request: Request<PlayMoveRequest>) -> Answer<PlayMoveResponse> {
        self.admit(&request)?;
        self.state().plays += 1;
        let request = request.into_inner();
        let event = MovePlayed { point: request.point, ..MovePlayed::default() };
        let sequence = self.command(game_event::Event::MovePlayed(event), &request.command_id)?;
        Ok(Response::new(PlayMoveResponse { sequence }))
    }

    async fn pass(&self, _: Request<PassRequest>) -> Answer<PassResponse> {
        no()
    }

    async fn resign(&self, _: Request<ResignRequest>) -> Answer<ResignResponse> {
        no()
    }

    async fn offer_draw(&self, _: Request<OfferDrawRequest>) -> Answer<OfferDrawResponse> {
        no()
    }

    async fn request_takeback(&self, _: Request<RequestTakebackRequest>) -> Answer<RequestTakebackResponse> {
        no()
    }

    async fn answer_proposal(&self, _: Request<AnswerProposalRequest>) -> Answer<AnswerProposalResponse> {
        no()
    }

    async fn accept_score(&self, _: Request<AcceptScoreRequest>) -> Answer<AcceptScoreResponse> {
        no()
    }

    async fn dispute_score(&self, _: Request<DisputeScoreRequest>) -> Answer<DisputeScoreResponse> {
        no()
    }

    async fn mark_chain(&self, _: Request<MarkChainRequest>) -> Answer<MarkChainResponse> {
        no()
    }

    async fn leave(&self, _: Request<LeaveRequest>) -> Answer<LeaveResponse> {
        no()
    }

    async fn request_rematch(&self, _: Request<RequestRematchRequest>) -> Answer<RequestRematchResponse> {
        no()
    }

    async fn watch(&self, request: Request<WatchRequest>) -> Answer<Self::WatchStream> {
        self.admit(&request)?;
        Ok(Response::new(self.follow(request.into_inner().after_sequence)))
    }

    async fn watch_turns(&self, _: Request<WatchTurnsRequest>) -> Answer<Self::WatchTurnsStream> {
        no()
    }

    async fn list_live_games(&self, _: Request<ListLiveGamesRequest>) -> Answer<ListLiveGamesResponse> {
        no()
    }

    async fn list_games(&self, _: Request<ListGamesRequest>) -> Answer<ListGamesResponse> {
        no()
    }

    async fn export_sgf(&self, _: Request<ExportSgfRequest>) -> Answer<ExportSgfResponse> {
        no()
    }

    async fn preview_score(&self, _: Request<PreviewScoreRequest>) -> Answer<PreviewScoreResponse> {
        no()
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

    async fn sign_in_bot(&self, _: Request<SignInBotRequest>) -> Answer<SignInBotResponse> {
        no()
    }

    async fn sign_in_service(&self, _: Request<SignInServiceRequest>) -> Answer<SignInServiceResponse> {
        no()
    }

    async fn get_player(&self, _: Request<GetPlayerRequest>) -> Answer<GetPlayerResponse> {
        no()
    }

    async fn get_keys(&self, _: Request<GetKeysRequest>) -> Answer<GetKeysResponse> {
        no()
    }
}

#[tonic::async_trait]
impl MatchmakingService for Fake {
    type FindMatchStream = Reply<FindMatchResponse>;

    async fn find_match(&self, request: Request<FindMatchRequest>) -> Answer<Self::FindMatchStream> {
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

    async fn cancel_ticket(&self, _: Request<CancelTicketRequest>) -> Answer<CancelTicketResponse> {
        no()
    }

    async fn start_ai_game(&self, _: Request<StartAiGameRequest>) -> Answer<StartAiGameResponse> {
        no()
    }

    async fn offer_bot(&self, _: Request<OfferBotRequest>) -> Answer<OfferBotResponse> {
        no()
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
