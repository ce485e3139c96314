//! How long the best estimate takes, on one thread: `cargo bench -p goban --bench estimate`.
//!
//! The boards are those with known dead stones, where they lie beside the project, and random games that were stopped when as many
//! moves had been played as there are points, which leaves far more in doubt than the end of a real game. What is measured is the time that the thread ran,
//! where the system tells it (Linux), so that other work on the machine matters little; else the time that passed.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read ends the measurement")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of the corpora are small")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use goban::{Board, Rng, Size, estimate, playout};

#[path = "support/clock.rs"]
mod clock;
#[path = "../tests/estimate/corpus.rs"]
#[expect(dead_code, reason = "only the boards are wanted here")]
mod corpus;

const FILES: [&str; 3] = ["estimate-finished.jsonl", "estimate-unfinished.jsonl", "estimate-trouble.jsonl"];
const RANDOM_GAMES: u64 = 40;

fn main() {
    let mut by_kind: BTreeMap<(u16, &str), Vec<Duration>> = BTreeMap::new();
    for case in FILES.into_iter().flat_map(corpus::cases) {
        let board = case.position.board();
        by_kind.entry((area(board), "known boards")).or_default().push(time(board));
    }
    for size in [Size::NINE, Size::THIRTEEN, Size::NINETEEN] {
        for seed in 0..RANDOM_GAMES {
            let board = playout::stopped(size, size.area(), &mut Rng::new(seed));
            by_kind.entry((area(&board), "stopped random games")).or_default().push(time(&board));
        }
    }
    for ((area, kind), mut times) in by_kind {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
        let (median, most, worst) = (at(50), at(95), at(100));
        println!(
            "{area:>3} points, {:>3} {kind}: median {median:.1} ms, 95 in 100 under {most:.1} ms, worst {worst:.1} ms",
            times.len()
        );
    }
}

fn area(board: &Board) -> u16 {
    board.size().area() as u16
}

fn time(board: &Board) -> Duration {
    let start = clock::now();
    black_box(estimate(black_box(board)));
    clock::now() - start
}
