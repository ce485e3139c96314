//! Moves per second through the public API, beside a bare tonic echo and the ledger's append alone, in the same run; and the
//! memory of a live game. Everything shares this machine: server, Redis, Postgres and the load.
//!
//! `cargo bench -p nigiri --bench moves [-- --pairs 200 --seconds 10 --rounds 3]`
#![expect(clippy::unwrap_used, reason = "a bench has nobody to report to")]

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::StreamExt;
use kernel::GameId;
use ledger::{Append, Deadline, Guard, Ledger, LogName};
use nigiri_client::{Client, Color, Endpoints, Finding, Options, Session};
use nigiri_proto::{
    game::v1::{
        self as pb, PlayMoveRequest,
        game_service_client::GameServiceClient,
        game_service_server::{GameService, GameServiceServer},
    },
    matchmaking::v1::{FindMatchRequest, MatchSettings},
};
use testkit::{Cluster, free_port};
use tonic::{Request, Response, Status};

/// A bare tonic server: answers a move with its ply.
struct Echo;

#[tonic::async_trait]
impl GameService for Echo {
    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<pb::PlayMoveResponse>, Status> {
        Ok(Response::new(pb::PlayMoveResponse { sequence: request.into_inner().ply.into() }))
    }
}

/// Calls per second, and latencies in ms.
struct Rate {
    per_second: f64,
    p50: f64,
    p99: f64,
}

struct Settings {
    pairs: usize,
    seconds: u64,
    rounds: usize,
    connections: usize,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |name: &str, or: usize| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(or)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if let Some(at) = args.iter().position(|arg| arg == "--echo-server") {
        let address = args[at + 1].parse().unwrap();
        let server =
            tonic::transport::Server::builder().tcp_nodelay(true).add_service(GameServiceServer::new(Echo));
        runtime.block_on(server.serve(address)).unwrap();
        return;
    }
    let pairs = number("--pairs", 200);
    let settings = Settings {
        pairs,
        seconds: number("--seconds", 10) as u64,
        rounds: number("--rounds", 3),
        connections: number("--connections", pairs.div_ceil(10)),
    };
    runtime.block_on(run(&settings));
}

async fn run(settings: &Settings) {
    let options: [(&str, &[&str]); 1] = [("matchmaking", &["--rated-guests"])];
    let cluster = Cluster::start(Path::new(env!("CARGO_BIN_EXE_nigiri")), 1, &options).await.unwrap();
    let port = free_port().unwrap();
    let mut echo = Command::new(std::env::current_exe().unwrap())
        .args(["--echo-server", &format!("127.0.0.1:{port}")])
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (mut echoes, mut appends, mut moves) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=settings.rounds {
        let echoed = load_echo(port, settings).await;
        let appended = load_ledger(&cluster, settings).await;
        let moved = load_moves(&cluster, settings);
        println!(
            "round {round}: echo {:.0}/s (p50 {:.1} ms, p99 {:.1}), append {:.0}/s (p50 {:.1}, p99 {:.1}), moves {:.0}/s (p50 {:.1}, p99 {:.1}), \
             moves/echo {:.2}",
            echoed.per_second,
            echoed.p50,
            echoed.p99,
            appended.per_second,
            appended.p50,
            appended.p99,
            moved.per_second,
            moved.p50,
            moved.p99,
            moved.per_second / echoed.per_second
        );
        echoes.push(echoed);
        appends.push(appended);
        moves.push(moved);
    }
    echo.kill().unwrap();
    echo.wait().unwrap();
    println!(
        "\n{} pairs, {} connections for unary calls and streams together, median of {}:",
        settings.pairs, settings.connections, settings.rounds
    );
    println!("| | per second | p50 ms | p99 ms |\n|---|---|---|---|");
    for (name, rates) in [
        ("bare tonic echo", &echoes),
        ("ledger append (Redis, appendfsync always)", &appends),
        ("moves", &moves),
    ] {
        let of = |get: fn(&Rate) -> f64| median(rates.iter().map(get).collect());
        println!("| {name} | {:.0} | {:.1} | {:.1} |", of(|r| r.per_second), of(|r| r.p50), of(|r| r.p99));
    }
    let ratio =
        moves.iter().zip(&echoes).map(|(moved, echoed)| moved.per_second / echoed.per_second).collect();
    println!("\nmoves / echo: {:.2}", median(ratio));
    memory(&cluster).await;
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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

async fn load_echo(port: u16, settings: &Settings) -> Rate {
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
            };
            let mut client = GameServiceClient::new(channel.clone());
            async move {
                client.play_move(request).await.unwrap();
            }
        }
    })
    .await
}

