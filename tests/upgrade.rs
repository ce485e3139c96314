//! An upgrade under way: two versions that differ in the format of events and in the schema, side by side on one ledger and one store.
//!
//! The next version is the same sources with the feature `next` (see ADR 9); `NIGIRI_OLD=/path/to/nigiri` holds a released one against it instead
//! of what is built here.
#![allow(missing_docs, reason = "a test")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use testkit::Cluster;

const NEXT: &str = env!("CARGO_BIN_EXE_nigiri-next");

/// The version that is replaced.
fn old() -> PathBuf {
    let built = || Path::new(NEXT).with_file_name("nigiri");
    let old = std::env::var_os("NIGIRI_OLD").map_or_else(built, PathBuf::from);
    assert!(old.is_file(), "{} is missing: cargo build --bin nigiri", old.display());
    old
}

fn run(binary: &Path, args: &[&str]) -> Output {
    Command::new(binary).args(args).stdin(Stdio::null()).output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Two replicas of each service are replaced by the next version, one after the other: the schema first, and the second ones while people play. Old replicas go on with what
/// they understand, and leave to the new ones what they do not; nobody loses a move, a game or its rating, and every game of the archive comes out.
#[tokio::test(flavor = "multi_thread")]
async fn two_versions_serve_side_by_side() {
    let (old, next) = (old(), Path::new(NEXT));
    let mut cluster =
        Cluster::start(&old, 2, &[("matchmaking", &["--rated-guests"])]).await.expect("a cluster");
    let store = format!("--store-url={}", cluster.postgres.url);

    // The new version does not start on the old schema; the old one stays as it is on the new one, and its own migration leaves that alone.
    let early = run(next, &["game", &store, "--service-secret=a-secret-of-a-test", "--listen=127.0.0.1:0"]);
    assert!(!early.status.success() && said(&early).contains("lacks migration 9000"), "{}", said(&early));

    for binary in [next, &old] {
        let migrated = run(binary, &["migrate", &store]);
        assert!(migrated.status.success(), "{}", said(&migrated));
    }
    // One replica of each service is new when people come: they spread over both versions, and games are played at both at once. The others follow
    // while they play.
    let mut before = String::new();
    let half = cluster.processes.len() / 2;
    for process in &mut cluster.processes[..half] {
        process.upgrade(next).expect("upgraded");
    }
    let urls = ["session", "game", "matchmaking", "rating"]
        .map(|service| format!("--{service}={}", cluster.urls(service)));
    let swarm = Command::new(next)
        .args(["swarm", "--json", "--pairs=10", "--seconds=20", "--connections=10"])
        .args(urls)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("a swarm");
    let began = Instant::now();
    std::thread::sleep(Duration::from_secs(8));
    for process in &mut cluster.processes[half..] {
        before.push_str(&process.log());
        process.upgrade(next).expect("upgraded");
    }
    let replaced = began.elapsed();
    let out = swarm.wait_with_output().expect("the swarm ends");
    let logs: String = cluster.processes.iter().map(testkit::Process::log).collect();
    let report: Value = String::from_utf8_lossy(&out.stdout)
        .lines()
        .last()
        .and_then(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("the swarm said nothing ({})\n{}", out.status, cluster.logs()));
    assert!(out.status.success(), "the swarm found faults: {report}\n{}", cluster.logs());
    for field in
        ["moves_lost", "order_violations", "results_wrong", "ratings_wrong", "errors", "timeouts_lost"]
    {
        assert_eq!(report[field], 0, "{field}: {report}");
    }
    assert!(report["games_finished"].as_u64() > Some(10), "{report}");
    assert!(
        replaced < Duration::from_secs(20),
        "it took {replaced:?} to replace all: nobody played any more"
    );
    // It was the test that it is meant to be: games went from the old version to the new one, and nothing was set aside.
    assert!(
        before.contains("it is left to other replicas"),
        "no old replica met what it does not know\n{before}"
    );
    assert!(!logs.contains("failed for good"), "{logs}");
    assert!(!logs.contains(" ERROR "), "{logs}");

    // Every game comes out for the new version, whoever wrote it; the old one says of the others that it cannot tell.
    let verified = run(next, &["verify", &store]);
    assert!(verified.status.success(), "{}", said(&verified));
    let behind = run(&old, &["verify", &store]);
    assert!(!behind.status.success() && said(&behind).contains("a newer version"), "{}", said(&behind));
    let archived: Vec<(String, i64)> = {
        let pool = sqlx::PgPool::connect(&cluster.postgres.url).await.expect("the store");
        let rows = sqlx::query_as("SELECT writer, COUNT(*) FROM games GROUP BY writer ORDER BY writer");
        rows.fetch_all(&pool).await.expect("the archive")
    };
    let writers: Vec<_> = archived.iter().map(|(writer, _)| writer.as_str()).collect();
    assert_eq!(writers, ["", "next"], "both versions have archived games: {archived:?}");
}
