//! How long *clearly dead* takes: `cargo bench -p goban --bench life`. One thread; median, 99th percentile and the slowest board.
//!
//! The boards are random games that neither side gives away: no move fills an own eye, and no stone that has just been put in atari
//! is left there when it can be saved. They are stopped at several stages, since an unfinished board leaves more to read than a finished one.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use goban::{Board, Color, Move, Point, Position, Preset, Rng, Size, life};
use serde_json::Value;

const BOARDS: u64 = 60;

/// Runs of each board, of which the best counts.
const RUNS: usize = 3;

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

/// Milliseconds for each board, the best of a few runs, ascending; and how many stones were dead.
fn measure(boards: &[Board]) -> (Vec<f64>, usize) {
    let mut dead = 0;
    let best = |board: &Board| {
        let runs = (0..RUNS).map(|_| {
            let start = Instant::now();
            dead += black_box(life(board, false)).dead.len();
            start.elapsed().as_secs_f64() * 1e3
        });
        runs.fold(f64::INFINITY, f64::min)
    };
    let mut times: Vec<f64> = boards.iter().map(best).collect();
    times.sort_by(f64::total_cmp);
    (times, dead / RUNS)
}

/// The finished games of the shared folder, where it lies beside the workspace: their stones after the last move.
fn finished() -> Vec<Board> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let text = std::fs::read_to_string(folder.join("estimate-finished.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| end(&serde_json::from_str::<Value>(line).ok()?["input"])).collect()
}

fn end(input: &Value) -> Option<Board> {
    let strings = |key: &str| input[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    let size = Size::square(u8::try_from(input["size"].as_u64()?).ok()?).ok()?;
    let points = |key| strings(key).map(|p| p.parse()).collect::<Result<Vec<Point>, _>>().ok();
    let (black, white) = (points("setup_black")?, points("setup_white")?);
    let mut game = Position::setup(size, Preset::Japanese.rules(), &black, &white, Color::Black).ok()?;
    for play in strings("plays") {
        let (color, text) = play.split_once(' ')?;
        let color = if color == "B" { Color::Black } else { Color::White };
        let next = if text == "pass" { Move::Pass } else { Move::Play(text.parse().ok()?) };
        game.play_as(color, next).ok()?;
    }
    Some(game.board().clone())
}

fn report(what: &str, boards: &[Board]) {
    if boards.is_empty() {
        return;
    }
    let (times, dead) = measure(boards);
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let (median, most, worst) = (at(50), at(99), at(100));
    println!("{what:<32} median {median:>7.3} ms, p99 {most:>7.3}, worst {worst:>7.3}; {dead} stones dead");
}

fn main() {
    for size in [Size::NINE, Size::THIRTEEN, Size::NINETEEN] {
        for stage in STAGES {
            let moves = size.area() * stage / 20;
            let boards: Vec<Board> = (0..BOARDS).map(|seed| game(size, seed, moves)).collect();
            report(&format!("{size} after {moves} moves"), &boards);
        }
    }
    report("finished games of 19x19", &finished());
}
