//! How services reach each other: by gRPC always, over a pipe within one process and over TCP elsewhere.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderValue, Request, Response, Uri, header::AUTHORIZATION};
use hyper_util::rt::TokioIo;
use kernel::Timestamp;
use nigiri_proto::session::v1::{
    GetKeysRequest, SignInServiceRequest, session_service_client::SessionServiceClient,
};
use tokio::{
    io::DuplexStream,
    sync::{Mutex, mpsc},
};
use tonic::{
    Status,
    body::Body,
    transport::{Channel, Endpoint},
};
use tower::{Service, ServiceExt, service_fn};

use crate::{
    auth::{KeySource, keys_away},
    clock::Clock,
    config::Secret,
    status::Failure,
    telemetry::trace,
    tls::PeerTls,
};

/// A kind of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Who somebody is.
    Session,
    /// The referee.
    Game,
    /// Who meets whom.
    Matchmaking,
    /// How strong.
    Rating,
    /// The house's bots.
    Bot,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "session",
            Self::Game => "game",
            Self::Matchmaking => "matchmaking",
            Self::Rating => "rating",
            Self::Bot => "bot",
        })
    }
}

/// Where the services are.
#[derive(Clone, Debug)]
pub enum Network {
    /// All in this process, behind this pipe.
    InProcess(Pipe),
    /// Each at an address of its own.
    Remote(HashMap<Peer, Address>),
}

/// Where a service is, and how it is reached.
#[derive(Clone, Debug)]
pub struct Address {
    uri: Uri,
    tls: Option<PeerTls>,
}

impl Address {
    /// A service at an `http` or `https` address.
    ///
    /// # Errors
    /// When it is `https` and nothing says whose certificates count.
    pub fn new(uri: Uri, tls: Option<&PeerTls>) -> anyhow::Result<Self> {
        let secured = uri.scheme_str() == Some("https");
        anyhow::ensure!(!secured || tls.is_some(), "{uri} needs authorities: set --peer-ca");
        Ok(Self { uri, tls: tls.filter(|_| secured).cloned() })
    }

    fn channel(&self) -> anyhow::Result<Channel> {
        match &self.tls {
            None => Ok(tuned(Endpoint::from(self.uri.clone())).connect_lazy()),
            Some(tls) => tls.channel(&self.uri, tuned),
        }
    }
}

/// The client's end of the pipe to this process's own server.
#[derive(Clone, Debug)]
pub struct Pipe {
    connections: mpsc::Sender<DuplexStream>,
}

/// Bytes that a pipe holds in each direction.
const PIPE_BYTES: usize = 64 * 1024;

impl Pipe {
    /// A pipe, and what the server accepts connections from.
    pub fn new() -> (Self, mpsc::Receiver<DuplexStream>) {
        let (connections, accepted) = mpsc::channel(64);
        (Self { connections }, accepted)
    }

    /// A connection through the pipe.
    ///
    /// # Errors
    /// When the server has stopped.
    pub async fn connect(&self) -> std::io::Result<DuplexStream> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let sent = self.connections.send(theirs).await;
        sent.map_err(|_| std::io::Error::other("the server has stopped"))?;
        Ok(ours)
    }

    /// A channel through the pipe, with a connection of its own.
    pub fn channel(&self) -> Channel {
        self.channel_with(Endpoint::from_static("http://in-process"))
    }

    /// Likewise, in the manner of this endpoint; its address does not count.
    pub fn channel_with(&self, endpoint: Endpoint) -> Channel {
        let pipe = self.clone();
        let connector = service_fn(move |_: http::Uri| {
            let pipe = pipe.clone();
            async move { pipe.connect().await.map(TokioIo::new) }
        });
        endpoint.connect_with_connector_lazy(connector)
    }
}

