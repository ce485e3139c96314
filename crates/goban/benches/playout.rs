//! How fast the board is: `cargo bench -p goban`. Medians of several rounds, one thread, with the best round beside
//! them, since the machine may have other things to do.
//!
//! A playout is a game of uniformly random moves, none of which fills an own eye, from the empty board to two passes, and
//! its count; `naive` is the same on the board that is written for clarity.

use std::hint::black_box;
use std::time::Instant;

use goban::naive::Naive;
use goban::{
    Board, Color, Dead, KoRule, Komi, Move, Position, Preset, Rng, Rules, Size, clearly_dead, judge, playout,
};

const ROUNDS: usize = 9;

/// Seconds for one of `times` runs: the median of the rounds, and the best.
fn seconds(times: u32, mut run: impl FnMut()) -> (f64, f64) {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..times).for_each(|_| run());
            start.elapsed().as_secs_f64() / f64::from(times)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    (rounds[ROUNDS / 2], rounds[0])
}

fn report(what: &str, unit: f64, name: &str, (median, best): (f64, f64)) {
    println!("{what:<46} {:>9.0} {name:<12} best {:>9.0}", median * unit, best * unit);
}

fn rate(what: &str, (median, best): (f64, f64)) {
    println!("{what:<46} {:>9.0} {:<12} best {:>9.0}", 1.0 / median, "a second", 1.0 / best);
}

/// A random game with superko, as its moves and its end.
fn game(size: Size) -> (Vec<Move>, Position) {
    let mut position = Position::new(size, superko());
    let mut rng = Rng::new(7);
    let (mut board, mut moves) = (position.board().clone(), Vec::new());
    for _ in 0..size.area() * 3 / 2 {
        let next = board.random_move(position.turn(), &mut rng).map_or(Move::Pass, Move::Play);
        let next =
            if next.point().is_none_or(|point| position.check(point).is_ok()) { next } else { Move::Pass };
        _ = position.play(next);
        moves.push(next);
        board = position.board().clone();
    }
    (moves, position)
}

const fn superko() -> Rules {
    Rules { ko: KoRule::Positional, ..Preset::Weiqi.rules() }
}

fn main() {
    for (size, times) in [(Size::NINE, 20_000), (Size::THIRTEEN, 8_000), (Size::NINETEEN, 4_000)] {
        let board = Board::new(size);
        let mut rng = Rng::new(1);
        let fast = seconds(times, || _ = black_box(playout::run(&board, Color::Black, &mut rng)));
        rate(&format!("playouts on {size}"), fast);
        let rules = Preset::Igo.rules();
        let naive = seconds(times / 2_000, || {
            let mut start = Naive::new(size, rules, vec![None; size.area()], Color::Black);
            black_box(start.play_out(&mut rng));
        });
        rate(&format!("playouts on {size}, naive"), naive);
    }
    for size in [Size::NINE, Size::NINETEEN] {
        let (moves, end) = game(size);
        let whole = seconds(50, || {
            let mut position = Position::new(size, superko());
            for &next in &moves {
                _ = black_box(position.play(next));
            }
        });
        let each = |(median, best): (f64, f64)| (median / moves.len() as f64, best / moves.len() as f64);
        report(&format!("a legal move with superko on {size}"), 1e9, "ns", each(whole));
        let illegal = seconds(2_000, || _ = black_box(end.illegal_points()));
        report(&format!("illegal points after {} moves on {size}", moves.len()), 1e9, "ns", illegal);
        let copy = seconds(2_000, || _ = black_box(end.clone()));
        report(&format!("a copy of that position on {size}"), 1e9, "ns", copy);
        let dead = seconds(200, || _ = black_box(clearly_dead(end.board())));
        report(&format!("clearly dead on {size}"), 1e6, "us", dead);
        let japanese = Position::from_board(end.board().clone(), Preset::Japanese.rules(), Color::Black);
        let count = seconds(200, || _ = black_box(judge(&japanese, Komi::ZERO, 0, Dead::Clear)));
        report(&format!("a verdict without points in seki on {size}"), 1e6, "us", count);
    }
}
