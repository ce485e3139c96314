use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use kernel::Timestamp;

use crate::{DeadLetter, Delivery, DeliveryId, Notice};

/// All topics of the ledger. Everything lies in partition 0.
#[derive(Debug, Default)]
pub(super) struct Topics {
    topics: BTreeMap<String, Topic>,
    dead: BTreeMap<(String, String), BTreeMap<u64, DeadLetter>>,
    last_dead: u64,
}

#[derive(Debug, Default)]
struct Topic {
    last: u64,
    messages: BTreeMap<u64, Bytes>,
    groups: BTreeMap<String, Group>,
}

#[derive(Debug, Default)]
struct Group {
    /// The last message that some consumer was given.
    delivered: u64,
    pending: BTreeMap<u64, Pending>,
}

#[derive(Debug)]
struct Pending {
    consumer: String,
    /// Since when the consumer has it; `None` for one that was given back.
    since: Option<Timestamp>,
    attempts: u32,
}

impl Topics {
    pub fn publish(&mut self, notice: Notice) {
        let topic = self.topics.entry(notice.topic).or_default();
        topic.last += 1;
        topic.messages.insert(topic.last, notice.payload);
    }

    pub fn join(&mut self, topic: &str, group: &str) {
        let groups = &mut self.topics.entry(topic.to_owned()).or_default().groups;
        groups.entry(group.to_owned()).or_default();
    }

    pub fn fetch(
        &mut self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        raw: Timestamp,
    ) -> Vec<Delivery> {
        self.join(topic, group);
        let Some(Topic { messages, groups, .. }) = self.topics.get_mut(topic) else { return Vec::new() };
        let Some(group) = groups.get_mut(group) else { return Vec::new() };
        let mut deliveries = Vec::new();
        for (id, payload) in messages.range(group.delivered + 1..).take(max) {
            let pending = Pending { consumer: consumer.to_owned(), since: Some(raw), attempts: 1 };
            group.pending.insert(*id, pending);
            group.delivered = *id;
            deliveries.push(Delivery { id: delivery_id(*id), payload: payload.clone(), attempt: 1 });
        }
        deliveries
    }

    pub fn claim(
        &mut self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
        raw: Timestamp,
    ) -> Vec<Delivery> {
        self.join(topic, group);
        let Some(Topic { messages, groups, .. }) = self.topics.get_mut(topic) else { return Vec::new() };
        let Some(group) = groups.get_mut(group) else { return Vec::new() };
        let idle_enough = |pending: &Pending| pending.since.is_none_or(|since| raw.since(since) >= idle);
        let mut deliveries = Vec::new();
        for (id, pending) in group.pending.iter_mut().filter(|(_, pending)| idle_enough(pending)).take(max) {
            let Some(payload) = messages.get(id) else { continue };
            pending.consumer = consumer.to_owned();
            pending.since = Some(raw);
            pending.attempts += 1;
            let attempt = pending.attempts;
            deliveries.push(Delivery { id: delivery_id(*id), payload: payload.clone(), attempt });
        }
        deliveries
    }

    /// Sets since when the consumer has a message. False if the consumer does not have it.
    pub fn touch(
        &mut self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
        since: Option<Timestamp>,
    ) -> bool {
        let Some(id) = message_id(id) else { return false };
        let Some(group) = self.group(topic, group) else { return false };
        match group.pending.get_mut(&id) {
            Some(pending) if pending.consumer == consumer => {
                pending.since = since;
                true
            }
            _ => false,
        }
    }

    /// False if it was not pending.
    pub fn acknowledge(&mut self, topic: &str, group: &str, id: &DeliveryId) -> bool {
        let Some(id) = message_id(id) else { return false };
        self.group(topic, group).is_some_and(|group| group.pending.remove(&id).is_some())
    }

    pub fn bury(&mut self, topic: &str, group: &str, delivery: &Delivery, error: &str) {
        if !self.acknowledge(topic, group, &delivery.id) {
            return;
        }
        self.last_dead += 1;
        let letter = DeadLetter {
            id: delivery_id(self.last_dead),
            payload: delivery.payload.clone(),
            error: error.to_owned(),
        };
        self.dead.entry((topic.to_owned(), group.to_owned())).or_default().insert(self.last_dead, letter);
    }

    pub fn dead_letters(&self, topic: &str, group: &str, limit: usize) -> Vec<DeadLetter> {
        let letters = self.dead.get(&(topic.to_owned(), group.to_owned()));
        letters.into_iter().flat_map(BTreeMap::values).take(limit).cloned().collect()
    }

    /// Takes a dead letter out of the list; none if it is not there.
    pub fn take_letter(&mut self, topic: &str, group: &str, id: &DeliveryId) -> Option<DeadLetter> {
        let id = message_id(id)?;
        self.dead.get_mut(&(topic.to_owned(), group.to_owned()))?.remove(&id)
    }

    pub fn groups(&self) -> Vec<(String, String)> {
        let of = |(topic, found): (&String, &Topic)| {
            found.groups.keys().map(|group| (topic.clone(), group.clone())).collect::<Vec<_>>()
        };
        self.topics.iter().flat_map(of).collect()
    }

    pub fn revive(&mut self, topic: &str, group: &str, id: &DeliveryId) -> bool {
        let Some(letter) = self.take_letter(topic, group, id) else { return false };
        self.publish(Notice { topic: topic.to_owned(), payload: letter.payload });
        true
    }

    pub fn trim(&mut self, topic: &str) -> u64 {
        let Some(topic) = self.topics.get_mut(topic) else { return 0 };
        let first_needed = |group: &Group| match group.pending.first_key_value() {
            Some((oldest, _)) => *oldest,
            None => group.delivered + 1,
        };
        let Some(first) = topic.groups.values().map(first_needed).min() else { return 0 };
        let kept = topic.messages.split_off(&first);
        let dropped = std::mem::replace(&mut topic.messages, kept);
        dropped.len() as u64
    }

    pub fn lag(&self, topic: &str, group: &str) -> u64 {
        let Some(topic) = self.topics.get(topic) else { return 0 };
        let (delivered, pending) =
            topic.groups.get(group).map_or((0, 0), |group| (group.delivered, group.pending.len()));
        (topic.messages.range(delivered + 1..).count() + pending) as u64
    }

    fn group(&mut self, topic: &str, group: &str) -> Option<&mut Group> {
        self.topics.get_mut(topic)?.groups.get_mut(group)
    }
}

fn delivery_id(id: u64) -> DeliveryId {
    DeliveryId { partition: 0, id: id.to_string() }
}

fn message_id(id: &DeliveryId) -> Option<u64> {
    if id.partition == 0 { id.id.parse().ok() } else { None }
}
