//! How fast rules are applied and asked about, move by move, beside the naive board: `cargo bench -p goban --bench moves`. Medians over
//! all moves of random games with superko on 19x19, one thread.

use std::hint::black_box;
use std::time::Instant;

use goban::naive::Naive;
use goban::{Color, KoRule, Move, Position, Preset, Rng, Rules, Size};

fn main() {
    let size = Size::NINETEEN;
    let rules = Rules { ko: KoRule::Positional, ..Preset::Weiqi.rules() };
    let (mut played, mut asked, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let (mut naive_played, mut naive_all) = (Vec::new(), Vec::new());
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut position = Position::new(size, rules);
        let mut naive = Naive::new(size, rules, vec![None; size.area()], Color::Black);
        for number in 0..500_u32 {
            let mut board = position.board().clone();
            let chosen = board.random_move(position.turn(), &mut rng).filter(|&p| position.check(p).is_ok());
            let Some(point) = chosen else {
                _ = position.play(Move::Pass);
                if seed == 0 {
                    _ = naive.play(Move::Pass);
                }
                continue;
            };
            asked.push(timed(|| _ = black_box(position.check(black_box(point)))));
            all.push(timed(|| _ = black_box(position.illegal_points())));
            // The naive board takes long: a few moves of one game are enough.
            if seed == 0 && number % 100 == 50 {
                let legal = || size.points().filter(|&p| naive.check(p).is_ok()).count();
                naive_all.push(timed(|| _ = black_box(legal())));
                naive_played.push(timed(|| _ = black_box(naive.play(Move::Play(point)))));
            } else if seed == 0 {
                _ = naive.play(Move::Play(point));
            }
            played.push(timed(|| _ = black_box(position.play(Move::Play(black_box(point))))));
        }
    }
    report("a legal move with superko on 19x19", &mut played);
    report("the same, naive", &mut naive_played);
    report("whether one point is legal", &mut asked);
    report("legality of all points", &mut all);
    report("the same, naive", &mut naive_all);
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn report(what: &str, seconds: &mut [f64]) {
    seconds.sort_by(f64::total_cmp);
    let at = |part: usize| seconds.get(seconds.len() * part / 100).copied().unwrap_or(f64::NAN) * 1e9;
    println!("{what:<40} median {:>10.0} ns, 99 of 100 under {:>10.0} ns", at(50), at(99));
}
