//! How long the best estimate takes: `cargo bench -p goban --bench estimate`. One thread; medians and the worst of boards on which
//! random games were stopped when as many moves had been played as there are points, which leaves more in doubt than the end of a real game.

use std::hint::black_box;
use std::time::Instant;

use goban::{Rng, Size, estimate, playout};

const BOARDS: u64 = 15;

fn main() {
    for size in [Size::NINE, Size::THIRTEEN, Size::NINETEEN] {
        let mut times: Vec<f64> = (0..BOARDS)
            .map(|seed| {
                let board = playout::stopped(size, size.area(), &mut Rng::new(seed));
                let start = Instant::now();
                black_box(estimate(&board));
                start.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "estimate, {size}: median {:.0} ms, worst {:.0} ms",
            times[times.len() / 2],
            times[times.len() - 1]
        );
    }
}
