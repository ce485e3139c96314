use std::{future::Future, time::Duration};

use kernel::Timestamp;
use ledger::{
    Append, AppendError, Appended, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs, Notice,
    Sequence, SharedLedger, Sweep, Unavailable, Wake,
};
use metrics::{counter, histogram};
use tokio::{sync::broadcast, time::Instant};
use tracing::Instrument;

use super::trace;

const SECONDS: &str = "nigiri_ledger_seconds";
const REFUSALS: &str = "nigiri_ledger_refusals";

pub(super) fn describe() {
    metrics::describe_histogram!(SECONDS, metrics::Unit::Seconds, "Round trips to the ledger, by operation.");
    metrics::describe_counter!(REFUSALS, "Appends that the ledger refused, by kind.");
    for kind in ["unavailable", "conflict", "too_late", "too_early", "outage", "malformed"] {
        counter!(REFUSALS, "kind" => kind).increment(0);
    }
}

/// A ledger whose round trips are counted and seen as spans, one for each.
pub struct ObservedLedger(pub SharedLedger);

async fn observed<T>(operation: &'static str, call: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let out = call.instrument(trace::of_ledger(operation)).await;
    histogram!(SECONDS, "operation" => operation).record(started.elapsed().as_secs_f64());
    out
}

#[tonic::async_trait]
impl Ledger for ObservedLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        let result = observed("append", self.0.append(append)).await;
        if let Err(error) = &result {
            let kind = match error {
                AppendError::Unavailable(_) => "unavailable",
                AppendError::Refused(ledger::Refused::Conflict { .. }) => "conflict",
                AppendError::Refused(ledger::Refused::TooLate { .. }) => "too_late",
                AppendError::Refused(ledger::Refused::TooEarly { .. }) => "too_early",
                AppendError::Refused(ledger::Refused::Outage { .. }) => "outage",
                AppendError::Refused(ledger::Refused::Malformed(_)) => "malformed",
            };
            counter!(REFUSALS, "kind" => kind).increment(1);
        }
        result
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        observed("read", self.0.read(log, after, limit)).await
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        self.0.wakes(logs)
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        observed("sweep", self.0.sweep(limit)).await
    }

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        observed("retire", self.0.retire(log, after)).await
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        observed("trim", self.0.trim(log, first)).await
    }

    async fn publish(&self, key: &str, notice: Notice) -> Result<(), Unavailable> {
        observed("publish", self.0.publish(key, notice)).await
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        observed("join", self.0.join(topic, group)).await
    }

    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        // Mostly waiting: no span and no histogram.
        self.0.fetch(topic, group, consumer, max, wait).await
    }

    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        observed("claim", self.0.claim(topic, group, consumer, idle, max)).await
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        observed("renew", self.0.renew(topic, group, consumer, id)).await
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        observed("release", self.0.release(topic, group, consumer, id)).await
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        observed("acknowledge", self.0.acknowledge(topic, group, ids)).await
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        observed("bury", self.0.bury(topic, group, delivery, error)).await
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        observed("dead_letters", self.0.dead_letters(topic, group, limit)).await
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        observed("revive", self.0.revive(topic, group, id)).await
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        observed("discard", self.0.discard(topic, group, id)).await
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        observed("groups", self.0.groups()).await
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        observed("trim_topic", self.0.trim_topic(topic)).await
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        observed("lag", self.0.lag(topic, group)).await
    }
}
