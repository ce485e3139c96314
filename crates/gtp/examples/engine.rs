//! The engine without the rest of the system: `cargo run --release -p gtp --example engine -- LEVEL [PLAYOUTS] [SEED]`.
#![allow(missing_docs, reason = "an example")]

use std::io::{self, BufReader};

use goban::Preset;
use gtp::{Engine, Options, serve};

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let level = words.next().and_then(|word| word.parse().ok()).unwrap_or(search::Level::Hard);
    let number = |word: Option<String>| word.and_then(|word| word.parse().ok());
    let playouts = number(words.next());
    let seed = number(words.next()).unwrap_or(0);
    let options =
        Options { level, playouts, seed: seed.into(), rules: Preset::Chinese, ..Options::default() };
    serve(&mut Engine::new(options), BufReader::new(io::stdin()), io::stdout().lock())
}
