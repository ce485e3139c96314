//! The ledger as one replica reaches it: over a network that delays, loses requests and loses answers.

use std::time::Duration;

use ::ledger::{
    Append, AppendError, Appended, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs, Notice,
    Sequence, Sweep, Unavailable, Wake, memory::MemoryLedger,
};
use kernel::Timestamp;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::{
    Plant,
    line::{Line, OFTEN},
};

/// A follower that is so many hints behind loses some.
const HINTS: usize = 256;

/// The ledger, over one replica's line.
#[derive(Clone)]
pub struct RemoteLedger {
    inner: MemoryLedger,
    line: Line,
    plant: Option<Plant>,
}

impl RemoteLedger {
    /// The ledger behind this line.
    pub fn new(inner: MemoryLedger, line: Line, plant: Option<Plant>) -> Self {
        Self { inner, line, plant }
    }

    /// One call: the request travels, the ledger does it, the answer travels. Each may fail, and the process may die meanwhile.
    async fn call<T: std::fmt::Debug, E: From<Unavailable> + std::fmt::Debug>(
        &self,
        what: &str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let line = &self.line;
        line.mortal(async {
            line.travel().await;
            if !line.reaches_ledger() {
                tokio::time::sleep(line.dice.millis(1, 800)).await;
                return Err(Unavailable("out of reach".to_owned()).into());
            }
            if line.dice.per_mille(line.rates().lost) {
                line.trace.note(format_args!("{:?} {what} is lost", line.name));
                tokio::time::sleep(line.dice.millis(1, 800)).await;
                return Err(Unavailable("the request was lost".to_owned()).into());
            }
            let answer = work.await;
            if line.dice.per_mille(line.rates().lost) || !line.reaches_ledger() {
                line.trace.note(format_args!("{:?} {what} is done, its answer lost", line.name));
                tokio::time::sleep(line.dice.millis(1, 800)).await;
                return Err(Unavailable("the answer was lost".to_owned()).into());
            }
            line.travel().await;
            answer
        })
        .await
    }
}

impl RemoteLedger {
    async fn do_append(&self, append: Append) -> Result<Appended, AppendError> {
        let (log, expected, bytes) = (append.log.clone(), append.expected, append.payload.clone());
        let appended = self.inner.append(append).await;
        let name = self.line.name;
        self.line.trace.note(format_args!("{name:?} {log} after {expected}: {appended:?} {bytes:x?}"));
        appended
    }

    /// Sometimes a request takes so long that the caller has given up, and tried again, before it comes. It comes all the same, even if
    /// the caller has died.
    fn overtaken(&self) -> Option<Duration> {
        let dice = &self.line.dice;
        dice.per_mille(self.line.rates().lost).then(|| dice.millis(1, 4_000))
    }

    async fn arrives_late<T, E>(&self, what: &str, work: impl Future<Output = Result<T, E>>) {
        if self.line.reaches_ledger() {
            self.line.trace.note(format_args!("{:?} {what} comes late", self.line.name));
            // Nobody waits for the answer any more.
            let _unheard = work.await;
        }
    }

    async fn give_up<T, E: From<Unavailable>>(&self) -> Result<T, E> {
        let time = self.line.dice.millis(1, 800);
        self.line.mortal(tokio::time::sleep(time)).await;
        Err(Unavailable("no answer in time".to_owned()).into())
    }
}

