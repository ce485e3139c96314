use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use chance::Rng as _;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::{Error, Options};

/// A service that clients call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Who somebody is.
    Session,
    /// The referee.
    Game,
    /// Who meets whom.
    Matchmaking,
    /// How strong.
    Rating,
}

/// The ways to one service, one of which is in use. All calls use the same one until it fails; then the next.
#[derive(Debug)]
pub(crate) struct Route {
    channels: Vec<Channel>,
    current: AtomicUsize,
}

/// A way that was chosen for a call.
#[derive(Clone, Debug)]
pub(crate) struct Picked {
    pub channel: Channel,
    pub index: usize,
}

impl Route {
    /// The ways through these channels, of which there is at least one; begins with the one numbered `first`, modulo their number.
    pub fn new(channels: Vec<Channel>, first: usize) -> Self {
        let current = AtomicUsize::new(first % channels.len().max(1));
        Self { channels, current }
    }

    /// The way in use.
    pub fn pick(&self) -> Picked {
        let index = self.current.load(Ordering::Relaxed);
        Picked { channel: self.channels[index].clone(), index }
    }

    /// Says that a way failed: from now on the next one is used, unless somebody has moved on from it already.
    pub fn failed(&self, index: usize) {
        let next = (index + 1) % self.channels.len();
        if next != index
            && self.current.compare_exchange(index, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            tracing::debug!(from = index, to = next, "going on at another address");
        }
    }

    /// How many ways there are.
    pub fn len(&self) -> usize {
        self.channels.len()
    }
}

/// Makes routes such that one address is one connection, whatever the number of services there.
pub(crate) struct Connector<'a> {
    options: &'a Options,
    made: HashMap<String, Channel>,
    first: usize,
}

impl<'a> Connector<'a> {
    pub fn new(options: &'a Options) -> Self {
        Self { options, made: HashMap::new(), first: chance::rng().random_range(0..1024) }
    }

    /// The route to these addresses. Nothing is connected before the first call.
    pub fn route(&mut self, addresses: &[String]) -> Result<Route, Error> {
        if addresses.is_empty() {
            return Err(Error::Address {
                address: String::new(),
                why: "there is no address at all".to_owned(),
            });
        }
        let channels = addresses.iter().map(|address| self.channel(address)).collect::<Result<_, _>>()?;
        Ok(Route::new(channels, self.first))
    }

    fn channel(&mut self, address: &str) -> Result<Channel, Error> {
        if let Some(channel) = self.made.get(address) {
            return Ok(channel.clone());
        }
        let channel = endpoint(address, self.options)?.connect_lazy();
        self.made.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }
}

fn endpoint(address: &str, options: &Options) -> Result<Endpoint, Error> {
    let wrong = |why: String| Error::Address { address: address.to_owned(), why };
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|error| wrong(error.to_string()))?;
    let scheme = endpoint.uri().scheme_str().map(str::to_owned);
    let endpoint = endpoint
        .user_agent(concat!("nigiri-client/", env!("CARGO_PKG_VERSION")))
        .map_err(|error| wrong(error.to_string()))?
        // Without keepalive a channel never recovers from a peer that vanished.
        .http2_keep_alive_interval(options.keepalive_interval)
        .keep_alive_timeout(options.keepalive_timeout)
        .keep_alive_while_idle(true)
        .connect_timeout(Duration::from_secs(3))
        .tcp_nodelay(true);
    match scheme.as_deref() {
        Some("http") => Ok(endpoint),
        Some("https") => {
            let tls = match &options.authorities {
                None => ClientTlsConfig::new().with_webpki_roots(),
                Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            };
            endpoint.tls_config(tls).map_err(|error| wrong(error.to_string()))
        }
        _ => Err(wrong("it begins with neither http:// nor https://".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many calls that fail at one address move on by one address, not by one each.
    #[tokio::test]
    async fn a_failure_is_counted_once_per_address() {
        let channel = Endpoint::from_static("http://127.0.0.1:9").connect_lazy();
        let route = Route::new(vec![channel.clone(), channel.clone(), channel], 5);
        let first = route.pick().index;
        assert_eq!(first, 2);
        (0..10).for_each(|_| route.failed(first));
        assert_eq!(route.pick().index, 0);
        route.failed(0);
        assert_eq!(route.pick().index, 1);
    }

    /// An address that no server can have is refused when the client is made.
    #[tokio::test]
    async fn a_wrong_address_is_refused_at_once() {
        for address in ["", "127.0.0.1:7878", "ftp://example.com", "http://", "not an address"] {
            let error = crate::Client::connect(address).err();
            assert!(matches!(error, Some(Error::Address { .. })), "{address:?}: {error:?}");
        }
        assert!(crate::Client::connect("https://go.example").is_ok());
    }

    /// A server that takes what it is sent and never answers, without closing the connection, is found within 15 s: the stream that was asked for fails.
    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_found() {
        use nigiri_proto::game::v1::{WatchRequest, game_service_client::GameServiceClient};
        use tokio::io::AsyncReadExt;

        let connector = tower::service_fn(|_: http::Uri| async {
            let (ours, mut silent) = tokio::io::duplex(1 << 16);
            tokio::spawn(async move {
                let mut heard = [0; 1024];
                while silent.read(&mut heard).await.is_ok_and(|bytes| bytes > 0) {}
            });
            Ok::<_, std::io::Error>(hyper_util::rt::TokioIo::new(ours))
        });
        let endpoint = endpoint("http://silent", &Options::default()).expect("an address");
        let mut games = GameServiceClient::new(endpoint.connect_with_connector_lazy(connector));
        let opening = games.watch(WatchRequest::default());
        let answer = tokio::time::timeout(Duration::from_secs(15), opening).await.expect("found in time");
        assert!(answer.is_err());
    }
}
