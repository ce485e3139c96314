use std::{future::Future, time::Duration};

use chance::Rng as _;
use tokio::time::Instant;
use tonic::{Response, Status};

use crate::{
    Error, Options,
    error::{Failed, Transient, classify, reason},
    route::{Picked, Route},
};

/// The first wait between attempts.
const FIRST_WAIT: Duration = Duration::from_millis(20);
/// The longest wait that is not the server's wish.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait that the server may wish for.
const LONGEST_WISH: Duration = Duration::from_secs(10);

/// A stream that was open for so long is taken up again without a wait when it breaks; one that breaks sooner, or again, waits.
const SETTLED: Duration = Duration::from_secs(1);

/// Waits between attempts: doubling, with jitter, so that many clients do not come back in the same instant.
#[derive(Debug)]
pub(crate) struct Backoff {
    /// When the first attempt began, or the first one that failed since the last success.
    since: Option<Instant>,
    patience: Duration,
    attempts: u32,
    ways: usize,
    /// When the stream was opened that has not failed yet.
    opened: Option<Instant>,
}

impl Backoff {
    /// No attempt has failed yet; it is given up when `patience` has passed. `ways` is the number of addresses.
    pub fn new(patience: Duration, ways: usize) -> Self {
        Self { since: Some(Instant::now()), patience, attempts: 0, ways, opened: None }
    }

    /// An attempt has succeeded: patience is whole again.
    pub fn succeeded(&mut self) {
        (self.attempts, self.since) = (0, None);
    }

    /// An attempt has opened a stream.
    pub fn opened(&mut self) {
        self.opened = Some(Instant::now());
    }

    /// How many attempts have failed since the last success.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The wait after an attempt that failed.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when patience has run out.
    pub fn failed(&mut self, failure: &Transient) -> Result<Duration, Error> {
        self.attempts += 1;
        let settled = self.opened.take().is_some_and(|at| at.elapsed() >= SETTLED);
        let tried_for = self.since.get_or_insert_with(Instant::now).elapsed();
        // The first round over all addresses goes quickly: one of them is usually well.
        let rounds = self.attempts.saturating_sub(1) / u32::try_from(self.ways).unwrap_or(u32::MAX).max(1);
        let longest = LONGEST_WAIT.min(FIRST_WAIT.saturating_mul(1 << rounds.min(10)));
        let mut wait = longest.mul_f64(chance::rng().random_range(0.5..=1.0));
        if let Some(wish) = failure.retry_after.filter(|_| rounds > 0 || self.ways == 1) {
            wait = wait.max(wish.min(LONGEST_WISH));
        }
        if tried_for + wait > self.patience {
            return Err(Error::Unreachable { tried_for, cause: failure.cause.clone() });
        }
        let at_once = settled && self.attempts == 1 && failure.retry_after.is_none();
        Ok(if at_once { Duration::ZERO } else { wait })
    }
}

/// How a call ended, and whether an attempt before may have had an effect that nobody told of.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    pub result: Result<T, Error>,
    pub uncertain: bool,
}

/// Calls until there is an answer. `attempt` makes one attempt over the way that it is given. An access token that has expired is
/// good for one more attempt: the session's channel renews it.
pub(crate) async fn until_answered<T, A, F>(options: &Options, route: &Route, mut attempt: A) -> Ended<T>
where
    A: FnMut(Picked) -> F,
    F: Future<Output = Result<Response<T>, Status>>,
{
    let mut backoff = Backoff::new(options.retry_for, route.len());
    let mut renewed = false;
    let result = loop {
        let way = route.pick();
        let index = way.index;
        let failure = match tokio::time::timeout(options.attempt_timeout, attempt(way)).await {
            Ok(Ok(answer)) => break Ok(answer.into_inner()),
            Ok(Err(status)) => classify(&status),
            Err(_) => Failed::Transient(Transient::no_answer(options.attempt_timeout)),
        };
        match failure {
            Failed::Final(refusal) if refusal.reason == reason::TOKEN_EXPIRED && !renewed => renewed = true,
            Failed::Final(refusal) => break Err(Error::refused(refusal)),
            Failed::Transient(failure) => {
                route.failed(index);
                match backoff.failed(&failure) {
                    Ok(wait) => tokio::time::sleep(wait).await,
                    Err(error) => break Err(error),
                }
            }
        }
    };
    Ended { result, uncertain: backoff.attempts() > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits grow from milliseconds to a second, obey the server's wish, and end when patience does.
    #[tokio::test(start_paused = true)]
    async fn waits_grow_and_end() {
        let mut backoff = Backoff::new(Duration::from_secs(20), 1);
        let broken = Transient::connection("reset");
        let mut waits = Vec::new();
        let error = loop {
            match backoff.failed(&broken) {
                Ok(wait) => {
                    waits.push(wait);
                    tokio::time::sleep(wait).await;
                }
                Err(error) => break error,
            }
        };
        assert!(waits[0] <= FIRST_WAIT && waits.iter().all(|wait| *wait <= LONGEST_WAIT));
        assert!(waits.last().is_some_and(|wait| *wait >= LONGEST_WAIT / 2));
        assert!(
            matches!(error, Error::Unreachable { tried_for, .. } if tried_for >= Duration::from_secs(19))
        );

        let wish = Transient { retry_after: Some(Duration::from_secs(2)), ..Transient::connection("busy") };
        assert!(
            Backoff::new(Duration::from_secs(20), 1).failed(&wish).is_ok_and(|w| w >= Duration::from_secs(2))
        );
        // With a second address, that one is tried before waiting.
        assert!(Backoff::new(Duration::from_secs(20), 2).failed(&wish).is_ok_and(|w| w <= FIRST_WAIT));
    }

    /// A stream that was open for a while is opened again at once when it breaks; not one that breaks soon, nor one that was told to wait, nor a
    /// second time.
    #[tokio::test(start_paused = true)]
    async fn a_stream_that_has_settled_is_taken_up_at_once() {
        let broken = Transient::connection("reset");
        let wish = Transient { retry_after: Some(Duration::from_secs(2)), ..Transient::connection("busy") };
        let mut backoff = Backoff::new(Duration::from_secs(20), 1);
        let mut after = async |open: Duration, failure: &Transient, heard: bool| {
            backoff.opened();
            if heard {
                backoff.succeeded();
            }
            tokio::time::sleep(open).await;
            backoff.failed(failure).expect("patience")
        };
        assert_eq!(after(SETTLED, &broken, true).await, Duration::ZERO);
        assert!(after(SETTLED, &broken, false).await > Duration::ZERO, "it has said nothing since");
        assert!(after(Duration::ZERO, &broken, true).await > Duration::ZERO);
        assert!(after(SETTLED, &wish, true).await >= Duration::from_secs(2));
    }
}
