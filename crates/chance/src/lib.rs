//! Where random bits come from: the machine, or, in a simulation, a seed.
//!
//! Whatever decides what happens (an id, a pause, a spread) asks here, so that a simulation can be repeated exactly. Secrets and keys do
//! not: they always come from the machine.

use std::cell::RefCell;

pub use rand::Rng;
use rand::{RngCore, SeedableRng, rngs::StdRng};
use uuid::{Builder, Uuid};

thread_local! {
    static SEEDED: RefCell<Option<StdRng>> = const { RefCell::new(None) };
}

/// The source of random bits of this thread.
#[derive(Clone, Copy, Debug)]
pub struct Chance;

/// The source of random bits of this thread.
pub const fn rng() -> Chance {
    Chance
}

/// A random id (UUID version 4).
pub fn uuid() -> Uuid {
    let mut bytes = [0; 16];
    Chance.fill_bytes(&mut bytes);
    Builder::from_random_bytes(bytes).into_uuid()
}

/// From now on all that happens on this thread follows from this seed: for simulations, which live on one thread.
pub fn seed_this_thread(seed: u64) {
    SEEDED.set(Some(StdRng::seed_from_u64(seed)));
}

/// Ends what [`seed_this_thread`] began.
pub fn unseed_this_thread() {
    SEEDED.set(None);
}

/// Whether this thread has a seed: it is a simulation's.
pub fn is_seeded() -> bool {
    SEEDED.with_borrow(Option::is_some)
}

/// Asks the thread's own source, if it has one, or the machine's.
fn ask<T>(question: impl FnOnce(&mut dyn RngCore) -> T) -> T {
    SEEDED.with_borrow_mut(|seeded| match seeded {
        Some(rng) => question(rng),
        None => question(&mut rand::rng()),
    })
}

impl RngCore for Chance {
    fn next_u32(&mut self) -> u32 {
        ask(|rng| rng.next_u32())
    }

    fn next_u64(&mut self) -> u64 {
        ask(|rng| rng.next_u64())
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        ask(|rng| rng.fill_bytes(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed is repeated exactly, another one gives something else, and other threads and later times are not touched.
    #[test]
    fn a_seed_decides_what_its_thread_is_given() {
        let drawn = |seed| {
            seed_this_thread(seed);
            assert!(is_seeded());
            let drawn = (uuid(), rng().next_u64());
            let elsewhere = std::thread::spawn(|| rng().next_u64()).join().unwrap();
            assert_ne!(drawn.1, elsewhere);
            unseed_this_thread();
            assert!(!is_seeded());
            drawn
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert_ne!(rng().next_u64(), rng().next_u64());
        assert_eq!(uuid().get_version_num(), 4);
    }
}
