//! The real binary, killed as by a power cut while people play.
#![allow(missing_docs, reason = "a test")]

#[path = "faults/ledger.rs"]
mod ledger;
#[path = "faults/store.rs"]
mod store;

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use self::ledger::{RATED, flight};
use anyhow::Context as _;
use futures::StreamExt;
use nigiri_client::{AiLevel, Client, Color, Game, Watched};
use serde_json::Value;
use testkit::{Cluster, Process, eventually, free_port};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

/// Runs `nigiri swarm` with these arguments while `meanwhile` happens. The answer is its last line.
fn swarm(args: &[impl AsRef<OsStr>], mut meanwhile: impl FnMut()) -> anyhow::Result<Value> {
    let mut child = Command::new(BINARY)
        .arg("swarm")
        .arg("--json")
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    while child.try_wait()?.is_none() {
        meanwhile();
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = child.wait_with_output()?;
    let text = String::from_utf8(out.stdout)?;
    let last = text.lines().last().with_context(|| format!("the swarm said nothing ({})", out.status))?;
    let report: Value = serde_json::from_str(last).with_context(|| format!("not a report: {last:?}"))?;
    anyhow::ensure!(out.status.success(), "the swarm found faults: {report}");
    Ok(report)
}

/// Nothing was lost, nothing is out of order, every result and rating is right, and nobody lost on time.
fn assert_clean(report: &Value) {
    for field in
        ["moves_lost", "order_violations", "results_wrong", "ratings_wrong", "errors", "timeouts_lost"]
    {
        assert_eq!(report[field], 0, "{field}: {report}");
    }
    assert!(report["games_finished"].as_u64() > Some(0), "no game was finished: {report}");
}

/// `nigiri dev` is killed and started again in mid-game: the client goes on by itself, the game is played to its end, and a
/// second start finds everything that the first one acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_dev_server_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--bot-delay", "0s"];
    let mut server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let client = Client::connect(&format!("http://{address}")).expect("an address");
    let person = client.sign_in_as_guest("Survivor").await.expect("signed in");
    let begun = eventually("a bot", Duration::from_secs(20), || async {
        person.start_ai_game(AiLevel::Easy, Color::Black).await.ok()
    })
    .await;
    let game = person.game(begun.game_id.parse().expect("an id"));
    let mut watch = game.watch(Some(0));
    let mut acknowledged = Vec::new();
    let (mut ply, mut killed) = (0, false);
    while let Some(watched) =
        tokio::time::timeout(Duration::from_secs(60), watch.next()).await.expect("an event in time")
    {
        let Watched::Update(update) = watched.expect("the stream goes on") else { continue };
        let state = update.state.expect("a state");
        if state.turn() != Color::Black {
            continue;
        }
        ply = state.ply;
        if ply >= 6 && !killed {
            killed = true;
            server.kill().expect("killed");
            server.restart().expect("started again");
        }
        acknowledged.push(if ply >= 12 {
            game.resign().await.expect("acknowledged")
        } else {
            play_somewhere(&game, ply).await
        });
    }
    assert!(killed && ply >= 4, "the game was too short to prove anything: ply {ply}");
    let record = game.record().await.expect("a record");
    let ours: Vec<u64> = record
        .entries
        .iter()
        .filter(|entry| !entry.command_id.is_empty())
        .map(|entry| entry.sequence)
        .collect();
    assert!(acknowledged.iter().all(|sequence| ours.contains(sequence)), "{acknowledged:?} in {ours:?}");
}

/// Plays the first legal point of the board.
async fn play_somewhere(game: &Game, ply: u32) -> u64 {
    for (row, column) in (1..=9).flat_map(|row| "CDEFGABHJ".chars().map(move |column| (row, column))) {
        match game.play(ply, &format!("{column}{row}")).await {
            Ok(sequence) => return sequence,
            Err(error) => assert!(
                ["OCCUPIED", "SUICIDE", "KO", "SUPERKO"].iter().any(|reason| error.is(reason)),
                "{column}{row}: {error}"
            ),
        }
    }
    panic!("no point is legal");
}

/// `nigiri dev` under a swarm is killed three times.
#[test]
fn a_swarm_survives_a_killed_dev_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--log", "warn"];
    let mut server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let (mut kills, mut last) = (0, Instant::now());
    let url = format!("http://{address}");
    let report = swarm(&["--server", &url, "--pairs", "6", "--seconds", "10"], || {
        if kills < 3 && last.elapsed() > Duration::from_millis(2500) {
            server.kill().expect("killed");
            server.restart().expect("started again");
            (kills, last) = (kills + 1, Instant::now());
        }
    });
    assert_clean(&report.expect("a clean swarm"));
    assert_eq!(kills, 3);
}

/// The separate services on Redis and Postgres, two replicas of each: a random one is killed and started again every second or
/// two, for twenty seconds, under a swarm.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_killed_replicas() {
    let mut cluster = Cluster::start(Path::new(BINARY), 2, &RATED).await.expect("a cluster");
    let args = flight(&cluster, 10, 20);
    let (mut kills, started, mut last) = (0, Instant::now(), Instant::now());
    let mut dice = 0x9e37_79b9_u64;
    let report = swarm(&args, || {
        let pause = Duration::from_millis(1000 + dice % 1000);
        if started.elapsed() < Duration::from_secs(20) && last.elapsed() > pause {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let victim = (dice >> 33) as usize % cluster.processes.len();
            cluster.processes[victim].kill().expect("killed");
            cluster.processes[victim].restart().expect("started again");
            (kills, last) = (kills + 1, Instant::now());
        }
    });
    match report {
        Ok(report) => assert_clean(&report),
        Err(error) => panic!("{error:#}\n{}", cluster.logs()),
    }
    assert!(kills >= 8, "only {kills} kills");
}

/// A deploy under a swarm: each replica of each service is asked to end and started anew, one after the other. Nobody loses anything, and none of them is cut off in what it was doing.
#[tokio::test(flavor = "multi_thread")]
async fn a_swarm_survives_a_deploy() {
    let mut cluster = Cluster::start(Path::new(BINARY), 2, &RATED).await.expect("a cluster");
    let args = flight(&cluster, 10, 20);
    let (mut replaced, mut last) = (0, Instant::now());
    let report = swarm(&args, || {
        if replaced < cluster.processes.len() && last.elapsed() > Duration::from_millis(700) {
            cluster.processes[replaced].replace().expect("replaced");
            (replaced, last) = (replaced + 1, Instant::now());
        }
    });
    let logs = cluster.logs();
    match report {
        Ok(report) => {
            assert_clean(&report);
            assert!(report["interruptions"].as_u64() > Some(0), "no stream was at a replica: {report}");
        }
        Err(error) => panic!("{error:#}\n{logs}"),
    }
    assert_eq!(replaced, cluster.processes.len());
    assert!(!logs.contains("the grace ran out"), "{logs}");
}
