use std::{sync::Arc, time::Duration};

use chance::Rng as _;
use http::HeaderValue;
use nigiri_proto::session::v1::{
    Player, RefreshSessionRequest, SignInAsGuestRequest, SignInBotRequest, Tokens,
    session_service_client::SessionServiceClient,
};
use tonic::{Request, transport::Channel};

use crate::{
    Endpoints, Error, Service, Session,
    retry::until_answered,
    route::{Connector, Route},
    session::Renewal,
};

/// How patient a client is.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long one attempt of a call may take. Default: 5 s.
    pub attempt_timeout: Duration,
    /// For how long a call is attempted again when the connection or the replica fails. Default: 30 s.
    pub retry_for: Duration,
    /// For how long a stream that broke is taken up again without a message. Default: 2 min.
    pub resume_for: Duration,
    /// After how long without any message a stream is taken for broken (the server sends a sign of life every 15 s).
    /// Default: 40 s.
    pub silence: Duration,
    /// How often a connection is probed, also when idle. Default: 5 s.
    pub keepalive_interval: Duration,
    /// How long a probe may take before the connection is given up. Default: 3 s.
    pub keepalive_timeout: Duration,
    /// Authorities, in PEM, that certify the server at an `https` address. Default: none, which means the web's usual ones.
    pub authorities: Option<Vec<u8>>,
    /// Whether a signed-in session's answers may come by gzip: those of 1 KiB and more do then (records, lists, snapshots, exports), shorter ones
    /// stay as they are. Worth it over slow networks; costs processor time on both sides. Default: no.
    pub gzip: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(5),
            retry_for: Duration::from_secs(30),
            resume_for: Duration::from_secs(120),
            silence: Duration::from_secs(40),
            keepalive_interval: Duration::from_secs(5),
            keepalive_timeout: Duration::from_secs(3),
            authorities: None,
            gzip: false,
        }
    }
}

/// Knows where the services are. One connection for each address, made at the first call, shared by all sessions. Cheap to clone.
///
/// ```
/// use std::time::Duration;
/// use nigiri_client::{Client, Endpoints, Options};
///
/// # #[tokio::main] async fn main() -> Result<(), nigiri_client::Error> {
/// // One address, over TLS, checked against the web's usual authorities.
/// let client = Client::connect("https://go.example")?;
///
/// // Two replicas, more patience, and long answers compressed.
/// let both = Endpoints::everywhere(["http://10.0.0.1:7878", "http://10.0.0.2:7878"]);
/// let options = Options { retry_for: Duration::from_secs(120), gzip: true, ..Options::default() };
/// let client = Client::with_endpoints(&both, options)?;
///
/// // What cannot be an address is refused at once, not at the first call.
/// assert!(Client::connect("go.example:7878").is_err());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Client(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    options: Options,
    /// [`Options::attempt_timeout`] as metadata.
    timeout: HeaderValue,
    session: Arc<Route>,
    game: Arc<Route>,
    matchmaking: Arc<Route>,
    rating: Arc<Route>,
}

impl Client {
    /// A client of the server at this address, for example `http://127.0.0.1:7878`. Must be called within a tokio runtime;
    /// connects at the first call.
    ///
    /// # Errors
    /// [`Error::Address`] when it cannot be an address.
    pub fn connect(address: &str) -> Result<Self, Error> {
        Self::connect_any([address])
    }

    /// A client of a server with several addresses: when one fails, it goes on at the next.
    ///
    /// # Errors
    /// [`Error::Address`] when one cannot be an address, or there is none.
    pub fn connect_any(addresses: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, Error> {
        Self::with_endpoints(&Endpoints::everywhere(addresses), Options::default())
    }

    /// A client of services that have addresses of their own.
    ///
    /// # Errors
    /// [`Error::Address`] when one cannot be an address, or a service has none, or the authorities are malformed.
    pub fn with_endpoints(endpoints: &Endpoints, options: Options) -> Result<Self, Error> {
        let mut connector = Connector::new(&options);
        let session = Arc::new(connector.route(&endpoints.session)?);
        let game = Arc::new(connector.route(&endpoints.game)?);
        let matchmaking = Arc::new(connector.route(&endpoints.matchmaking)?);
        let rating = Arc::new(connector.route(&endpoints.rating)?);
        let timeout = timeout_header(options.attempt_timeout);
        Ok(Self(Arc::new(Shared { options, timeout, session, game, matchmaking, rating })))
    }

    /// A client that speaks through this channel to all services.
    pub fn from_channel(channel: Channel) -> Self {
        Self::from_channels(|_| channel.clone(), Options::default())
    }

    /// A client that speaks through these channels.
    pub fn from_channels(channel: impl Fn(Service) -> Channel, options: Options) -> Self {
        Self::from_ways(|service| vec![channel(service)], options)
    }

    /// A client that speaks through these channels, of which each service has at least one: when one fails, it goes on at the next.
    pub fn from_ways(ways: impl Fn(Service) -> Vec<Channel>, options: Options) -> Self {
        let route = |service| Arc::new(Route::new(ways(service), 0));
        Self(Arc::new(Shared {
            timeout: timeout_header(options.attempt_timeout),
            options,
            session: route(Service::Session),
            game: route(Service::Game),
            matchmaking: route(Service::Matchmaking),
            rating: route(Service::Rating),
        }))
    }

    /// How patient it is.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    pub(crate) fn timeout_header(&self) -> HeaderValue {
        self.0.timeout.clone()
    }

