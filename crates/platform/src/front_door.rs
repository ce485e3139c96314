//! Where a call goes: gRPC straight to its service, everything else past what browsers need.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{Router, middleware::Next, response::IntoResponse};
use futures::{FutureExt, future::Either};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use tonic::{Status, body::Body, server::NamedService};
use tower::{Service, util::BoxCloneSyncService};

use crate::{auth::is_served, connections::ConnectedFrom, deadlines};

/// A gRPC service as tonic generates it.
pub trait GrpcService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> GrpcService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// One of them, with its name.
type Named = (&'static str, BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>);

/// The gRPC services of a process, found by the name in a call's path.
#[derive(Clone, Default)]
pub struct Services {
    all: Arc<Vec<Named>>,
}

impl Services {
    /// One more.
    pub fn add<S: GrpcService>(&mut self, service: S) {
        Arc::make_mut(&mut self.all).push((S::NAME, BoxCloneSyncService::new(service)));
    }

    /// Their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.all.iter().map(|(name, _)| *name).collect()
    }
}

/// An answer to come.
type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl Service<Request<Body>> for Services {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let wanted = request.uri().path().strip_prefix('/').and_then(|path| path.split_once('/'));
        let wanted = wanted.map_or("", |(service, _)| service);
        // Generated services are ready at any time, and share what they own between their clones.
        match self.all.iter().find(|(name, _)| *name == wanted) {
            Some((_, service)) => service.clone().call(request),
            None => {
                let refusal = Status::unimplemented(format!(
                    "nobody serves {:?} here: a call's path is /package.Service/Method, such as /nigiri.game.v1.GameService/Watch; docs/api.md has all",
                    request.uri().path()
                ));
                Box::pin(std::future::ready(Ok(refusal.into_http())))
            }
        }
    }
}

/// Sends gRPC straight to the services, and everything else (gRPC-Web, pages) past what browsers need.
#[derive(Clone)]
pub struct FrontDoor<S> {
    native: S,
    browsers: Router,
}

impl<S> FrontDoor<S> {
    /// A door to these two.
    pub fn new(native: S, browsers: Router) -> Self {
        Self { native, browsers }
    }
}

impl<S> Service<Request<Body>> for FrontDoor<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Answer>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.native.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        deadlines::note(&mut request);
        if let Some(from) = request.extensions().get::<ConnectedFrom>() {
            from.touch();
        }
        if is_native(request.headers()) {
            return Either::Left(self.native.call(request));
        }
        let answer = self.browsers.call(request.map(axum::body::Body::new));
        Either::Right(answer.map(|answer| answer.map(|response| response.map(Body::new))).boxed())
    }
}

/// What somebody is told who calls a method in a way that it is not spoken here: with JSON, or from the address bar of a browser.
const EXPLANATION: &str = "This is a method of a gRPC API, and is called by gRPC (content-type application/grpc, HTTP/2) or gRPC-Web \
    (application/grpc-web+proto), not by plain HTTP or JSON. From a shell: npx @bufbuild/buf curl --http2-prior-knowledge \
    --protocol grpc -d '{..}' URL, or grpcurl. See docs/clients.md.\n";

/// Says what would be right to whoever calls a method of ours otherwise than by gRPC or gRPC-Web.
pub async fn explain(request: axum::extract::Request, next: Next) -> axum::response::Response {
    let headers = request.headers();
    let foreign = request.method() != Method::OPTIONS && !is_spoken(headers);
    // Whoever means gRPC is told so wherever the call goes; anything else may be a page.
    if foreign && (is_grpc(headers) || is_served(request.uri().path())) {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, EXPLANATION).into_response();
    }
    next.run(request).await
}

/// Whether a call is one of gRPC, or of gRPC-Web.
fn is_grpc(headers: &HeaderMap) -> bool {
    let content = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    content.is_some_and(|content| content.starts_with(b"application/grpc"))
}

/// Whether it is one in an encoding that is read: messages are protobuf, never JSON.
fn is_spoken(headers: &HeaderMap) -> bool {
    const WAYS: [&str; 6] =
        ["grpc", "grpc+proto", "grpc-web", "grpc-web+proto", "grpc-web-text", "grpc-web-text+proto"];
    let content = headers.get(header::CONTENT_TYPE).and_then(|content| content.to_str().ok());
    let kind = content.and_then(|content| content.split(';').next()).unwrap_or_default();
    kind.trim().strip_prefix("application/").is_some_and(|way| WAYS.contains(&way))
}

fn is_native(headers: &HeaderMap) -> bool {
    let content = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let web = content.is_some_and(|content| content.starts_with(b"application/grpc-web"));
    is_grpc(headers) && !web && !headers.contains_key(header::ORIGIN)
}