impl Network {
    /// A bare channel to a service, without a token.
    ///
    /// # Errors
    /// When no address is configured for it.
    pub fn bare(&self, peer: Peer) -> anyhow::Result<Channel> {
        match self {
            Self::InProcess(pipe) => Ok(pipe.channel()),
            Self::Remote(addresses) => match addresses.get(&peer) {
                Some(address) => address.channel(),
                None => anyhow::bail!("no address is configured for the {peer} service: set --{peer}-url"),
            },
        }
    }
}

/// What every channel between services has: keepalive (without it a channel never recovers from a peer that
/// vanished), a bound on connecting, no delay.
fn tuned(endpoint: Endpoint) -> Endpoint {
    endpoint
        .http2_keep_alive_interval(Duration::from_secs(5))
        .keep_alive_timeout(Duration::from_secs(3))
        .keep_alive_while_idle(true)
        .connect_timeout(Duration::from_secs(3))
        .tcp_nodelay(true)
}

/// Signs this service in at the session service, and remembers the token until it is about to expire.
#[derive(Clone)]
pub struct ServiceToken(Arc<TokenShared>);

struct TokenShared {
    session: Channel,
    service: String,
    secret: Secret,
    clock: Clock,
    token: Mutex<Option<(HeaderValue, Timestamp)>>,
}

impl ServiceToken {
    /// A token of this service, by the secret that all services share.
    pub fn new(session: Channel, service: &str, secret: Secret, clock: Clock) -> Self {
        Self(Arc::new(TokenShared {
            session,
            service: service.to_owned(),
            secret,
            clock,
            token: Mutex::new(None),
        }))
    }

    /// The `authorization` metadata for a call.
    ///
    /// # Errors
    /// What the session service answered.
    async fn header(&self) -> Result<HeaderValue, Status> {
        let shared = &self.0;
        let mut token = shared.token.lock().await;
        if let Some((header, expires)) = &*token
            && *expires > shared.clock.now() + Duration::from_secs(60)
        {
            return Ok(header.clone());
        }
        let request = SignInServiceRequest {
            service: shared.service.clone(),
            secret: shared.secret.expose().to_owned(),
        };
        let answer =
            SessionServiceClient::new(shared.session.clone()).sign_in_service(request).await?.into_inner();
        let tokens = answer.tokens.unwrap_or_default();
        let header = HeaderValue::try_from(format!("Bearer {}", tokens.access_token))
            .map_err(|_| Status::internal("the session service sent a malformed token"))?;
        let expires =
            tokens.access_expire_time.map_or_else(Timestamp::default, crate::convert::from_proto_time);
        *token = Some((header.clone(), expires));
        Ok(header)
    }
}

/// A channel whose calls carry this service's token, and the trace that they belong to.
#[derive(Clone)]
pub struct ServiceChannel {
    inner: Channel,
    token: ServiceToken,
}

impl ServiceChannel {
    /// A channel to a peer, with this token.
    pub fn new(inner: Channel, token: ServiceToken) -> Self {
        Self { inner, token }
    }
}

impl Service<Request<Body>> for ServiceChannel {
    type Response = Response<Body>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let (channel, token) = (self.inner.clone(), self.token.clone());
        if let Some(context) = trace::header() {
            request.headers_mut().insert(trace::HEADER, context);
        }
        Box::pin(async move {
            // A status travels as an error's source: tonic finds it there again.
            let header = token.header().await?;
            request.headers_mut().insert(AUTHORIZATION, header);
            Ok(channel.oneshot(request).await?)
        })
    }
}

/// The session service's public keys, over the network.
pub struct RemoteKeys(pub Channel);

#[tonic::async_trait]
impl KeySource for RemoteKeys {
    async fn keys(&self) -> Result<String, Failure> {
        match SessionServiceClient::new(self.0.clone()).get_keys(GetKeysRequest {}).await {
            Ok(answer) => Ok(answer.into_inner().jwks),
            Err(status) => {
                tracing::warn!(%status, "cannot fetch the public keys");
                Err(keys_away())
            }
        }
    }
}
