//! Private Redis servers for tests: on free ports of 127.0.0.1, with a folder of their own, gone when the value is dropped. Whatever goes
//! wrong here panics with what to do about it: these are tests' own tools.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
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
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let mut server = Self { folder, port: 0, options, child: None };
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
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""])
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
        let end = Instant::now() + PATIENCE;
        while !cluster.nodes.iter().all(serves_all_slots) {
            assert!(Instant::now() < end, "the Cluster does not come up");
            thread::sleep(Duration::from_millis(50));
        }
        cluster
    }

    /// The URLs of all nodes.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(RedisServer::url).collect()
    }
}

fn serves_all_slots(node: &RedisServer) -> bool {
    let output = Command::new("redis-cli").args(["-p", &node.port.to_string(), "cluster", "info"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("cluster_state:ok"))
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
