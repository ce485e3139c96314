//! Configuration that every process shares: clap groups, each field also an environment variable.

use std::{collections::HashMap, fmt, net::SocketAddr, str::FromStr, time::Duration};

use clap::Args;
use http::Uri;
use tonic::transport::Endpoint;

use crate::{
    connections::ConnectionArgs,
    limits::LimitArgs,
    network::{Address, Network, Peer},
    origins::OriginArgs,
    tls::{PeerTls, PeerTlsArgs, TlsArgs},
};

/// A text that never prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself: to be sent or compared, never logged.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl FromStr for Secret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() < 16 {
            return Err("a secret needs at least 16 characters".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

/// Reads a time span such as `15s` or `1h 30m` that lies between two bounds, both included: `MIN` milliseconds and `MAX` seconds.
///
/// # Errors
/// When it is malformed or out of bounds; the error says what would be right.
pub fn span<const MIN: u64, const MAX: u64>(text: &str) -> Result<Duration, String> {
    let (least, most) = (Duration::from_millis(MIN), Duration::from_secs(MAX));
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if (least..=most).contains(&time) {
        Ok(time)
    } else {
        let show = humantime::format_duration;
        Err(format!("out of bounds: from {} to {}", show(least), show(most)))
    }
}

/// How the process listens and stops.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// Address for everything: gRPC, gRPC-Web, health, /metrics.
    #[arg(long, env = "NIGIRI_LISTEN", default_value = "127.0.0.1:7878")]
    pub listen: SocketAddr,

    /// Time between SIGTERM and the end of the process: streams are told, calls finish.
    #[arg(long, env = "NIGIRI_SHUTDOWN_GRACE", default_value = "10s", value_parser = span::<0, 3600>)]
    pub shutdown_grace: Duration,

    /// Time for which a stopping process still serves after it has said that it is not ready, so that load balancers notice.
    #[arg(long, env = "NIGIRI_SHUTDOWN_DELAY", default_value = "0s", value_parser = span::<0, 3600>)]
    pub shutdown_delay: Duration,

    /// How much callers may ask for.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Whose pages may call.
    #[command(flatten)]
    pub origins: OriginArgs,

    /// How many may be connected.
    #[command(flatten)]
    pub connections: ConnectionArgs,

    /// How connections are secured.
    #[command(flatten)]
    pub tls: TlsArgs,
}

impl ServerArgs {
    /// What the server's address begins with.
    pub fn scheme(&self) -> &'static str {
        if self.tls.tls_cert.is_some() { "https" } else { "http" }
    }
}

/// What is logged, and how.
#[derive(Args, Clone, Debug)]
pub struct TelemetryArgs {
    /// What to log: a level or `target=level` list.
    #[arg(long, env = "NIGIRI_LOG", default_value = "info")]
    pub log: String,

    /// How to log: `text` for people, `json` for machines.
    #[arg(long, env = "NIGIRI_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    /// Address of a collector of OpenTelemetry (OTLP over gRPC, plain), for example http://127.0.0.1:4317: traces and metrics are sent
    /// there. None: nothing is sent; /metrics is there either way.
    #[arg(long, env = "NIGIRI_OTLP_ENDPOINT", value_parser = collector)]
    pub otlp_endpoint: Option<Uri>,

    /// Which part of the traces is kept, from 0 to 1: the same ones by every process that has the service secret. It should be the same everywhere.
    #[arg(long, env = "NIGIRI_TRACE_RATIO", default_value_t = 0.01, value_parser = ratio)]
    pub trace_ratio: f64,

    /// Whether a caller whose `traceparent` says that it keeps the trace has it kept: where all clients are one's own. Otherwise as often as others.
    #[arg(long, env = "NIGIRI_TRACE_CALLERS")]
    pub trace_callers: bool,

    /// Whether anything is counted, timed and traced at all. Without, /metrics is empty: for finding out what instruments cost.
    #[arg(long, env = "NIGIRI_INSTRUMENTS", default_value_t = true, action = clap::ArgAction::Set)]
    pub instruments: bool,

    /// How often metrics are sent to the collector.
    #[arg(long, env = "NIGIRI_OTLP_METRICS_INTERVAL", default_value = "30s", value_parser = span::<1000, 3600>)]
    pub otlp_metrics_interval: Duration,
}

