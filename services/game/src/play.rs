//! The play service: many games on one stream, for programs. What it promises stands in its proto.

mod frame;
mod measure;
mod seat;
mod stream;
mod task;

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use nigiri_proto::game::v1::{PlayRequest, play_service_server::SERVICE_NAME};
use platform::{auth::caller, status::Failure, telemetry::trace};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{Service as Tower, http},
    server::{Grpc, NamedService, StreamingService},
};

use crate::service::Service;
use frame::{PlayCodec, PlayFrame};
use stream::Playing;

/// The path of the only call.
const PLAY: &str = "/nigiri.game.v1.PlayService/Play";

/// The service, ready to be served. It is not served as generated, because its messages carry updates that are encoded already.
#[derive(Clone)]
pub struct Play {
    service: Arc<Service>,
    largest: usize,
}

impl Play {
    /// Streams beside this service's calls; a message of a client has at most `largest` bytes.
    pub fn new(service: Arc<Service>, largest: usize) -> Self {
        Self { service, largest }
    }
}

impl NamedService for Play {
    const NAME: &'static str = SERVICE_NAME;
}

/// An answer to come.
type Answer = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

impl Tower<http::Request<Body>> for Play {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Answer {
        let (service, largest) = (Arc::clone(&self.service), self.largest);
        Box::pin(async move {
            if request.uri().path() != PLAY {
                return Ok(Status::unimplemented("the service has no such method").into_http());
            }
            let mut grpc = Grpc::new(PlayCodec).apply_max_message_size_config(Some(largest), None);
            Ok(grpc.streaming(Opening(service), request).await)
        })
    }
}

struct Opening(Arc<Service>);

impl StreamingService<PlayRequest> for Opening {
    type Response = PlayFrame;
    type ResponseStream = Playing;
    type Future = std::future::Ready<Result<Response<Playing>, Status>>;

    fn call(&mut self, request: Request<Streaming<PlayRequest>>) -> Self::Future {
        std::future::ready(open(&self.0, request).map(Response::new).map_err(Status::from))
    }
}

fn open(service: &Arc<Service>, request: Request<Streaming<PlayRequest>>) -> Result<Playing, Failure> {
    service.open()?;
    let identity = caller(&request)?;
    let player = identity.player()?;
    let trace = trace::cause(request.metadata().as_ref());
    Ok(Playing::new(Arc::clone(service), player, identity, trace, request.into_inner()))
}
