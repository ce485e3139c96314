//! Which server has which partition. The client library can follow a Cluster too, but sends a command again by itself when a connection
//! broke: an append would then be refused by its own entry, although a refusal says that nothing was written.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use ::redis::{
    Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo, ProtocolVersion, RedisError,
    RedisResult, ServerErrorKind, Value,
};
use tokio::{sync::watch, time::Instant};

use super::{
    config::{ConnectError, RedisConfig},
    keys::Keys,
    link::{Node, Timeouts},
    resp::Request,
    scripts::Lua,
};

/// So often a command is sent elsewhere, or later, after a server has said that it has not carried it out.
const REDIRECTS: usize = 6;

/// The map is not fetched more often than this.
const REFRESH_PAUSE: Duration = Duration::from_millis(100);

/// Who serves what.
#[derive(Debug, Default)]
pub(super) struct Routes {
    pub nodes: BTreeMap<String, Arc<Node>>,
    /// By partition; none while nobody serves it.
    of: Vec<Option<Arc<Node>>>,
}

impl Routes {
    pub fn node(&self, partition: u16) -> Option<&Arc<Node>> {
        self.of.get(usize::from(partition)).and_then(Option::as_ref)
    }

    fn addresses(&self) -> Vec<Option<&str>> {
        self.of.iter().map(|node| node.as_ref().map(|node| node.address.as_str())).collect()
    }
}

#[derive(Debug)]
pub(super) struct Topology {
    pub cluster: bool,
    partitions: u16,
    connections: usize,
    timeouts: Timeouts,
    /// As configured; the map names other addresses with the same credentials.
    seeds: Vec<Arc<Node>>,
    info: ConnectionInfo,
    routes: watch::Sender<Arc<Routes>>,
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

impl Topology {
    pub fn new(config: &RedisConfig) -> Result<Self, ConnectError> {
        let wrong = |error: RedisError| ConnectError::Config(error.to_string());
        let timeouts = Timeouts { connect: config.connect_timeout, response: config.response_timeout };
        let mut infos = Vec::new();
        for url in &config.urls {
            let info = url.as_str().into_connection_info().map_err(wrong)?;
            let tcp = info.tcp_settings().clone().set_nodelay(true);
            infos.push(info.set_tcp_settings(tcp));
        }
        let Some(info) = infos.first().cloned() else {
            return Err(ConnectError::Config("no URL".into()));
        };
        let seed = |info: ConnectionInfo| {
            Node::new(info.addr().to_string(), info, config.connections, timeouts).map(Arc::new)
        };
        let seeds: Vec<_> = infos.into_iter().map(seed).collect::<RedisResult<_>>().map_err(wrong)?;
        let mut routes = Routes::default();
        if let (false, Some(node)) = (config.cluster, seeds.first()) {
            routes.nodes.insert(node.address.clone(), Arc::clone(node));
            routes.of = vec![Some(Arc::clone(node)); usize::from(config.partitions)];
        }
        Ok(Self {
            cluster: config.cluster,
            partitions: config.partitions,
            connections: config.connections,
            timeouts,
            seeds,
            info,
            routes: watch::Sender::new(Arc::new(routes)),
            refreshed: tokio::sync::Mutex::default(),
        })
    }

    pub fn watch(&self) -> watch::Receiver<Arc<Routes>> {
        self.routes.subscribe()
    }

    pub fn routes(&self) -> Arc<Routes> {
        Arc::clone(&self.routes.borrow())
    }

