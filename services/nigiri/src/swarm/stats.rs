//! Counters that all tasks share.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Steps into which each doubling is divided: a value is known to within about 3 per cent.
const STEPS: u64 = 32;
/// Doublings of a microsecond: up to more than an hour.
const DOUBLINGS: usize = 32;

/// How often which time span was measured: fixed buckets, each a thirty-second of a power of two wide.
pub struct Histogram(Box<[AtomicU64]>);

impl Histogram {
    fn new() -> Self {
        Self((0..DOUBLINGS * STEPS as usize).map(|_| AtomicU64::new(0)).collect())
    }

    /// Counts a time span.
    pub fn record(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0[bucket(micros).min(self.0.len() - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// The span that this share (0 to 1) of all spans does not exceed, in milliseconds; 0 if there are none.
    pub fn quantile(&self, share: f64) -> f64 {
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let all: u64 = counts.iter().sum();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank"
        )]
        let rank = ((all as f64 * share).ceil() as u64).max(1);
        let mut sum = 0;
        for (index, count) in counts.iter().enumerate() {
            sum += count;
            if sum >= rank {
                #[expect(clippy::cast_precision_loss, reason = "shown to a few digits")]
                return upper(index) as f64 / 1000.0;
            }
        }
        0.0
    }
}

/// Below `STEPS` each microsecond has its own bucket; above, the leading bits choose.
fn bucket(micros: u64) -> usize {
    if micros < STEPS {
        return usize::try_from(micros).unwrap_or(usize::MAX);
    }
    let shift = u64::from(micros.ilog2()) - u64::from(STEPS.ilog2());
    usize::try_from((shift + 1) * STEPS + (micros >> shift) - STEPS).unwrap_or(usize::MAX)
}

/// The largest number of microseconds in a bucket.
fn upper(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let (shift, step) = (bucket / STEPS - 1, bucket % STEPS);
    ((STEPS + step + 1) << shift) - 1
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What has happened so far.
        pub struct Stats {
            /// Time from a move's sending until the opponent's stream told of it.
            pub latency: Histogram,
            $($(#[$doc])* pub $name: Counter,)*
        }

        impl Stats {
            /// Nothing yet.
            pub fn new() -> Self {
                Self { latency: Histogram::new(), $($name: Counter::default(),)* }
            }
        }
    };
}

counters! {
    /// Stones and passes that the server acknowledged.
    acked,
    /// Those of them while the time ran.
    acked_in_time,
    /// Games that a player saw begin, counted once for each of the two.
    begun,
    /// Games that a player saw end, likewise.
    ended,
    /// Streams that were dropped and opened again on purpose.
    reconnects,
    /// Streams that broke by themselves.
    interruptions,
    /// Entries that came out of order.
    order_violations,
    /// What went wrong after the client's own retries.
    errors,
}

impl Stats {
    /// Players who are in a game.
    pub fn playing(&self) -> usize {
        usize::try_from(self.begun.get().saturating_sub(self.ended.get())).unwrap_or(usize::MAX)
    }
}

/// A number that only grows.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every span falls into a bucket that contains it and is at most a thirty-second of it wide.
    #[test]
    fn buckets_are_narrow_and_without_gaps() {
        let mut last = 0;
        for micros in (0..5000).chain((5000..100_000_000).step_by(9973)) {
            let index = bucket(micros);
            assert!(
                index >= last && micros <= upper(index) && upper(index) - micros <= micros / STEPS,
                "{micros}"
            );
            assert!(index == 0 || upper(index - 1) < micros, "{micros}");
            last = index;
        }
    }

    /// Quantiles of known spans.
    #[test]
    fn quantiles_are_those_of_the_spans() {
        let histogram = Histogram::new();
        assert!(histogram.quantile(0.5).abs() < f64::EPSILON);
        (1..=100).for_each(|millis| histogram.record(Duration::from_millis(millis)));
        histogram.record(Duration::from_secs(1_000_000));
        assert!((histogram.quantile(0.5) - 51.0).abs() < 2.0);
        assert!((histogram.quantile(0.98) - 99.0).abs() < 4.0);
    }
}
