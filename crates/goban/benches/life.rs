//! How long *clearly dead* takes: `cargo bench -p goban --bench life`. One thread; median, 99th percentile and the slowest board. With a word after
//! `--` only what has it in its name is measured, `"9x9, GNU Go"` for instance. The number at the end of a line stays as it is as long as all answers do.
//!
//! The boards are finished games of strong amateurs, and other boards with known dead stones, where they lie beside the project; finished games
//! of GNU Go against itself, where `make rival` has played some; and random games that neither side gives away: no move fills an own eye, and no
//! stone that has just been put in atari is left there when it can be saved. These are stopped at several stages, since an unfinished board leaves
//! more to read than a finished one. What is measured is the time that the thread ran.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read ends the measurement")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of the corpora are small")]

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::hint::black_box;
use std::time::Duration;

use goban::{Board, Color, Life, Rng, Size, life};

#[path = "support/clock.rs"]
mod clock;
#[path = "../tests/estimate/corpus.rs"]
#[expect(dead_code, reason = "only the boards are wanted here")]
mod corpus;

const BOARDS: u64 = 60;

/// Each board is looked at again and again for so long: the system counts the time of a thread in steps of some milliseconds.
const LONG_ENOUGH: Duration = Duration::from_millis(60);

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

/// Milliseconds for a board, and what was found.
fn measure(board: &Board) -> (f64, Life) {
    let (start, mut runs) = (clock::now(), 0);
    loop {
        let found = black_box(life(black_box(board), false));
        runs += 1;
        let ran = clock::now() - start;
        if ran >= LONG_ENOUGH {
            return (ran.as_secs_f64() * 1e3 / f64::from(runs), found);
        }
    }
}

fn report(what: &str, boards: &[Board]) {
    let is_wanted =
        std::env::args().skip(1).filter(|word| word != "--bench").all(|word| what.contains(&word));
    if boards.is_empty() || !is_wanted {
        return;
    }
    let (mut times, found): (Vec<f64>, Vec<Life>) = boards.iter().map(measure).unzip();
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let (median, most, worst) = (at(50), at(99), at(100));
    let dead: usize = found.iter().map(|life| life.dead.len()).sum();
    let alive: usize = found.iter().map(|life| life.alive.len()).sum();
    let mut answers = DefaultHasher::new();
    found.iter().for_each(|life| (&life.dead, &life.alive).hash(&mut answers));
    println!(
        "{what:<26} {:>3}: median {median:>7.3} ms, p99 {most:>7.3}, worst {worst:>7.3}; {dead} dead, {alive} alive, answers {:08x}",
        boards.len(),
        answers.finish() as u32
    );
}

fn main() {
    let stones = |cases: Vec<corpus::Case>| cases.into_iter().map(|c| c.position.board().clone());
    let known = |file: &str| stones(corpus::cases(file));
    let rest = || known("estimate-unfinished.jsonl").chain(known("estimate-trouble.jsonl"));
    report("19x19, finished", &known("estimate-finished.jsonl").collect::<Vec<_>>());
    for size in [Size::NINE, Size::THIRTEEN, Size::NINETEEN] {
        let others: Vec<Board> = rest().filter(|board| board.size() == size).collect();
        report(&format!("{size}, mostly unfinished"), &others);
        let games = corpus::read(&corpus::rival_games().join(format!("{}.jsonl", size.rows())));
        report(&format!("{size}, GNU Go, finished"), &stones(games).collect::<Vec<_>>());
        for stage in STAGES {
            let moves = size.area() * stage / 20;
            let boards: Vec<Board> = (0..BOARDS).map(|seed| game(size, seed, moves)).collect();
            report(&format!("{size}, {moves} random moves"), &boards);
        }
    }
}
