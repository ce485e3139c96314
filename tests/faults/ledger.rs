//! What happens to the ledger's server.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use ledger::testing::{RedisPair, RedisServer};
use testkit::{Cluster, Gate};

use super::{BINARY, assert_clean, swarm};

/// The options of services whose guests play rated games.
pub(crate) const RATED: [(&str, &[&str]); 1] = [("matchmaking", &["--rated-guests"])];

/// The arguments of a swarm that flies around a cluster.
pub(crate) fn flight(cluster: &Cluster, pairs: u32, seconds: u64) -> Vec<String> {
    let mut args =
        vec![format!("--pairs={pairs}"), format!("--seconds={seconds}"), "--connections=10".to_owned()];
    let services = ["session", "game", "matchmaking", "rating"];
    args.extend(services.map(|service| format!("--{service}={}", cluster.urls(service))));
    args
}

/// Redis is killed and started again three times under a swarm: what it acknowledged is in its append-only file.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_a_redis_that_dies() {
    let mut cluster = Cluster::start(Path::new(BINARY), 1, &RATED).await.expect("a cluster");
    let args = flight(&cluster, 8, 13);
    let (mut deaths, mut last, mut down) = (0, Instant::now(), false);
    let report = swarm(&args, || {
        if !down && deaths < 3 && last.elapsed() > Duration::from_millis(2500) {
            cluster.redis.kill9();
            (deaths, down, last) = (deaths + 1, true, Instant::now());
        } else if down && last.elapsed() > Duration::from_millis(1200) {
            cluster.redis.restart();
            (down, last) = (false, Instant::now());
        }
    });
    match report {
        Ok(report) => assert_clean(&report),
        Err(error) => panic!("{error:#}\n{}", cluster.logs()),
    }
    assert_eq!(deaths, 3);
}

/// The master of a Redis with a replica is killed under a swarm, and Sentinels put the replica in its place; the old master comes back as
/// the replica. With `--ledger-wait-replicas=1` nothing that was acknowledged or shown is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_a_failover_to_a_replica() {
    let RedisPair { master, replica, sentinels } =
        tokio::task::spawn_blocking(RedisPair::start).await.expect("a Redis with a replica");
    let (old, new) = (master.address(), replica.address());
    let ledger = [format!("--ledger-url={}", sentinels.url()), "--ledger-wait-replicas=1".to_owned()];
    let mut cluster = Cluster::start_on(Path::new(BINARY), 1, &RATED, master, |_, _| ledger.to_vec())
        .await
        .expect("a cluster");
    let args = flight(&cluster, 8, 15);
    let (started, mut killed, mut back, mut looked) = (Instant::now(), false, false, Instant::now());
    let report = swarm(&args, || {
        if !killed && started.elapsed() > Duration::from_secs(4) {
            cluster.redis.kill9();
            killed = true;
        } else if killed && !back && looked.elapsed() > Duration::from_millis(200) {
            looked = Instant::now();
            if sentinels.master() == new {
                cluster.redis.restart();
                back = true;
            }
        }
    });
    match report {
        Ok(report) => assert_clean(&report),
        Err(error) => panic!("{error:#}\n{}", cluster.logs()),
    }
    assert!(killed && back, "no failover from {old} to {new}");
    assert_eq!(sentinels.master(), new);
    drop(replica);
}

/// One replica of the game service and one of matchmaking are cut off from Redis for some seconds, twice, while the others serve: nobody
/// loses anything, not even on time.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_replicas_that_are_cut_off() {
    let redis = RedisServer::start_durable();
    let gate = Gate::to(redis.address()).await.expect("a way");
    let (direct, gated) = (redis.url(), format!("redis://{}", gate.address()));
    let ledger = |service: &str, replica: usize| {
        let cut = replica == 0 && ["game", "matchmaking"].contains(&service);
        vec![format!("--ledger-url={}", if cut { &gated } else { &direct })]
    };
    let cluster = Cluster::start_on(Path::new(BINARY), 2, &RATED, redis, ledger).await.expect("a cluster");
    let args = flight(&cluster, 8, 18);
    let (started, mut cuts) = (Instant::now(), 0);
    let report = tokio::task::block_in_place(|| {
        swarm(&args, || {
            // From the 3rd to the 14th second, which is longer than watchers stay at such a replica, and for 2 s more.
            match (cuts, started.elapsed().as_secs()) {
                (0, 3..) | (2, 16..) => gate.cut(),
                (1, 14..) | (3, 18..) => gate.mend(),
                _ => return,
            }
            cuts += 1;
        })
    });
    match report {
        Ok(report) => {
            assert_clean(&report);
            assert!(
                report["interruptions"].as_u64() > Some(0),
                "nobody was at the replica that was cut off: {report}"
            );
        }
        Err(error) => panic!("{error:#}\n{}", cluster.logs()),
    }
    assert_eq!(cuts, 4);
}
