//! One port for everything: gRPC and gRPC-Web for all services, reflection, health, metrics, and plain HTTP routes.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use anyhow::Context as _;
use axum::{Router, routing::get};
use http::{HeaderName, Request};
use tokio::{io::DuplexStream, net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{body::Body, server::NamedService, service::Routes, transport::Server};
use tonic_web::GrpcWebLayer;
use tower::Service;
use tower_http::cors::CorsLayer;

use crate::{
    auth::AuthLayer,
    context::Context,
    health::Health,
    telemetry::{Metrics, RpcLayer},
};

/// Streams that one connection may carry: many players share a connection of a gateway or of a load generator.
const STREAMS_PER_CONNECTION: u32 = 10_000;

/// What somebody sees who opens the address in a browser.
const LANDING: &str = "Nigiri, a Go server. It speaks gRPC and gRPC-Web here (with reflection); also /metrics, /health/ready.\n";

/// Collects what the services serve. Each service's `bind` adds to it.
pub struct ServerBuilder {
    grpc: Routes,
    http: Router,
    public: Vec<String>,
    services: Vec<&'static str>,
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
        Self { grpc: Routes::default(), http, public: Vec::new(), services: Vec::new(), metrics, health }
    }

    /// Serves a gRPC service. Every call needs a token, but for those named by [`ServerBuilder::public`].
    pub fn add<S>(&mut self, service: S) -> &mut Self
    where
        S: Service<Request<Body>, Error = Infallible> + NamedService + Clone + Send + Sync + 'static,
        S::Response: axum::response::IntoResponse,
        S::Future: Send + 'static,
    {
        self.services.push(S::NAME);
        self.grpc = std::mem::take(&mut self.grpc).add_service(service);
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
        let health_service = self.health.service(&self.services).await;
        for path in ["/grpc.health.v1.Health/", "/grpc.reflection.v1.ServerReflection/"] {
            self.public(path);
        }
        let auth = AuthLayer::new(context.verifier().clone(), context.clock.clone(), self.public);
        let grpc = self.grpc.add_service(reflection).add_service(health_service).into_axum_router();
        let exposed = ["grpc-status", "grpc-message", "grpc-status-details-bin"].map(HeaderName::from_static);
        let native = grpc.layer(auth).layer(RpcLayer::new(&self.metrics));
        let browsers = native
            .clone()
            .layer(GrpcWebLayer::new())
            .layer(CorsLayer::very_permissive().expose_headers(exposed))
            .merge(self.http);
        let router = Router::new().fallback_service(FrontDoor { native, browsers });
        Ok(BoundServer { routes: Routes::from(router).prepare(), health: self.health })
    }
}

/// Sends gRPC straight to the services, and everything else (gRPC-Web, pages) past what browsers need.
#[derive(Clone)]
struct FrontDoor {
    native: Router,
    browsers: Router,
}

impl Service<Request<axum::body::Body>> for FrontDoor {
    type Response = axum::response::Response;
    type Error = Infallible;
    type Future = axum::routing::future::RouteFuture<Infallible>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<axum::body::Body>) -> Self::Future {
        let headers = request.headers();
        let content = headers.get(http::header::CONTENT_TYPE).map(http::HeaderValue::as_bytes);
        let grpc = content.is_some_and(|content| {
            content.starts_with(b"application/grpc") && !content.starts_with(b"application/grpc-web")
        });
        if grpc && !headers.contains_key(http::header::ORIGIN) {
            self.native.call(request)
        } else {
            self.browsers.call(request)
        }
    }
}

/// A server that is ready to serve.
#[derive(Clone)]
pub struct BoundServer {
    routes: Routes,
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
        tuned()
            .add_routes(self.routes)
            .serve_with_incoming_shutdown(incoming, drain)
            .await
            .context("serving failed")
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
        tuned()
            .add_routes(self.routes)
            .serve_with_incoming_shutdown(incoming, stop)
            .await
            .context("serving failed")
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
