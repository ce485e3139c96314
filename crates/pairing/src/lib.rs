//! Who meets whom, pure: the matching of the waiting players that is worth most, over all of them together.
//!
//! Two who may meet are worth what both bring, less their rating gap. What somebody brings grows while they wait, so a long wait
//! buys a wide gap, and a newcomer is paired at once only with somebody near. Who is not paired waits on: that is worth nothing and costs nothing
//! now. [`Rules::meeting`] says what two are worth, [`pair`] finds the matching.
//!
//! [`pair`] looks only at pairs of neighbours: for each kind of game, the players in order of their rating, each with the next few who
//! would have them. On these it is exact ([`blossom`]). The prices that come with the matching say which of the other pairs could make
//! it better; those are added, until there are none: so pools of up to [`EXACT`] players are paired at the optimum, and larger ones next to it (above [`CROWD`] by taking the best pair that is
//! left, again and again). There is no
//! randomness: the same pool gives the same pairs, in whatever order it is given.

pub mod blossom;
mod experience;
mod neighbours;
mod rules;
pub mod simulation;
mod waits;

use std::{cmp::Reverse, sync::Arc, time::Duration};

use kernel::PlayerId;
use rayon::prelude::*;

pub use experience::{Densities, Experience};
pub use rules::{Meeting, Rules};
pub use waits::Waits;

use blossom::{Edge, Effort};
use neighbours::Lines;
use rules::Prepared;

/// Pools up to this size are paired at the optimum.
pub const EXACT: usize = 512;

/// Above this size there is no time for the optimum: see [`in_turn`].
pub const CROWD: usize = 20_000;

/// Kinds of boards with a rating each: 9x9, 13x13, 19x19.
pub const BOARDS: usize = 3;

/// A rating, or a gap, in millionths of a point.
pub const POINT: i64 = 1_000_000;

/// A set of kinds of games, up to 64. Which is which is the caller's affair; here they only have a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(pub u64);

impl Kinds {
    /// What both have.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The first of them.
    pub const fn first(self) -> Option<u8> {
        // At most 63 when there is one.
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as u8) }
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |kind| self.0 & (1 << kind) != 0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Colours that somebody would play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// Either.
    #[default]
    Any,
    /// Black only.
    Black,
    /// White only.
    White,
}

/// Somebody who waits.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Who.
    pub player: PlayerId,
    /// How strong on each kind of board, in millionths of a point.
    pub ratings: [i64; BOARDS],
    /// For how long.
    pub waited: Duration,
    /// For what.
    pub kinds: Kinds,
    /// The colours that they take.
    pub colors: Colors,
    /// How much weaker an opponent they take, in points.
    pub below: u32,
    /// How much stronger.
    pub above: u32,
    /// Whether they are new or weak: they never meet somebody stronger by [`Rules::shelter`] points or more.
    pub sheltered: bool,
    /// What gap they are content with at once, in points: less where somebody nearer will come soon. See [`Rules::content`].
    pub content: u32,
    /// Whom they met last.
    pub last_opponent: Option<PlayerId>,
    /// Whom they never meet.
    pub avoids: Arc<[PlayerId]>,
}

/// Two who shall meet: places in the pool, and the kind of game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// One.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// What they play.
    pub kind: u8,
}

/// The pairs that should be made now, each candidate in at most one.
pub fn pair(pool: &[Candidate], rules: &Rules) -> Vec<Pair> {
    // Along the line of ratings; whatever the order of the pool, the answer is the same.
    let place =
        |(place, candidate): (usize, &Candidate)| (rules.strength(candidate), candidate.player, place);
    let mut order: Vec<_> = pool.iter().enumerate().map(place).collect();
    order.sort_unstable();
    let order: Vec<usize> = order.into_iter().map(|(_, _, place)| place).collect();
    let sorted: Vec<Prepared<'_>> = order.iter().map(|place| rules.prepare(&pool[*place])).collect();
    let partners = match_all(&sorted, rules);
    let mut pairs = Vec::new();
    for (a, b) in partners.iter().enumerate() {
        if let Some(b) = b.map(|b| b as usize)
            && a < b
            && let Some(meeting) = rules.meets(&sorted[a], &sorted[b])
        {
            pairs.push(Pair { a: order[a], b: order[b], kind: meeting.kind });
        }
    }
    pairs
}

