//! How long a wave takes: `cargo bench -p pairing`. One thread; the median of the rounds and the best, by the clock, and the least time of the
//! processor, which does not count what other programs took.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use kernel::PlayerId;
use pairing::{Candidate, Colors, Kinds, POINT, Rules, pair};
use uuid::Uuid;

const ROUNDS: usize = 5;

/// A pool with a bell of ratings, waits up to `seconds`, and `tastes` kinds of which everybody takes some.
fn pool(count: u32, tastes: u32, seconds: u64) -> Vec<Candidate> {
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..count)
        .map(|number| {
            let points: u64 = 400 + (0..4).map(|_| random(450)).sum::<u64>();
            let kinds = if tastes == 1 {
                1
            } else {
                random(1 << tastes) & random(1 << tastes) | 1 << random(tastes.into())
            };
            Candidate {
                player: PlayerId::from_uuid(Uuid::from_u128(number.into())),
                ratings: [i64::try_from(points).unwrap_or(0) * POINT; 3],
                waited: Duration::from_millis(random(seconds * 1000)),
                kinds: Kinds(kinds),
                colors: Colors::Any,
                below: u32::MAX,
                above: u32::MAX,
                sheltered: false,
                content: 5,
                last_opponent: None,
                avoids: Arc::default(),
            }
        })
        .collect()
}

fn main() {
    println!(
        "| open tickets | kinds | waits up to | pairs | wave, median | best | processor |\n|---:|---:|---:|---:|---:|---:|---:|"
    );
    for (count, tastes, seconds) in [
        (100, 1, 20),
        (500, 1, 20),
        (500, 8, 20),
        (2_000, 8, 20),
        (10_000, 1, 1),
        (10_000, 8, 20),
        (100_000, 1, 1),
        (100_000, 1, 30),
        (100_000, 8, 1),
        (100_000, 16, 30),
    ] {
        let only: Vec<u32> = std::env::args().filter_map(|size| size.parse().ok()).collect();
        if !only.is_empty() && !only.contains(&count) {
            continue;
        }
        let pool = pool(count, tastes, seconds);
        let rules = Rules { boards: [u64::MAX, 0, 0], ..Rules::default() };
        let mut pairs = 0;
        let mut busy = f64::MAX;
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let (start, before) = (Instant::now(), processor());
                pairs = black_box(pair(black_box(&pool), &rules)).len();
                busy = busy.min((processor() - before) * 1e3);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (median, best) = (times[ROUNDS / 2], times[0]);
        println!(
            "| {count} | {tastes} | {seconds} s | {pairs} | {median:.2} ms | {best:.2} ms | {busy:.2} ms |"
        );
    }
}

/// Seconds for which this thread has had a processor, as Linux counts them; none elsewhere.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
    nanos.unwrap_or(0.0) / 1e9
}
