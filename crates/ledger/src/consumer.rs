//! Handling the messages of a topic, at least once.
//!
//! Consumers of one group share its messages. A message is acknowledged when its handler says so; one that fails is given back after a
//! delay that doubles, and is buried with its error after some attempts; what a consumer had that died is taken over when its lease has
//! ended. A message may come twice, so a handler must be idempotent.

mod work;

use std::{fmt::Display, future::Future, time::Duration};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::work::{Step, Work};
use crate::{Delivery, SharedLedger, Unavailable};

/// A fetch waits this long at most, so that a shutdown does not wait for it for long.
const LONGEST_FETCH: Duration = Duration::from_secs(1);

const FIRST_DELAY: Duration = Duration::from_millis(50);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

/// For each message being handled so many may wait for their next attempt.
const WAITING_FOR_EACH: usize = 16;

/// How a consumer treats messages.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// After so many attempts a message that fails is buried. At least 1.
    pub max_attempts: u32,
    /// A message whose consumer has not been heard of for this long is taken over by another. A consumer that lives renews in time,
    /// however long a handler takes.
    pub lease: Duration,
    /// So many messages are handled at a time. With 1, messages of one key are handled in order, but for those that fail.
    pub batch: usize,
    /// The time from the first failure to the second attempt; it doubles with each attempt, up to 5 minutes.
    pub backoff: Duration,
}

impl Default for Policy {
    /// Eight attempts with a second after the first (so about two minutes in all), 30 s of lease, 16 at a time.
    fn default() -> Self {
        Self { max_attempts: 8, lease: Duration::from_secs(30), batch: 16, backoff: Duration::from_secs(1) }
    }
}

/// One member of a consumer group.
#[derive(Clone)]
pub struct Consumer {
    /// Where the topic is.
    pub ledger: SharedLedger,
    /// What is consumed.
    pub topic: String,
    /// Who shares the work.
    pub group: String,
    /// Who this is; no two that run at a time have one name.
    pub name: String,
    /// How messages are treated.
    pub policy: Policy,
}

impl std::fmt::Debug for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Consumer({} of {} on {}, {:?})", self.name, self.group, self.topic, self.policy)
    }
}

impl Consumer {
    /// A member under a name that nobody else has.
    pub fn new(ledger: SharedLedger, topic: &str, group: &str, policy: Policy) -> Self {
        let name = chance::uuid().to_string();
        Self { ledger, topic: topic.to_owned(), group: group.to_owned(), name, policy }
    }

    /// Handles messages until `shutdown`; then finishes those that are being handled, gives the others back, and returns. A ledger
    /// that is unavailable is waited for. A handler that panics has failed.
    pub async fn run<F, R, E>(self, handler: F, shutdown: CancellationToken)
    where
        F: Fn(Delivery) -> R + Send + Sync,
        R: Future<Output = Result<(), E>> + Send,
        E: Display,
    {
        if !self.register(&shutdown).await {
            return;
        }
        let mut round = Round {
            consumer: &self,
            handler: &handler,
            shutdown: &shutdown,
            working: FuturesUnordered::new(),
            busy: 0,
            next_claim: Instant::now(),
            delay: FIRST_DELAY,
        };
        round.go().await;
    }

    /// False at shutdown.
    async fn register(&self, shutdown: &CancellationToken) -> bool {
        let mut delay = FIRST_DELAY;
        loop {
            match self.ledger.join(&self.topic, &self.group).await {
                Ok(()) => return true,
                Err(error) => {
                    tracing::warn!(topic = %self.topic, group = %self.group, %error, "not registered yet")
                }
            }
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return false,
                () = tokio::time::sleep(delay) => delay = (delay * 2).min(LONGEST_DELAY),
            }
        }
    }

    /// Looks for what others have left this often.
    fn claim_pause(&self) -> Duration {
        self.policy.lease / 4
    }

    async fn claim(&self, max: usize) -> Result<Vec<Delivery>, Unavailable> {
        self.ledger.claim(&self.topic, &self.group, &self.name, self.policy.lease, max).await
    }

    async fn fetch(&self, max: usize) -> Result<Vec<Delivery>, Unavailable> {
        let wait = LONGEST_FETCH.min(self.claim_pause());
        self.ledger.fetch(&self.topic, &self.group, &self.name, max, wait).await
    }
}

