//! Ratings from scores: `cargo run --release -p gtp --example elo -- ANCHOR POINTS < SCORES`. Each line has two players without blanks in their names, and how many
//! games the first won, the second won, and ended in a draw.
#![allow(missing_docs, reason = "an example")]

use std::error::Error;
use std::io;

use gtp::{Score, ratings};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [anchor, points] = words.as_slice() else { return Err("ANCHOR POINTS < SCORES".into()) };
    let (mut names, mut scores) = (vec![anchor.clone()], Vec::new());
    for line in io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [first, second, won, lost, drawn] = words.as_slice() else {
            return Err(format!("{line:?} is not FIRST SECOND WON LOST DRAWN").into());
        };
        let mut number = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let players = [number(first), number(second)];
        scores.push(Score { players, won: [won.parse()?, lost.parse()?], drawn: drawn.parse()? });
    }
    let found = ratings(names.len(), 0, points.parse()?, &scores);
    let mut rows: Vec<_> = names.iter().zip(found).collect();
    rows.sort_by(|a, b| b.1.points.total_cmp(&a.1.points));
    for (name, strength) in rows {
        println!("{name:<24} {:>6.0} ± {:.0}", strength.points, strength.width);
    }
    Ok(())
}
