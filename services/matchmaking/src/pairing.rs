//! Who meets whom, pure: a matching of the waiting players with the least total cost, over all of them together.
//!
//! Ratings lie on a line, so good partners are neighbours on it. The players are sorted by rating, and a dynamic program goes
//! along the line: at each player it knows which of the next few are taken, and weighs leaving the player alone against each
//! of the free ones in that *band*. It is exact among all matchings whose pairs are less than a band apart in rank, hence
//! exact for pools no larger than the band (a property test holds it against trying all matchings). Those who are left, because
//! their neighbours want other games, are paired among themselves in the same way, until there are none who could meet.
//! A pass takes `n · 2^(band-1) · (band-1)` steps and no randomness: the same pool gives the same pairs.
//!
//! A pair costs its rating gap, and a lot more when the two have just met. A player who is left alone costs more than any
//! pair, and the more the longer they have waited. So as many as possible meet, those who have waited longest first, as
//! close to each other as possible.

use std::{collections::HashSet, time::Duration};

use kernel::PlayerId;

use crate::ticket::{Presets, Rating};

/// The rating gap that a ticket accepts at first, in points either way.
pub const NARROWEST: u32 = 100;

/// What a second of waiting adds to it, in points.
pub const WIDENING: u32 = 12;

/// Where it stops at first, in points.
pub const WIDE: u32 = 400;

/// After so long nobody shall starve: it goes on widening at the same pace, without limit.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Two who have just met meet again only when both have waited this long, so that somebody else can come.
pub const REMATCH_AFTER: Duration = Duration::from_secs(2);

/// What it costs when two who have just met meet again: as much as so many points of rating gap.
const REMATCH: i64 = 500 * POINT;

/// What it costs to leave somebody alone: more than any gap.
const ALONE: i64 = 1_000_000 * POINT;

/// What a second of waiting adds to that.
const ALONE_SECOND: i64 = 12 * POINT;

/// One rating point in the unit of costs.
const POINT: i64 = 1_000_000;

/// Pools up to this size are paired with the wide band.
const SMALL: usize = 512;

/// Somebody who waits.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Who.
    pub player: PlayerId,
    /// How strong.
    pub rating: Rating,
    /// For how long.
    pub waited: Duration,
    /// For what.
    pub accepts: Presets,
    /// Whom they met last.
    pub last_opponent: Option<PlayerId>,
}

/// The rating gap that a ticket accepts after so long, in points either way.
pub fn window(waited: Duration) -> u32 {
    let widened = |time: Duration| {
        let points = time.as_millis() * u128::from(WIDENING) / 1000;
        u32::try_from(points).unwrap_or(u32::MAX)
    };
    let first = NARROWEST.saturating_add(widened(waited)).min(WIDE);
    first.saturating_add(widened(waited.saturating_sub(PATIENCE)))
}

/// What it costs to pair these two; none when they may not meet now.
pub fn cost(a: &Candidate, b: &Candidate) -> Option<i64> {
    let gap = a.rating.0.saturating_sub(b.rating.0).saturating_abs();
    let reach = i64::from(window(a.waited.min(b.waited))) * POINT;
    if gap > reach || a.accepts.common(b.accepts).is_empty() || a.player == b.player {
        return None;
    }
    let met = a.last_opponent == Some(b.player) || b.last_opponent == Some(a.player);
    match met {
        false => Some(gap),
        true if a.waited.min(b.waited) < REMATCH_AFTER => None,
        true => Some(gap + REMATCH),
    }
}

/// What it costs to leave this one alone.
pub fn alone(candidate: &Candidate) -> i64 {
    let seconds = i64::try_from(candidate.waited.as_secs()).unwrap_or(i64::MAX);
    ALONE.saturating_add(seconds.min(1_000_000).saturating_mul(ALONE_SECOND))
}

/// Pairs of indices into the pool, each index at most once.
pub fn pair(pool: &[Candidate]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_unstable_by_key(|index| (pool[*index].rating, pool[*index].player));
    let mut pairs = Vec::new();
    loop {
        let band = if order.len() <= SMALL { 8 } else { 6 };
        let line = Line { pool, order, band };
        let found = line.solve();
        if found.is_empty() {
            return pairs;
        }
        let met: HashSet<usize> = found.iter().flat_map(|(a, b)| [*a, *b]).collect();
        order = line.order;
        order.retain(|index| !met.contains(index));
        pairs.extend(found);
    }
}

/// The pool in order of rating. A *mask* says which of the players from a place on are taken, the place's own in the lowest bit.
struct Line<'a> {
    pool: &'a [Candidate],
    order: Vec<usize>,
    band: usize,
}

impl Line<'_> {
    /// From the end backwards, the least cost of everything from a place on, for each mask; and the choice that gives it: the distance
    /// to the partner, or 0 for nobody. Then forwards along the choices.
    fn solve(&self) -> Vec<(usize, usize)> {
        let masks = 1 << self.band;
        let mut choices = vec![0_u8; self.order.len() * masks];
        let mut next = vec![0_i64; masks];
        let mut here = vec![0_i64; masks];
        for place in (0..self.order.len()).rev() {
            let (alone, costs) = self.costs(place);
            let choices = &mut choices[place * masks..(place + 1) * masks];
            for mask in 0..masks {
                if mask & 1 == 1 {
                    here[mask] = next[mask >> 1];
                    continue;
                }
                let mut best = alone + next[mask >> 1];
                for (distance, cost) in &costs {
                    let taken = 1 << distance;
                    if mask & taken == 0 {
                        let total = cost + next[(mask | taken) >> 1];
                        if total < best {
                            best = total;
                            choices[mask] = *distance;
                        }
                    }
                }
                here[mask] = best;
            }
            std::mem::swap(&mut next, &mut here);
        }
        self.follow(&choices, masks)
    }

    /// What it costs to leave the player at a place alone, and to pair them with each partner at a distance in the band.
    fn costs(&self, place: usize) -> (i64, Vec<(u8, i64)>) {
        let candidate = &self.pool[self.order[place]];
        let partners = self.order[place + 1..].iter().take(self.band - 1).zip(1_u8..);
        let costs = partners
            .filter_map(|(index, distance)| cost(candidate, &self.pool[*index]).map(|cost| (distance, cost)));
        (alone(candidate), costs.collect())
    }

    fn follow(&self, choices: &[u8], masks: usize) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut mask = 0_usize;
        for place in 0..self.order.len() {
            if mask & 1 == 0 {
                let distance = usize::from(choices[place * masks + mask]);
                if distance > 0 {
                    pairs.push((self.order[place], self.order[place + distance]));
                    mask |= 1 << distance;
                }
            }
            mask >>= 1;
        }
        pairs
    }
}
