//! Hints about new entries.

use ledger::{Logs, Wake};
use tokio::sync::broadcast::Receiver;

use crate::world::{World, append, log, soon, texts};

async fn next(receiver: &mut Receiver<Wake>) -> (ledger::LogName, ledger::Entry) {
    match soon(receiver.recv()).await.unwrap() {
        Wake::Appended(log, entry) => (log, entry),
        Wake::Lost => panic!("nothing was lost"),
    }
}

/// A follower on either handle gets the entry itself, in order, and only of the logs that it follows.
pub async fn entries_wake_every_handle_that_follows_their_log(world: World) {
    let mut games = world.ledger.wakes(&Logs::Kind("game".into()));
    let mut elsewhere = world.other.wakes(&Logs::One(log("game:7")));
    let mut all = world.other.wakes(&Logs::All);
    append(&world.ledger, "queue:9", 0, "no game").await;
    for expected in 0..3 {
        let ledger = if expected == 1 { &world.other } else { &world.ledger };
        append(ledger, "game:7", expected, &format!("move {expected} \n of many")).await;
    }
    for receiver in [&mut games, &mut elsewhere] {
        let read = world.other.read(&log("game:7"), 0, 10).await.unwrap();
        for expected in &read {
            let (name, entry) = next(receiver).await;
            assert_eq!((name, &entry), (log("game:7"), expected));
        }
        assert_eq!(texts(&read)[2], "move 2 \n of many");
        assert!(receiver.try_recv().is_err(), "it follows no other log");
    }
    let mut names = Vec::new();
    for _ in 0..4 {
        names.push(next(&mut all).await.0);
    }
    assert!(names.contains(&log("queue:9")));
}
