//! Plays two players against each other on 9x9 and shows each game:
//! `cargo run --release -p search --example tournament -- hard normal 20`, or `hard:1000 hard:4000` for playouts, or `random`.

use std::time::Instant;

use goban::Color;
use search::Level;

#[path = "../tests/search/arena.rs"]
mod arena;
use arena::{Player, play};

fn player(text: &str) -> Result<Player, String> {
    if text == "random" {
        return Ok(Player::Random);
    }
    let (level, playouts) = text.split_once(':').map_or((text, None), |(level, n)| (level, Some(n)));
    let level: Level = level.parse().map_err(|error| format!("{error}, or random"))?;
    match playouts {
        None => Ok(Player::level(level)),
        Some(n) => {
            Ok(Player::Level(level, n.parse().map_err(|_| format!("{n:?} is no number of playouts"))?))
        }
    }
}

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [first, second, games] = args.as_slice() else {
        return Err("usage: tournament FIRST SECOND GAMES".to_owned());
    };
    let (first, second) = (player(first)?, player(second)?);
    let games: u64 = games.parse().map_err(|_| "GAMES is a number".to_owned())?;
    let mut points = 0.0;
    for game in 0..games {
        let (players, own) =
            if game % 2 == 0 { ([&first, &second], Color::Black) } else { ([&second, &first], Color::White) };
        let start = Instant::now();
        let played = play(players, game);
        points += if played.winner == Some(own) {
            1.0
        } else if played.winner.is_none() {
            0.5
        } else {
            0.0
        };
        println!(
            "game {game}: {} after {} moves, the first is {own}, {:.2?}",
            played.result,
            played.position.ply(),
            start.elapsed()
        );
        if game < 2 {
            println!("{}", played.position.board());
        }
    }
    println!("{points} of {games}");
    Ok(())
}
