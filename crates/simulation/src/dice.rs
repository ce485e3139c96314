//! The simulation's own luck, and the record of what came of it.

use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
    sync::Arc,
    time::Duration,
};

use goban::Rng;
use parking_lot::Mutex;
use tokio::time::Instant;

/// Decides what breaks and when. Clones share one sequence.
#[derive(Clone, Debug)]
pub struct Dice(Arc<Mutex<Rng>>);

impl Dice {
    /// Dice that fall as this seed says.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Rng::new(seed))))
    }

    /// True so many times in a thousand.
    pub fn per_mille(&self, times: u32) -> bool {
        times > 0 && self.below(1000) < times
    }

    /// A number below `bound`.
    pub fn below(&self, bound: u32) -> u32 {
        self.0.lock().below(bound)
    }

    /// A time between these two, both in milliseconds.
    pub fn millis(&self, from: u32, to: u32) -> Duration {
        Duration::from_millis(u64::from(from + self.below(to.saturating_sub(from) + 1)))
    }

    /// One of these.
    pub fn pick<'a, T>(&self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(u32::try_from(of.len()).unwrap_or(u32::MAX)) as usize)
    }
}

/// All that happened, as one number: two runs that differ anywhere differ here.
#[derive(Clone)]
pub struct Trace(Arc<Mutex<State>>);

struct State {
    began: Instant,
    hasher: DefaultHasher,
    count: u64,
    aloud: bool,
}

impl Trace {
    /// Nothing has happened yet. `aloud`: every line is also written to standard error.
    pub fn new(aloud: bool) -> Self {
        let state = State { began: Instant::now(), hasher: DefaultHasher::new(), count: 0, aloud };
        Self(Arc::new(Mutex::new(state)))
    }

    /// This happens now.
    pub fn note(&self, what: fmt::Arguments<'_>) {
        let mut state = self.0.lock();
        let line = format!("{:>9} {what}", state.began.elapsed().as_millis());
        if state.aloud {
            eprintln!("{line}");
        }
        state.hasher.write(line.as_bytes());
        state.count += 1;
    }

    /// The number.
    pub fn digest(&self) -> u64 {
        self.0.lock().hasher.finish()
    }

    /// How much has happened.
    pub fn count(&self) -> u64 {
        self.0.lock().count
    }
}
