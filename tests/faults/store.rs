//! What happens to the store's server.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use testkit::Cluster;
use tokio::runtime::Handle;

use super::{
    BINARY, assert_clean,
    ledger::{RATED, flight},
    swarm,
};

/// For how long the store is away, in seconds, unless `NIGIRI_STORE_AWAY` says otherwise.
const AWAY: u64 = 30;

/// So many games are being played when it goes: nobody can sign in without it.
const BEGUN: i64 = 6;

/// How many games are being played, as the store has it.
fn live(cluster: &Cluster) -> i64 {
    let count = async {
        platform::on!(&cluster.postgres.db, |pool| {
            sqlx::query_scalar("SELECT COUNT(*) FROM live_games").fetch_one(pool).await
        })
    };
    tokio::task::block_in_place(|| Handle::current().block_on(count)).unwrap_or_default()
}

/// Postgres dies under a swarm and is away for a while (`NIGIRI_STORE_AWAY` says for how many seconds): games go on, and when it is back every
/// finished game is archived and counted, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_a_store_that_is_away() {
    let away = std::env::var_os("NIGIRI_STORE_AWAY").and_then(|text| text.into_string().ok()?.parse().ok());
    let away = away.unwrap_or(AWAY);
    let cluster = Cluster::start(Path::new(BINARY), 1, &RATED).await.expect("a cluster");
    let args = flight(&cluster, 8, away + 6);
    let (mut last, mut turns) = (Instant::now(), 0);
    let report = swarm(&args, || {
        let passed = last.elapsed();
        if turns == 0 && passed > Duration::from_millis(200) {
            last = Instant::now();
            if live(&cluster) >= BEGUN {
                cluster.postgres.stop().expect("stopped");
                turns = 1;
            }
        } else if turns == 1 && passed > Duration::from_secs(away) {
            cluster.postgres.start().expect("started again");
            turns = 2;
        }
    });
    match report {
        Ok(report) => assert_clean(&report),
        Err(error) => panic!("{error:#}\n{}", cluster.logs()),
    }
    assert_eq!(turns, 2);
}
