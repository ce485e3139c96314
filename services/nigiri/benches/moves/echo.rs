//! The reference: a bare tonic server.

use nigiri_proto::game::v1::{
    self as pb, PlayMoveRequest,
    game_service_server::{GameService, GameServiceServer},
};
use tonic::{Request, Response, Status};

/// A bare tonic server: answers a move with its ply.
pub struct Echo;

#[tonic::async_trait]
impl GameService for Echo {
    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<pb::PlayMoveResponse>, Status> {
        Ok(Response::new(pb::PlayMoveResponse { sequence: request.into_inner().ply.into() }))
    }
}

/// Serves until it is killed.
pub async fn serve(address: std::net::SocketAddr) {
    let server =
        tonic::transport::Server::builder().tcp_nodelay(true).add_service(GameServiceServer::new(Echo));
    server.serve(address).await.unwrap();
}
