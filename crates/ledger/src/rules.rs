//! What decides an append, pure: [`crate::memory`] and [`crate::embedded`] run it, and the script of [`crate::redis`] is the same in Lua.

use std::{collections::VecDeque, time::Duration};

use kernel::Timestamp;

use crate::{Append, Deadline, Guard, MAX_PAYLOAD, OUTAGE_AFTER, Outage, Refused, Sequence, Unavailable};

/// A partition that was swept this short a time ago is not swept again.
pub(crate) const SWEEP_PAUSE: Duration = Duration::from_millis(150);

/// So many outages of a partition are remembered.
pub(crate) const OUTAGES_KEPT: usize = 64;

/// The heartbeat of one partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heart {
    /// The partition's clock at the last sweep. It never runs backwards, so that a clock that is set back stops the
    /// partition's time rather than turning it.
    pub beat: Option<Timestamp>,
    /// The raw clock at the last sweep: only used to skip sweeps.
    pub swept: Option<Timestamp>,
    /// Oldest first, at most [`OUTAGES_KEPT`].
    pub outages: VecDeque<Outage>,
}

impl Heart {
    /// The partition's clock when the raw clock says `raw`.
    pub fn now(&self, raw: Timestamp) -> Timestamp {
        self.beat.map_or(raw, |beat| raw.max(beat))
    }

    /// Beats, and records an outage when the last beat is too old. False, and nothing done, if somebody has just swept.
    pub fn sweep(&mut self, raw: Timestamp) -> bool {
        if self.swept.is_some_and(|swept| swept <= raw && raw.since(swept) < SWEEP_PAUSE) {
            return false;
        }
        let now = self.now(raw);
        if let Some(beat) = self.beat
            && now.since(beat) > OUTAGE_AFTER
        {
            if self.outages.len() == OUTAGES_KEPT {
                self.outages.pop_front();
            }
            self.outages.push_back(Outage { from: beat, to: now });
        }
        self.beat = Some(now);
        self.swept = Some(raw);
        true
    }

    /// Outages that ended after `settled_until`, the one that may be going on right now included.
    fn unsettled(&self, now: Timestamp, settled_until: Timestamp) -> Vec<Outage> {
        let running = self
            .beat
            .filter(|beat| now.since(*beat) > OUTAGE_AFTER)
            .map(|beat| Outage { from: beat, to: now });
        self.outages.iter().copied().chain(running).filter(|outage| outage.to > settled_until).collect()
    }

    /// Judges an append to a log with this end. The answer is the new entry's stamp.
    pub fn judge(
        &self,
        raw: Timestamp,
        (last, last_stamp): (Sequence, Timestamp),
        expected: Sequence,
        guard: &Guard,
    ) -> Result<Timestamp, Refused> {
        if last != expected {
            return Err(Refused::Conflict { last });
        }
        let now = self.now(raw).max(last_stamp);
        if guard.not_after.is_some_and(|limit| now > limit) {
            let outages = self.unsettled(now, guard.settled_until);
            return Err(if outages.is_empty() {
                Refused::TooLate { now }
            } else {
                Refused::Outage { now, outages }
            });
        }
        if let Some(limit) = guard.not_before {
            if now < limit {
                return Err(Refused::TooEarly { now });
            }
            let outages = self.unsettled(now, guard.settled_until);
            if !outages.is_empty() {
                return Err(Refused::Outage { now, outages });
            }
        }
        Ok(now)
    }
}

/// What a log's deadline becomes. A log that is retired takes no new one.
pub(crate) fn next_deadline(
    deadline: Deadline,
    current: Option<Timestamp>,
    stamp: Timestamp,
    retired: bool,
) -> Option<Timestamp> {
    match deadline {
        Deadline::Keep => current,
        Deadline::Clear => None,
        _ if retired => None,
        Deadline::After(time) => Some(stamp + time),
        Deadline::At(moment) => Some(moment),
    }
}

/// Refuses what no store should see.
pub(crate) fn check_append(append: &Append) -> Result<(), Refused> {
    let size = append.payload.len();
    if size > MAX_PAYLOAD {
        return Err(Refused::Malformed(format!("a payload of {size} bytes, and {MAX_PAYLOAD} are the most")));
    }
    append
        .notices
        .iter()
        .try_for_each(|notice| check_notice(&notice.topic, notice.payload.len()))
        .map_err(Refused::Malformed)
}

fn check_notice(topic: &str, size: usize) -> Result<(), String> {
    check_word("topic", topic)?;
    if size > MAX_PAYLOAD {
        return Err(format!("a notice of {size} bytes, and {MAX_PAYLOAD} are the most"));
    }
    Ok(())
}

fn check_word(what: &str, text: &str) -> Result<(), String> {
    let valid = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-_.".contains(&c);
    if text.is_empty() || text.len() > 64 || !text.bytes().all(valid) {
        let shown: String = text.chars().take(80).collect();
        return Err(format!("{shown:?} is no {what}: 1 to 64 characters of a-z, 0-9, -, _ and ."));
    }
    Ok(())
}

/// Checks a message that is published by itself.
pub(crate) fn check_publish(topic: &str, size: usize) -> Result<(), Unavailable> {
    check_notice(topic, size).map_err(Unavailable)
}

/// Checks the name of a topic, where nothing else is wrong with a call.
pub(crate) fn check_topic(topic: &str) -> Result<(), Unavailable> {
    check_word("topic", topic).map_err(Unavailable)
}

/// Checks the names of a topic and of a group of it.
pub(crate) fn check_group(topic: &str, group: &str) -> Result<(), Unavailable> {
    check_topic(topic)?;
    check_word("consumer group", group).map_err(Unavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// A clock that is set back neither turns the time of a partition nor makes an outage; one that jumps forward does make one.
    #[test]
    fn the_partition_clock_stands_still_while_the_raw_clock_is_behind() {
        let mut heart = Heart::default();
        assert!(heart.sweep(at(10_000)));
        assert!(!heart.sweep(at(10_149)), "somebody has just swept");
        assert!(heart.sweep(at(3_000)), "a clock that was set back stops no sweep");
        assert_eq!(heart.beat, Some(at(10_000)));
        assert!(heart.outages.is_empty());
        let guard = Guard { not_before: Some(at(10_500)), ..Guard::default() };
        assert_eq!(
            heart.judge(at(3_500), (1, at(9_000)), 1, &guard),
            Err(Refused::TooEarly { now: at(10_000) })
        );
        assert!(heart.sweep(at(12_000)));
        assert_eq!(heart.outages, [Outage { from: at(10_000), to: at(12_000) }]);
    }

    /// However many outages there are, the newest are remembered and memory is bounded.
    #[test]
    fn only_the_newest_outages_are_kept() {
        let mut heart = Heart::default();
        for round in 0..200 {
            heart.sweep(at(round * 5_000));
        }
        assert_eq!(heart.outages.len(), OUTAGES_KEPT);
        assert_eq!(heart.outages.back(), Some(&Outage { from: at(990_000), to: at(995_000) }));
    }
}
