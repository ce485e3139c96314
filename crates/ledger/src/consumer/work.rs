use std::{fmt::Display, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::Consumer;
use crate::{Delivery, Unavailable};

const LONGEST_BACKOFF: Duration = Duration::from_secs(300);

/// What was done with a message is told to the ledger so often, if it does not answer.
const TELLINGS: u32 = 8;

/// One message that this consumer has.
pub(super) struct Work<'a> {
    pub consumer: &'a Consumer,
    pub delivery: Delivery,
    pub shutdown: &'a CancellationToken,
}

/// What became of a message.
pub(super) enum Step<'a> {
    /// It is acknowledged or buried, or another consumer has it by now.
    Done,
    /// It is to be tried again.
    Failed(Work<'a>),
    /// It was given back.
    Released,
    /// A pause after the ledger was not there: no message at all.
    Rested,
}

impl<'a> Work<'a> {
    /// Handles the message once, and renews the lease meanwhile.
    pub async fn attempt<F, R, E>(self, handler: &F) -> Step<'a>
    where
        F: Fn(Delivery) -> R,
        R: Future<Output = Result<(), E>>,
        E: Display,
    {
        let most = self.consumer.policy.max_attempts.max(1);
        if self.delivery.attempt > most {
            // Its consumers died rather than failed.
            self.bury("it was never finished: its consumers stopped").await;
            return Step::Done;
        }
        let handled =
            AssertUnwindSafe(handler(self.delivery.clone())).catch_unwind().map(|outcome| match outcome {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("the handler panicked".to_owned()),
            });
        let (error, ours) = self.holding(handled).await;
        let Some(error) = error else {
            self.acknowledge().await;
            return Step::Done;
        };
        if !ours {
            return Step::Done;
        }
        if self.delivery.attempt == most {
            self.bury(&error).await;
            return Step::Done;
        }
        let Consumer { topic, group, .. } = self.consumer;
        tracing::warn!(%topic, %group, attempt = self.delivery.attempt, %error, "a message failed and is tried again");
        Step::Failed(self)
    }

    /// Waits until the next attempt is due, or the shutdown, and gives the message back.
    pub async fn wait(self) -> Step<'a> {
        let doublings = self.delivery.attempt.saturating_sub(1).min(20);
        let backoff = self.consumer.policy.backoff.saturating_mul(1 << doublings).min(LONGEST_BACKOFF);
        let rest = async {
            tokio::select! {
                biased;
                () = tokio::time::sleep(backoff) => {}
                () = self.shutdown.cancelled() => {}
            }
        };
        let ((), ours) = self.holding(rest).await;
        if ours {
            self.release().await;
        }
        Step::Released
    }

    /// Does something and renews the lease as long as it takes. False if another consumer has the message by now.
    async fn holding<T>(&self, action: impl Future<Output = T>) -> (T, bool) {
        let Consumer { ledger, topic, group, name, policy } = self.consumer;
        let mut ours = true;
        tokio::pin!(action);
        loop {
            tokio::select! {
                biased;
                outcome = &mut action => return (outcome, ours),
                () = tokio::time::sleep(policy.lease / 3), if ours => {
                    match ledger.renew(topic, group, name, &self.delivery.id).await {
                        Ok(renewed) => ours = renewed,
                        Err(error) => tracing::warn!(%topic, %group, %error, "a lease was not renewed"),
                    }
                }
            }
        }
    }

    /// Gives the message back for whoever comes first.
    pub async fn release(&self) {
        let Consumer { ledger, topic, group, name, .. } = self.consumer;
        self.tell("released", || ledger.release(topic, group, name, &self.delivery.id)).await;
    }

    async fn acknowledge(&self) {
        let Consumer { ledger, topic, group, .. } = self.consumer;
        let ids = std::slice::from_ref(&self.delivery.id);
        self.tell("acknowledged", || ledger.acknowledge(topic, group, ids)).await;
    }

    async fn bury(&self, error: &str) {
        let Consumer { ledger, topic, group, .. } = self.consumer;
        let id = &self.delivery.id.id;
        tracing::error!(%topic, %group, id, attempts = self.delivery.attempt, error, "a message failed for good");
        self.tell("buried", || ledger.bury(topic, group, &self.delivery, error)).await;
    }

    /// Tells the ledger until it answers. If it never does, the lease ends and the message comes again: that is what "at least once" means.
    async fn tell<R>(&self, what: &str, call: impl Fn() -> R)
    where
        R: Future<Output = Result<(), Unavailable>>,
    {
        let mut delay = super::FIRST_DELAY;
        for telling in 1..=TELLINGS {
            match call().await {
                Ok(()) => return,
                Err(error) if telling == TELLINGS => {
                    tracing::warn!(topic = %self.consumer.topic, what, %error, "the ledger did not hear what was done");
                }
                Err(_) => tokio::time::sleep(delay).await,
            }
            delay = (delay * 2).min(super::LONGEST_DELAY);
        }
    }
}
