//! One port for everything: gRPC and gRPC-Web for all services, reflection, health, metrics, and plain HTTP routes.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::{
    Router,
    extract::State,
    middleware::{self, Next},
    routing::get,
};
use http::{HeaderName, HeaderValue, Method, Request, header};
use tokio::{io::DuplexStream, net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, body::Body, transport::Server};
use tonic_web::GrpcWebLayer;
use tower::{Layer, ServiceExt};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::{
    auth::{Auth, AuthLayer},
    compression::{Compressed, CompressionLayer},
    config::ServerArgs,
    connections::{self, ConnectionArgs},
    context::Context,
    deadlines::{DeadlineLayer, Timed},
    front_door::{FrontDoor, GrpcService, Services, explain},
    health::Health,
    limits::{LimitArgs, LimitLayer, Limited, Limits},
    origins::{OriginArgs, Origins},
    status::{Failure, Reason},
    telemetry::{Metrics, Rpc, RpcLayer},
    tls::{ServerTls, TlsArgs},
};

/// Streams that one connection may carry: many players share a connection of a gateway or of a load generator.
const STREAMS_PER_CONNECTION: u32 = 10_000;

/// What somebody sees who opens the address in a browser.
const LANDING: &str = "Nigiri, a Go server. It speaks gRPC and gRPC-Web here (with reflection); also /metrics, /health/ready.\n";

/// Nothing is loaded from elsewhere, nobody frames us, and addresses are not passed on.
const SECURITY_HEADERS: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Collects what the services serve. Each service's `bind` adds to it.
pub struct ServerBuilder {
    grpc: Services,
    http: Router,
    pages: Option<Router>,
    public: Vec<String>,
    metrics: Metrics,
    health: Health,
    limits: LimitArgs,
    origins: OriginArgs,
    connections: ConnectionArgs,
    tls: TlsArgs,
}

impl ServerBuilder {
    /// A server without services, with these metrics at `/metrics`.
    pub fn new(metrics: Metrics) -> Self {
        let health = Health::default();
        let probe = health.clone();
        let render = metrics.clone();
        let http = Router::new()
            .route("/metrics", get(move || async move { render.render() }))
            .route("/health/live", get(|| async { "alive\n" }))
            .route("/health/ready", get(move || async move { probe.respond() }));
        Self {
            grpc: Services::default(),
            http,
            pages: None,
            public: Vec::new(),
            metrics,
            health,
            limits: LimitArgs::default(),
            origins: OriginArgs::default(),
            connections: ConnectionArgs::default(),
            tls: TlsArgs::default(),
        }
    }

    /// Takes limits, origins, connections and TLS of the command line. Without it there are no limits, only pages of this machine may call,
    /// and connections are plain text.
    pub fn protect(&mut self, args: &ServerArgs) -> &mut Self {
        self.limits = args.limits.clone();
        self.origins = args.origins.clone();
        self.connections = args.connections.clone();
        self.tls = args.tls.clone();
        self
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

    /// Serves pages for people: `/` and what else they need. Without any, `/` says in a line what is here.
    pub fn pages(&mut self, pages: Router) -> &mut Self {
        self.pages = Some(pages);
        self
    }

    /// The process's health.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Everything behind one router.
    ///
    /// # Errors
    /// When the descriptors of the API cannot be read, or the files of TLS cannot be used.
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
        let tls = ServerTls::load(&self.tls)?.map(Arc::new);
        let auth = AuthLayer::new(
            Arc::clone(context.verifier()),
            Arc::clone(context.bans()),
            context.clock.clone(),
            self.public,
        );
        let certify = tls.as_ref().is_some_and(|tls| tls.certifies_services());
        let auth = if certify { auth.certifying_services() } else { auth };
        // Behind proxies all connections are theirs.
        let proxied = self.limits.trusted_proxies > 0;
        let most_each = if proxied { 0 } else { self.connections.limit_connections };
        let connections = ConnectionArgs { limit_connections: most_each, ..self.connections };
        let loopback_too = self.limits.limit_loopback;
        let deadlines = DeadlineLayer { most: self.limits.limit_call_time };
        let limits = LimitLayer(Limits::new(self.limits));
        let services = limits.layer(CompressionLayer.layer(self.grpc));
        let native = RpcLayer::new(&self.metrics).layer(deadlines.layer(auth.layer(services)));
        let origins = Origins::new(self.origins);
        let pages = self.pages.unwrap_or_else(|| Router::new().route("/", get(|| async { LANDING })));
        let http = self.http.merge(pages);
        let exposed = ["grpc-status", "grpc-message", "grpc-status-details-bin", "grpc-encoding"]
            .map(HeaderName::from_static);
        let web = GrpcWebLayer::new()
            .layer(native.clone())
            .map_request(|request: Request<axum::body::Body>| request.map(Body::new));
        let browsers = Router::new()
            .fallback_service(web)
            .layer(middleware::from_fn(explain))
            .layer(cors(origins.clone()).expose_headers(exposed))
            .layer(middleware::from_fn_with_state(origins, turn_strangers_away))
            .merge(http.layer(middleware::map_response_with_state(tls.is_some(), secure)));
        let door = FrontDoor::new(native, browsers);
        Ok(BoundServer { door, health: self.health, connections, loopback_too, tls })
    }
}

