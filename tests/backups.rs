//! Backups: a small club's file becomes a Postgres, and nothing is lost. These are the steps of the restore drill in docs/operations.md.
#![allow(missing_docs, reason = "a test")]

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use nigiri_client::{AiLevel, Client, Color};
use nigiri_proto::game::v1::ListGamesRequest;
use testkit::{Process, eventually, free_port};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");
const PATIENCE: Duration = Duration::from_secs(60);

fn nigiri(args: &[&str]) -> Output {
    Command::new(BINARY).args(args).output().expect("the binary")
}

fn done(args: &[&str]) -> String {
    let output = nigiri(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

fn refused(args: &[&str]) -> String {
    let output = nigiri(args);
    assert!(!output.status.success(), "{args:?} was done");
    String::from_utf8(output.stderr).expect("text")
}

/// Everything that a file says, in whatever order a store has its rows.
fn lines(file: &str) -> BTreeSet<String> {
    std::fs::read_to_string(file).expect("a file").lines().map(str::to_owned).collect()
}

/// Games, ratings and accounts of `nigiri dev` come out of Postgres as they went in, every game of the archive can be played again, and what would be lost is
/// said before: games that are played, a process that runs, a store that is not empty, a file that was cut.
#[tokio::test(flavor = "multi_thread")]
async fn a_clubs_file_becomes_a_postgres() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (data, club, copy, cut) = (path("data"), path("club"), path("copy"), path("cut"));
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let server = format!("http://{address}");
    let arguments = ["dev", "--listen", &address, "--data", &data];
    let mut process =
        Process::start(Path::new(BINARY), &arguments, &folder.path().join("log")).expect("a process");
    done(&["swarm", "--server", &server, "--pairs", "2", "--seconds", "3"]);
    let player =
        Client::connect(&server).expect("a client").sign_in_as_guest("Honinbo").await.expect("a guest");
    let begun = player.start_ai_game(AiLevel::Easy, Color::Black).await.expect("a game");
    let game = player.game(begun.game_id.parse().expect("an id"));
    game.play(0, "C3").await.expect("a move");
    eventually("the game is listed", PATIENCE, || async {
        let list = player.games().list_live_games(Default::default()).await.ok()?.into_inner();
        (!list.games.is_empty()).then_some(())
    })
    .await;
    assert!(refused(&["export", "--data", &data, &club]).contains("in use"));
    process.kill().expect("a kill");
    assert!(refused(&["export", "--data", &data, &club]).contains("1 games are being played"));
    process.restart().expect("a process");
    game.resign().await.expect("a resignation");
    let player_id = player.player().id;
    eventually("the game is in the archive", PATIENCE, || async {
        let request = ListGamesRequest { player_id: player_id.clone(), ..ListGamesRequest::default() };
        let games = player.games().list_games(request).await.ok()?.into_inner().games;
        (!games.is_empty()).then_some(())
    })
    .await;
    process.kill().expect("a kill");
    // What the process has not dealt with it deals with when it runs once more.
    while !nigiri(&["export", "--data", &data, &club]).status.success() {
        process.restart().expect("a process");
        tokio::time::sleep(Duration::from_secs(1)).await;
        process.kill().expect("a kill");
    }
    assert!(refused(&["export", "--data", &data, &club]).contains("cannot make"));

    let postgres = platform::testing::postgres().await.expect("a Postgres");
    let text = std::fs::read_to_string(&club).expect("a file");
    std::fs::write(&cut, &text[..text.len() - 20]).expect("a file");
    assert!(refused(&["import", "--store-url", &postgres.url, &cut]).contains("cut"));
    done(&["import", "--store-url", &postgres.url, &club]);
    assert!(refused(&["import", "--store-url", &postgres.url, &club]).contains("not empty"));
    done(&["verify", "--store-url", &postgres.url]);
    done(&["export", "--store-url", &postgres.url, &copy]);
    let (club, copy) = (lines(&club), lines(&copy));
    assert_eq!(club.difference(&copy).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(copy.difference(&club).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(club.iter().any(|line| line.contains("Honinbo")));
}
