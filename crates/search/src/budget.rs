use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Level;

/// How much a player may think about one move.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Random games from the position, at most. A search also ends when what is left could not change the choice.
    pub playouts: u32,
    /// Time, at most; none for as long as the playouts take. A choice under a limit of time depends on the machine.
    pub time: Option<Duration>,
    /// Threads that search, each its own tree: from 1. The choice depends on how many there are, not on which of them is faster.
    pub threads: u32,
    /// Moves that the trees may hold together: some 40 bytes each. A full tree still learns, but grows no more.
    pub nodes: u32,
    /// Thinking ends early, with the best move so far, once this is raised.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(Level::Hard)
    }
}

impl Budget {
    /// Moves that a tree holds unless something else is said: some 40 MB.
    pub const NODES: u32 = 1_000_000;

    /// So many playouts on one thread, and nothing that stops them.
    #[must_use]
    pub const fn playouts(playouts: u32) -> Self {
        Self { playouts, time: None, threads: 1, nodes: Self::NODES, stop: None }
    }

    /// As many playouts as there is time for, on one thread.
    #[must_use]
    pub const fn time(time: Duration) -> Self {
        Self { playouts: u32::MAX, time: Some(time), threads: 1, nodes: Self::NODES, stop: None }
    }

    /// What a level usually has.
    #[must_use]
    pub const fn of(level: Level) -> Self {
        Self::playouts(match level {
            Level::Easy => 100,
            Level::Normal => 800,
            Level::Hard => 4_000,
        })
    }

    /// The same, but thinking ends early, with the best move so far, once the flag is raised.
    #[must_use]
    pub fn stopped_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { stop: Some(flag), ..self }
    }

    /// Begins to use it up.
    pub(crate) fn begin(&self) -> Clock<'_> {
        let now = Instant::now();
        Clock { budget: self, began: now, deadline: self.time.and_then(|time| now.checked_add(time)) }
    }
}

/// A budget that is being used up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock<'a> {
    budget: &'a Budget,
    began: Instant,
    deadline: Option<Instant>,
}

impl Clock<'_> {
    /// How many of `all` playouts are left after `done` of them, as far as can be told; none when thinking should end now.
    pub fn left(&self, done: u32, all: u32) -> Option<u32> {
        if self.budget.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return None;
        }
        let left = all.checked_sub(done).filter(|&left| left > 0)?;
        let Some(deadline) = self.deadline else { return Some(left) };
        let now = Instant::now();
        let (past, rest) = (now.duration_since(self.began), deadline.checked_duration_since(now)?);
        if rest.is_zero() {
            return None;
        }
        let guess = f64::from(done.max(1)) * rest.as_secs_f64() / past.as_secs_f64().max(1e-6);
        Some(left.min(guess.min(f64::from(u32::MAX)) as u32).max(1))
    }
}