    /// A request that says how long it may take.
    pub(crate) fn timed<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.options().attempt_timeout);
        request
    }

    pub(crate) fn route(&self, service: Service) -> &Arc<Route> {
        match service {
            Service::Session => &self.0.session,
            Service::Game => &self.0.game,
            Service::Matchmaking => &self.0.matchmaking,
            Service::Rating => &self.0.rating,
        }
    }

    /// Makes a new guest. The name that the session has may carry a suffix that makes it unique. All attempts are
    /// one request: an answer that was lost leaves no second guest behind.
    ///
    /// # Errors
    /// [`Error::Refused`] (`NICKNAME_...`) when nobody may be called so; else as [`Session::call`].
    pub async fn sign_in_as_guest(&self, nickname: &str) -> Result<Session, Error> {
        let request = SignInAsGuestRequest { nickname: nickname.to_owned(), request_id: random_uuid() };
        let call = until_answered(self.options(), self.route(Service::Session), |way| {
            let request = self.timed(request.clone());
            async move { SessionServiceClient::new(way.channel).sign_in_as_guest(request).await }
        });
        let answer = call.await.result?;
        self.session(answer.player, answer.tokens, Renewal::Refresh)
    }

    /// Signs a bot in by its secret. When its session ends, it signs in again by itself.
    ///
    /// # Errors
    /// [`Error::Refused`] (`SECRET_WRONG`, `NICKNAME_...`); else as [`Session::call`].
    pub async fn sign_in_bot(&self, name: &str, secret: &str) -> Result<Session, Error> {
        let renewal = Renewal::Bot { name: name.to_owned(), secret: secret.to_owned() };
        let (player, tokens) = self.bot_tokens(name, secret).await?;
        self.session(player, tokens, renewal)
    }

    /// Goes on with a session of which only the refresh token is left. The token is used up by it.
    ///
    /// # Errors
    /// [`Error::SignedOut`] when the token is not good any more; else as [`Session::call`].
    pub async fn restore(&self, refresh_token: &str) -> Result<Session, Error> {
        let (player, tokens) = self.refresh(refresh_token).await?;
        self.session(player, tokens, Renewal::Refresh)
    }

    pub(crate) fn session(
        &self,
        player: Option<Player>,
        tokens: Option<Tokens>,
        renewal: Renewal,
    ) -> Result<Session, Error> {
        let player = player.ok_or(Error::Malformed("a sign-in without a player"))?;
        let tokens = tokens.ok_or(Error::Malformed("a sign-in without tokens"))?;
        Session::new(self.clone(), player, tokens, renewal)
    }

    pub(crate) async fn bot_tokens(
        &self,
        name: &str,
        secret: &str,
    ) -> Result<(Option<Player>, Option<Tokens>), Error> {
        let request = SignInBotRequest { name: name.to_owned(), secret: secret.to_owned() };
        let call = until_answered(self.options(), self.route(Service::Session), |way| {
            let request = self.timed(request.clone());
            async move { SessionServiceClient::new(way.channel).sign_in_bot(request).await }
        });
        let answer = call.await.result?;
        Ok((answer.player, answer.tokens))
    }

    pub(crate) async fn refresh(
        &self,
        refresh_token: &str,
    ) -> Result<(Option<Player>, Option<Tokens>), Error> {
        let request = RefreshSessionRequest { refresh_token: refresh_token.to_owned() };
        let call = until_answered(self.options(), self.route(Service::Session), |way| {
            let request = self.timed(request.clone());
            async move { SessionServiceClient::new(way.channel).refresh_session(request).await }
        });
        let answer = call.await.result?;
        Ok((answer.player, answer.tokens))
    }
}

/// A random UUID (version 4) in its text form: 32 hexadecimal digits.
pub(crate) fn random_uuid() -> String {
    let version_and_variant = (0xf_u128 << 76) | (0b11_u128 << 62);
    let bits = (chance::rng().random::<u128>() & !version_and_variant) | (4_u128 << 76) | (0b10_u128 << 62);
    format!("{bits:032x}")
}

/// A time span as `grpc-timeout` has it: at most eight digits.
fn timeout_header(time: Duration) -> HeaderValue {
    let millis = u32::try_from(time.as_millis()).unwrap_or(u32::MAX).min(99_999_999);
    HeaderValue::try_from(format!("{millis}m")).unwrap_or_else(|_| HeaderValue::from_static("5S"))
}