    /// Runs a script on a partition, in one round trip unless the server does not know it yet.
    pub async fn script(
        &self,
        partition: u16,
        script: &Lua,
        keys: &[String],
        arguments: &[&[u8]],
    ) -> RedisResult<Value> {
        let command = |verb: &str, body: &str| {
            let mut command = ::redis::cmd(verb);
            command.arg(body).arg(keys.len()).arg(keys).arg(arguments);
            command
        };
        match self.run(partition, &command("EVALSHA", &script.hash)).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.run(partition, &command("EVAL", script.code)).await
            }
            answer => answer,
        }
    }

    /// Asks for a script that answers with numbers, in one round trip; `write` writes the whole request. None if that cannot be done so, and the
    /// script was not run: then [`Topology::script`] can.
    pub async fn numbers(
        &self,
        partition: u16,
        write: impl FnOnce(&mut Request<'_>),
    ) -> Option<RedisResult<Vec<i64>>> {
        let routes = self.routes();
        let answer = routes.node(partition)?.call(write).await?;
        let Err(error) = &answer else { return Some(answer) };
        match error.kind() {
            ErrorKind::Server(
                ServerErrorKind::NoScript
                | ServerErrorKind::Moved
                | ServerErrorKind::Ask
                | ServerErrorKind::TryAgain,
            ) => return None,
            ErrorKind::Io | ErrorKind::Server(ServerErrorKind::ClusterDown | ServerErrorKind::ReadOnly) => {
                // Somebody else may serve it by now: for the next command.
                let _still_down = self.refresh().await;
            }
            _ => {}
        }
        Some(answer)
    }

    /// Runs a command where the partition is. It is sent again only if a server says that it has not carried it out.
    pub async fn run(&self, partition: u16, command: &Cmd) -> RedisResult<Value> {
        let mut asked: Option<Arc<Node>> = None;
        let mut attempt = 0;
        loop {
            let answer = match asked.take() {
                Some(node) => node.send_asking(command).await,
                None => match self.routes().node(partition) {
                    Some(node) => node.send(command).await,
                    None => Err((ErrorKind::ClusterConnectionNotFound, "nobody serves the partition").into()),
                },
            };
            let Err(error) = answer else { return answer };
            attempt += 1;
            if !self.cluster || attempt > REDIRECTS {
                return Err(error);
            }
            match error.kind() {
                ErrorKind::Server(ServerErrorKind::Moved) => self.follow_move(partition, &error).await?,
                ErrorKind::Server(ServerErrorKind::Ask) => {
                    let (address, _) = error.redirect_node().unwrap_or_default();
                    asked = Some(self.node_at(&self.routes(), address)?);
                }
                ErrorKind::Server(ServerErrorKind::TryAgain) => tokio::time::sleep(REFRESH_PAUSE).await,
                ErrorKind::ClusterConnectionNotFound if attempt == 1 => self.refresh().await?,
                ErrorKind::Io
                | ErrorKind::Server(ServerErrorKind::ClusterDown | ServerErrorKind::ReadOnly) => {
                    // Somebody else may serve it by now: for the next command.
                    let _still_down = self.refresh().await;
                    return Err(error);
                }
                _ => return Err(error),
            }
        }
    }

    async fn follow_move(&self, partition: u16, error: &RedisError) -> RedisResult<()> {
        let (address, _) = error.redirect_node().unwrap_or_default();
        let current = self.routes();
        let node = self.node_at(&current, address)?;
        let mut of = current.of.clone();
        if let Some(place) = of.get_mut(usize::from(partition)) {
            *place = Some(Arc::clone(&node));
        }
        let mut nodes = current.nodes.clone();
        nodes.insert(node.address.clone(), node);
        self.publish(Routes { nodes, of });
        // One partition has moved, so others may have too. If nobody can say, this one move is known anyway.
        let _rest_unknown = self.refresh().await;
        Ok(())
    }

    /// Asks the Cluster who serves what. Nothing to do for a single Redis.
    pub async fn refresh(&self) -> RedisResult<()> {
        if !self.cluster {
            return Ok(());
        }
        let mut refreshed = self.refreshed.lock().await;
        if refreshed.is_some_and(|at| at.elapsed() < REFRESH_PAUSE) {
            return Ok(());
        }
        let routes = self.routes();
        let mut last = RedisError::from((ErrorKind::ClusterConnectionNotFound, "no node answers"));
        for node in routes.nodes.values().chain(&self.seeds) {
            match node.send(::redis::cmd("CLUSTER").arg("SLOTS")).await {
                Ok(map) => {
                    let fresh = self.parse(&routes, &map, node)?;
                    *refreshed = Some(Instant::now());
                    self.publish(fresh);
                    return Ok(());
                }
                Err(error) => last = error,
            }
        }
        *refreshed = Some(Instant::now());
        Err(last)
    }

    fn parse(&self, current: &Routes, map: &Value, teller: &Node) -> RedisResult<Routes> {
        type Range = (u16, u16, Vec<Value>);
        let ranges: Vec<Vec<Value>> = ::redis::from_redis_value_ref(map)?;
        let range = |range: &Vec<Value>| -> RedisResult<Range> {
            let [from, to, master, ..] = &range[..] else {
                return Err((ErrorKind::UnexpectedReturnType, "a range of slots without a node").into());
            };
            let number = |value| ::redis::from_redis_value_ref::<u16>(value);
            Ok((number(from)?, number(to)?, ::redis::from_redis_value_ref(master)?))
        };
        let ranges: Vec<Range> = ranges.iter().map(range).collect::<RedisResult<_>>()?;
        let mut routes = Routes::default();
        for partition in 0..self.partitions {
            let slot = Keys::slot(partition);
            let owner = ranges.iter().find(|(from, to, _)| (*from..=*to).contains(&slot));
            let node = match owner {
                Some((_, _, master)) => Some(self.node_at(current, &address(master, teller)?)?),
                None => None,
            };
            // A new node that serves several partitions is one node.
            let node = node.map(|node| Arc::clone(routes.nodes.entry(node.address.clone()).or_insert(node)));
            routes.of.push(node);
        }
        Ok(routes)
    }

    fn node_at(&self, current: &Routes, address: &str) -> RedisResult<Arc<Node>> {
        if let Some(node) = current.nodes.get(address) {
            return Ok(Arc::clone(node));
        }
        let place = address.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let Some((host, port)) = place else {
            return Err((ErrorKind::UnexpectedReturnType, "a node without an address").into());
        };
        let addr = match self.info.addr() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => ConnectionAddr::TcpTls {
                host: host.to_owned(),
                port,
                insecure: *insecure,
                tls_params: tls_params.clone(),
            },
            _ => ConnectionAddr::Tcp(host.to_owned(), port),
        };
        let info = self.info.clone().set_addr(addr);
        Node::new(address.to_owned(), info, self.connections, self.timeouts).map(Arc::new)
    }

    fn publish(&self, routes: Routes) {
        self.routes.send_if_modified(|current| {
            let changed = current.addresses() != routes.addresses();
            if changed {
                *current = Arc::new(routes);
            }
            changed
        });
    }
}

/// The address of a node as `CLUSTER SLOTS` gives it. A node that does not know its own host is where it was reached.
fn address(master: &[Value], teller: &Node) -> RedisResult<String> {
    let (Some(host), Some(port)) = (master.first(), master.get(1)) else {
        return Err((ErrorKind::UnexpectedReturnType, "a node without an address").into());
    };
    let host: Option<String> = ::redis::from_redis_value_ref(host)?;
    let port: u16 = ::redis::from_redis_value_ref(port)?;
    let known = host.filter(|host| !host.is_empty() && host != "?");
    let host = known.or_else(|| teller.address.rsplit_once(':').map(|(host, _)| host.to_owned()));
    Ok(format!("{}:{port}", host.unwrap_or_default()))
}

/// How a subscriber talks to a node: with pushes.
pub(super) fn pushing(info: &ConnectionInfo) -> ConnectionInfo {
    let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    info.clone().set_redis_settings(redis)
}
