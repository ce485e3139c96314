//! Live games in which nobody moves: memory, processor time, and many clocks that run out in the same second.

use std::time::{Duration, Instant};

use futures::StreamExt;
use nigiri_client::Watched;
use nigiri_proto::game::v1::{GameUpdate, game_event};
use tokio::sync::mpsc;

use crate::{
    cluster,
    crowd::{Maker, game_process, guests},
    median, processor, resident, scrape,
};

/// How long nothing happens.
const QUIET: Duration = Duration::from_secs(20);

/// Time in which all games are made and followed, at least.
const SETUP: Duration = Duration::from_secs(20);

/// Streams that are being opened at the same time.
const AT_ONCE: usize = 256;

/// With so many games, two streams each, a hundred players' streams on each connection; a quarter of the clocks run out together.
pub async fn measure(games: usize) {
    let cluster = cluster().await;
    let connections = (2 * games).div_ceil(100).max(2);
    let players = guests(&cluster, connections).await;
    let maker = Maker::new(&cluster).await;
    let process = game_process(&cluster);
    let before = resident(process);
    let start = Instant::now();
    let expiring = games / 4;
    let setup = SETUP.max(Duration::from_millis(10 * games as u64));
    let due = setup + QUIET + Duration::from_secs(10);
    let made = maker.games("idle", &players, games, 9, |number| {
        let left = due.saturating_sub(start.elapsed());
        if number % 4 == 0 { left } else { Duration::from_secs(100_000) }
    });
    let made = made.await;
    let (ends, mut ended) = mpsc::unbounded_channel();
    let mut watching = Vec::new();
    let sitting = made.iter().flat_map(|(id, seats)| seats.iter().map(move |seat| (id, seat)));
    let opening = futures::stream::iter(sitting).map(|(id, seat)| {
        let mut watch = players[*seat].game(*id).watch(None);
        async move {
            loop {
                // A machine that is busy may be too slow at first; the stream is taken up again.
                if let Watched::Snapshot(snapshot) = watch.next().await.unwrap().unwrap() {
                    return (watch, snapshot.state.unwrap().deadline);
                }
            }
        }
    });
    let opened: Vec<_> = opening.buffer_unordered(AT_ONCE).collect().await;
    for (mut watch, deadline) in opened {
        let ends = ends.clone();
        watching.push(tokio::spawn(async move {
            while let Some(watched) = watch.next().await {
                if let Ok(Watched::Update(update)) = watched
                    && finishes(&update)
                {
                    let late = millis(update.event_time) - millis(deadline);
                    let shown = millis(update.server_time) - millis(deadline);
                    ends.send((late, shown)).unwrap();
                }
            }
        }));
    }
    let setup_took = start.elapsed();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let per_game = (resident(process) - before) as f64 / games as f64;
    let (from, busy) = (Instant::now(), processor(process));
    tokio::time::sleep(QUIET).await;
    let share = (processor(process) - busy).as_secs_f64() / from.elapsed().as_secs_f64();
    println!(
        "\n{games} live games, {} streams over {connections} connections, made and followed in {:.0} s: {per_game:.1} KiB of the game service a game, {:.1}% of a core while nobody moves",
        2 * games,
        setup_took.as_secs_f64(),
        100.0 * share
    );
    let mut scrapes = Vec::new();
    let mut size = 0;
    for _ in 0..21 {
        let (took, text) = scrape(&cluster.urls("game")).await;
        scrapes.push(took.as_secs_f64() * 1000.0);
        size = size.max(text.len());
    }
    println!(
        "a scrape of the game service then: {:.1} ms in the median of 21, {:.1} at worst, {:.1} KiB",
        median(scrapes.clone()),
        scrapes.iter().copied().fold(0.0, f64::max),
        size as f64 / 1024.0
    );
    let mut all = Vec::new();
    while all.len() < 2 * expiring {
        all.push(tokio::time::timeout(due + Duration::from_secs(60), ended.recv()).await.unwrap().unwrap());
    }
    let decided = all.iter().map(|(late, _)| *late).max().unwrap_or_default();
    let told = all.iter().map(|(_, shown)| *shown).max().unwrap_or_default();
    println!(
        "{expiring} clocks that ran out together: the last was decided {decided} ms after its own deadline, the allowance for the network included, and its players were told after {told} ms"
    );
    watching.iter().for_each(tokio::task::JoinHandle::abort);
}

fn finishes(update: &GameUpdate) -> bool {
    update.events.iter().any(|event| matches!(event.event, Some(game_event::Event::Finished(_))))
}

fn millis(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap_or_default();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}
