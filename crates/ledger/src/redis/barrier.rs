//! Waiting for replicas, together: one wait covers all who ask for it while the one before runs.

use std::sync::atomic::{AtomicU64, Ordering};

use ::redis::RedisResult;

#[derive(Debug)]
pub(super) struct Barrier {
    /// How many have asked.
    asked: AtomicU64,
    /// For how many of them it is decided, and how.
    decided: tokio::sync::Mutex<(u64, RedisResult<()>)>,
}

impl Default for Barrier {
    fn default() -> Self {
        Self { asked: AtomicU64::new(0), decided: tokio::sync::Mutex::new((0, Ok(()))) }
    }
}

impl Barrier {
    /// Passes when a wait that began after this call has ended well; fails as that wait does, or a later one.
    pub async fn pass(&self, wait: impl AsyncFnOnce() -> RedisResult<()>) -> RedisResult<()> {
        let mine = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut decided = self.decided.lock().await;
        if decided.0 < mine {
            let all = self.asked.load(Ordering::Acquire);
            *decided = (all, wait().await);
        }
        decided.1.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use ::redis::{ErrorKind, RedisError};
    use futures::{FutureExt, future::join_all};

    use super::*;

    /// Those who ask while a wait runs share the next one, with its outcome; nobody passes by a wait that began before they asked.
    #[tokio::test]
    async fn who_asks_during_a_wait_shares_the_next() {
        let (barrier, waits) = (Barrier::default(), Cell::new(0));
        let (open, opened) = tokio::sync::oneshot::channel();
        let mut first = Box::pin(barrier.pass(async || {
            waits.set(waits.get() + 1);
            opened.await.map_err(|_| RedisError::from((ErrorKind::Io, "never opened")))
        }));
        assert!((&mut first).now_or_never().is_none());
        let failing = || {
            barrier.pass(async || {
                waits.set(waits.get() + 1);
                Err(RedisError::from((ErrorKind::Io, "no replica")))
            })
        };
        let mut others = Box::pin(join_all((0..10).map(|_| failing())));
        assert!((&mut others).now_or_never().is_none());
        open.send(()).unwrap();
        let (first, others) = tokio::join!(first, others);
        assert!(first.is_ok());
        assert!(others.iter().all(Result::is_err));
        assert_eq!(waits.get(), 2);
    }
}
