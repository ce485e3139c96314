//! A match: `cargo run --release -p gtp --example match -- FIRST SECOND GAMES SIZE KOMI [FOLDER]`; the records go into the folder.
#![allow(missing_docs, reason = "an example")]

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use goban::{Preset, Size};
use gtp::{Match, play_match};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [first, second, games, size, komi, folder @ ..] = words.as_slice() else {
        return Err("FIRST SECOND GAMES SIZE KOMI [FOLDER]".into());
    };
    let wanted = Match {
        engines: [first.clone(), second.clone()],
        referee: "gnugo --mode gtp --chinese-rules".to_owned(),
        games: games.parse()?,
        size: Size::square(size.parse()?)?,
        komi: komi.parse()?,
        rules: Preset::Chinese,
        // Engines that count playouts may wait for the processor as long as others need it.
        limit: Duration::from_secs(3_600),
    };
    let summary = play_match(&wanted, |number, game| {
        let [a, b] = game.thought.map(|(time, moves)| time.as_secs_f64() / f64::from(moves.max(1)));
        println!(
            "game {number}: {} ({}), first is {}, {} moves, {a:.2} and {b:.2} s a move",
            game.result,
            game.ending.name(),
            if game.black == 0 { "Black" } else { "White" },
            game.moves()
        );
        if let Some(folder) = folder.first() {
            let path = Path::new(folder).join(format!("{number:03}.sgf"));
            if let Err(error) = std::fs::write(&path, game.record.to_string()) {
                eprintln!("{}: {error}", path.display());
            }
        }
    })?;
    println!("{summary}");
    Ok(())
}
