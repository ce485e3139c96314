//! The suite on one Redis, and what is to be shown of Redis itself.

use std::{sync::Arc, time::Duration};

use ledger::{
    AppendError, Ledger, Logs, Refused, Wake,
    redis::{ConnectError, RedisConfig, RedisLedger},
    testing::RedisServer,
};

use crate::world::{Time, World, append, entry, log, notice, soon, texts};

async fn world_with(partitions: u16) -> World {
    let server = RedisServer::start();
    let config = RedisConfig { partitions, ..RedisConfig::single(server.url()) };
    World {
        ledger: Arc::new(RedisLedger::connect(config.clone()).await.unwrap()),
        other: Arc::new(RedisLedger::connect(config).await.unwrap()),
        time: Time::Real,
        _keep: Box::new(server),
    }
}

async fn world() -> World {
    world_with(32).await
}

async fn small_world() -> World {
    world_with(1).await
}

crate::suite!(world);
crate::suite!(small_world; model::random_operations_equal_the_model);

/// While writers on two handles append, the server is killed with SIGKILL and started again, three times: every append that was
/// acknowledged is there, once and in order, and the ledgers go on by themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_appends_survive_a_killed_server() {
    let mut server = RedisServer::start_durable();
    let config = RedisConfig::single(server.url());
    let mut writers = Vec::new();
    for writer in 0..6 {
        let ledger = RedisLedger::connect(config.clone()).await.unwrap();
        writers.push(tokio::spawn(async move { write(&ledger, &format!("writer-{writer}"), 400).await }));
    }
    let (killed, server) = tokio::task::spawn_blocking(move || {
        let mut killed = 0;
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(150));
            server.restart();
            killed += 1;
        }
        (killed, server)
    })
    .await
    .unwrap();
    assert_eq!(killed, 3);
    let ledger = RedisLedger::connect(config.clone()).await.unwrap();
    for (number, writer) in writers.into_iter().enumerate() {
        let acknowledged = soon(writer).await.unwrap();
        let entries = ledger.read(&log(&format!("writer-{number}")), 0, 10_000).await.unwrap();
        let sequences: Vec<_> = entries.iter().map(|entry| entry.sequence).collect();
        assert_eq!(sequences, (1..=400).collect::<Vec<_>>());
        let there = texts(&entries);
        for (sequence, text) in acknowledged {
            assert_eq!(there[usize::try_from(sequence).unwrap() - 1], text);
        }
        assert!(entries.is_sorted_by_key(|entry| entry.stamp));
    }
    drop(server);
}

