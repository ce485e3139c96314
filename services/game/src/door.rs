//! The service as it is served: as generated, but for the stream that carries frames that are encoded already.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use nigiri_proto::game::v1::{WatchRequest, game_service_server::GameServiceServer};
use tonic::{
    Request, Response, Status,
    body::Body,
    codegen::{Service as Tower, http},
    server::{Grpc, NamedService, ServerStreamingService},
};

use crate::{
    frame::{Frame, FrameCodec},
    service::Service,
    watch::FrameStream,
};

/// The path of the stream.
const WATCH: &str = "/nigiri.game.v1.GameService/Watch";

/// The game service, ready to be served.
#[derive(Clone)]
pub struct Door {
    service: Arc<Service>,
    generated: GameServiceServer<Service>,
    largest: usize,
}

impl Door {
    /// Serves these RPCs; a request has at most `largest` bytes.
    pub fn new(service: Arc<Service>, largest: usize) -> Self {
        let generated = GameServiceServer::from_arc(Arc::clone(&service)).max_decoding_message_size(largest);
        Self { service, generated, largest }
    }
}

impl NamedService for Door {
    const NAME: &'static str = GameServiceServer::<Service>::NAME;
}

/// An answer to come.
type Answer = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

impl Tower<http::Request<Body>> for Door {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Answer {
        if request.uri().path() != WATCH {
            return self.generated.call(request);
        }
        let (service, largest) = (Arc::clone(&self.service), self.largest);
        Box::pin(async move {
            let mut grpc =
                Grpc::new(FrameCodec::default()).apply_max_message_size_config(Some(largest), None);
            Ok(grpc.server_streaming(Watching(service), request).await)
        })
    }
}

struct Watching(Arc<Service>);

impl ServerStreamingService<WatchRequest> for Watching {
    type Response = Frame;
    type ResponseStream = FrameStream;
    type Future = Pin<Box<dyn Future<Output = Result<Response<FrameStream>, Status>> + Send>>;

    fn call(&mut self, request: Request<WatchRequest>) -> Self::Future {
        let service = Arc::clone(&self.0);
        Box::pin(async move { service.watch_frames(request).await.map(Response::new) })
    }
}
