//! Many watchers of one game: how long until the last of them has a move.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::StreamExt;
use nigiri_client::Watched;
use tokio::sync::mpsc;

use crate::{
    cluster,
    crowd::{Maker, guests},
    median,
};

/// Connections that they share.
const CONNECTIONS: usize = 100;

/// Moves that are measured.
const MOVES: u32 = 20;

/// With so many watchers.
pub async fn measure(watchers: usize) {
    let cluster = cluster().await;
    let players = guests(&cluster, CONNECTIONS).await;
    let maker = Maker::new(&cluster).await;
    let id = maker.game("watched", [&players[0], &players[1]], 19, Duration::from_secs(10_000)).await;
    let start = Instant::now();
    let (arrivals, mut arrived) = mpsc::unbounded_channel();
    let ready = Arc::new(tokio::sync::Semaphore::new(0));
    let mut watching = Vec::new();
    for number in 0..watchers {
        let mut watch = players[number % CONNECTIONS].game(id).watch(None);
        let (arrivals, ready) = (arrivals.clone(), Arc::clone(&ready));
        watching.push(tokio::spawn(async move {
            while let Some(watched) = watch.next().await {
                match watched.unwrap() {
                    Watched::Snapshot(_) => ready.add_permits(1),
                    Watched::Update(_) => arrivals.send(start.elapsed()).unwrap(),
                    _ => {}
                }
            }
        }));
    }
    let _all = ready.acquire_many(u32::try_from(watchers).unwrap()).await.unwrap();
    let (mut last, mut middle) = (Vec::new(), Vec::new());
    for ply in 0..MOVES {
        let row = ply / 10 + if ply % 2 == 0 { 1 } else { 10 };
        let column = "ABCDEFGHJKLMNOPQRST".chars().nth(ply as usize % 10).unwrap();
        let sent = start.elapsed();
        players[ply as usize % 2].game(id).play(ply, &format!("{column}{row}")).await.unwrap();
        let mut times = Vec::new();
        while times.len() < watchers {
            times.push((arrived.recv().await.unwrap() - sent).as_secs_f64() * 1000.0);
        }
        last.push(*times.last().unwrap());
        middle.push(median(times));
    }
    let worst = last.iter().copied().fold(0.0, f64::max);
    println!(
        "\n{watchers} watchers of one game over {CONNECTIONS} connections, {MOVES} moves: from sending a move to the last of them {:.0} ms in the median, {worst:.0} at worst; to half of them {:.0} ms",
        median(last),
        median(middle)
    );
    watching.iter().for_each(tokio::task::JoinHandle::abort);
}
