//! The reference: a bare tonic server.

use nigiri_proto::game::v1::{
    self as pb, PlayMoveRequest,
    game_service_server::{GameService, GameServiceServer},
};
use tonic::{Request, Response, Status};

type Nothing<T> = futures::stream::Empty<Result<T, Status>>;

/// A bare tonic server: answers a move with its ply.
pub struct Echo;

#[tonic::async_trait]
impl GameService for Echo {
    type WatchStream = Nothing<pb::WatchResponse>;
    type WatchTurnsStream = Nothing<pb::WatchTurnsResponse>;

    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<pb::PlayMoveResponse>, Status> {
        Ok(Response::new(pb::PlayMoveResponse { sequence: request.into_inner().ply.into() }))
    }
    async fn create_game(
        &self,
        _: Request<pb::CreateGameRequest>,
    ) -> Result<Response<pb::CreateGameResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn pass(&self, _: Request<pb::PassRequest>) -> Result<Response<pb::PassResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn resign(&self, _: Request<pb::ResignRequest>) -> Result<Response<pb::ResignResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn offer_draw(
        &self,
        _: Request<pb::OfferDrawRequest>,
    ) -> Result<Response<pb::OfferDrawResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn request_takeback(
        &self,
        _: Request<pb::RequestTakebackRequest>,
    ) -> Result<Response<pb::RequestTakebackResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn answer_proposal(
        &self,
        _: Request<pb::AnswerProposalRequest>,
    ) -> Result<Response<pb::AnswerProposalResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn accept_score(
        &self,
        _: Request<pb::AcceptScoreRequest>,
    ) -> Result<Response<pb::AcceptScoreResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn dispute_score(
        &self,
        _: Request<pb::DisputeScoreRequest>,
    ) -> Result<Response<pb::DisputeScoreResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn mark_chain(
        &self,
        _: Request<pb::MarkChainRequest>,
    ) -> Result<Response<pb::MarkChainResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn leave(&self, _: Request<pb::LeaveRequest>) -> Result<Response<pb::LeaveResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn request_rematch(
        &self,
        _: Request<pb::RequestRematchRequest>,
    ) -> Result<Response<pb::RequestRematchResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn watch(&self, _: Request<pb::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn watch_turns(
        &self,
        _: Request<pb::WatchTurnsRequest>,
    ) -> Result<Response<Self::WatchTurnsStream>, Status> {
        Err(Status::unimplemented("an echo"))
    }
    async fn get_game(
        &self,
        _: Request<pb::GetGameRequest>,
    ) -> Result<Response<pb::GetGameResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
}

/// Serves until it is killed.
pub async fn serve(address: std::net::SocketAddr) {
    let server =
        tonic::transport::Server::builder().tcp_nodelay(true).add_service(GameServiceServer::new(Echo));
    server.serve(address).await.unwrap();
}
