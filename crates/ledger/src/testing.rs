//! Private Redis servers for tests: on free ports of 127.0.0.1, with a folder of their own, gone when the value is dropped. Whatever goes
//! wrong here panics with what to do about it: these are tests' own tools.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A server of one's own.
#[derive(Debug)]
pub struct RedisServer {
    folder: TempDir,
    port: u16,
    /// Its configuration, if it has one.
    file: Option<PathBuf>,
    options: Vec<String>,
    child: Option<Child>,
}

impl RedisServer {
    /// A server that keeps nothing on disk.
    pub fn start() -> Self {
        Self::start_with(&["--appendonly", "no"])
    }

    /// A server that has everything on disk before it answers: `appendonly yes`, `appendfsync always`.
    pub fn start_durable() -> Self {
        Self::start_with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    /// A server with these options on its command line.
    ///
    /// # Panics
    /// When there is no `redis-server`, or it does not start.
    pub fn start_with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder for Redis: {error}"));
        let mut all = vec!["--save".to_owned(), String::new()];
        all.extend(options.iter().map(|option| (*option).to_owned()));
        Self::start_in(folder, None, all)
    }

    fn start_in(folder: TempDir, file: Option<PathBuf>, options: Vec<String>) -> Self {
        let mut server = Self { folder, port: 0, file, options, child: None };
        // A port that was free a moment ago may be taken by now.
        for _ in 0..20 {
            server.port = free_port();
            server.spawn();
            if server.is_ready() {
                return server;
            }
            server.kill9();
        }
        panic!("redis-server does not start; its log: {}", server.log());
    }

    /// A Sentinel that watches the server on this port.
    fn start_sentinel(port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder for a Sentinel: {error}"));
        let file = folder.path().join("sentinel.conf");
        let text = format!(
            "sentinel monitor {MASTER} 127.0.0.1 {port} 2\nsentinel down-after-milliseconds {MASTER} 1500\n\
             sentinel failover-timeout {MASTER} 6000\n"
        );
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("no file for a Sentinel: {error}"));
        let options = vec!["--sentinel".to_owned()];
        Self::start_in(folder, Some(file), options)
    }

    /// What `redis-cli` says to these arguments; nothing if it cannot.
    fn asked(&self, arguments: &[&str]) -> String {
        let output = Command::new("redis-cli").args(["-p", &self.port.to_string()]).args(arguments).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    }

    /// `redis://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address())
    }

    /// `127.0.0.1:<port>`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Kills it with SIGKILL, and waits until it is gone.
    pub fn kill9(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have died by itself, which is as good.
            let _died_before = child.kill();
            let _reaped_before = child.wait();
        }
    }

    /// Kills it if it runs, and starts it again on the same port with the same folder. Returns when it answers.
    ///
    /// # Panics
    /// When it does not come back.
    pub fn restart(&mut self) {
        self.kill9();
        self.spawn();
        assert!(self.is_ready(), "redis-server does not start again; its log: {}", self.log());
    }

    fn spawn(&mut self) {
        let child = Command::new("redis-server")
            .args(&self.file)
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--logfile", "redis.log", "--dir"])
            .arg(self.folder.path())
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match child {
            Ok(child) => self.child = Some(child),
            Err(error) => panic!("these tests need redis-server ({error}): apt-get install redis-server"),
        }
    }

    fn is_ready(&mut self) -> bool {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let exited = self.child.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)));
            if exited {
                return false;
            }
            if self.ping().is_ok_and(|answers| answers) {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn ping(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(self.address())?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        // While it loads its file it says so instead.
        Ok(&answer == b"+PONG")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("redis.log"))
            .unwrap_or_else(|error| error.to_string())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill9();
    }
}

