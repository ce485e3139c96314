//! Time that does not depend on other work on the machine.

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How long this thread has run, where the system tells it (Linux); else how long ago the first call was.
pub fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ran = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.map_or_else(|| START.elapsed(), Duration::from_nanos)
}
