//! How fast the board is: `cargo bench -p goban`.

use std::hint::black_box;
use std::time::Instant;

use goban::{Board, Color, Rng, Size, playout};

const ROUNDS: usize = 7;

fn main() {
    for (size, playouts) in [(Size::NINE, 40_000), (Size::THIRTEEN, 15_000), (Size::NINETEEN, 7_000)] {
        let board = Board::new(size);
        let mut rng = Rng::new(1);
        let mut rates: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..playouts {
                    black_box(playout::run(&board, Color::Black, &mut rng));
                }
                f64::from(playouts) / start.elapsed().as_secs_f64()
            })
            .collect();
        rates.sort_by(f64::total_cmp);
        println!("{size}: {:.0} playouts/s (best {:.0})", rates[ROUNDS / 2], rates[ROUNDS - 1]);
    }
}