/// Reads the address of a collector.
fn collector(text: &str) -> Result<Uri, String> {
    let uri: Uri = text.parse().map_err(|error| format!("{error}"))?;
    if uri.scheme_str() == Some("http") && uri.host().is_some() {
        Ok(uri)
    } else {
        Err("an address reads like http://127.0.0.1:4317; for TLS run a collector beside this process"
            .to_owned())
    }
}

/// Reads a part of a whole.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=1.0).contains(&ratio) { Ok(ratio) } else { Err("out of bounds: from 0 to 1".to_owned()) }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: a JSON object a line.
    Json,
}

/// Where the SQL store is.
#[derive(Args, Clone, Debug)]
pub struct StoreArgs {
    /// Address of Postgres.
    #[arg(
        long,
        env = "NIGIRI_STORE_URL",
        default_value = "postgres://nigiri@127.0.0.1/nigiri",
        hide_env_values = true
    )]
    pub store_url: String,

    /// Connections to Postgres that this process may hold.
    #[arg(long, env = "NIGIRI_STORE_CONNECTIONS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub store_connections: u32,
}

/// Where the ledger is.
#[derive(Args, Clone, Debug)]
pub struct LedgerArgs {
    /// Address of Redis (for a cluster: of some of its nodes; for Sentinels: redis+sentinel://host:port/master each; separated by commas).
    #[arg(
        long,
        env = "NIGIRI_LEDGER_URL",
        default_value = "redis://127.0.0.1:6379",
        value_delimiter = ',',
        hide_env_values = true
    )]
    pub ledger_url: Vec<String>,

    /// Whether it is a Redis Cluster.
    #[arg(long, env = "NIGIRI_LEDGER_CLUSTER", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub ledger_cluster: bool,

    /// Partitions of the ledger: fixed when an installation is made.
    #[arg(long, env = "NIGIRI_LEDGER_PARTITIONS", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub ledger_partitions: u16,

    /// Replicas of Redis that must have an entry before it is acknowledged or shown: with 0, a failover loses what the new master had not received.
    #[arg(long, env = "NIGIRI_LEDGER_WAIT_REPLICAS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub ledger_wait_replicas: u32,
}

/// Where the other services are, and the secret between them.
#[derive(Args, Clone, Debug)]
pub struct PeerArgs {
    /// Address of the session service.
    #[arg(long, env = "NIGIRI_SESSION_URL", default_value = "http://127.0.0.1:7881")]
    pub session_url: Endpoint,

    /// Address of the game service.
    #[arg(long, env = "NIGIRI_GAME_URL", default_value = "http://127.0.0.1:7882")]
    pub game_url: Endpoint,

    /// Address of the matchmaking service.
    #[arg(long, env = "NIGIRI_MATCHMAKING_URL", default_value = "http://127.0.0.1:7883")]
    pub matchmaking_url: Endpoint,

    /// Address of the rating service.
    #[arg(long, env = "NIGIRI_RATING_URL", default_value = "http://127.0.0.1:7884")]
    pub rating_url: Endpoint,

    /// Address of the bot service.
    #[arg(long, env = "NIGIRI_BOT_URL", default_value = "http://127.0.0.1:7885")]
    pub bot_url: Endpoint,

    /// The secret by which services know each other: at least 16 characters, the same for all.
    #[arg(long, env = "NIGIRI_SERVICE_SECRET", hide_env_values = true)]
    pub service_secret: Secret,

    /// How https addresses are reached.
    #[command(flatten)]
    pub tls: PeerTlsArgs,
}

impl PeerArgs {
    /// The services at their addresses.
    ///
    /// # Errors
    /// When a certificate cannot be used, or an https address has no authority.
    pub fn network(&self) -> anyhow::Result<Network> {
        let tls = PeerTls::load(&self.tls)?;
        let addresses = [
            (Peer::Session, &self.session_url),
            (Peer::Game, &self.game_url),
            (Peer::Matchmaking, &self.matchmaking_url),
            (Peer::Rating, &self.rating_url),
            (Peer::Bot, &self.bot_url),
        ];
        let addresses = addresses
            .map(|(peer, url)| Ok((peer, Address::new(url.uri().clone(), tls.as_ref())?)))
            .into_iter()
            .collect::<anyhow::Result<HashMap<_, _>>>()?;
        Ok(Network::Remote(addresses))
    }
}

/// The rule that says whether guests may play rated games; the same for every service that asks.
#[derive(Args, Clone, Debug)]
pub struct RatedArgs {
    /// Whether guests may play rated games.
    #[arg(long, env = "NIGIRI_RATED_GUESTS", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub rated_guests: bool,
}
