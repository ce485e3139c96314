//! The figures of the whole system (docs/performance.md): moves per second through the public API beside a bare tonic echo and the ledger's append
//! alone, in the same run; memory and idle cost of live games; watchers of one game; the cost of a move as games become many and long; tickets opened by thousands at once; and
//! what a flood of wrong sign-ins does to those who play; how soon a client is there, and back; and what the instruments cost.
//! Everything shares this machine: server, Redis, Postgres and the load.
//!
//! `cargo bench -p nigiri --bench moves [-- --part rates|memory|idle|watchers|growth|flood|tickets|contact|instruments] [--pairs 200 --seconds 10 --rounds 3 ..]`; without a part, all of
//! them with modest sizes. `NIGIRI_BINARY` names another binary to be measured.
#![expect(clippy::unwrap_used, reason = "a bench has nobody to report to")]

mod contact;
mod crowd;
mod echo;
mod flood;
mod growth;
mod idle;
mod instruments;
mod load;
mod memory;
mod tickets;
mod watchers;

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use load::Rate;
use testkit::{Cluster, free_port};

/// How big the load is.
pub struct Settings {
    pairs: usize,
    seconds: u64,
    rounds: usize,
    connections: usize,
    games: usize,
    watchers: usize,
    tickets: usize,
    clients: usize,
}

/// What is measured: the binary of this build, or another.
pub fn binary() -> PathBuf {
    std::env::var_os("NIGIRI_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_nigiri").into(), PathBuf::from)
}

/// Fresh processes: what earlier parts left behind does not count.
pub async fn cluster() -> Cluster {
    let options: [(&str, &[&str]); 1] = [("matchmaking", &["--rated-guests"])];
    Cluster::start(Path::new(&binary()), 1, &options).await.unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).cloned()
    };
    let number = |name: &str, or: usize| value(name).and_then(|value| value.parse().ok()).unwrap_or(or);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if let Some(address) = value("--echo-server") {
        return runtime.block_on(echo::serve(address.parse().unwrap()));
    }
    let pairs = number("--pairs", 200);
    let settings = Settings {
        pairs,
        seconds: number("--seconds", 10) as u64,
        rounds: number("--rounds", 3),
        connections: number("--connections", pairs.div_ceil(10)),
        games: number("--games", 2000),
        watchers: number("--watchers", 2000),
        tickets: number("--tickets", 10_000),
        clients: number("--clients", 200),
    };
    let part = value("--part");
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    runtime.block_on(async {
        if wanted("rates") {
            rates(&settings).await;
        }
        if wanted("memory") {
            memory::measure().await;
        }
        if wanted("idle") {
            idle::measure(settings.games).await;
        }
        if wanted("watchers") {
            watchers::measure(settings.watchers).await;
        }
        if wanted("growth") {
            growth::measure(settings.games).await;
        }
        if wanted("tickets") {
            tickets::measure(&settings).await;
        }
        if wanted("contact") {
            contact::measure(settings.clients, settings.clients / 4).await;
        }
        if wanted("instruments") {
            instruments::measure(&settings).await;
        }
        if wanted("flood") {
            flood::measure(&settings).await;
        }
    });
}

async fn rates(settings: &Settings) {
    let cluster = cluster().await;
    let port = free_port().unwrap();
    let mut echo = Command::new(std::env::current_exe().unwrap())
        .args(["--echo-server", &format!("127.0.0.1:{port}")])
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let names = [
        "bare tonic echo",
        "ledger append (Redis, appendfsync always)",
        "moves, unary calls",
        "moves, bidirectional streams",
    ];
    let mut rounds: Vec<[Rate; 4]> = Vec::new();
    for round in 1..=settings.rounds {
        let rates = [
            load::echo(port, settings).await,
            load::append(&cluster, settings).await,
            load::moves(&cluster, settings, false),
            load::moves(&cluster, settings, true),
        ];
        let words: Vec<String> = names.iter().zip(&rates).map(|(name, rate)| rate.words(name)).collect();
        println!(
            "round {round}: {}; per echo {:.2}, {:.2}",
            words.join(", "),
            rates[2].per(&rates[0]),
            rates[3].per(&rates[0])
        );
        rounds.push(rates);
    }
    echo.kill().unwrap();
    echo.wait().unwrap();
    println!(
        "\n{} pairs, {} connections for calls and streams together, median of {}:",
        settings.pairs, settings.connections, settings.rounds
    );
    println!("| | per second | p50 ms | p99 ms | per echo |\n|---|---|---|---|---|");
    for (index, name) in names.iter().enumerate() {
        let of = |get: &dyn Fn(&[Rate; 4]) -> f64| median(rounds.iter().map(get).collect());
        println!(
            "| {name} | {:.0} | {:.1} | {:.1} | {:.2} |",
            of(&|r| r[index].per_second),
            of(&|r| r[index].p50),
            of(&|r| r[index].p99),
            of(&|r| r[index].per(&r[0]))
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Resident memory of a process, in KiB.
pub fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// What a process shows to Prometheus, and how long it took to get it.
pub async fn scrape(url: &str) -> (Duration, String) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let started = std::time::Instant::now();
    let mut stream = tokio::net::TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: nigiri\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    (started.elapsed(), text)
}

/// Processor time that a process has taken so far.
pub fn processor(process: u32) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // Fields 14 and 15, counted from behind the name, in hundredths of a second (`man 5 proc`).
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}
