//! How long *clearly dead* takes: `cargo bench -p goban --bench life`. One thread; medians over boards, and the slowest.
//!
//! The boards are random games that neither side gives away: no move fills an own eye, and no stone that has just been put in atari
//! is left there when it can be saved. They are stopped at several stages, since an unfinished board leaves more to read than a finished one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use goban::{Board, Color, Rng, Size, life};

const BOARDS: u64 = 60;

/// Moves after which a game is looked at, in parts of 20 of the area.
const STAGES: [usize; 4] = [10, 14, 18, 40];

/// A game of captures, escapes and otherwise random moves.
fn game(size: Size, seed: u64, moves: usize) -> Board {
    let mut board = Board::new(size);
    let mut rng = Rng::new(seed);
    let mut color = Color::Black;
    for _ in 0..moves {
        let ours = |board: &Board, c: Color| board.stones(c).find_map(|p| board.atari(p));
        let urgent = ours(&board, color.opposite()).or_else(|| ours(&board, color));
        let urgent = urgent.filter(|&p| board.is_legal_simple(color, p) && rng.below(4) > 0);
        if let Some(point) = urgent.or_else(|| board.random_move(color, &mut rng)) {
            board.play_unchecked(color, point);
        } else {
            board.pass();
        }
        color = color.opposite();
    }
    board
}

fn measure(boards: &[Board]) -> (Duration, Duration, usize) {
    let mut times: Vec<Duration> = Vec::new();
    let mut dead = 0;
    for board in boards {
        let start = Instant::now();
        let found = black_box(life(board, false));
        times.push(start.elapsed());
        dead += found.dead.len();
    }
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1], dead)
}

/// Boards from a file named in the arguments: rows as drawn, an empty line between two boards.
fn given() -> Vec<Board> {
    let files = std::env::args().skip(1).filter(|a| !a.starts_with('-'));
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    texts.flat_map(|t| t.split("\n\n").filter_map(|b| Board::parse(b).ok()).collect::<Vec<_>>()).collect()
}

fn report(what: &str, boards: &[Board]) {
    if boards.is_empty() {
        return;
    }
    let (median, slowest, dead) = measure(boards);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{what:<40} median {:>8.3} ms, slowest {:>8.3} ms, {dead} stones dead", ms(median), ms(slowest));
}

fn main() {
    for size in [Size::NINE, Size::THIRTEEN, Size::NINETEEN] {
        for stage in STAGES {
            let moves = size.area() * stage / 20;
            let boards: Vec<Board> = (0..BOARDS).map(|seed| game(size, seed, moves)).collect();
            report(&format!("{size} after {moves} moves"), &boards);
        }
    }
    let boards = given();
    for side in [9, 13, 19] {
        let of_side: Vec<Board> = boards
            .iter()
            .filter(|b| b.size().columns() == side && b.size().rows() == side)
            .cloned()
            .collect();
        report(&format!("given boards of {side}x{side}"), &of_side);
    }
}
