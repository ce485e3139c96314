use std::{
    convert::Infallible,
    future::{Ready, pending, ready},
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use clap::Parser;
use http::{Request, Response};
use ledger::{Clock, memory::MemoryLedger};
use platform::{
    config::ServerArgs,
    node::{Node, Parts, Running},
    testing,
};
use tonic::{
    Status,
    body::Body,
    server::{NamedService, UnaryService},
};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_client::HealthClient,
};
use tower::Service;

/// How long anything may take that is sure to happen.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A node on a port of its own.
pub struct World {
    pub running: Running,
    pub address: SocketAddr,
    /// Calls that are answered nothing.
    pub never: Arc<AtomicUsize>,
    _folder: tempfile::TempDir,
}

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    server: ServerArgs,
}

impl World {
    pub async fn with(options: &[&str]) -> Self {
        let options = Options::try_parse_from([&["world"], options].concat()).unwrap();
        let (db, folder) = testing::sqlite().await.unwrap();
        let mut node = Node::new(Parts {
            ledger: Arc::new(MemoryLedger::new(Clock::system())),
            db,
            clock: Clock::system(),
            service_secret: testing::secret(),
            network: None,
        })
        .unwrap();
        let never = Never::default();
        let count = Arc::clone(&never.0);
        node.server().protect(&options.server).add(never).public("/test.Never/");
        node.server().add(Words).public("/test.Words/");
        node.server().public("/nigiri.session.v1.SessionService/SignInService");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = node.start(Some(listener)).await.unwrap();
        Self { address: running.address().unwrap(), running, never: count, _folder: folder }
    }

    pub async fn stop(self) {
        self.running.stop(Duration::ZERO, PATIENCE).await;
    }
}

/// An answer to come.
type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// Answers nothing for ever, and counts the calls that wait for it.
#[derive(Clone, Default)]
struct Never(Arc<AtomicUsize>);

struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl NamedService for Never {
    const NAME: &'static str = "test.Never";
}

impl Service<Request<Body>> for Never {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Answer {
        self.0.fetch_add(1, Ordering::SeqCst);
        let waiting = Waiting(Arc::clone(&self.0));
        Box::pin(async move {
            let _waiting = waiting;
            pending().await
        })
    }
}

/// Says again what it is told.
#[derive(Clone)]
struct Words;

impl NamedService for Words {
    const NAME: &'static str = "test.Words";
}

impl Service<Request<Body>> for Words {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        Box::pin(async move {
            let codec = tonic_prost::ProstCodec::<String, String>::default();
            Ok(tonic::server::Grpc::new(codec).unary(Self, request).await)
        })
    }
}

impl UnaryService<String> for Words {
    type Response = String;
    type Future = Ready<Result<tonic::Response<String>, Status>>;

    fn call(&mut self, request: tonic::Request<String>) -> Self::Future {
        ready(Ok(tonic::Response::new(request.into_inner())))
    }
}

/// Calls a path with an empty message.
pub async fn call(channel: tonic::transport::Channel, path: &'static str) -> Result<(), Status> {
    call_with(channel, path, tonic::metadata::MetadataMap::new()).await
}

/// Likewise, with this metadata.
pub async fn call_with(
    channel: tonic::transport::Channel,
    path: &'static str,
    metadata: tonic::metadata::MetadataMap,
) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.map_err(|error| Status::from_error(error.into()))?;
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let path = http::uri::PathAndQuery::from_static(path);
    let request = tonic::Request::from_parts(metadata, http::Extensions::new(), ());
    client.unary(request, path, codec).await.map(|_| ())
}

/// Asks for the server's health.
pub async fn healthy(channel: tonic::transport::Channel) -> Result<(), Status> {
    let answer: HealthCheckResponse =
        HealthClient::new(channel).check(HealthCheckRequest::default()).await?.into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    Ok(())
}

/// Asks again and again until there is an answer.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, ask: impl Fn() -> F) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("in vain: {what}"))
}