/// Appends so many entries; after an unknown outcome it looks, as a service does. Gives back what was acknowledged.
async fn write(ledger: &RedisLedger, name: &str, count: u64) -> Vec<(u64, String)> {
    let mut acknowledged = Vec::new();
    let mut last = 0;
    while last < count {
        let text = format!("entry {}", last + 1);
        match ledger.append(entry(name, last, text.clone())).await {
            Ok(appended) => {
                acknowledged.push((appended.sequence, text));
                last += 1;
            }
            Err(AppendError::Unavailable(_)) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if let Ok(entries) = ledger.read(&log(name), last, 10).await {
                    last += entries.len() as u64;
                }
            }
            Err(AppendError::Refused(Refused::Conflict { last: end })) => {
                // Only the append whose outcome was unknown can have done that.
                assert_eq!(end, last + 1);
                last = end;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    acknowledged
}

/// A process that follows one log, or one kind, is soon not told of others any more: Redis has a listener less for each of their channels.
#[tokio::test]
async fn channels_of_logs_that_nobody_follows_are_let_go() {
    let server = RedisServer::start();
    let config = RedisConfig { partitions: 1, ..RedisConfig::single(server.url()) };
    let ledger: ledger::SharedLedger = Arc::new(RedisLedger::connect(config).await.unwrap());
    let _one = ledger.wakes(&Logs::One(log("accounts")));
    let mut kind = ledger.wakes(&Logs::Kind("queue".into()));
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let wanted = ["hint", "wake:0", "wake:1"].map(|of| format!("nigiri:{{p0}}:{of}"));
    let settled = async {
        loop {
            let asked = redis::cmd("PUBSUB").arg("SHARDCHANNELS").query_async(&mut connection).await;
            let mut listened: Vec<String> = asked.unwrap();
            listened.sort();
            if listened.len() == wanted.len() {
                break listened;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert_eq!(soon(settled).await, wanted);
    append(&ledger, "queue:main", 0, "still heard").await;
    assert!(matches!(soon(kind.recv()).await.unwrap(), Wake::Appended(..)));
    // Who follows a game now hears of it, and is told that something may have been missed.
    let mut games = ledger.wakes(&Logs::Kind("game".into()));
    assert!(matches!(soon(games.recv()).await.unwrap(), Wake::Lost));
    append(&ledger, "game:1", 0, "heard").await;
    assert!(matches!(soon(games.recv()).await.unwrap(), Wake::Appended(..)));
}

/// Followers hear that hints were lost, and hints come again afterwards without anybody's doing; a waiting consumer gets its message.
#[tokio::test]
async fn hints_come_again_after_the_server_was_away() {
    let mut server = RedisServer::start_durable();
    let ledger = RedisLedger::connect(RedisConfig::single(server.url())).await.unwrap();
    ledger.join("topic", "group").await.unwrap();
    let mut wakes = ledger.wakes(&Logs::Kind("game".into()));
    server.kill9();
    assert!(matches!(soon(wakes.recv()).await.unwrap(), Wake::Lost), "while it is away");
    assert!(ledger.append(entry("game:1", 0, "lost")).await.is_err());
    assert!(ledger.read(&log("game:1"), 0, 1).await.is_err());
    assert!(ledger.sweep(1).await.is_err());
    server.restart();
    assert!(matches!(soon(wakes.recv()).await.unwrap(), Wake::Lost), "when it is back");
    let waiting = ledger.fetch("topic", "group", "c", 1, Duration::from_secs(15));
    let appending = async {
        let mut append = entry("game:1", 0, "heard");
        append.notices.push(notice("topic", "message"));
        loop {
            match ledger.append(append.clone()).await {
                Ok(appended) => return appended,
                // Connections come back with a delay of up to a second.
                Err(error) => assert!(matches!(error, AppendError::Unavailable(_)), "{error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (fetched, appended) = soon(futures::future::join(waiting, appending)).await;
    assert_eq!(appended.sequence, 1);
    if let Ok(deliveries) = fetched {
        assert_eq!(deliveries.len(), 1);
    }
    loop {
        match soon(wakes.recv()).await.unwrap() {
            Wake::Appended(name, entry) => break assert_eq!((name, entry.sequence), (log("game:1"), 1)),
            Wake::Lost => {}
        }
    }
}

/// A process that is configured with another number of partitions would not find what is there: it does not start. Neither does one
/// with nonsense, or without a server.
#[tokio::test]
async fn another_number_of_partitions_and_a_wrong_configuration_are_refused() {
    let server = RedisServer::start();
    let config = RedisConfig::single(server.url());
    RedisLedger::connect(config.clone()).await.unwrap();
    let error = RedisLedger::connect(RedisConfig { partitions: 16, ..config.clone() }).await.unwrap_err();
    assert!(matches!(error, ConnectError::Partitions { wanted: 16, .. }), "{error}");
    assert!(error.to_string().contains("32 partitions"), "{error}");
    for wrong in [
        RedisConfig { partitions: 0, ..config.clone() },
        RedisConfig { prefix: "a{b".into(), ..config.clone() },
        RedisConfig { urls: Vec::new(), ..config.clone() },
        RedisConfig { urls: vec!["no url".into()], ..config.clone() },
    ] {
        let error = RedisLedger::connect(wrong).await.unwrap_err();
        assert!(matches!(error, ConnectError::Config(_)), "{error}");
    }
    drop(server);
    let error = RedisLedger::connect(config).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unavailable(_)), "{error}");
}

/// A server that is out of memory, or that is a replica, refuses to write: the outcome is an error, and the ledger works again after.
#[tokio::test]
async fn a_server_that_cannot_write_is_unavailable() {
    let server = RedisServer::start();
    let ledger: ledger::SharedLedger =
        Arc::new(RedisLedger::connect(RedisConfig::single(server.url())).await.unwrap());
    append(&ledger, "game", 0, "first").await;
    for (broken, mended) in [
        (["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]),
        (["REPLICAOF", "127.0.0.1", "1", ""], ["REPLICAOF", "NO", "ONE", ""]),
    ] {
        cli(&server, &broken);
        let error = ledger.append(entry("game", 1, "second")).await.unwrap_err();
        assert!(matches!(error, AppendError::Unavailable(_)), "{broken:?}: {error:?}");
        assert_eq!(ledger.read(&log("game"), 0, 10).await.map_or(1, |entries| entries.len()), 1);
        cli(&server, &mended);
    }
    append(&ledger, "game", 1, "second").await;
}

fn cli(server: &RedisServer, command: &[&str]) {
    let words = command.iter().filter(|word| !word.is_empty());
    let status =
        std::process::Command::new("redis-cli").args(["-u", &server.url()]).args(words).status().unwrap();
    assert!(status.success());
}
