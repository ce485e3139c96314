//! What a watcher saw of a game, small enough to keep for thousands of games.

use std::hash::{DefaultHasher, Hash, Hasher};

use nigiri_proto::game::v1::{GameEvent, GameFinished, ScoreParts, game_event::Event};

/// What one watcher saw: the numbers of the entries with a digest of each, and what a snapshot let it skip.
#[derive(Default)]
pub struct Seen {
    /// Number and digest of each entry, in the order in which they came.
    pub entries: Vec<(u64, u64)>,
    /// Numbers of entries that a snapshot stood for, first and last.
    pub skipped: Vec<(u64, u64)>,
}

impl Seen {
    /// The number of the last entry that is known.
    pub fn last(&self) -> u64 {
        let entry = self.entries.last().map_or(0, |(sequence, _)| *sequence);
        entry.max(self.skipped.last().map_or(0, |(_, to)| *to))
    }

    /// An entry came.
    pub fn entry(&mut self, sequence: u64, events: &[GameEvent], time: Option<&prost_types::Timestamp>) {
        self.entries.push((sequence, digest(events, time)));
    }

    /// A snapshot came.
    pub fn snapshot(&mut self, sequence: u64) {
        let last = self.last();
        if sequence > last {
            self.skipped.push((last + 1, sequence));
        }
    }

    /// What of it does not agree with the record, in which entry `n` has the digest `record[n - 1]`: how many entries are missing,
    /// come twice, are out of order or differ.
    pub fn faults(&self, record: &[u64]) -> u64 {
        let mut expected = 1;
        let mut faults = 0;
        let mut skipped = self.skipped.iter().peekable();
        let mut skip = |expected: &mut u64| {
            while let Some((_, to)) = skipped.next_if(|(from, _)| from == expected) {
                *expected = to + 1;
            }
        };
        for (sequence, digest) in &self.entries {
            skip(&mut expected);
            let there = usize::try_from(*sequence).ok().and_then(|n| record.get(n.checked_sub(1)?));
            faults += u64::from(*sequence != expected || there != Some(digest));
            expected = expected.max(sequence + 1);
        }
        skip(&mut expected);
        faults + (record.len() as u64 + 1).abs_diff(expected)
    }
}

/// A digest of an entry: of all that its events say, and of its stamp.
pub fn digest(events: &[GameEvent], time: Option<&prost_types::Timestamp>) -> u64 {
    let mut hasher = DefaultHasher::new();
    time.map(|time| (time.seconds, time.nanos)).hash(&mut hasher);
    for event in events {
        hash(event.event.as_ref(), &mut hasher);
    }
    hasher.finish()
}

fn hash(event: Option<&Event>, hasher: &mut DefaultHasher) {
    match event {
        None => 0.hash(hasher),
        Some(Event::Created(created)) => {
            1.hash(hasher);
            for seat in &created.seats {
                (seat.color, &seat.player_id, &seat.name, seat.bot).hash(hasher);
            }
            if let Some(settings) = &created.settings {
                (&settings.preset, settings.board_size, settings.rated, settings.move_limit).hash(hasher);
                settings.komi.to_bits().hash(hasher);
            }
        }
        Some(Event::MovePlayed(played)) => (2, played.color, &played.point, &played.captured).hash(hasher),
        Some(Event::Passed(passed)) => (3, passed.color).hash(hasher),
        Some(Event::Finished(finished)) => {
            4.hash(hasher);
            hash_end(finished, hasher);
        }
        Some(Event::TimeCredited(credited)) => {
            (5, &credited.reason).hash(hasher);
            credited.credit.as_ref().map(|credit| (credit.seconds, credit.nanos)).hash(hasher);
        }
        Some(other) => (6, format!("{other:?}")).hash(hasher),
    }
}

fn hash_end(finished: &GameFinished, hasher: &mut DefaultHasher) {
    finished.result.as_ref().map(|result| (result.winner, result.reason, &result.text)).hash(hasher);
    if let Some(verdict) = &finished.verdict {
        (&verdict.dead, &verdict.owner, verdict.judge_version).hash(hasher);
        let total = |parts: &Option<ScoreParts>| parts.as_ref().map(|parts| parts.total.to_bits());
        (total(&verdict.black), total(&verdict.white)).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{MovePlayed, Passed};

    use super::*;

    /// A watcher who saw everything, or for whom a snapshot stood for some of it, is right; each kind of fault is found.
    #[test]
    fn every_kind_of_fault_is_found() {
        let record = [11, 12, 13, 14, 15];
        let seen = |entries: &[(u64, u64)], skipped: &[(u64, u64)]| {
            Seen { entries: entries.to_vec(), skipped: skipped.to_vec() }.faults(&record)
        };
        assert_eq!(seen(&[(1, 11), (2, 12), (3, 13), (4, 14), (5, 15)], &[]), 0);
        assert_eq!(seen(&[(3, 13), (5, 15)], &[(1, 2), (4, 4)]), 0);
        assert_eq!(seen(&[(4, 14)], &[(1, 3), (5, 5)]), 0);
        assert!(seen(&[(1, 11), (3, 13), (4, 14), (5, 15)], &[]) > 0, "missing");
        assert!(seen(&[(1, 11), (2, 12), (2, 12), (3, 13), (4, 14), (5, 15)], &[]) > 0, "twice");
        assert!(seen(&[(2, 12), (1, 11), (3, 13), (4, 14), (5, 15)], &[]) > 0, "out of order");
        assert!(seen(&[(1, 11), (2, 99), (3, 13), (4, 14), (5, 15)], &[]) > 0, "different");
        assert!(seen(&[(1, 11), (2, 12)], &[]) > 0, "too few");
        assert!(seen(&[(1, 11), (2, 12), (3, 13), (4, 14), (5, 15), (6, 16)], &[]) > 0, "too many");
    }

    /// Entries that say different things have different digests.
    #[test]
    fn digests_tell_entries_apart() {
        let played = |point: &str, captured: &[&str]| GameEvent {
            event: Some(Event::MovePlayed(MovePlayed {
                color: 1,
                point: point.to_owned(),
                captured: captured.iter().map(|&p| p.to_owned()).collect(),
            })),
        };
        let all = [
            vec![played("D5", &[])],
            vec![played("D6", &[])],
            vec![played("D5", &["D6"])],
            vec![GameEvent { event: Some(Event::Passed(Passed { color: 1 })) }],
            vec![],
        ];
        let digests: std::collections::HashSet<u64> = all.iter().map(|events| digest(events, None)).collect();
        assert_eq!(digests.len(), all.len());
        assert_eq!(digest(&all[0], None), digest(&all[0].clone(), None));
    }
}
