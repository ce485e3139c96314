//! How long tickets of late have waited for a person, and what that says to one who waits now.
//!
//! A ticket that left otherwise (its player gave up, or an AI filled in) says only that nobody came for so long. Such waits are *censored*; the
//! product-limit estimate takes them for what they are (E. L. Kaplan and P. Meier, *Nonparametric estimation from incomplete observations*, 1958).

use std::{collections::VecDeque, time::Duration};

use kernel::Timestamp;

use crate::{Kinds, POINT};

/// So many waits are remembered, and for so long.
const KEPT: usize = 512;
const MEMORY: Duration = Duration::from_secs(1_800);

/// Fewer like tickets say nothing.
const ENOUGH: usize = 8;

/// Tickets are alike when they share a kind and their ratings are no farther apart, in millionths of a point.
const ALIKE: i64 = 200 * POINT;

/// Waits of late.
#[derive(Clone, Debug, Default)]
pub struct Waits(VecDeque<Wait>);

#[derive(Clone, Copy, Debug)]
struct Wait {
    kinds: Kinds,
    rating: i64,
    waited: Duration,
    /// Whether a person came.
    met: bool,
    at: Timestamp,
}

impl Waits {
    /// A ticket has left the queue: because a person came, or otherwise. The rating is in millionths of a point.
    pub fn left(&mut self, kinds: Kinds, rating: i64, waited: Duration, met: bool, now: Timestamp) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Wait { kinds, rating, waited, met, at: now });
    }

    /// How long a ticket that has waited for so long will wait on until there is a person, at the median. None when too few like it are known,
    /// or fewer than half of them came to a person.
    pub fn expected(&self, kinds: Kinds, rating: i64, waited: Duration, now: Timestamp) -> Option<Duration> {
        self.survivors(kinds, rating, waited, now)?
            .into_iter()
            .find(|(_, alone)| *alone <= 0.5 + 1e-9)
            .map(|(time, _)| time.saturating_sub(waited))
    }

    /// The chance that a person comes before a ticket that has waited for so long has waited until then. None when too few like it are known.
    pub fn chance(
        &self,
        kinds: Kinds,
        rating: i64,
        waited: Duration,
        until: Duration,
        now: Timestamp,
    ) -> Option<f64> {
        // Who left before then otherwise says little of the time after.
        let says = |wait: &&Wait| wait.waited >= until || wait.met;
        if self.alike(kinds, rating, waited, now).filter(says).count() < ENOUGH {
            return None;
        }
        let survivors = self.survivors(kinds, rating, waited, now)?;
        let alone = survivors.into_iter().take_while(|(time, _)| *time <= until).last();
        Some(1.0 - alone.map_or(1.0, |(_, alone)| alone))
    }

    /// Tickets like this one that waited longer than it has.
    fn alike(
        &self,
        kinds: Kinds,
        rating: i64,
        waited: Duration,
        now: Timestamp,
    ) -> impl Iterator<Item = &Wait> {
        self.0.iter().filter(move |wait| {
            !wait.kinds.common(kinds).is_empty()
                && wait.rating.saturating_sub(rating).saturating_abs() <= ALIKE
                && wait.waited > waited
                && wait.at + MEMORY > now
        })
    }

    /// For each moment at which somebody like it came to a person, later than the wait so far: the share of those still waiting then who wait on.
    fn survivors(
        &self,
        kinds: Kinds,
        rating: i64,
        waited: Duration,
        now: Timestamp,
    ) -> Option<Vec<(Duration, f64)>> {
        let mut alike: Vec<(Duration, bool)> =
            self.alike(kinds, rating, waited, now).map(|wait| (wait.waited, wait.met)).collect();
        if alike.len() < ENOUGH {
            return None;
        }
        alike.sort_unstable();
        let mut alone = 1.0;
        let mut survivors = Vec::new();
        for (place, (time, met)) in alike.iter().enumerate() {
            if *met {
                #[expect(clippy::cast_precision_loss, reason = "a small count")]
                let waiting = (alike.len() - place) as f64;
                alone *= 1.0 - 1.0 / waiting;
                survivors.push((*time, alone));
            }
        }
        Some(survivors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(10_000_000);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn waits(list: &[(u64, bool)]) -> Waits {
        let mut waits = Waits::default();
        for (waited, met) in list {
            waits.left(Kinds(1), 1_200 * POINT, seconds(*waited), *met, NOW);
        }
        waits
    }

    /// With ten who met somebody after 1 to 10 s the median is 5 s; who has waited 6 s is one of four, and waits 2 s more. Those who gave up count for as
    /// long as they waited, and not as if somebody had come.
    #[test]
    fn the_expected_wait_is_the_median_of_those_who_waited_as_long() {
        let all: Vec<_> = (1..=20).map(|n| (n, true)).collect();
        let waits_of = |waited| waits(&all).expected(Kinds(1), 1_200 * POINT, seconds(waited), NOW);
        assert_eq!([0, 10, 12].map(waits_of), [Some(seconds(10)), Some(seconds(5)), Some(seconds(4))]);
        assert_eq!(waits_of(13), None, "seven are too few");
        let gave_up: Vec<_> = (1..=20).map(|n| (n, n > 10)).collect();
        assert_eq!(waits(&gave_up).expected(Kinds(1), 1_200 * POINT, seconds(0), NOW), Some(seconds(15)));
        let mostly: Vec<_> = (1..=20).map(|n| (n, n == 3)).collect();
        assert_eq!(waits(&mostly).expected(Kinds(1), 1_200 * POINT, seconds(0), NOW), None);
    }

    /// The chance that somebody comes in time is nought when nobody ever did, and the share of those for whom somebody did when nobody gave up.
    #[test]
    fn the_chance_is_the_share_of_those_for_whom_somebody_came() {
        let chance = |list: &[(u64, bool)], until| {
            waits(list).chance(Kinds(1), 1_200 * POINT, seconds(5), seconds(until), NOW)
        };
        let never: Vec<_> = (0..10).map(|_| (20, false)).collect();
        assert_eq!(chance(&never, 20), Some(0.0));
        let all: Vec<_> = (6..=15).map(|n| (n, true)).collect();
        assert!(chance(&all, 10).is_some_and(|chance| (chance - 0.5).abs() < 1e-9));
        assert_eq!(chance(&all[3..], 10), None);
        let given_up: Vec<_> = (0..20).map(|n| (6, n > 15)).collect();
        assert_eq!(chance(&given_up, 20), None, "those who left after 6 s say nothing of 20 s");
    }

    /// Only tickets of a common kind, of about the same strength and of the last half hour say anything.
    #[test]
    fn only_like_tickets_of_late_count() {
        let all = waits(&[(9, true); 8]);
        let expected = |kinds, points: i64, now| all.expected(Kinds(kinds), points * POINT, seconds(0), now);
        assert!(expected(0b11, 1_400, NOW).is_some());
        assert_eq!(expected(0b10, 1_200, NOW), None);
        assert_eq!(expected(0b01, 1_401, NOW), None);
        assert_eq!(expected(0b01, 1_200, NOW + MEMORY), None);
    }
}
