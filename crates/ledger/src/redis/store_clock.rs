use std::time::Instant;

use kernel::Timestamp;
use parking_lot::Mutex;

/// The store's clock as far as this process knows it: its last answer, and the time since then.
#[derive(Debug)]
pub(super) struct StoreClock(Mutex<State>);

#[derive(Debug)]
struct State {
    said: Timestamp,
    heard: Instant,
    /// The latest that was ever shown.
    shown: Timestamp,
}

impl StoreClock {
    pub fn new() -> Self {
        let state = State { said: Timestamp::default(), heard: Instant::now(), shown: Timestamp::default() };
        Self(Mutex::new(state))
    }

    /// The store has just said that it is `now`.
    pub fn observe(&self, now: Timestamp) {
        let mut state = self.0.lock();
        state.said = now;
        state.heard = Instant::now();
    }

    pub fn now(&self) -> Timestamp {
        let mut state = self.0.lock();
        state.shown = state.shown.max(state.said + state.heard.elapsed());
        state.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store whose clock is set back, or one that was taken over by another server, does not turn the time of a process.
    #[test]
    fn time_stands_still_rather_than_run_backwards() {
        let clock = StoreClock::new();
        clock.observe(Timestamp::from_millis(5_000_000));
        let shown = clock.now();
        assert!(shown >= Timestamp::from_millis(5_000_000));
        clock.observe(Timestamp::from_millis(1_000));
        assert!(clock.now() >= shown);
        clock.observe(Timestamp::from_millis(6_000_000));
        assert!(clock.now() >= Timestamp::from_millis(6_000_000));
    }
}
