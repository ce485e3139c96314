//! Which server has which partition. The client library can follow a Cluster too, but sends a command again by itself when a connection
//! broke: an append would then be refused by its own entry, although a refusal says that nothing was written.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

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
    sentinel::{self, SentinelUrl},
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

    /// One node for everything.
    fn of_one(node: Arc<Node>, partitions: u16) -> Self {
        let of = vec![Some(Arc::clone(&node)); usize::from(partitions)];
        Self { nodes: BTreeMap::from([(node.address.clone(), node)]), of }
    }

    fn addresses(&self) -> Vec<Option<&str>> {
        self.of.iter().map(|node| node.as_ref().map(|node| node.address.as_str())).collect()
    }
}

#[derive(Debug)]
pub(super) struct Topology {
    pub cluster: bool,
    /// The master's name, where Sentinels know it.
    sentinel: Option<String>,
    /// How many replicas must have what is answered.
    wait_replicas: u32,
    partitions: u16,
    connections: usize,
    timeouts: Timeouts,
    /// As configured; the map names other addresses with the same credentials.
    seeds: Vec<Arc<Node>>,
    info: ConnectionInfo,
    routes: watch::Sender<Arc<Routes>>,
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

/// What the configured addresses say.
struct Places {
    /// Servers, or Sentinels, to begin with.
    infos: Vec<ConnectionInfo>,
    /// How to talk to a server that they name.
    info: ConnectionInfo,
    sentinel: Option<String>,
}

impl Places {
    fn parse(config: &RedisConfig) -> Result<Self, ConnectError> {
        let wrong = |error: RedisError| ConnectError::Config(error.to_string());
        let parse = |url: &str| {
            let info = url.into_connection_info().map_err(wrong)?;
            let tcp = info.tcp_settings().clone().set_nodelay(true);
            Ok::<_, ConnectError>(info.set_tcp_settings(tcp))
        };
        let (mut infos, mut info, mut names) = (Vec::new(), None, BTreeSet::new());
        for url in &config.urls {
            let (seed, server, name) = match SentinelUrl::parse(url) {
                None => (parse(url)?, parse(url)?, None),
                Some(Ok(url)) => (parse(&url.sentinel)?, parse(&url.master)?, Some(url.name)),
                Some(Err(why)) => return Err(ConnectError::Config(why)),
            };
            infos.push(seed);
            info.get_or_insert(server);
            names.insert(name);
        }
        let (Some(info), Some(sentinel)) = (info, names.pop_first()) else {
            return Err(ConnectError::Config("no URL".into()));
        };
        if !names.is_empty() || (config.cluster && sentinel.is_some()) {
            return Err(ConnectError::Config("all addresses are Sentinels of one master, or none is".into()));
        }
        Ok(Self { infos, info, sentinel })
    }
}

impl Topology {
    pub fn new(config: &RedisConfig) -> Result<Self, ConnectError> {
        let wrong = |error: RedisError| ConnectError::Config(error.to_string());
        let timeouts = Timeouts { connect: config.connect_timeout, response: config.response_timeout };
        let Places { infos, info, sentinel } = Places::parse(config)?;
        let seed = |info: ConnectionInfo| {
            Node::new(info.addr().to_string(), info, config.connections, timeouts).map(Arc::new)
        };
        let seeds: Vec<_> = infos.into_iter().map(seed).collect::<RedisResult<_>>().map_err(wrong)?;
        let mut routes = Routes::default();
        if let (false, None, Some(node)) = (config.cluster, &sentinel, seeds.first()) {
            routes = Routes::of_one(Arc::clone(node), config.partitions);
        }
        Ok(Self {
            cluster: config.cluster,
            sentinel,
            wait_replicas: config.wait_replicas,
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
        let node = routes.node(partition)?;
        let answer = match node.call(write).await? {
            Ok(numbers) => self.settle(node).await.map(|()| numbers),
            Err(error) => Err(error),
        };
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
                    Some(node) => self.send(node, command).await,
                    None => Err((ErrorKind::ClusterConnectionNotFound, "nobody serves the partition").into()),
                },
            };
            let Err(error) = answer else { return answer };
            attempt += 1;
            if self.is_fixed() || attempt > REDIRECTS {
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

    /// Sends a command, and waits for replicas if they are to have what it answers.
    async fn send(&self, node: &Node, command: &Cmd) -> RedisResult<Value> {
        let answer = node.send(command).await?;
        self.settle(node).await?;
        Ok(answer)
    }

    /// Waits until as many replicas as must have it have all that this server has answered or told so far.
    pub async fn settle(&self, node: &Node) -> RedisResult<()> {
        if self.wait_replicas > 0 { node.replicated(self.wait_replicas).await } else { Ok(()) }
    }

    /// [`Self::settle`] with every server.
    pub async fn settle_all(&self) -> RedisResult<()> {
        for node in self.routes().nodes.values() {
            self.settle(node).await?;
        }
        Ok(())
    }

    /// Whether it is always the same server.
    fn is_fixed(&self) -> bool {
        !self.cluster && self.sentinel.is_none()
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

    /// Asks the Cluster, or the Sentinels, who serves what. Nothing to do for a single Redis.
    pub async fn refresh(&self) -> RedisResult<()> {
        if self.is_fixed() {
            return Ok(());
        }
        let mut refreshed = self.refreshed.lock().await;
        if refreshed.is_some_and(|at| at.elapsed() < REFRESH_PAUSE) {
            return Ok(());
        }
        let routes = self.routes();
        if let Some(name) = &self.sentinel {
            let master = self.master(name, &routes).await;
            *refreshed = Some(Instant::now());
            self.publish(Routes::of_one(master?, self.partitions));
            return Ok(());
        }
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

    /// The first server that a Sentinel calls the master, and that calls itself so.
    async fn master(&self, name: &str, current: &Routes) -> RedisResult<Arc<Node>> {
        let mut last = RedisError::from((ErrorKind::ClusterConnectionNotFound, "no Sentinel answers"));
        for seed in &self.seeds {
            let found = match sentinel::ask(seed, name).await {
                Ok(address) => sentinel::confirm(self.node_at(current, &address)?).await,
                Err(error) => Err(error),
            };
            match found {
                Ok(master) => return Ok(master),
                Err(error) => last = error,
            }
        }
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