async fn load_ledger(cluster: &Cluster, settings: &Settings) -> Rate {
    let config = ledger::redis::RedisConfig::single(cluster.redis.url());
    let redis = Arc::new(ledger::redis::RedisLedger::connect(config).await.unwrap());
    let run = GameId::derive(&format!("{:?}", Instant::now())).to_string();
    load(settings.pairs, settings.seconds, |number| {
        let (redis, run) = (Arc::clone(&redis), format!("b:{run}:{number}"));
        move |turn| {
            let append = Append {
                log: LogName::new(&run).unwrap(),
                expected: turn,
                payload: vec![b'x'; 120].into(),
                guard: Guard::default(),
                deadline: Deadline::After(Duration::from_secs(600)),
                notices: Vec::new(),
            };
            let redis = Arc::clone(&redis);
            async move {
                redis.append(append).await.unwrap();
            }
        }
    })
    .await
}

fn load_moves(cluster: &Cluster, settings: &Settings) -> Rate {
    let mut command = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_nigiri")));
    command.args([
        "swarm",
        "--json",
        "--pairs",
        &settings.pairs.to_string(),
        "--seconds",
        &settings.seconds.to_string(),
    ]);
    command.args(["--connections", &settings.connections.to_string()]);
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

/// What a live game with both players watching costs the game service in resident memory.
async fn memory(cluster: &Cluster) {
    const GAMES: usize = 1000;
    const CONNECTIONS: usize = 20;
    const PLIES: u32 = 40;
    let of = |service| vec![cluster.urls(service)];
    let endpoints = Endpoints {
        session: of("session"),
        game: of("game"),
        matchmaking: of("matchmaking"),
        rating: of("rating"),
    };
    let clients: Vec<_> =
        (0..CONNECTIONS).map(|_| Client::with_endpoints(&endpoints, Options::default()).unwrap()).collect();
    let game_process = cluster.processes[1].id();
    let sessions: Vec<Session> = futures::stream::iter(0..2 * GAMES)
        .map(|number| {
            let client = clients[number % CONNECTIONS].clone();
            async move { client.sign_in_as_guest(&format!("Sitter{number}")).await.unwrap() }
        })
        .buffered(64)
        .collect()
        .await;
    let before = resident(game_process);
    let seats: Vec<(Session, GameId, Color)> =
        futures::future::join_all(sessions.into_iter().map(|session| async move {
            let accepts = vec![MatchSettings { preset: "quick".into() }];
            let mut search = session.find_match(FindMatchRequest { accepts, ..FindMatchRequest::default() });
            while let Some(finding) = search.next().await {
                if let Finding::Matched(matched) = finding.unwrap() {
                    return (session.clone(), matched.game_id.parse().unwrap(), matched.color());
                }
            }
            panic!("the search ended without a game");
        }))
        .await;
    let mut watches = Vec::new();
    for (session, id, _) in &seats {
        let mut watch = session.game(*id).watch(None);
        watch.next().await.unwrap().unwrap();
        watches.push(watch);
    }
    let watches: Vec<_> =
        watches.into_iter().map(|watch| tokio::spawn(watch.for_each(|_| async {}))).collect();
    let fresh = resident(game_process);
    for ply in 0..PLIES {
        let color = if ply % 2 == 0 { Color::Black } else { Color::White };
        let row = ply / 9 + if ply % 2 == 0 { 1 } else { 5 };
        let column = "ABCDEFGHJ".chars().nth(ply as usize % 9).unwrap();
        let point = format!("{column}{row}");
        let movers = seats.iter().filter(|(_, _, seat)| *seat == color);
        futures::stream::iter(movers)
            .for_each_concurrent(64, |(session, id, _)| {
                let (game, point) = (session.game(*id), point.clone());
                async move {
                    game.play(ply, &point).await.unwrap();
                }
            })
            .await;
    }
    let grown = resident(game_process);
    let per_game = |now: u64| (now.saturating_sub(before)) as f64 / GAMES as f64;
    println!(
        "\nmemory of the game service: {GAMES} live games, 2 streams each over {CONNECTIONS} connections: {:.1} KiB a game at ply 0, {:.1} KiB at ply {PLIES}",
        per_game(fresh),
        per_game(grown)
    );
    watches.iter().for_each(tokio::task::JoinHandle::abort);
}

/// Resident memory of a process, in KiB.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
