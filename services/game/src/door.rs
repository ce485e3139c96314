//! The service as it is served: as generated, but for the stream that carries frames that are encoded already.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame as Part};
use nigiri_proto::{
    codec::SmallCodec,
    game::v1::{WatchRequest, game_service_server::GameServiceServer},
};
use tonic::{
    Request, Status, Streaming,
    body::Body,
    codec::Codec as _,
    codegen::{Service as Tower, http},
    metadata::GRPC_CONTENT_TYPE,
    server::NamedService,
};

use crate::{service::Service, watch::FrameStream};

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
        Box::pin(async move { Ok(watch(&service, largest, request).await.unwrap_or_else(Status::into_http)) })
    }
}

/// Opens a stream.
async fn watch(
    service: &Service,
    largest: usize,
    request: http::Request<Body>,
) -> Result<http::Response<Body>, Status> {
    let (parts, body) = request.into_parts();
    let wanted = {
        let decoder = SmallCodec::<(), WatchRequest>::default().decoder();
        let mut said = Streaming::new_request(decoder, body, None, Some(largest));
        said.message().await?.ok_or_else(|| Status::internal("Missing request message."))?
    };
    let request = Request::from_http(http::Request::from_parts(parts, wanted));
    let frames = service.watch_frames(request).await?;
    let mut response = http::Response::new(Body::new(Frames(Some(frames))));
    response.headers_mut().insert(http::header::CONTENT_TYPE, GRPC_CONTENT_TYPE);
    Ok(response)
}

/// The frames of a stream, and how it ended; none when that has been said.
struct Frames(Option<FrameStream>);

impl HttpBody for Frames {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Part<Bytes>, Status>>> {
        let Some(frames) = &mut self.0 else { return Poll::Ready(None) };
        let ended = match frames.as_mut().poll_next(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Ok(frame))) => return Poll::Ready(Some(Ok(Part::data(frame.into_bytes())))),
            Poll::Ready(Some(Err(status))) => status,
            Poll::Ready(None) => Status::ok(""),
        };
        self.0 = None;
        let mut trailers = http::HeaderMap::new();
        Poll::Ready(Some(ended.add_header(&mut trailers).map(|()| Part::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }
}
