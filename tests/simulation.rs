//! Everything that can break, in one thread, from a seed.
#![allow(missing_docs, reason = "a test")]

use simulation::{Options, run};

#[test]
fn try_one() {
    let seed = std::env::var("NIGIRI_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let began = std::time::Instant::now();
    let aloud = std::env::var_os("NIGIRI_ALOUD").is_some();
    let report = run(seed, Options { aloud, broken: false }).expect("set up");
    println!("{report:#?} {:?}", began.elapsed());
}
