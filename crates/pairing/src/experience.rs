//! What has been seen of late: how many players come, and how strong they are. From it follows with what gap a newcomer
//! should be content: see [`Rules::content`](crate::Rules::content).

use std::time::Duration;

use kernel::Timestamp;

use crate::POINT;

/// What was seen so long ago counts for about a third.
const MEMORY: Duration = Duration::from_secs(600);

/// From so many arrivals on an estimate is worth something: the neighbourhood is widened until there are as many.
const ENOUGH: f64 = 6.0;

/// The width of a bin of ratings, in points, and how many there are: up to 3,200 points, the last for all above.
const WIDTH: i32 = 50;
const BINS: usize = 64;

/// Arrivals by rating, the older the less.
#[derive(Clone, Debug)]
pub struct Experience {
    bins: Vec<Bin>,
    /// When the first came.
    begun: Option<Timestamp>,
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

impl Default for Experience {
    fn default() -> Self {
        Self { bins: vec![Bin::default(); BINS], begun: None }
    }
}

impl Experience {
    /// Somebody of this rating, in millionths of a point, has come.
    pub fn came(&mut self, rating: i64, now: Timestamp) {
        self.begun.get_or_insert(now);
        let bin = &mut self.bins[place(rating)];
        *bin = Bin { weight: bin.weight(now) + 1.0, at: now };
    }

    /// How many of about this rating come per second, for each point of rating, besides one who has come themselves.
    pub fn density(&self, rating: i64, now: Timestamp) -> f64 {
        let middle = place(rating);
        let (mut weight, mut width) = (0.0, 0_u32);
        for reach in 0..BINS {
            let near =
                [middle.checked_sub(reach), (reach > 0).then_some(middle + reach).filter(|bin| *bin < BINS)];
            for bin in near.into_iter().flatten() {
                weight += self.bins[bin].weight(now);
                width += 1;
            }
            if reach > 0 && weight >= ENOUGH {
                break;
            }
        }
        // What can have been seen by now: at the beginning less than later.
        let seen = self.begun.map_or(0.0, |begun| now.since(begun).as_secs_f64() / MEMORY.as_secs_f64());
        let memory = MEMORY.as_secs_f64() * (1.0 - (-seen).exp());
        let points = f64::from(WIDTH) * f64::from(width);
        (weight - 1.0).max(0.0) / (memory.max(1.0) * points)
    }
}

fn place(rating: i64) -> usize {
    usize::try_from(rating / (i64::from(WIDTH) * POINT)).unwrap_or(0).min(BINS - 1)
}
