//! Consumers on a ledger in memory with paused time, and one on a Redis that is killed.
#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use kernel::Timestamp;
use ledger::{
    Clock, Delivery, Notice, SharedLedger,
    consumer::{Consumer, Policy},
    memory::MemoryLedger,
    redis::{RedisConfig, RedisLedger},
    testing::RedisServer,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

const TOPIC: &str = "topic";
const GROUP: &str = "group";
const POLICY: Policy =
    Policy { max_attempts: 3, lease: Duration::from_secs(30), batch: 4, backoff: Duration::from_secs(1) };

/// A ledger whose clock is the paused clock of the test.
fn ledger() -> SharedLedger {
    let start = Instant::now();
    Arc::new(MemoryLedger::new(Clock::new(move || {
        Timestamp::from_millis(1_764_000_000_000) + start.elapsed()
    })))
}

fn consumer(ledger: &SharedLedger, name: &str) -> Consumer {
    Consumer {
        ledger: Arc::clone(ledger),
        topic: TOPIC.into(),
        group: GROUP.into(),
        name: name.into(),
        policy: POLICY,
    }
}

async fn publish(ledger: &SharedLedger, text: &str) {
    let notice = Notice { topic: TOPIC.into(), payload: text.to_owned().into() };
    ledger.publish(text, notice).await.unwrap();
}

fn text(delivery: &Delivery) -> String {
    String::from_utf8_lossy(&delivery.payload).into_owned()
}

async fn until_nothing_is_left(ledger: &SharedLedger) {
    while ledger.lag(TOPIC, GROUP).await.map_or(1, |lag| lag) > 0 {
        sleep(Duration::from_millis(20)).await;
    }
}

/// Messages are handled a few at a time and never more, each once, and acknowledged.
#[tokio::test(start_paused = true)]
async fn messages_are_handled_a_few_at_a_time_and_acknowledged() {
    let ledger = ledger();
    for number in 0..10 {
        publish(&ledger, &number.to_string()).await;
    }
    let (shutdown, start) = (CancellationToken::new(), Instant::now());
    let running = Mutex::new((0, 0, Vec::new()));
    let handler = async |delivery: Delivery| {
        {
            let mut running = running.lock().unwrap();
            running.0 += 1;
            running.1 = running.1.max(running.0);
        }
        sleep(Duration::from_secs(10)).await;
        let mut running = running.lock().unwrap();
        running.0 -= 1;
        running.2.push(text(&delivery));
        Ok::<_, String>(())
    };
    let end = async {
        until_nothing_is_left(&ledger).await;
        shutdown.cancel();
    };
    tokio::join!(consumer(&ledger, "a").run(handler, shutdown.clone()), end);
    let (now, most, mut handled) = running.into_inner().unwrap();
    handled.sort();
    assert_eq!((now, most), (0, POLICY.batch));
    assert_eq!(handled, (0..10).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(start.elapsed() < Duration::from_secs(40), "ten messages, four at a time, ten seconds each");
}

/// A message that fails, or whose handler panics, is tried again after 1 s, then 2 s, and then buried with its error; others are not
/// held up by it; and one that succeeds the second time is simply acknowledged.
#[tokio::test(start_paused = true)]
async fn a_failing_message_is_tried_again_with_growing_delay_and_then_buried() {
    let ledger = ledger();
    for name in ["fails", "works", "panics", "works later"] {
        publish(&ledger, name).await;
    }
    let shutdown = CancellationToken::new();
    let attempts = Mutex::new(BTreeMap::<String, Vec<(u32, Instant)>>::new());
    let handler = async |delivery: Delivery| {
        let (name, attempt) = (text(&delivery), delivery.attempt);
        attempts.lock().unwrap().entry(name.clone()).or_default().push((attempt, Instant::now()));
        match name.as_str() {
            "fails" => Err(format!("error {attempt}")),
            "panics" => panic!("the handler's own fault"),
            "works later" if attempt == 1 => Err("not yet".into()),
            _ => Ok(()),
        }
    };
    let end = async {
        until_nothing_is_left(&ledger).await;
        shutdown.cancel();
    };
    tokio::join!(consumer(&ledger, "a").run(handler, shutdown.clone()), end);
    let attempts = attempts.into_inner().unwrap();
    let counts: BTreeMap<_, _> = attempts.iter().map(|(name, tried)| (name.as_str(), tried.len())).collect();
    assert_eq!(counts, BTreeMap::from([("fails", 3), ("panics", 3), ("works", 1), ("works later", 2)]));
    let tried = &attempts["fails"];
    assert_eq!(tried.iter().map(|(attempt, _)| *attempt).collect::<Vec<_>>(), [1, 2, 3]);
    let gaps = [tried[1].1 - tried[0].1, tried[2].1 - tried[1].1];
    for (gap, seconds) in gaps.into_iter().zip([1, 2]) {
        let expected = Duration::from_secs(seconds);
        assert!(gap >= expected && gap < expected + Duration::from_millis(1_100), "{gap:?}");
    }
    let letters = ledger.dead_letters(TOPIC, GROUP, 10).await.unwrap();
    let mut errors: Vec<_> = letters.iter().map(|letter| letter.error.as_str()).collect();
    errors.sort_unstable();
    assert_eq!(errors, ["error 3", "the handler panicked"]);
}

/// A handler may take longer than the lease: nobody else gets the message meanwhile. What a dead consumer had is taken over when its
/// lease has ended; and what kills its consumers again and again is buried in the end.
#[tokio::test(start_paused = true)]
async fn slow_is_not_dead_and_dead_is_taken_over() {
    let ledger = ledger();
    ledger.join(TOPIC, GROUP).await.unwrap();
    publish(&ledger, "of the dead").await;
    publish(&ledger, "kills").await;
    for attempt in 1..=3 {
        let taken = if attempt == 1 {
            ledger.fetch(TOPIC, GROUP, "dead", 2, Duration::ZERO).await.unwrap()
        } else {
            ledger.claim(TOPIC, GROUP, "dead", Duration::ZERO, 2).await.unwrap()
        };
        // The first of the two was given back in time by a consumer that knew no better.
        if attempt == 1 {
            ledger.release(TOPIC, GROUP, "dead", &taken[0].id).await.unwrap();
            assert_eq!(ledger.claim(TOPIC, GROUP, "x", POLICY.lease, 1).await.unwrap().len(), 1);
            ledger.acknowledge(TOPIC, GROUP, &[taken[0].id.clone()]).await.unwrap();
        }
    }
    publish(&ledger, "slow").await;
    let (shutdown, start) = (CancellationToken::new(), Instant::now());
    let handled = Mutex::new(Vec::new());
    let handler = async |delivery: Delivery| {
        sleep(Duration::from_secs(200)).await;
        handled.lock().unwrap().push((text(&delivery), delivery.attempt));
        Ok::<_, String>(())
    };
    let end = async {
        until_nothing_is_left(&ledger).await;
        shutdown.cancel();
    };
    tokio::join!(
        consumer(&ledger, "a").run(handler, shutdown.clone()),
        consumer(&ledger, "b").run(handler, shutdown.clone()),
        end
    );
    assert_eq!(handled.into_inner().unwrap(), [("slow".to_owned(), 1)]);
    let letters = ledger.dead_letters(TOPIC, GROUP, 10).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].payload, "kills");
    assert!(start.elapsed() >= Duration::from_secs(200));
}

