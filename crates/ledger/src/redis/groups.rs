use std::{collections::BTreeMap, time::Duration};

use ::redis::{Cmd, FromRedisValue, Value, from_redis_value};
use bytes::Bytes;
use futures::{FutureExt, future, future::BoxFuture};
use tokio::time::Instant;

use super::{Shared, hints::FULL_READ, scripts::Lua};
use crate::{DeadLetter, Delivery, DeliveryId, Notice, Unavailable};

/// What Redis says about a group that is not there.
const NO_GROUP: &str = "NOGROUP";

impl Shared {
    pub(super) async fn publish(&self, key: &str, notice: &Notice) -> Result<(), Unavailable> {
        let keys = &self.listeners.keys;
        let partition = keys.partition(key);
        let keys = [keys.topic(partition, &notice.topic), keys.hint(partition)];
        self.script(partition, &self.scripts.publish, &keys, &[&notice.payload, notice.topic.as_bytes()])
            .await?;
        Ok(())
    }

    pub(super) async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        self.everywhere(|partition| self.join_in(partition, topic, group).boxed()).await?;
        let mut command = ::redis::cmd("SADD");
        // Neither name has a space in it.
        command.arg(self.listeners.keys.groups()).arg(format!("{topic} {group}"));
        self.run::<u64>(0, &command).await?;
        Ok(())
    }

    pub(super) async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        let mut command = ::redis::cmd("SMEMBERS");
        command.arg(self.listeners.keys.groups());
        let names: Vec<String> = self.run(0, &command).await?;
        let split = |name: String| name.split_once(' ').map(|(topic, group)| (topic.into(), group.into()));
        let mut groups: Vec<(String, String)> = names.into_iter().filter_map(split).collect();
        groups.sort_unstable();
        Ok(groups)
    }

    async fn join_in(&self, partition: u16, topic: &str, group: &str) -> Result<(), Unavailable> {
        let mut command = ::redis::cmd("XGROUP");
        command.arg("CREATE").arg(self.listeners.keys.topic(partition, topic)).arg(group).arg("0");
        match self.topology.run(partition, command.arg("MKSTREAM")).await {
            Err(error) if error.code() == Some("BUSYGROUP") => Ok(()),
            Err(error) => Err(unavailable(error)),
            Ok(_) => Ok(()),
        }
    }

    pub(super) async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        if max == 0 {
            return Ok(Vec::new());
        }
        let end = Instant::now() + wait;
        let hints = self.listeners.hints.group(topic, group);
        loop {
            let rung = hints.bell.notified();
            tokio::pin!(rung);
            // From here on no ring is missed.
            rung.as_mut().enable();
            let last = Instant::now() >= end;
            for everything in [false, true] {
                if everything && !last {
                    break;
                }
                let partitions = hints.take(self.listeners.keys.partitions, everything);
                let (found, unread) = self.fetch_from(topic, group, consumer, max, &partitions).await;
                hints.put_back(unread);
                match found {
                    Ok(deliveries) if deliveries.is_empty() => {}
                    found => return found,
                }
            }
            if last {
                return Ok(Vec::new());
            }
            let look_again = end.min(Instant::now() + FULL_READ);
            // Woken or not: look.
            let _why = tokio::time::timeout_at(look_again, rung).await;
        }
    }

    /// Reads until something is found. The partitions that may have more come back.
    async fn fetch_from(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        partitions: &[u16],
    ) -> (Result<Vec<Delivery>, Unavailable>, Vec<u16>) {
        let mut rest = partitions;
        while !rest.is_empty() {
            // Never more at once than could all be filled.
            let (wave, later) = rest.split_at(rest.len().min(max));
            rest = later;
            let share = max / wave.len();
            let reads = wave.iter().copied().map(|partition| {
                self.read_group(partition, topic, group, consumer, share).map(move |read| (partition, read))
            });
            let mut found = Vec::new();
            let mut unread = later.to_vec();
            let mut failed = None;
            for (partition, read) in future::join_all(reads).await {
                match read {
                    Ok(deliveries) => {
                        if deliveries.len() >= share {
                            unread.push(partition);
                        }
                        found.extend(deliveries);
                    }
                    Err(error) => {
                        unread.push(partition);
                        failed = Some(error);
                    }
                }
            }
            match failed {
                // What was taken has to be handed out, whatever else went wrong.
                Some(error) if found.is_empty() => return (Err(error), unread),
                _ if !found.is_empty() => return (Ok(found), unread),
                _ => {}
            }
        }
        (Ok(Vec::new()), Vec::new())
    }

    async fn read_group(
        &self,
        partition: u16,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        type Messages = Vec<(String, Vec<Bytes>)>;
        let mut command = ::redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(group).arg(consumer).arg("COUNT").arg(max);
        command.arg("STREAMS").arg(self.listeners.keys.topic(partition, topic)).arg(">");
        let answer = match self.topology.run(partition, &command).await {
            Err(error) if error.code() == Some(NO_GROUP) => {
                self.join_in(partition, topic, group).await?;
                self.topology.run(partition, &command).await
            }
            answer => answer,
        };
        let streams: Option<Vec<(String, Messages)>> = parse(answer.map_err(unavailable)?)?;
        let messages = streams.into_iter().flatten().flat_map(|(_, messages)| messages);
        let delivery = |(id, fields): (String, Vec<Bytes>)| Delivery {
            id: DeliveryId { partition, id },
            payload: fields.into_iter().nth(1).unwrap_or_default(),
            attempt: 1,
        };
        Ok(messages.map(delivery).collect())
    }

    pub(super) async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        let idle = i64::try_from(idle.as_millis()).unwrap_or(i64::MAX).to_string();
        let partitions: Vec<u16> = self.listeners.keys.all().collect();
        let mut found = Vec::new();
        let mut rest = &partitions[..];
        while !rest.is_empty() && found.len() < max {
            let room = max - found.len();
            let (wave, later) = rest.split_at(rest.len().min(room));
            rest = later;
            let share = (room / wave.len()).to_string();
            let arguments = [group.as_bytes(), consumer.as_bytes(), idle.as_bytes(), share.as_bytes()];
            let claims =
                wave.iter().copied().map(|partition| self.claim_from(partition, topic, group, &arguments));
            let mut failed = None;
            for claimed in future::join_all(claims).await {
                match claimed {
                    Ok(deliveries) => found.extend(deliveries),
                    Err(error) => failed = Some(error),
                }
            }
            if let Some(error) = failed
                && found.is_empty()
            {
                return Err(error);
            }
        }
        Ok(found)
    }

    async fn claim_from(
        &self,
        partition: u16,
        topic: &str,
        group: &str,
        arguments: &[&[u8]],
    ) -> Result<Vec<Delivery>, Unavailable> {
        let keys = [self.listeners.keys.topic(partition, topic)];
        let answer = match self.topology.script(partition, &self.scripts.claim, &keys, arguments).await {
            Err(error) if error.code() == Some(NO_GROUP) => {
                // A group that nobody has registered has had nothing.
                self.join_in(partition, topic, group).await?;
                return Ok(Vec::new());
            }
            answer => answer.map_err(unavailable)?,
        };
        let claimed: Vec<(String, u32, Bytes)> = parse(answer)?;
        let delivery =
            |(id, attempt, payload)| Delivery { id: DeliveryId { partition, id }, payload, attempt };
        Ok(claimed.into_iter().map(delivery).collect())
    }

    /// Renews a lease (`renew`) or gives a message back (`release`).
    pub(super) async fn touch(
        &self,
        topic: &str,
        [group, consumer]: [&str; 2],
        id: &DeliveryId,
        what: &str,
    ) -> Result<bool, Unavailable> {
        let arguments = [group, consumer, &id.id, what].map(str::as_bytes);
        self.on_message(topic, id, &self.scripts.touch, |_| Vec::new(), &arguments).await
    }

    pub(super) async fn acknowledge(
        &self,
        topic: &str,
        group: &str,
        ids: &[DeliveryId],
    ) -> Result<(), Unavailable> {
        let mut partitions: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for id in ids.iter().filter(|id| self.listeners.keys.is_id(id)) {
            partitions.entry(id.partition).or_default().push(&id.id);
        }
        let acknowledge = partitions.into_iter().map(|(partition, ids)| async move {
            let mut command = ::redis::cmd("XACK");
            command.arg(self.listeners.keys.topic(partition, topic)).arg(group).arg(ids);
            self.run::<u64>(partition, &command).await
        });
        future::try_join_all(acknowledge).await?;
        Ok(())
    }

    pub(super) async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        let id = &delivery.id;
        let arguments = [group.as_bytes(), id.id.as_bytes(), &delivery.payload, error.as_bytes()];
        let dead = |partition| vec![self.listeners.keys.dead(partition, topic, group)];
        self.on_message(topic, id, &self.scripts.bury, dead, &arguments).await?;
        Ok(())
    }

    /// Runs a script whose first key is the message's topic. False for an id that is none, and when the script says 0.
    async fn on_message(
        &self,
        topic: &str,
        id: &DeliveryId,
        script: &Lua,
        more_keys: impl FnOnce(u16) -> Vec<String>,
        arguments: &[&[u8]],
    ) -> Result<bool, Unavailable> {
        if !self.listeners.keys.is_id(id) {
            return Ok(false);
        }
        let mut keys = vec![self.listeners.keys.topic(id.partition, topic)];
        keys.extend(more_keys(id.partition));
        let done: u64 = parse(self.script(id.partition, script, &keys, arguments).await?)?;
        Ok(done > 0)
    }

    pub(super) async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        let letters =
            self.everywhere(|partition| self.dead_letters_in(partition, topic, group, limit).boxed()).await?;
        let mut letters: Vec<_> = letters.into_iter().flatten().collect();
        letters.sort_by_key(|letter| age(&letter.id));
        letters.truncate(limit);
        Ok(letters)
    }

    async fn dead_letters_in(
        &self,
        partition: u16,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        let mut command: Cmd = ::redis::cmd("XRANGE");
        command.arg(self.listeners.keys.dead(partition, topic, group));
        command.arg("-").arg("+").arg("COUNT").arg(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows: Vec<(String, Vec<Bytes>)> = self.run(partition, &command).await?;
        let letter = |(id, fields): (String, Vec<Bytes>)| {
            let mut fields = fields.into_iter().skip(1).step_by(2);
            let payload = fields.next().unwrap_or_default();
            let error = String::from_utf8_lossy(&fields.next().unwrap_or_default()).into_owned();
            DeadLetter { id: DeliveryId { partition, id }, payload, error }
        };
        Ok(rows.into_iter().map(letter).collect())
    }

    pub(super) async fn revive(
        &self,
        topic: &str,
        group: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        if !self.listeners.keys.is_id(id) {
            return Ok(false);
        }
        let of = &self.listeners.keys;
        let keys =
            [of.dead(id.partition, topic, group), of.topic(id.partition, topic), of.hint(id.partition)];
        let arguments = [id.id.as_bytes(), topic.as_bytes()];
        let done: u64 = parse(self.script(id.partition, &self.scripts.revive, &keys, &arguments).await?)?;
        Ok(done > 0)
    }

    pub(super) async fn discard(
        &self,
        topic: &str,
        group: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        if !self.listeners.keys.is_id(id) {
            return Ok(false);
        }
        let mut command = ::redis::cmd("XDEL");
        command.arg(self.listeners.keys.dead(id.partition, topic, group)).arg(&id.id);
        let gone: u64 = self.run(id.partition, &command).await?;
        Ok(gone > 0)
    }

    pub(super) async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        self.sum(topic, &self.scripts.trim_topic, &[]).await
    }

    pub(super) async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        self.sum(topic, &self.scripts.lag, &[group.as_bytes()]).await
    }

    async fn sum(&self, topic: &str, script: &Lua, arguments: &[&[u8]]) -> Result<u64, Unavailable> {
        let count = |partition: u16| {
            let keys = [self.listeners.keys.topic(partition, topic)];
            async move { parse::<u64>(self.script(partition, script, &keys, arguments).await?) }.boxed()
        };
        let numbers = self.everywhere(count).await?;
        Ok(numbers.into_iter().sum())
    }

    /// Does something with all partitions at once. The first that fails ends it.
    async fn everywhere<'a, T>(
        &'a self,
        action: impl Fn(u16) -> BoxFuture<'a, Result<T, Unavailable>>,
    ) -> Result<Vec<T>, Unavailable> {
        let all: Vec<_> = self.listeners.keys.all().map(action).collect();
        future::try_join_all(all).await
    }
}

fn parse<T: FromRedisValue>(value: Value) -> Result<T, Unavailable> {
    from_redis_value(value).map_err(|error| Unavailable(error.to_string()))
}

fn unavailable(error: ::redis::RedisError) -> Unavailable {
    Unavailable(error.to_string())
}

/// Ids of a stream are a time and a number.
fn age(id: &DeliveryId) -> (u64, u64) {
    let (time, number) = id.id.split_once('-').unwrap_or_default();
    (time.parse().unwrap_or(0), number.parse().unwrap_or(0))
}
