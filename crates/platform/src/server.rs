//! One port for everything: gRPC and gRPC-Web for all services, reflection, health, metrics, and plain HTTP routes.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context as _;
use axum::{Router, routing::get};
use http::{HeaderName, Request};
use tokio::{io::DuplexStream, net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{body::Body, transport::Server};
use tonic_web::GrpcWebLayer;
use tower::{Layer, ServiceExt};
use tower_http::cors::CorsLayer;

use crate::{
    auth::{Auth, AuthLayer},
    context::Context,
    front_door::{FrontDoor, GrpcService, Services},
    health::Health,
    telemetry::{Metrics, Rpc, RpcLayer},
};

/// Streams that one connection may carry: many players share a connection of a gateway or of a load generator.
const STREAMS_PER_CONNECTION: u32 = 10_000;

/// What somebody sees who opens the address in a browser.
const LANDING: &str = "Nigiri, a Go server. It speaks gRPC and gRPC-Web here (with reflection); also /metrics, /health/ready.\n";

/// Collects what the services serve. Each service's `bind` adds to it.
pub struct ServerBuilder {
    grpc: Services,
    http: Router,
    public: Vec<String>,
    metrics: Metrics,
    health: Health,
}

impl ServerBuilder {
    /// A server without services, with these metrics at `/metrics`.
    pub fn new(metrics: Metrics) -> Self {
        let health = Health::default();
        let probe = health.clone();
        let render = metrics.clone();
        let http = Router::new()
            .route("/", get(|| async { LANDING }))
            .route("/metrics", get(move || async move { render.render() }))
            .route("/health/live", get(|| async { "alive\n" }))
            .route("/health/ready", get(move || async move { probe.respond() }));
        Self { grpc: Services::default(), http, public: Vec::new(), metrics, health }
    }

    /// Serves a gRPC service. Every call needs a token, but for those named by [`ServerBuilder::public`].
    pub fn add<S: GrpcService>(&mut self, service: S) -> &mut Self {
        self.grpc.add(service);
        self
    }

    /// Lets calls to this path (`/package.Service/Method`, or `/package.Service/` for all) through without a token.
    pub fn public(&mut self, path: &str) -> &mut Self {
        self.public.push(path.to_owned());
        self
    }

    /// Serves plain HTTP routes.
    pub fn http(&mut self, routes: Router) -> &mut Self {
        self.http = std::mem::take(&mut self.http).merge(routes);
        self
    }

    /// The process's health.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Everything behind one router.
    ///
    /// # Errors
    /// When the descriptors of the API cannot be read.
    pub async fn build(mut self, context: &Context) -> anyhow::Result<BoundServer> {
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(nigiri_proto::DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .context("cannot serve reflection")?;
        let health_service = self.health.service(&self.grpc.names()).await;
        for path in ["/grpc.health.v1.Health/", "/grpc.reflection.v1.ServerReflection/"] {
            self.public(path);
        }
        self.add(reflection).add(health_service);
        let auth = AuthLayer::new(context.verifier().clone(), context.clock.clone(), self.public);
        let native = RpcLayer::new(&self.metrics).layer(auth.layer(self.grpc));
        let exposed = ["grpc-status", "grpc-message", "grpc-status-details-bin"].map(HeaderName::from_static);
        let web = GrpcWebLayer::new()
            .layer(native.clone())
            .map_request(|request: Request<axum::body::Body>| request.map(Body::new));
        let browsers = Router::new()
            .fallback_service(web)
            .layer(CorsLayer::very_permissive().expose_headers(exposed))
            .merge(self.http);
        Ok(BoundServer { door: FrontDoor::new(native, browsers), health: self.health })
    }
}

/// A server that is ready to serve.
#[derive(Clone)]
pub struct BoundServer {
    door: FrontDoor<Rpc<Auth<Services>>>,
    health: Health,
}

impl BoundServer {
    /// Serves TCP connections until the process drains and their calls have finished.
    ///
    /// # Errors
    /// When serving fails.
    pub async fn serve(self, listener: TcpListener, context: &Context) -> anyhow::Result<()> {
        let drain = context.shutdown.draining().clone().cancelled_owned();
        let incoming = TcpListenerStream::new(listener);
        let incoming = tokio_stream::StreamExt::map(incoming, |connection| {
            // A move is one small packet: it must not wait for more.
            connection.inspect(|tcp| {
                if let Err(error) = tcp.set_nodelay(true) {
                    tracing::debug!(%error, "cannot set TCP_NODELAY");
                }
            })
        });
        tuned().serve_with_incoming_shutdown(self.door, incoming, drain).await.context("serving failed")
    }

    /// Serves the connections of this process's own pipe, likewise.
    ///
    /// # Errors
    /// When serving fails.
    pub async fn serve_pipe(
        self,
        pipe: mpsc::Receiver<DuplexStream>,
        context: &Context,
    ) -> anyhow::Result<()> {
        let stop = context.shutdown.stopping().clone().cancelled_owned();
        let incoming = tokio_stream::StreamExt::map(ReceiverStream::new(pipe), Ok::<_, std::io::Error>);
        tuned().serve_with_incoming_shutdown(self.door, incoming, stop).await.context("serving failed")
    }

    /// The process's health.
    pub fn health(&self) -> &Health {
        &self.health
    }
}

fn tuned() -> Server {
    Server::builder()
        .accept_http1(true)
        .http2_keepalive_interval(Some(Duration::from_secs(8)))
        .http2_keepalive_timeout(Some(Duration::from_secs(5)))
        .max_concurrent_streams(Some(STREAMS_PER_CONNECTION))
        .initial_stream_window_size(Some(64 * 1024))
        .initial_connection_window_size(Some(4 * 1024 * 1024))
        .tcp_nodelay(true)
}

/// Listens on an address.
///
/// # Errors
/// When it cannot be had: the error names the address and what to do.
pub async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}: is something else listening there? Choose another with --listen")
    })
}
