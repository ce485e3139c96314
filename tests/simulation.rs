//! Everything that can break, in one thread, from a seed. See "Simulation" in CONTRIBUTING.md.
#![allow(missing_docs, reason = "a test")]

use std::{
    ops::Range,
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use simulation::{Options, Plant, Report, run};

/// Seeds that are run unless `NIGIRI_SEEDS` says otherwise.
const SEEDS: Range<u64> = 0..500;

/// Runs these seeds on two threads, until `enough` of a report that has just come in.
fn run_all(seeds: Range<u64>, options: Options, enough: impl Fn(&Report) -> bool + Sync) -> Vec<Report> {
    let (next, reports) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let report = run(seed, options).expect("a simulation can be set up");
                    if enough(&report) {
                        next.store(seeds.end, Ordering::Relaxed);
                    }
                    reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
                }
            });
        }
    });
    reports.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn text_of(variable: &str) -> Option<String> {
    std::env::var_os(variable)?.into_string().ok()
}

/// `NIGIRI_SEEDS`: a number of seeds, or a range such as `1000..2000`.
fn wanted() -> Range<u64> {
    let Some(text) = text_of("NIGIRI_SEEDS") else { return SEEDS };
    let number = |text: &str| text.trim().parse().expect("NIGIRI_SEEDS is a number or a range: 1000..2000");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// Whatever breaks, every acknowledged command is in the record once and in its place, all watchers see one sequence, results follow from the
/// rules, every rated game counts once, nobody loses on time through a fault of the servers, and every game ends.
#[test]
fn no_seed_finds_a_fault() {
    let (seeds, began) = (wanted(), Instant::now());
    let reports = run_all(seeds, Options::default(), |_| false);
    let sum = |of: fn(&Report) -> u64| reports.iter().map(of).sum::<u64>();
    let (games, entries) = (sum(|r| r.ends.values().map(|n| u64::from(*n)).sum()), sum(|r| r.entries as u64));
    let (steps, simulated) = (sum(|r| r.steps), sum(|r| r.simulated.as_secs()));
    let longest = reports.iter().map(|report| report.simulated).max().unwrap_or_default();
    println!(
        "{} seeds in {:.1?}: {games} games, {entries} entries, {steps} steps, {simulated} simulated seconds, at most {longest:.0?}",
        reports.len(),
        began.elapsed()
    );
    let mut bad: Vec<_> = reports.iter().filter(|report| !report.problems.is_empty()).collect();
    bad.sort_by_key(|report| report.seed);
    for report in &bad {
        println!("seed {}: {:#?}", report.seed, report.problems);
    }
    let bad: Vec<_> = bad.iter().map(|report| report.seed).collect();
    assert!(bad.is_empty(), "seeds {bad:?} find faults; `make simulate SEED=...` shows how");
}

/// A seed gives the same again, step by step: in this process and in another one.
#[test]
fn a_seed_repeats_exactly() {
    for seed in [3, 11, 14] {
        let [first, second] = [(); 2].map(|()| run(seed, Options::default()).expect("set up"));
        assert_eq!((first.digest, first.steps), (second.digest, second.steps), "seed {seed}");
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["one_seed", "--exact", "--nocapture", "--ignored"])
            .env("NIGIRI_SEED", seed.to_string())
            .output()
            .expect("this program runs again");
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(said.contains(&format!("digest {:016x}", first.digest)), "seed {seed}: {said}");
    }
}

/// The simulation notices a planted bug by this sign: one of its seeds complains so, and finds nothing without the bug. The answer is that seed.
fn assert_noticed(plant: Plant, sign: &str) -> u64 {
    let notices = |report: &Report| report.problems.iter().any(|problem| problem.contains(sign));
    let options = Options { plant: Some(plant), ..Options::default() };
    let reports = run_all(0..300, options, notices);
    let noticed = reports.iter().find(|report| notices(report)).expect("nobody noticed");
    println!("seed {} of {} notices: {:#?}", noticed.seed, reports.len(), noticed.problems);
    let right = run(noticed.seed, Options::default()).expect("set up");
    assert!(right.problems.is_empty(), "{:?}", right.problems);
    noticed.seed
}

/// A ledger that accepts an append behind its end, so that two commands answer one move.
#[test]
fn a_broken_compare_and_set_is_noticed() {
    assert_noticed(Plant::CompareAndSet, "");
}

/// A move that is acknowledged before it is on disk, and lost with the process.
#[test]
fn an_answer_before_the_append_is_noticed() {
    assert_noticed(Plant::EarlyAnswer, "was acknowledged as this entry, and is not");
}

/// A result that comes twice and counts twice. That takes two faults of the store, and the simulation notices them together: where only the mark of the game is forgotten, the players'
/// last game still says that this one is not new, and it is computed anew in its place, to the same effect.
#[test]
fn a_message_that_counts_twice_is_noticed() {
    let seed = assert_noticed(Plant::ForgottenOrder, "ratings are ");
    let half = Options { plant: Some(Plant::ForgottenMark), ..Options::default() };
    let report = run(seed, half).expect("set up");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

/// One seed, for looking at it: `NIGIRI_SEED`; with `NIGIRI_ALOUD` every step is written to standard error.
#[test]
#[ignore = "for looking at one seed"]
fn one_seed() {
    let seed = text_of("NIGIRI_SEED").and_then(|seed| seed.parse().ok()).expect("NIGIRI_SEED=17");
    let aloud = std::env::var_os("NIGIRI_ALOUD").is_some();
    let report = run(seed, Options { aloud, plant: None }).expect("set up");
    println!("{report:#?}\ndigest {:016x}", report.digest);
    assert!(report.problems.is_empty());
}