/// At shutdown the message being handled is finished and acknowledged; one that waits for another attempt is given back at once.
#[tokio::test(start_paused = true)]
async fn a_shutdown_finishes_what_runs_and_gives_back_the_rest() {
    let ledger = ledger();
    publish(&ledger, "fails").await;
    publish(&ledger, "runs").await;
    let shutdown = CancellationToken::new();
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = async |delivery: Delivery| {
        started.send(text(&delivery)).unwrap();
        if text(&delivery) == "fails" {
            return Err("an error");
        }
        sleep(Duration::from_secs(20)).await;
        Ok(())
    };
    let mut patient = consumer(&ledger, "a");
    patient.policy.backoff = Duration::from_secs(250);
    let start = Instant::now();
    let end = async {
        starts.recv().await.unwrap();
        starts.recv().await.unwrap();
        sleep(Duration::from_millis(10)).await;
        shutdown.cancel();
        publish(&ledger, "too late").await;
    };
    tokio::join!(patient.run(handler, shutdown.clone()), end);
    assert!(start.elapsed() < Duration::from_secs(22), "{:?}", start.elapsed());
    let left = ledger.claim(TOPIC, GROUP, "b", Duration::from_secs(3_600), 9).await.unwrap();
    let mut left: Vec<_> = left.iter().map(text).collect();
    left.extend(ledger.fetch(TOPIC, GROUP, "b", 9, Duration::ZERO).await.unwrap().iter().map(text));
    left.sort();
    assert_eq!(left, ["fails", "too late"]);
}

/// A server that is killed twice while two consumers work: every message is handled at least once, and nothing is left.
#[tokio::test]
async fn consumers_outlive_a_server_that_is_killed() {
    let mut server = RedisServer::start_durable();
    let ledger: SharedLedger =
        Arc::new(RedisLedger::connect(RedisConfig::single(server.url())).await.unwrap());
    for number in 0..60 {
        publish(&ledger, &format!("message {number:02}")).await;
    }
    let shutdown = CancellationToken::new();
    let handled = Arc::new(Mutex::new(Vec::new()));
    let consumers: Vec<_> = ["a", "b"]
        .map(|name| {
            let (handled, shutdown) = (Arc::clone(&handled), shutdown.clone());
            let mut consumer = consumer(&ledger, name);
            consumer.policy.lease = Duration::from_millis(600);
            let handler = move |delivery: Delivery| {
                let handled = Arc::clone(&handled);
                async move {
                    sleep(Duration::from_millis(25)).await;
                    handled.lock().unwrap().push(text(&delivery));
                    Ok::<_, String>(())
                }
            };
            tokio::spawn(consumer.run(handler, shutdown))
        })
        .into();
    let _server = tokio::task::spawn_blocking(move || {
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(120));
            server.restart();
        }
        server
    })
    .await
    .unwrap();
    tokio::time::timeout(Duration::from_secs(30), until_nothing_is_left(&ledger)).await.unwrap();
    shutdown.cancel();
    for consumer in consumers {
        consumer.await.unwrap();
    }
    let mut handled = handled.lock().unwrap().clone();
    handled.sort();
    handled.dedup();
    assert_eq!(handled.len(), 60);
    assert!(ledger.dead_letters(TOPIC, GROUP, 9).await.unwrap().is_empty());
}
