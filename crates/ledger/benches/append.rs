//! Appends per second, beside what the same disk and the same Redis do without a ledger: `cargo bench -p ledger`.
//!
//! Each caller has a log of its own and appends one entry after the other, as a game does: 100 bytes, a guard, a new deadline.
#![expect(clippy::unwrap_used, reason = "a step that fails ends the measurement")]

use std::{
    future::Future,
    io::Write,
    sync::Arc,
    time::{Duration, Instant},
};

use kernel::Timestamp;
use ledger::{
    Append, Deadline, Guard, LogName, SharedLedger, WriteGate,
    embedded::EmbeddedLedger,
    redis::{RedisConfig, RedisLedger},
    testing::RedisServer,
};
use redis::{AsyncConnectionConfig, aio::MultiplexedConnection};

const CALLERS: [usize; 3] = [1, 64, 256];
const TIME: Duration = Duration::from_secs(3);
const PAYLOAD: &[u8] = &[7; 100];
const CONNECTIONS: [usize; 3] = [1, 2, 4];

#[tokio::main]
async fn main() {
    println!(
        "one entry of {} bytes each, {} s a figure, fsync before each answer",
        PAYLOAD.len(),
        TIME.as_secs()
    );
    println!(
        "{:<38}{:>12}{:>12}{:>12}   (concurrent callers)",
        "per second", CALLERS[0], CALLERS[1], CALLERS[2]
    );
    println!("{:<38}{:>12}", "a file, write + fdatasync", syncs());
    embedded().await;
    let server = RedisServer::start_durable();
    bare(&server).await;
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    for connections in CONNECTIONS {
        let config = RedisConfig { connections, ..RedisConfig::single(server.url()) };
        let ledger: SharedLedger = Arc::new(RedisLedger::connect(config).await.unwrap());
        let name = format!("ledger on Redis, {connections} connections");
        redis::cmd("CONFIG").arg("RESETSTAT").exec_async(&mut connection).await.unwrap();
        appends(&name, &ledger).await;
        let stats: String =
            redis::cmd("INFO").arg("commandstats").query_async(&mut connection).await.unwrap();
        let line = stats.lines().find(|line| line.starts_with("cmdstat_evalsha")).unwrap_or_default();
        println!("    the script, by Redis itself: {}", line.split(',').nth(2).unwrap_or("?"));
    }
}

fn syncs() -> u64 {
    let mut file = tempfile::tempfile().unwrap();
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < TIME {
        file.write_all(PAYLOAD).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    count / TIME.as_secs()
}

async fn embedded() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = EmbeddedLedger::open(folder.path().join("bench.db"), WriteGate::new()).await.unwrap();
    let shared: SharedLedger = Arc::new(ledger.clone());
    appends("ledger embedded (SQLite)", &shared).await;
    ledger.close().await;
}

async fn appends(name: &str, ledger: &SharedLedger) {
    row(name, |round, caller| {
        let ledger = Arc::clone(ledger);
        // All rounds and ledgers of one server have logs of their own.
        let salt = Arc::as_ptr(&ledger).addr();
        let log = LogName::new(&format!("game:{salt}-{round}-{caller}")).unwrap();
        move |expected| {
            let ledger = Arc::clone(&ledger);
            let far = Timestamp::from_millis(32_000_000_000_000);
            let append = Append {
                log: log.clone(),
                expected,
                payload: PAYLOAD.into(),
                guard: Guard { not_after: Some(far), ..Guard::default() },
                deadline: Deadline::After(Duration::from_secs(30)),
                notices: Vec::new(),
            };
            async move {
                ledger.append(append).await.unwrap();
            }
        }
    })
    .await;
}

async fn bare(server: &RedisServer) {
    let client = redis::Client::open(server.url()).unwrap();
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(3)));
    let mut connections = Vec::new();
    for _ in 0..2 {
        connections.push(client.get_multiplexed_async_connection_with_config(&config).await.unwrap());
    }
    for verb in ["SET", "XADD"] {
        let name = format!("bare {verb} on Redis, 2 connections");
        row(&name, |round, caller| {
            let connection = connections[caller % connections.len()].clone();
            let key = format!("{verb}:{round}:{caller}");
            move |_| send(connection.clone(), verb, key.clone())
        })
        .await;
    }
}

async fn send(mut connection: MultiplexedConnection, verb: &'static str, key: String) {
    let mut command = redis::cmd(verb);
    command.arg(key);
    if verb == "XADD" {
        command.arg("*").arg("p");
    }
    command.arg(PAYLOAD).exec_async(&mut connection).await.unwrap();
}

/// Measures for each number of callers; `caller` makes what one of them repeats, with the number of times that it has done so.
async fn row<C, F, R>(name: &str, caller: C)
where
    C: Fn(usize, usize) -> F,
    F: Fn(u64) -> R + Send + 'static,
    R: Future<Output = ()> + Send,
{
    print!("{name:<38}");
    for (round, callers) in CALLERS.into_iter().enumerate() {
        let start = Instant::now();
        let tasks: Vec<_> = (0..callers)
            .map(|number| {
                let act = caller(round, number);
                tokio::spawn(async move {
                    let mut count = 0;
                    while start.elapsed() < TIME {
                        act(count).await;
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        let mut total = 0;
        for task in tasks {
            total += task.await.unwrap();
        }
        print!("{:>12.0}", total as f64 / start.elapsed().as_secs_f64());
        std::io::stdout().flush().unwrap();
    }
    println!();
}
