//! The best estimate against boards whose dead stones are known.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails its test")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of the corpora are small")]

mod corpus;

use std::time::{Duration, Instant};

use corpus::{Case, cases, drawing};
use goban::{Point, estimate::seeded};

struct Report {
    right: usize,
    all: usize,
    times: Vec<Duration>,
}

/// Prints each board that is wrong: what we say on the left, what is known on the right.
fn measure(file: &str) -> Report {
    let mut report = Report { right: 0, all: 0, times: Vec::new() };
    for case in cases(file) {
        let start = Instant::now();
        let ours = seeded(case.position.board(), std::env::var("SEED").map_or(1, |s| s.parse().unwrap()));
        report.times.push(start.elapsed());
        report.all += 1;
        let without = |list: &[Point]| -> Vec<Point> {
            let mut list: Vec<Point> = list.iter().copied().filter(|p| !case.ignore.contains(p)).collect();
            list.sort_unstable();
            list
        };
        let (said, known) = (without(&ours.dead), without(&case.dead));
        if said == known {
            report.right += 1;
        } else {
            show(&case, &said, &known, &ours.leaning);
        }
    }
    report.times.sort_unstable();
    if let Some(&worst) = report.times.last() {
        println!("{file}: {} of {}, median {:?}, worst {worst:?}", report.right, report.all, report.times[report.all / 2]);
    }
    report
}

fn show(case: &Case, said: &[Point], known: &[Point], leaning: &[i32]) {
    let size = case.position.size();
    let list = |points: &[Point], but: &[Point]| {
        points.iter().filter(|p| !but.contains(p)).map(|p| format!("{p}({})", leaning[size.index(*p)])).collect::<Vec<_>>().join(" ")
    };
    println!("{}: wrongly {}; missed {}", case.id, list(said, known), list(known, said));
    let (left, right) = (drawing(case.position.board(), said), drawing(case.position.board(), known));
    for (l, r) in left.iter().zip(&right) {
        println!("{l}   {r}{}", if l == r { "" } else { "   <" });
    }
    println!("   {}", (0..size.columns()).map(|c| Point::new(c, 0).to_string().replace('1', " ")).collect::<String>());
}

#[test]
fn finished_games_are_as_their_players_agreed() {
    measure("estimate-finished.jsonl");
}

#[test]
fn unfinished_boards_are_as_strong_players_see_them() {
    measure("estimate-unfinished.jsonl");
}

#[test]
fn troublesome_boards_are_as_strong_players_see_them() {
    measure("estimate-trouble.jsonl");
}
