use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kernel::Timestamp;

/// A source of time for a ledger that has no server to ask.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// This machine's clock.
    pub fn system() -> Self {
        Self::new(|| {
            #[expect(clippy::disallowed_methods, reason = "the one place where the ledger reads a clock")]
            let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Timestamp::from_millis(0) + time
        })
    }

    /// A clock that asks this function.
    pub fn new(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// What it says. May run backwards; a ledger's time does not.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// A clock that a test or a simulation sets by hand. Clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that shows `start` until it is moved.
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(AtomicU64::new(start.as_millis())))
    }

    /// Moves it forward, by whole milliseconds.
    pub fn advance(&self, time: Duration) {
        self.set(self.now() + time);
    }

    /// Sets it, backwards too.
    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_millis(), Ordering::SeqCst);
    }

    /// What it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    /// The clock for a ledger.
    pub fn clock(&self) -> Clock {
        let clock = self.clone();
        Clock::new(move || clock.now())
    }
}