/// What a call passes on its way to a service.
type Native = Rpc<Timed<Auth<Limited<Compressed<Services>>>>>;

/// A server that is ready to serve.
#[derive(Clone)]
pub struct BoundServer {
    door: FrontDoor<Native>,
    health: Health,
    connections: ConnectionArgs,
    loopback_too: bool,
    tls: Option<Arc<ServerTls>>,
}

impl BoundServer {
    /// Serves TCP connections until the process drains and their calls have finished.
    ///
    /// # Errors
    /// When serving fails, or the limit of open files leaves no room for connections.
    pub async fn serve(self, listener: TcpListener, context: &Context) -> anyhow::Result<()> {
        let drain = context.shutdown.draining().clone().cancelled_owned();
        if let Some(tls) = &self.tls {
            context.shutdown.spawn_until_stopping(Arc::clone(tls).follow());
        }
        let incoming =
            connections::incoming(listener, self.connections, self.loopback_too, self.tls, context)?;
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

/// Pages of the configured origins may send what gRPC-Web needs.
fn cors(origins: Origins) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| origins.allow(origin)))
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(Duration::from_secs(3600))
}

/// A page that may not call is refused here, and not only by its browser.
async fn turn_strangers_away(
    State(origins): State<Origins>,
    request: axum::extract::Request,
    next: Next,
) -> axum::response::Response {
    if origins.admit(&request) {
        return next.run(request).await;
    }
    let words = "pages of this origin may not call: see --web-origins";
    let refusal = Status::from(Failure::new(Reason::OriginNotAllowed, words));
    refusal.into_http::<Body>().map(axum::body::Body::new)
}

/// What pages and documents say about themselves to browsers; by TLS also that there is no other way.
async fn secure(
    State(secured): State<bool>,
    mut response: axum::response::Response,
) -> axum::response::Response {
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if secured {
        let year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().entry(header::STRICT_TRANSPORT_SECURITY).or_insert(year);
    }
    response
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

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::Instant,
    };

    use super::*;

    /// A client that said hello and is silent since, without closing its connection, is found within 15 s: its connection is closed, and its streams with it.
    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_found() {
        let (mut client, accepted) = tokio::io::duplex(1 << 16);
        let (_reporter, health) = tonic_health::server::health_reporter();
        let incoming = tokio_stream::StreamExt::chain(
            tokio_stream::once(Ok::<_, std::io::Error>(accepted)),
            tokio_stream::pending(),
        );
        let server = tokio::spawn(tuned().add_service(health).serve_with_incoming(incoming));
        let began = Instant::now();
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
        client.write_all(&settings).await.unwrap();
        let mut said = Vec::new();
        client.read_to_end(&mut said).await.unwrap();
        assert!(!said.is_empty(), "the server has greeted");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        server.abort();
    }
}
