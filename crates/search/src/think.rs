//! Searching as far as a budget goes, on as many threads as it has.

use std::thread;
use std::time::{Duration, Instant};

use goban::Rng;

use crate::Budget;
use crate::tree::{Found, Grow, Root, plant};

/// Playouts between two looks at the clock.
const STRIDE: u32 = 16;

/// What a search has found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Thoughts {
    /// The moves at the root, the same for the same position.
    pub found: Vec<Found>,
    /// Playouts in all.
    pub playouts: u32,
    /// For each point, in how many more playouts Black had it at the end than White.
    pub owners: Vec<i32>,
    /// The sum of Black's leads, in half points.
    pub leads: i64,
}

/// Searches. The same root, budget (without a limit of time) and seed give the same thoughts.
/// With `early` it ends when what is left could not change which move was tried most.
pub(crate) fn think(root: &Root<'_>, budget: &Budget, seed: u64, early: bool) -> Thoughts {
    let threads = budget.threads.max(1);
    if threads == 1 {
        return alone(root, budget, budget.playouts, seed, early);
    }
    let share = |i: u32| budget.playouts / threads + u32::from(i < budget.playouts % threads);
    thread::scope(|scope| {
        let work: Vec<_> = (0..threads)
            .map(|i| {
                let seed = seed.wrapping_add(u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                scope.spawn(move || alone(root, budget, share(i), seed, early))
            })
            .collect();
        // A thread that failed has found nothing; the others have.
        work.into_iter().filter_map(|thread| thread.join().ok()).fold(Thoughts::default(), Thoughts::with)
    })
}

/// One tree.
fn alone(root: &Root<'_>, budget: &Budget, playouts: u32, seed: u64, early: bool) -> Thoughts {
    let (clock, mut rng) = (budget.begin(), Rng::new(seed));
    let mut tree = plant(root);
    while let Some(left) = clock.left(tree.playouts(), playouts) {
        if early && tree.is_decided(left) {
            break;
        }
        tree.grow(left.min(STRIDE), &mut rng);
    }
    Thoughts::of(tree.as_ref())
}

/// One tree, and what it has found after each `every`, until the listener says false.
pub(crate) fn observe(
    root: &Root<'_>,
    budget: &Budget,
    seed: u64,
    every: Duration,
    mut listener: impl FnMut(&Thoughts) -> bool,
) {
    let (clock, mut rng) = (budget.begin(), Rng::new(seed));
    let mut tree = plant(root);
    let mut next = Instant::now() + every;
    while let Some(left) = clock.left(tree.playouts(), budget.playouts) {
        tree.grow(left.min(STRIDE), &mut rng);
        if Instant::now() >= next {
            next += every;
            if !listener(&Thoughts::of(tree.as_ref())) {
                return;
            }
        }
    }
    listener(&Thoughts::of(tree.as_ref()));
}

impl Thoughts {
    pub fn of(tree: &dyn Grow) -> Self {
        Self { found: tree.found(), playouts: tree.playouts(), owners: tree.owners(), leads: tree.leads() }
    }

    /// Both together.
    fn with(mut self, other: Self) -> Self {
        if self.found.is_empty() {
            return other;
        }
        for (mine, theirs) in self.found.iter_mut().zip(other.found) {
            if theirs.visits > mine.visits {
                mine.line = theirs.line;
            }
            mine.visits += theirs.visits;
            mine.sum += theirs.sum;
        }
        for (mine, theirs) in self.owners.iter_mut().zip(other.owners) {
            *mine += theirs;
        }
        self.playouts += other.playouts;
        self.leads += other.leads;
        self
    }
}
