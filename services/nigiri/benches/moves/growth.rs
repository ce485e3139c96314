//! What a move costs as live games become many, and as games become long.

use std::time::{Duration, Instant};

use futures::StreamExt;
use kernel::GameId;
use nigiri_client::{PlayStream, Seat, Session};

use crate::{
    cluster,
    crowd::{Maker, game_process, guests},
    processor,
};

/// Games that are played at once.
const PLAYED: usize = 100;

/// Moves by which a game has grown when its cost is taken.
const STEP: u32 = 30;

/// Moves of each game.
const LONGEST: u32 = 300;

/// Far away.
const TIME: Duration = Duration::from_secs(100_000);

/// Up to so many live games.
pub async fn measure(most: usize) {
    let cluster = cluster().await;
    let players = guests(&cluster, 20).await;
    let maker = Maker::new(&cluster).await;
    let process = game_process(&cluster);
    let stream = players[0].play_stream();
    println!(
        "\nprocessor time of the game service for a move, with {PLAYED} games played at once:\n| live games | µs a move |\n|---|---|"
    );
    let mut kept: Vec<Seat> = Vec::new();
    let mut size = 10;
    while size <= most.max(10) {
        let more = size - kept.len();
        let made = maker.games(&format!("live {size}"), &players, more, 19, |_| TIME).await;
        for (id, seats) in made {
            let mut seat = stream.sit_as(&players[seats[0]], id, None);
            seat.next().await.unwrap().unwrap();
            kept.push(seat);
        }
        let costs = play(&maker, &players, &stream, process, &format!("beside {size}"), STEP * 2).await;
        println!("| {size} | {:.0} |", costs[1]);
        size *= 10;
    }
    drop(kept);
    let costs = play(&maker, &players, &stream, process, "long", LONGEST).await;
    println!("\n| moves made | µs a move |\n|---|---|");
    for (step, cost) in costs.iter().enumerate() {
        println!("| {} | {cost:.0} |", (step as u32 + 1) * STEP);
    }
}

/// Plays games of so many moves each; for each step of the games, what a move cost.
async fn play(
    maker: &Maker,
    players: &[Session],
    stream: &PlayStream,
    process: u32,
    name: &str,
    moves: u32,
) -> Vec<f64> {
    let made = maker.games(name, players, PLAYED, 19, |_| TIME).await;
    let seats: Vec<[Seat; 2]> = made
        .iter()
        .map(|(id, seats)| seats.map(|seat| stream.sit_as(&players[seat], GameId::from(*id), Some(0))))
        .collect();
    let mut costs = Vec::new();
    let mut busy = processor(process);
    let _begun = Instant::now();
    for ply in 0..moves {
        let point = point(ply);
        futures::stream::iter(&seats)
            .for_each_concurrent(None, |seats| {
                let point = &point;
                async move {
                    seats[ply as usize % 2].play(ply, point).await.unwrap();
                }
            })
            .await;
        if (ply + 1).is_multiple_of(STEP) {
            let now = processor(process);
            costs.push((now - busy).as_secs_f64() * 1e6 / f64::from(STEP) / PLAYED as f64);
            busy = now;
        }
    }
    costs
}

/// Black fills the board from the bottom, White from the middle on: nothing is ever captured.
fn point(ply: u32) -> String {
    let (number, first) = (ply / 2, if ply % 2 == 0 { 1 } else { 11 });
    let column = "ABCDEFGHJKLMNOPQRST".chars().nth(number as usize % 19).unwrap();
    format!("{column}{}", first + number / 19)
}
