//! The best estimate against boards whose dead stones are known, and against positions that trouble every scorer.
//!
//! `cargo test --release -p goban --test estimate -- --nocapture` shows each board that is wrong.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails its test")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of the corpora are small")]

mod corpus;
mod fixtures;
mod rare;
mod rival;
mod scored;
mod symmetry;

use std::time::{Duration, Instant};

use corpus::{Case, cases, drawing};
use goban::{Dead, Point, estimate::seeded, judge};

/// How some boards fared.
struct Report {
    right: usize,
    all: usize,
    results_right: usize,
    results: usize,
}

/// Prints each board that is wrong, what we say on the left and what is known on the right, and the times.
fn measure(cases: Vec<Case>) -> Report {
    let mut report = Report { right: 0, all: 0, results_right: 0, results: 0 };
    let mut times: Vec<Duration> = Vec::new();
    for case in cases {
        let start = Instant::now();
        let ours = judge(&case.position, case.komi, case.handicap, Dead::Estimate);
        times.push(start.elapsed());
        report.all += 1;
        let (said, known) = (without_ignored(&case, &ours.dead), without_ignored(&case, &case.dead));
        if said == known {
            report.right += 1;
        } else {
            show(&case, &said, &known);
        }
        if let Some(result) = &case.result {
            report.results += 1;
            report.results_right += usize::from(points(result) == points(&ours.result.to_string()));
        }
    }
    times.sort_unstable();
    if let Some(worst) = times.last() {
        let Report { right, all, results_right, results } = report;
        println!(
            "{right} of {all}, results {results_right} of {results}, median {:?}, worst {worst:?}",
            times[all / 2]
        );
    }
    report
}

/// B+10.00 and B+10 are one result.
fn points(result: &str) -> (Option<char>, Option<f64>) {
    (result.chars().next(), result.get(2..).and_then(|n| n.parse().ok()))
}

fn without_ignored(case: &Case, list: &[Point]) -> Vec<Point> {
    let mut list: Vec<Point> = list.iter().copied().filter(|p| !case.ignore.contains(p)).collect();
    list.sort_unstable();
    list
}

fn show(case: &Case, said: &[Point], known: &[Point]) {
    let list = |points: &[Point], but: &[Point]| {
        points.iter().filter(|p| !but.contains(p)).map(Point::to_string).collect::<Vec<_>>().join(" ")
    };
    println!("{}: wrongly {}; missed {}", case.id, list(said, known), list(known, said));
    let (left, right) = (drawing(case.position.board(), said), drawing(case.position.board(), known));
    for (l, r) in left.iter().zip(&right) {
        println!("{l}   {r}{}", if l == r { "" } else { "   <" });
    }
}

/// The dead stones of 97 in 100 games of strong amateurs are exactly those that both agreed on, and so is the result.
#[test]
fn finished_games_are_as_their_players_agreed() {
    let report = measure(cases("estimate-finished.jsonl"));
    assert!(report.right * 100 >= report.all * 97, "{} of {}", report.right, report.all);
    assert!(
        report.results_right * 100 >= report.results * 97,
        "{} of {}",
        report.results_right,
        report.results
    );
}

/// Boards of which some are not quite finished: 90 in 100 are as strong players see them.
#[test]
fn unfinished_boards_are_as_strong_players_see_them() {
    let report = measure(cases("estimate-unfinished.jsonl"));
    assert!(report.right * 100 >= report.all * 90, "{} of {}", report.right, report.all);
}

/// Boards on which a server's scoring went wrong: 85 in 100 are as strong players see them.
#[test]
fn troublesome_boards_are_as_strong_players_see_them() {
    let report = measure(cases("estimate-trouble.jsonl"));
    assert!(report.right * 100 >= report.all * 85, "{} of {}", report.right, report.all);
}

/// Luck is small: with other seeds the answers are the same on nearly all boards. A measure, run by hand.
#[test]
#[ignore = "takes minutes"]
fn other_seeds_say_nearly_the_same() {
    for file in ["estimate-finished.jsonl", "estimate-unfinished.jsonl", "estimate-trouble.jsonl"] {
        let cases = cases(file);
        for seed in 2..8 {
            let right = |case: &&Case| {
                let ours = seeded(case.position.board(), seed);
                let right = without_ignored(case, &ours.dead) == without_ignored(case, &case.dead);
                if !right {
                    println!("   {}", case.id);
                }
                right
            };
            let right = cases.iter().filter(right).count();
            println!("{file}, seed {seed}: {right} of {}", cases.len());
            assert!(right * 100 >= cases.len() * 80);
        }
    }
}
