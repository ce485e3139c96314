//! How fast the search is: `cargo bench -p search`. Playouts a second in the tree, from the empty board and from the middle of a game, beside
//! bare random playouts of the board in the same rounds, one thread. Medians, with the best round beside them, since the machine may have other
//! things to do.
#![allow(missing_docs, reason = "a bench")]

use std::hint::black_box;
use std::time::Instant;

use goban::{Board, Color, Komi, Position, Preset, Rng, Size, playout};
use search::{Budget, Terms, analyse};

const ROUNDS: usize = 7;

fn main() {
    println!(
        "{:<34} {:>10} {:>10} {:>12} {:>7}",
        "playouts a second", "tree", "best", "bare random", "share"
    );
    for (size, playouts) in [(Size::NINE, 4_000), (Size::THIRTEEN, 2_000), (Size::NINETEEN, 1_000)] {
        for moves in [0, size.area() / 3] {
            let board = playout::stopped(size, moves, &mut Rng::new(5));
            let position = Position::from_board(board, Preset::Weiqi.rules(), Color::Black);
            measure(&format!("{size} after {moves} moves"), &position, playouts);
        }
    }
}

fn measure(name: &str, position: &Position, playouts: u32) {
    let terms = Terms::even(Komi::ZERO);
    let mut rates: Vec<(f64, f64)> = (0..ROUNDS as u64)
        .map(|seed| {
            let tree = rate(playouts, || {
                _ = black_box(analyse(position, &terms, &Budget::playouts(playouts), seed))
            });
            let bare = rate(playouts * 10, || random(position.board(), playouts * 10, seed));
            (tree, bare)
        })
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (tree, bare) = rates[ROUNDS / 2];
    let best = rates[ROUNDS - 1].0;
    println!("{name:<34} {tree:>10.0} {best:>10.0} {bare:>12.0} {:>6.1}%", 100.0 * tree / bare);
}

fn random(board: &Board, playouts: u32, seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..playouts {
        black_box(playout::run(board, Color::Black, &mut rng));
    }
}

fn rate(playouts: u32, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    f64::from(playouts) / start.elapsed().as_secs_f64()
}