/// A Redis Cluster of one's own: three masters.
#[derive(Debug)]
pub struct RedisCluster {
    /// Its nodes.
    pub nodes: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts the nodes, makes a Cluster of them, and returns when all slots are served.
    ///
    /// # Panics
    /// When there is no `redis-server` or `redis-cli`, or they do not start.
    pub fn start() -> Self {
        let options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--appendonly", "no"];
        let nodes: Vec<_> = (0..3).map(|_| RedisServer::start_with(&options)).collect();
        let mut create = Command::new("redis-cli");
        create
            .args(["--cluster", "create"])
            .args(nodes.iter().map(RedisServer::address))
            .arg("--cluster-yes");
        match create.output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => panic!("no Cluster: {}", String::from_utf8_lossy(&output.stdout)),
            Err(error) => panic!("these tests need redis-cli ({error}): apt-get install redis-tools"),
        }
        let cluster = Self { nodes };
        wait_for("the Cluster does not come up", || cluster.nodes.iter().all(serves_all_slots));
        cluster
    }

    /// The URLs of all nodes.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(RedisServer::url).collect()
    }
}

/// A Redis with a replica, and three Sentinels that put the replica in its place when it is gone.
#[derive(Debug)]
pub struct RedisPair {
    /// The master at the start.
    pub master: RedisServer,
    /// Its replica.
    pub replica: RedisServer,
    /// The Sentinels.
    pub sentinels: RedisSentinels,
}

/// Three Sentinels, of which two must agree that the master is gone.
#[derive(Debug)]
pub struct RedisSentinels(Vec<RedisServer>);

impl RedisPair {
    /// Starts all, durable, and returns when the replica is in step and the Sentinels know it.
    ///
    /// # Panics
    /// When there is no `redis-server` or `redis-cli`, or they do not start.
    pub fn start() -> Self {
        // Neither is to write anything that the other does not have: a master that is cut off stops by itself.
        let options = ["--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0"];
        let strict = ["--min-replicas-to-write", "1", "--min-replicas-max-lag", "2"];
        let options = [&options[..], &strict[..]].concat();
        let master = RedisServer::start_with(&options);
        let of = format!("127.0.0.1 {}", master.port);
        let replica = RedisServer::start_with(&[&options[..], &["--replicaof", &of]].concat());
        wait_for("the replica is not in step", || replica.asked(&["info"]).contains("master_link_status:up"));
        let sentinels: Vec<_> = (0..3).map(|_| RedisServer::start_sentinel(master.port)).collect();
        for sentinel in &sentinels {
            wait_for("the Sentinels do not know each other", || {
                let known = sentinel.asked(&["sentinel", "master", MASTER]);
                let of =
                    |name: &str| known.lines().skip_while(|line| *line != name).nth(1).map(str::to_owned);
                of("num-slaves").as_deref() == Some("1") && of("num-other-sentinels").as_deref() == Some("2")
            });
        }
        Self { master, replica, sentinels: RedisSentinels(sentinels) }
    }
}

impl RedisSentinels {
    /// The address for the ledger: all Sentinels, separated by commas.
    pub fn url(&self) -> String {
        let urls: Vec<_> =
            self.0.iter().map(|one| format!("redis+sentinel://{}/{MASTER}", one.address())).collect();
        urls.join(",")
    }

    /// The address of the master, as the first Sentinel has it.
    pub fn master(&self) -> String {
        let told = self.0.first().map(|one| one.asked(&["sentinel", "get-master-addr-by-name", MASTER]));
        told.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(":")
    }
}

/// The name of the master of a [`RedisPair`].
const MASTER: &str = "nigiri";

fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn serves_all_slots(node: &RedisServer) -> bool {
    node.asked(&["cluster", "info"]).contains("cluster_state:ok")
}

/// A port of 127.0.0.1 that is free right now, and whose Cluster bus port (10,000 higher) is free too.
fn free_port() -> u16 {
    for _ in 0..100 {
        let Ok(listener) = TcpListener::bind("127.0.0.1:0") else { continue };
        let Ok(address) = listener.local_addr() else { continue };
        let bus = address.port().checked_add(10_000);
        if bus.is_some_and(|bus| TcpListener::bind(("127.0.0.1", bus)).is_ok()) {
            return address.port();
        }
    }
    panic!("no free port on 127.0.0.1");
}