/// What is going on in one run.
struct Round<'a, F> {
    consumer: &'a Consumer,
    handler: &'a F,
    shutdown: &'a CancellationToken,
    working: FuturesUnordered<BoxFuture<'a, Step<'a>>>,
    /// How many of them are being handled; the others wait for their next attempt.
    busy: usize,
    next_claim: Instant,
    delay: Duration,
}

impl<'a, F, R, E> Round<'a, F>
where
    F: Fn(Delivery) -> R + Send + Sync,
    R: Future<Output = Result<(), E>> + Send + 'a,
    E: Display + 'a,
{
    async fn go(&mut self) {
        // Never dropped before it is done: what it has taken would lie there until the lease ends.
        let mut getting: Option<BoxFuture<'a, Result<Vec<Delivery>, Unavailable>>> = None;
        loop {
            if getting.is_none() && !self.shutdown.is_cancelled() {
                getting = self.get();
            }
            tokio::select! {
                // What is done makes room for more, so it comes first.
                biased;
                Some(step) = self.working.next(), if !self.working.is_empty() => self.after(step),
                got = async { Some(getting.as_mut()?.await) }, if getting.is_some() => {
                    getting = None;
                    if let Some(got) = got {
                        self.got(got).await;
                    }
                }
                () = self.shutdown.cancelled(), if getting.is_none() && self.working.is_empty() => return,
                // The next attempts and the room for more come with the steps above.
                () = tokio::time::sleep(LONGEST_FETCH), if getting.is_none() && self.working.is_empty() => {}
            }
        }
    }

    /// The next thing to ask the ledger for, if there is room.
    fn get(&mut self) -> Option<BoxFuture<'a, Result<Vec<Delivery>, Unavailable>>> {
        let batch = self.consumer.policy.batch.max(1);
        let room = batch.saturating_sub(self.busy);
        if room == 0 || self.working.len() >= batch * WAITING_FOR_EACH {
            return None;
        }
        let consumer = self.consumer;
        if Instant::now() >= self.next_claim {
            self.next_claim = Instant::now() + consumer.claim_pause();
            return Some(consumer.claim(room).boxed());
        }
        Some(consumer.fetch(room).boxed())
    }

    async fn got(&mut self, got: Result<Vec<Delivery>, Unavailable>) {
        match got {
            Ok(deliveries) if self.shutdown.is_cancelled() => {
                for delivery in deliveries {
                    self.work(delivery).release().await;
                }
            }
            Ok(deliveries) => {
                self.delay = FIRST_DELAY;
                for delivery in deliveries {
                    self.busy += 1;
                    self.working.push(self.work(delivery).attempt(self.handler).boxed());
                }
            }
            Err(error) => {
                tracing::warn!(topic = %self.consumer.topic, group = %self.consumer.group, %error, "no messages for now");
                // Those that are being handled go on meanwhile; they look after themselves.
                let wait = self.delay;
                self.delay = (self.delay * 2).min(LONGEST_DELAY);
                self.busy += 1;
                self.working.push(
                    async move {
                        tokio::time::sleep(wait).await;
                        Step::Rested
                    }
                    .boxed(),
                );
            }
        }
    }

    fn after(&mut self, step: Step<'a>) {
        match step {
            Step::Done | Step::Rested => self.busy -= 1,
            Step::Failed(work) => {
                self.busy -= 1;
                self.working.push(work.wait().boxed());
            }
            // Whoever looks first takes it; that may well be this consumer.
            Step::Released => self.next_claim = Instant::now(),
        }
    }

    fn work(&self, delivery: Delivery) -> Work<'a> {
        Work { consumer: self.consumer, delivery, shutdown: self.shutdown }
    }
}
