//! Rates: of moves, of the bare echo, of the ledger alone.

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use kernel::GameId;
use ledger::{Append, Deadline, Guard, LogName, SharedLedger};
use nigiri_proto::game::v1::{PlayMoveRequest, game_service_client::GameServiceClient};
use testkit::Cluster;

use crate::Settings;

/// Calls per second, and latencies in ms.
pub struct Rate {
    pub per_second: f64,
    pub p50: f64,
    pub p99: f64,
}

impl Rate {
    /// In a line.
    pub fn words(&self, name: &str) -> String {
        format!("{name} {:.0}/s (p50 {:.1} ms, p99 {:.1})", self.per_second, self.p50, self.p99)
    }

    /// How much of another rate it is.
    pub fn per(&self, other: &Self) -> f64 {
        self.per_second / other.per_second
    }
}

/// Callers that call one after the other for some seconds. `call` is a caller's one call.
async fn load<F, C>(callers: usize, seconds: u64, caller: impl Fn(usize) -> C) -> Rate
where
    C: Fn(u64) -> F + Send + 'static,
    F: Future<Output = ()> + Send,
{
    let stop = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    let mut tasks = Vec::new();
    for number in 0..callers {
        let (call, stop, count) = (caller(number), Arc::clone(&stop), Arc::clone(&count));
        tasks.push(tokio::spawn(async move {
            let mut latencies = Vec::new();
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let begun = Instant::now();
                call(turn).await;
                latencies.push(begun.elapsed().as_secs_f64() * 1000.0);
                count.fetch_add(1, Ordering::Relaxed);
            }
            latencies
        }));
    }
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let per_second = count.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    all.sort_by(f64::total_cmp);
    Rate { per_second, p50: all[all.len() / 2], p99: all[all.len() * 99 / 100] }
}

/// Calls of the bare server.
pub async fn echo(port: u16, settings: &Settings) -> Rate {
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://127.0.0.1:{port}"))
        .unwrap()
        .tcp_nodelay(true);
    let channels: Vec<_> = (0..settings.connections).map(|_| endpoint.connect_lazy()).collect();
    let id = GameId::derive("echo").to_string();
    // One caller a game: in a game one player moves at a time.
    load(settings.pairs, settings.seconds, |number| {
        let (channel, id) = (channels[number % channels.len()].clone(), id.clone());
        move |turn| {
            let request = PlayMoveRequest {
                game_id: id.clone(),
                ply: turn as u32,
                point: "E5".into(),
                command_id: "1".into(),
                ..Default::default()
            };
            let mut client = GameServiceClient::new(channel.clone());
            async move {
                client.play_move(request).await.unwrap();
            }
        }
    })
    .await
}

/// Appends, without anything else.
pub async fn append(cluster: &Cluster, settings: &Settings) -> Rate {
    let config = ledger::redis::RedisConfig::single(cluster.redis.url());
    append_to(Arc::new(ledger::redis::RedisLedger::connect(config).await.unwrap()), settings).await
}

/// Appends to this ledger, without anything else.
pub async fn append_to(ledger: SharedLedger, settings: &Settings) -> Rate {
    let run = GameId::derive(&format!("{:?}", Instant::now())).to_string();
    load(settings.pairs, settings.seconds, |number| {
        let (ledger, run) = (Arc::clone(&ledger), format!("b:{run}:{number}"));
        move |turn| {
            let append = Append {
                log: LogName::new(&run).unwrap(),
                expected: turn,
                payload: vec![b'x'; 120].into(),
                guard: Guard::default(),
                deadline: Deadline::After(Duration::from_secs(600)),
                notices: Vec::new(),
            };
            let ledger = Arc::clone(&ledger);
            async move {
                ledger.append(append).await.unwrap();
            }
        }
    })
    .await
}

/// Moves through the public API, with every check of the swarm.
pub fn moves(cluster: &Cluster, settings: &Settings, stream: bool) -> Rate {
    let mut command = Command::new(crate::binary());
    command.args([
        "swarm",
        "--json",
        "--pairs",
        &settings.pairs.to_string(),
        "--seconds",
        &settings.seconds.to_string(),
    ]);
    command.args(["--connections", &settings.connections.to_string()]);
    if stream {
        command.arg("--stream");
    }
    for service in ["session", "game", "matchmaking", "rating"] {
        command.arg(format!("--{service}={}", cluster.urls(service)));
    }
    let out = command.output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "the swarm found faults: {text}\n{}", String::from_utf8_lossy(&out.stderr));
    let report: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let field = |name: &str| report[name].as_f64().unwrap();
    Rate { per_second: field("moves_per_s"), p50: field("p50_ms"), p99: field("p99_ms") }
}