/// Everybody's partner.
fn match_all(pool: &[Prepared<'_>], rules: &Rules) -> Vec<Option<u32>> {
    let Ok(count) = u32::try_from(pool.len()) else { return vec![None; pool.len()] };
    if pool.len() > CROWD {
        let mut partners = in_turn(pool, rules);
        look_further(pool, rules, &mut partners);
        return partners;
    }
    let exact = pool.len() <= EXACT;
    // Above that size, pairs beyond the neighbours are not looked for.
    let (rounds, effort) =
        if exact { (usize::MAX, Effort::EXACT) } else { (0, Effort { first: 24, second: 256 }) };
    let lines = Lines::new(pool, rules);
    let mut edges = lines.nearest(6);
    let mut round = 0;
    loop {
        let mut matching = blossom::best(count, &edges, effort);
        if round >= rounds {
            look_further(pool, rules, &mut matching.partners);
            return matching.partners;
        }
        let missing = lines.missing(&edges, &matching.prices);
        if missing.is_empty() {
            return matching.partners;
        }
        edges.extend(missing);
        round += 1;
    }
}

/// So many who are past their patience are looked after at each wave of a large pool.
const LOOKED_AFTER: usize = 32;

/// In a large pool, who is past their patience and suits none of their neighbours gets the best of all who are left. They take turns, so that those whom nobody
/// suits do not stand in the way.
fn look_further(pool: &[Prepared<'_>], rules: &Rules, partners: &mut [Option<u32>]) {
    let all = 0..u32::try_from(pool.len()).unwrap_or(u32::MAX);
    let alone: Vec<u32> = all.filter(|place| partners[*place as usize].is_none()).collect();
    let waited = |place: u32| pool[place as usize].candidate.waited;
    let mut waiting: Vec<u32> =
        alone.iter().copied().filter(|place| waited(*place) >= rules.patience).collect();
    waiting.sort_by_key(|place| Reverse(waited(*place)));
    let Some(longest) = waiting.first().map(|place| waited(*place)) else { return };
    // Half a second later it is the turn of the next.
    let turn = usize::try_from(longest.as_millis() / 500).unwrap_or(0).wrapping_mul(LOOKED_AFTER);
    let count = waiting.len();
    waiting.rotate_left(turn % count);
    for one in waiting.into_iter().take(LOOKED_AFTER) {
        if partners[one as usize].is_some() {
            continue;
        }
        let free = alone.iter().filter(|other| partners[**other as usize].is_none());
        let worth = |other: &u32| {
            let meeting = rules.meets(&pool[one as usize], &pool[*other as usize])?;
            Some((meeting.value, Reverse(*other)))
        };
        if let Some((_, Reverse(other))) = free.filter_map(worth).max() {
            partners[one as usize] = Some(other);
            partners[other as usize] = Some(one);
        }
    }
}

/// So many times the players who are left are looked at anew.
const TURNS: usize = 4;

/// Everybody's partner in a crowd: of the pairs of neighbours the one that is worth most, then the next whose players are both free, and so on; then the
/// same for those who are left.
fn in_turn(pool: &[Prepared<'_>], rules: &Rules) -> Vec<Option<u32>> {
    let mut partners = vec![None; pool.len()];
    let mut left: Vec<u32> = (0..u32::try_from(pool.len()).unwrap_or(u32::MAX)).collect();
    for _ in 0..TURNS {
        let those: Vec<Prepared<'_>> = left.iter().map(|place| pool[*place as usize]).collect();
        let mut edges = Lines::new(&those, rules).nearest(2);
        // One number is compared faster than three: the value downwards, then both places.
        let place = |edge: &Edge| {
            u128::from(u64::MAX - edge.value.unsigned_abs()) << 64
                | u128::from(edge.a) << 32
                | u128::from(edge.b)
        };
        edges.par_sort_unstable_by_key(place);
        for edge in &edges {
            let (a, b) = (left[edge.a as usize], left[edge.b as usize]);
            if partners[a as usize].is_none() && partners[b as usize].is_none() {
                partners[a as usize] = Some(b);
                partners[b as usize] = Some(a);
            }
        }
        let before = left.len();
        left.retain(|place| partners[*place as usize].is_none());
        if left.len() == before {
            break;
        }
    }
    partners
}
