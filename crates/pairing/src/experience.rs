//! What has been seen of late: how many players come for each kind of game, and how strong they are. From it follows with what gap a newcomer
//! should be content: see [`Rules::content`].

use std::time::Duration;

use kernel::Timestamp;

use crate::{BOARDS, Kinds, POINT, Rules};

/// What was seen so long ago counts for about a third.
const MEMORY: Duration = Duration::from_secs(600);

/// From so many arrivals on an estimate is worth something: the neighbourhood is widened until there are as many.
const ENOUGH: f64 = 6.0;

/// What comes in the first so many seconds is taken to have come in that time.
const FIRST: f64 = 300.0;

/// The width of a bin of ratings, in points, and how many there are: up to 3,200 points, the last for all above.
const WIDTH: i32 = 50;
const BINS: usize = 64;

/// Arrivals for each kind of game by rating, the older the less.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    /// As many as kinds have been seen.
    kinds: Vec<Arrivals>,
}

/// Arrivals for one kind of game; no bins while there are none.
#[derive(Clone, Debug, Default)]
struct Arrivals {
    bins: Vec<Bin>,
    /// When the first came.
    begun: Timestamp,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    weight: f64,
    at: Timestamp,
}

impl Bin {
    fn weight(self, now: Timestamp) -> f64 {
        self.weight * (-now.since(self.at).as_secs_f64() / MEMORY.as_secs_f64()).exp()
    }
}

impl Experience {
    /// Somebody has come for these kinds, with these ratings on the boards, in millionths of a point.
    pub fn came(&mut self, kinds: Kinds, ratings: &[i64; BOARDS], rules: &Rules, now: Timestamp) {
        for kind in kinds.iter() {
            let place = usize::from(kind);
            if self.kinds.len() <= place {
                self.kinds.resize_with(place + 1, Arrivals::default);
            }
            let arrivals = &mut self.kinds[place];
            if arrivals.bins.is_empty() {
                *arrivals = Arrivals { bins: vec![Bin::default(); BINS], begun: now };
            }
            let bin = &mut arrivals.bins[bin_of(ratings[rules.board(kind)])];
            *bin = Bin { weight: bin.weight(now) + 1.0, at: now };
        }
    }

    /// The densities at this moment.
    pub fn densities(&self, now: Timestamp) -> Densities {
        Densities(self.kinds.iter().map(|arrivals| arrivals.densities(now)).collect())
    }
}

impl Arrivals {
    fn densities(&self, now: Timestamp) -> Vec<f64> {
        let weights: Vec<f64> = self.bins.iter().map(|bin| bin.weight(now)).collect();
        // What can have been seen by now: at the beginning less than later, but a first crowd does not go on coming.
        let seen = now.since(self.begun).as_secs_f64() / MEMORY.as_secs_f64();
        let memory = (MEMORY.as_secs_f64() * (1.0 - (-seen).exp())).max(FIRST);
        (0..weights.len()).map(|bin| around(&weights, bin) / memory).collect()
    }
}

/// So many in the neighbourhood of a bin, besides one, for each point of rating.
fn around(weights: &[f64], middle: usize) -> f64 {
    let (mut weight, mut width) = (0.0, 0_u32);
    for reach in 0..weights.len() {
        let above = (reach > 0).then_some(middle + reach).filter(|bin| *bin < weights.len());
        for bin in [middle.checked_sub(reach), above].into_iter().flatten() {
            weight += weights[bin];
            width += 1;
        }
        if reach > 0 && weight >= ENOUGH {
            break;
        }
    }
    (weight - 1.0).max(0.0) / (f64::from(WIDTH) * f64::from(width.max(1)))
}

/// How many come per second, by kind and rating.
#[derive(Clone, Debug, Default)]
pub struct Densities(Vec<Vec<f64>>);

impl Densities {
    /// How many of about these ratings come per second for each point of rating, besides one who has come themselves: for that one of the kinds for
    /// which most come.
    pub fn of(&self, kinds: Kinds, ratings: &[i64; BOARDS], rules: &Rules) -> f64 {
        let of_kind =
            |kind: u8| self.0.get(usize::from(kind))?.get(bin_of(ratings[rules.board(kind)])).copied();
        kinds.iter().filter_map(of_kind).fold(0.0, f64::max)
    }
}

fn bin_of(rating: i64) -> usize {
    usize::try_from(rating / (i64::from(WIDTH) * POINT)).unwrap_or(0).min(BINS - 1)
}
