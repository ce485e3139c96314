//! A day of a server in numbers: players come, wait, and meet, under our pairing or under that of others.
//!
//! **Players.** Ratings are log-normal with the median 1,350 and σ 0.2, so two thirds lie between 1,105 and 1,650. Each player asks for five
//! games a day, alike at all strengths. How many come at which hour follows a cosine with its top in the evening, nine times as
//! high as in the small hours. When a whole day would be more tickets than are wanted, the day is shortened: the rates
//! at each hour stay what they are, and the hours pass faster. A player who waits or plays (eight minutes) does not come again meanwhile.
//!
//! **Tickets** all want the same game. Who has not met anybody after the time for an AI leaves the queue for one.
//!
//! Everything follows from the seed.

mod others;
mod picture;
mod policy;

use std::{collections::HashMap, time::Duration};

use kernel::Timestamp;

pub use picture::{Curve, picture};
pub use policy::Policy;

/// How long a game takes.
const GAME: f64 = 480.0;

/// Tickets that a player opens in a day.
const GAMES_A_DAY: f64 = 5.0;

const DAY: f64 = 86_400.0;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Players of the server, whether they are there or not.
    pub players: u32,
    /// About so many tickets: on a small server several days.
    pub tickets: u32,
    /// Who has waited so long is given an AI.
    pub ai_after: Duration,
    /// Where randomness begins.
    pub seed: u64,
}

/// Somebody in the simulated queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Which player.
    pub player: u32,
    /// The rating in points.
    pub rating: f64,
    /// When they came, in seconds from the beginning.
    pub since: f64,
    /// Waves of the policy that they have been through.
    pub missed: u32,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Tickets in all.
    pub tickets: usize,
    /// The share of tickets that ended with an AI.
    pub ai: f64,
    /// The mean wait over all tickets, in seconds, and its quantiles: the half, nine tenths, 99 hundredths.
    pub wait: f64,
    /// Quantiles of the wait.
    pub waits: [f64; 3],
    /// The rating gap of games between people, in points: the half, nine tenths.
    pub gaps: [f64; 2],
    /// By tenths of the players, the weakest first: the mean wait in seconds, the median gap in points, the share of AI games.
    pub deciles: Vec<[f64; 3]>,
}

/// A ticket that has ended.
#[derive(Clone, Copy)]
struct Ended {
    rating: f64,
    wait: f64,
    gap: Option<f64>,
}

/// Randomness: a multiplicative congruential generator over 2^64, of which the upper bits are used.
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed ^ 0x9E37_79B9_7F4A_7C15);
        for _ in 0..8 {
            random.unit();
        }
        random
    }

    /// Evenly from 0 to 1, without 0.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = u32::try_from(self.0 >> 32).unwrap_or(0);
        (f64::from(bits) + 1.0) / 4_294_967_297.0
    }

    /// From the normal distribution, by the method of Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Runs a policy through the setting.
pub fn run(setting: Setting, policy: &Policy) -> Outcome {
    let arrivals = arrivals(setting);
    let mut queue: Vec<Waiting> = Vec::new();
    let mut busy: HashMap<u32, f64> = HashMap::new();
    let mut ended = Vec::new();
    let mut state = policy.begin();
    let ai_after = setting.ai_after.as_secs_f64();
    let (mut next, mut now) = (0, 0.0);
    while next < arrivals.len() || !queue.is_empty() {
        if queue.is_empty() && next < arrivals.len() {
            // Nothing happens until somebody comes; waves keep their beat.
            let beats = ((arrivals[next].since - now) / policy.interval()).floor().max(0.0);
            now += beats * policy.interval();
        }
        now += policy.interval();
        while let Some(one) = arrivals.get(next).filter(|one| one.since <= now) {
            next += 1;
            if busy.get(&one.player).is_none_or(|until| *until <= one.since) {
                busy.insert(one.player, f64::MAX);
                policy.came(&mut state, one);
                queue.push(*one);
            }
        }
        let mut gone = vec![false; queue.len()];
        for (a, b) in policy.wave(&mut state, &queue, now) {
            let gap = (queue[a].rating - queue[b].rating).abs();
            for place in [a, b] {
                gone[place] = true;
                let one = queue[place];
                busy.insert(one.player, now + GAME);
                ended.push(Ended { rating: one.rating, wait: now - one.since, gap: Some(gap) });
            }
        }
        for (place, one) in queue.iter_mut().enumerate() {
            one.missed += 1;
            if !gone[place] && now - one.since >= ai_after {
                gone[place] = true;
                busy.insert(one.player, now + GAME);
                ended.push(Ended { rating: one.rating, wait: ai_after, gap: None });
            }
        }
        let mut places = gone.into_iter();
        queue.retain(|_| !places.next().unwrap_or(false));
    }
    summary(ended)
}

/// Who comes when.
fn arrivals(setting: Setting) -> Vec<Waiting> {
    let mut random = Random::new(setting.seed);
    let ratings: Vec<f64> = (0..setting.players).map(|_| 1_350.0 * (0.2 * random.normal()).exp()).collect();
    let mean = f64::from(setting.players) * GAMES_A_DAY / DAY;
    let length = f64::from(setting.tickets) / mean;
    let day = length.min(DAY);
    let (mut arrivals, mut now) = (Vec::new(), 0.0);
    loop {
        // Thinning: as fast as at the top, of which only a part comes.
        now -= random.unit().ln() / (1.8 * mean);
        if now >= length {
            return arrivals;
        }
        let share = 0.8f64.mul_add((std::f64::consts::TAU * (now / day - 20.0 / 24.0)).cos(), 1.0) / 1.8;
        let (keep, who) = (random.unit() < share, random.unit() * f64::from(setting.players));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the number of players"
        )]
        let player = (who as u32).min(setting.players.saturating_sub(1));
        if let Some(rating) = ratings.get(player as usize).filter(|_| keep) {
            arrivals.push(Waiting { player, rating: *rating, since: now, missed: 0 });
        }
    }
}

/// The stamp of a moment of the simulation.
fn stamp(seconds: f64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(Duration::from_secs_f64(seconds.max(0.0)).as_millis()).unwrap_or(0))
}

fn summary(mut ended: Vec<Ended>) -> Outcome {
    let waits = sorted(ended.iter().map(|one| one.wait));
    let gaps = sorted(ended.iter().filter_map(|one| one.gap));
    ended.sort_by(|a, b| a.rating.total_cmp(&b.rating));
    let tenth = |part: usize| &ended[ended.len() * part / 10..ended.len() * (part + 1) / 10];
    Outcome {
        tickets: ended.len(),
        ai: share_of_ai(&ended),
        wait: mean(&waits),
        waits: [0.5, 0.9, 0.99].map(|part| quantile(&waits, part)),
        gaps: [0.5, 0.9].map(|part| quantile(&gaps, part)),
        deciles: (0..10)
            .map(|part| {
                let tenth = tenth(part);
                let gaps = sorted(tenth.iter().filter_map(|one| one.gap));
                let waits: Vec<f64> = tenth.iter().map(|one| one.wait).collect();
                [mean(&waits), quantile(&gaps, 0.5), share_of_ai(tenth)]
            })
            .collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn share_of_ai(ended: &[Ended]) -> f64 {
    ended.iter().filter(|one| one.gap.is_none()).count() as f64 / ended.len().max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a list"
)]
fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len() as f64 * part) as usize).or_else(|| sorted.last()).copied().unwrap_or(0.0)
}