#[async_trait::async_trait]
impl Ledger for RemoteLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        if self.plant == Some(Plant::EarlyAnswer)
            && append.expected > 0
            && append.log.as_str().starts_with("game:")
        {
            let appended = Appended { sequence: append.expected + 1, stamp: self.inner.now() };
            let remote = self.clone();
            tokio::spawn(async move { remote.call("an append", remote.do_append(append)).await });
            return Ok(appended);
        }
        if let Some(time) = self.overtaken() {
            let remote = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(time).await;
                remote.arrives_late("an append", remote.do_append(append)).await;
            });
            return self.give_up().await;
        }
        self.call("an append", self.do_append(append)).await
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        self.call("a read", self.inner.read(log, after, limit)).await
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        let mut from = self.inner.wakes(logs);
        let (to, receiver) = broadcast::channel(HINTS);
        let line = self.line.clone();
        tokio::spawn(async move {
            line.mortal(async {
                loop {
                    match from.recv().await {
                        Ok(wake) => hint(&line, &to, wake),
                        Err(RecvError::Lagged(_)) => hint(&line, &to, Wake::Lost),
                        Err(RecvError::Closed) => return,
                    }
                }
            })
            .await;
        });
        receiver
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        self.call("a sweep", self.inner.sweep(limit)).await
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        self.call("a retirement", self.inner.retire(log, after)).await
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        self.call("a trim", self.inner.trim(log, first)).await
    }

    async fn publish(&self, key: &str, notice: Notice) -> Result<(), Unavailable> {
        if let Some(time) = self.overtaken() {
            let (remote, key) = (self.clone(), key.to_owned());
            tokio::spawn(async move {
                tokio::time::sleep(time).await;
                remote.arrives_late("a message", remote.inner.publish(&key, notice)).await;
            });
            return self.give_up().await;
        }
        self.call("a message", self.inner.publish(key, notice)).await
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        self.call("a registration", self.inner.join(topic, group)).await
    }

    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        let fetched = self.call("a fetch", self.inner.fetch(topic, group, consumer, max, wait)).await?;
        for delivery in &fetched {
            // Another consumer is given it too, at once.
            if self.line.dice.per_mille(OFTEN * self.line.rates().lost) {
                self.line
                    .trace
                    .note(format_args!("{:?} {topic} {:?} comes twice", self.line.name, delivery.id));
                self.inner.release(topic, group, consumer, &delivery.id).await?;
            }
        }
        Ok(fetched)
    }

    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        self.call("a claim", self.inner.claim(topic, group, consumer, idle, max)).await
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        self.call("a renewal", self.inner.renew(topic, group, consumer, id)).await
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        self.call("a release", self.inner.release(topic, group, consumer, id)).await
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        if self.line.dice.per_mille(OFTEN * self.line.rates().lost) {
            self.line.trace.note(format_args!("{:?} an acknowledgement of {topic} is lost", self.line.name));
            return self.give_up().await;
        }
        self.call("an acknowledgement", self.inner.acknowledge(topic, group, ids)).await
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        self.call("a burial", self.inner.bury(topic, group, delivery, error)).await
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        self.call("a look at dead letters", self.inner.dead_letters(topic, group, limit)).await
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.call("a revival", self.inner.revive(topic, group, id)).await
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.call("a discard", self.inner.discard(topic, group, id)).await
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        self.call("a look at the groups", self.inner.groups()).await
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        self.call("a topic's trim", self.inner.trim_topic(topic)).await
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        self.call("a look at the lag", self.inner.lag(topic, group)).await
    }
}

/// One hint on its way: it comes, comes late, twice, not at all, or not at all with word of it.
fn hint(line: &Line, to: &broadcast::Sender<Wake>, wake: Wake) {
    if !line.reaches_ledger() {
        // When the connection is back, it is known that hints were lost.
        let (line, to) = (line.clone(), to.clone());
        tokio::spawn(async move {
            line.mortal(async {
                while !line.reaches_ledger() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                to.send(Wake::Lost)
            })
            .await
        });
        return;
    }
    let luck = line.dice.below(1000);
    let (lost, slow) = (line.rates().lost, line.rates().slow);
    // Nobody may be listening any more.
    if luck < lost {
        return;
    } else if luck < 2 * lost {
        let _unheard = to.send(Wake::Lost);
        return;
    } else if luck < 3 * lost {
        let _unheard = to.send(wake.clone());
    } else if luck < 3 * lost + 4 * slow {
        let (line, to, time) = (line.clone(), to.clone(), line.dice.millis(1, 400));
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            line.mortal(async { to.send(wake) }).await
        });
        return;
    }
    let _unheard = to.send(wake);
}
