//! A number that grows, and those who wait for it to grow.
//!
//! `tokio::sync::watch` wakes those who wait in a random order; here they are woken in the order in which they came, so that a simulation
//! can be repeated exactly.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// A number that grows.
#[derive(Debug, Default)]
pub struct Signal(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    value: AtomicU64,
    followers: AtomicUsize,
    bell: Notify,
}

/// Somebody who waits for the number to grow.
#[derive(Debug)]
pub struct Follower {
    shared: Arc<Shared>,
    seen: u64,
}

impl Signal {
    /// Raises the number, and wakes who waits for that. A smaller one changes nothing.
    pub fn raise(&self, value: u64) {
        if self.0.value.fetch_max(value, Ordering::AcqRel) < value {
            self.0.bell.notify_waiters();
        }
    }

    /// Somebody who has seen the number as it is.
    pub fn follow(&self) -> Follower {
        self.0.followers.fetch_add(1, Ordering::Relaxed);
        let mut follower = Follower { shared: Arc::clone(&self.0), seen: 0 };
        follower.look();
        follower
    }

    /// How many follow.
    pub fn followers(&self) -> usize {
        self.0.followers.load(Ordering::Relaxed)
    }
}

impl Follower {
    /// The number as it is; it counts as seen.
    pub fn look(&mut self) -> u64 {
        self.seen = self.shared.value.load(Ordering::Acquire);
        self.seen
    }

    /// Waits until the number is another than the one seen last; it counts as seen then. May be given up at any time.
    pub async fn changed(&mut self) {
        let shared = Arc::clone(&self.shared);
        loop {
            let rung = shared.bell.notified();
            tokio::pin!(rung);
            // From here on no ring is missed.
            rung.as_mut().enable();
            let before = self.seen;
            if self.look() != before {
                return;
            }
            rung.await;
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.shared.followers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt, stream::FuturesUnordered};

    use super::*;

    /// What was raised before a look is seen by it, what comes later wakes all who wait, in their order; a smaller number wakes nobody.
    #[tokio::test]
    async fn those_who_wait_are_woken_in_their_order() {
        let signal = Signal::default();
        signal.raise(5);
        let mut first = signal.follow();
        assert_eq!(first.changed().now_or_never(), None);
        signal.raise(6);
        signal.raise(3);
        assert_eq!(first.changed().now_or_never(), Some(()));
        assert_eq!(first.look(), 6);
        let mut waiting: FuturesUnordered<_> = (0..50)
            .map(|number| {
                let mut follower = signal.follow();
                async move {
                    follower.changed().await;
                    number
                }
            })
            .collect();
        assert_eq!(waiting.next().now_or_never(), None);
        assert_eq!(signal.followers(), 51);
        signal.raise(7);
        let order: Vec<i32> = waiting.by_ref().collect().await;
        assert!(order.is_sorted(), "{order:?}");
        drop((waiting, first));
        assert_eq!(signal.followers(), 0);
    }
}
