use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use kernel::Timestamp;

use super::topics::Topics;
use crate::{
    Append, Entry, LogName, Refused, Sequence,
    rules::{Heart, next_deadline},
};

/// All logs of the ledger.
#[derive(Debug, Default)]
pub(super) struct Logs {
    logs: BTreeMap<LogName, Log>,
    deadlines: BTreeSet<(Timestamp, LogName)>,
    expiries: BTreeSet<(Timestamp, LogName)>,
}

#[derive(Debug, Default)]
struct Log {
    /// Never empty once the log is there; what was trimmed is missing at the front.
    entries: VecDeque<Entry>,
    deadline: Option<Timestamp>,
    expires: Option<Timestamp>,
}

impl Logs {
    /// Number and stamp of the last entry.
    pub fn end(&mut self, name: &LogName, raw: Timestamp) -> (Sequence, Timestamp) {
        self.expire(raw);
        let last = self.logs.get(name).and_then(|log| log.entries.back());
        last.map(|entry| (entry.sequence, entry.stamp)).unwrap_or_default()
    }

    pub fn append(
        &mut self,
        heart: &Heart,
        raw: Timestamp,
        append: Append,
        topics: &mut Topics,
    ) -> Result<(LogName, Entry), Refused> {
        let Append { log: name, expected, payload, guard, deadline, notices } = append;
        let stamp = heart.judge(raw, self.end(&name, raw), expected, &guard)?;
        let log = self.logs.entry(name.clone()).or_default();
        let entry = Entry { sequence: expected + 1, stamp, payload };
        log.entries.push_back(entry.clone());
        let next = next_deadline(deadline, log.deadline, stamp, log.expires.is_some());
        self.set_deadline(&name, next);
        for notice in notices {
            topics.publish(notice);
        }
        Ok((name, entry))
    }

    pub fn read(&mut self, name: &LogName, raw: Timestamp, after: Sequence, limit: usize) -> Vec<Entry> {
        self.expire(raw);
        let Some(log) = self.logs.get(name) else { return Vec::new() };
        let start = log.entries.partition_point(|entry| entry.sequence <= after);
        log.entries.range(start..).take(limit).cloned().collect()
    }

    pub fn retire(&mut self, name: &LogName, raw: Timestamp, after: Duration) {
        self.set_deadline(name, None);
        let Some(log) = self.logs.get_mut(name) else { return };
        let expires = raw + after;
        if let Some(earlier) = log.expires.replace(expires) {
            self.expiries.remove(&(earlier, name.clone()));
        }
        self.expiries.insert((expires, name.clone()));
    }

    pub fn trim(&mut self, name: &LogName, first: Sequence) {
        let Some(log) = self.logs.get_mut(name) else { return };
        while log.entries.len() > 1 && log.entries.front().is_some_and(|entry| entry.sequence < first) {
            log.entries.pop_front();
        }
    }

    pub fn due(&self, now: Timestamp, limit: usize) -> Vec<(LogName, Timestamp)> {
        let due = self.deadlines.iter().take_while(|(deadline, _)| *deadline <= now).take(limit);
        due.map(|(deadline, name)| (name.clone(), *deadline)).collect()
    }

    /// Removes what has expired.
    pub fn expire(&mut self, raw: Timestamp) {
        while let Some((expires, _)) = self.expiries.first()
            && *expires <= raw
        {
            if let Some((_, name)) = self.expiries.pop_first() {
                self.set_deadline(&name, None);
                self.logs.remove(&name);
            }
        }
    }

    fn set_deadline(&mut self, name: &LogName, deadline: Option<Timestamp>) {
        let Some(log) = self.logs.get_mut(name) else { return };
        if log.deadline == deadline {
            return;
        }
        if let Some(earlier) = std::mem::replace(&mut log.deadline, deadline) {
            self.deadlines.remove(&(earlier, name.clone()));
        }
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, name.clone()));
        }
    }
}
