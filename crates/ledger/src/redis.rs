//! The ledger on one Redis, or on a Redis Cluster, from version 7.0 on.
//!
//! One append is one script call in one round trip; commands of all callers share a few connections, and Redis, with `appendonly yes` and
//! `appendfsync always`, syncs those that arrive together at once. What each setting of Redis promises, and what is lost without it, is
//! checked and logged at the start. A Redis that does not answer, is loading, is read-only or full makes calls fail with
//! [`crate::Unavailable`]; connections come back by themselves.

mod append;
mod barrier;
mod check;
mod config;
mod groups;
mod hints;
mod keys;
mod link;
mod resp;
mod scripts;
mod sentinel;
mod store_clock;
mod subscriber;
mod topology;
mod writer;

use std::{sync::Arc, time::Duration};

use ::redis::{AsyncConnectionConfig, Cmd, FromRedisValue, Value, from_redis_value};
use async_trait::async_trait;
use kernel::Timestamp;
use tokio::{
    sync::{broadcast, oneshot},
    task::JoinHandle,
};

pub use self::config::{ConnectError, RedisConfig};
use self::{
    keys::Keys,
    scripts::{Lua, Scripts},
    store_clock::StoreClock,
    subscriber::Listeners,
    topology::Topology,
};
use crate::{
    Append, AppendError, Appended, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs, Notice,
    Sequence, Sweep, Unavailable, Wake, rules,
};

/// A ledger on Redis. Clones share the connections.
#[derive(Clone, Debug)]
pub struct RedisLedger {
    shared: Arc<Shared>,
    /// Ends with the last clone.
    _listening: Arc<Listening>,
}

#[derive(Debug)]
struct Listening(JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Debug)]
struct Shared {
    topology: Arc<Topology>,
    listeners: Arc<Listeners>,
    scripts: Scripts,
    clock: StoreClock,
}

impl RedisLedger {
    /// Connects, checks the server, and listens for hints.
    ///
    /// # Errors
    /// When Redis cannot be reached or is too old, or the installation has another number of partitions than the configuration.
    pub async fn connect(config: RedisConfig) -> Result<Self, ConnectError> {
        check::config(&config)?;
        let topology = Arc::new(Topology::new(&config)?);
        topology.refresh().await.map_err(|error| Unavailable(error.to_string()))?;
        let keys = Keys::new(&config.prefix, config.partitions);
        let listeners =
            Listeners { keys, wakes: crate::wakes::Wakes::default(), hints: hints::Hints::default() };
        let shared = Arc::new(Shared {
            topology,
            listeners: Arc::new(listeners),
            scripts: Scripts::new(),
            clock: StoreClock::new(),
        });
        shared.check_servers().await?;
        shared.check_partitions().await?;
        let timeouts = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(config.connect_timeout))
            .set_response_timeout(Some(config.response_timeout));
        let (ready, listening) = oneshot::channel();
        let (topology, listeners) = (Arc::clone(&shared.topology), Arc::clone(&shared.listeners));
        let task = Listening(tokio::spawn(subscriber::listen(topology, listeners, timeouts, ready)));
        let patience = config.connect_timeout + config.response_timeout;
        match tokio::time::timeout(patience, listening).await {
            Ok(Ok(())) => Ok(Self { shared, _listening: Arc::new(task) }),
            _ => Err(Unavailable("no subscription to the wake channels".into()).into()),
        }
    }
}

impl Shared {
    async fn script(
        &self,
        partition: u16,
        script: &Lua,
        keys: &[String],
        arguments: &[&[u8]],
    ) -> Result<Value, Unavailable> {
        let answer = self.topology.script(partition, script, keys, arguments).await;
        answer.map_err(|error| Unavailable(error.to_string()))
    }

    async fn run<T: FromRedisValue>(&self, partition: u16, command: &Cmd) -> Result<T, Unavailable> {
        let answer = self.topology.run(partition, command).await;
        answer.and_then(|value| Ok(from_redis_value(value)?)).map_err(|error| Unavailable(error.to_string()))
    }
}

#[async_trait]
impl Ledger for RedisLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        rules::check_append(&append)?;
        self.shared.append(&append).await
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        self.shared.read(log, after, limit).await
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        self.shared.listeners.wakes.subscribe(logs)
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        self.shared.sweep(limit).await
    }

    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        self.shared.retire(log, after).await
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        self.shared.trim(log, first).await
    }

    async fn publish(&self, key: &str, notice: Notice) -> Result<(), Unavailable> {
        rules::check_publish(&notice.topic, notice.payload.len())?;
        self.shared.publish(key, &notice).await
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        rules::check_group(topic, group)?;
        self.shared.join(topic, group).await
    }

    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        rules::check_group(topic, group)?;
        self.shared.fetch(topic, group, consumer, max, wait).await
    }

    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        rules::check_group(topic, group)?;
        self.shared.claim(topic, group, consumer, idle, max).await
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        self.shared.touch(topic, [group, consumer], id, "renew").await
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        self.shared.touch(topic, [group, consumer], id, "release").await.map(|_| ())
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        self.shared.acknowledge(topic, group, ids).await
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        self.shared.bury(topic, group, delivery, error).await
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        self.shared.dead_letters(topic, group, limit).await
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.shared.revive(topic, group, id).await
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.shared.discard(topic, group, id).await
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        self.shared.groups().await
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        self.shared.trim_topic(topic).await
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        self.shared.lag(topic, group).await
    }
}
