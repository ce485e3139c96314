//! The one place that reads the machine's clock. Deadlines of games are decided by the ledger's clock, never by this one.

use std::{fmt, sync::Arc, time::UNIX_EPOCH};

use kernel::Timestamp;

/// A source of the current time: the machine's, or a test's.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Arc::new(|| {
            #[expect(clippy::disallowed_methods, reason = "this is the place that reads the clock")]
            let now = std::time::SystemTime::now();
            let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        }))
    }

    /// A clock that a test drives.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
