//! Who pairs, and by what rules.

use std::{sync::Arc, time::Duration};

use kernel::PlayerId;

use super::{Waiting, others, stamp};
use crate::{BOARDS, Candidate, Colors, Experience, Kinds, POINT, Rules, pair};

/// A way of pairing, with the knob by which it trades waits for gaps.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// Ours: a wave every half second.
    Ours(Rules),
    /// First come first served, every half second: who came first takes who came next within so many points.
    FirstCome {
        /// The gap that is accepted.
        window: f64,
    },
    /// Lichess: a matching of greatest weight now and then. Two may meet whose gap, less 12 points for each wave that either has missed,
    /// is no more than a fifteenth of the higher rating.
    Waves {
        /// Seconds between two waves: there, 12 to 60.
        every: f64,
    },
    /// Nakama: at each interval, those who came within the last two intervals, in the order of their coming, take the one who came first within
    /// their range.
    Intervals {
        /// Seconds between two looks: there, 15 by default.
        every: f64,
        /// The gap that every ticket's query accepts.
        range: f64,
    },
}

impl Policy {
    /// Ours, with a second of waiting so many times as dear as it is by default: below 1 only near opponents are taken, and patience lasts longer;
    /// above 1 the window is wider as well.
    pub fn ours(dear: f64) -> Self {
        let rules = Rules::default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small positive numbers")]
        let times = |points: u32, factor: f64| (f64::from(points) * factor).round().max(1.0) as u32;
        let wide = dear.sqrt().max(1.0);
        Self::Ours(Rules {
            narrowest: times(rules.narrowest, wide),
            widening: times(rules.widening, wide),
            widest: times(rules.widest, wide),
            second: times(rules.second, dear),
            patience: rules.patience.div_f64(dear.sqrt().min(1.0)),
            ..rules
        })
    }

    /// All four, each with the settings of its knob that are compared.
    pub fn families() -> [Vec<Self>; 4] {
        let windows = [10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 10_000.0];
        let looks = [1.0, 5.0, 15.0];
        let ranges = [50.0, 100.0, 200.0, 400.0];
        [
            [0.002_5, 0.01, 0.04, 0.1, 0.3, 1.0, 4.0, 16.0, 100.0].map(Self::ours).to_vec(),
            windows.map(|window| Self::FirstCome { window }).to_vec(),
            [12.0, 20.0, 30.0, 45.0, 60.0].map(|every| Self::Waves { every }).to_vec(),
            looks
                .iter()
                .flat_map(|every| ranges.map(|range| Self::Intervals { every: *every, range }))
                .collect(),
        ]
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ours(_) => "nigiri",
            Self::FirstCome { .. } => "first come",
            Self::Waves { .. } => "lichess waves",
            Self::Intervals { .. } => "nakama intervals",
        }
    }

    /// Its knob, in words.
    pub fn knob(&self) -> String {
        match self {
            Self::Ours(rules) => {
                format!("{} a second, ±{}", f64::from(rules.second) / 100.0, rules.narrowest)
            }
            Self::FirstCome { window } => format!("±{window}"),
            Self::Waves { every } => format!("every {every} s"),
            Self::Intervals { every, range } => format!("every {every} s, ±{range}"),
        }
    }

    /// Seconds between two waves.
    pub(super) const fn interval(&self) -> f64 {
        match self {
            Self::Ours(_) | Self::FirstCome { .. } => 0.5,
            Self::Waves { every } | Self::Intervals { every, .. } => *every,
        }
    }

    pub(super) fn begin(&self) -> Experience {
        Experience::default()
    }

    pub(super) fn came(&self, experience: &mut Experience, one: &Waiting) {
        experience.came(Kinds(1), &[micros(one.rating); BOARDS], &Rules::default(), stamp(one.since));
    }

    /// The pairs of a wave: places in the queue, which is in the order of coming.
    pub(super) fn wave(
        &self,
        experience: &mut Experience,
        queue: &[Waiting],
        now: f64,
    ) -> Vec<(usize, usize)> {
        if queue.len() < 2 {
            return Vec::new();
        }
        match self {
            Self::Ours(rules) => ours(rules, experience, queue, now),
            Self::FirstCome { window } => others::first_come(queue, *window, |_| true),
            Self::Waves { .. } => others::waves(queue),
            Self::Intervals { range, .. } => others::first_come(queue, *range, |one| one.missed < 2),
        }
    }
}

fn ours(rules: &Rules, experience: &Experience, queue: &[Waiting], now: f64) -> Vec<(usize, usize)> {
    let densities = experience.densities(stamp(now));
    let candidate = |one: &Waiting| {
        let rating = micros(one.rating);
        Candidate {
            player: PlayerId::from_uuid(uuid::Uuid::from_u128(one.player.into())),
            ratings: [rating; BOARDS],
            waited: Duration::from_secs_f64((now - one.since).max(0.0)),
            kinds: Kinds(1),
            colors: Colors::Any,
            below: u32::MAX,
            above: u32::MAX,
            sheltered: false,
            content: rules.content(densities.of(Kinds(1), &[rating; BOARDS], rules)),
            last_opponent: None,
            avoids: Arc::default(),
        }
    };
    let pool: Vec<Candidate> = queue.iter().map(candidate).collect();
    pair(&pool, rules).into_iter().map(|pair| (pair.a, pair.b)).collect()
}

pub(super) fn micros(points: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "ratings are far below 2^52"
    )]
    let micros = (points * POINT as f64) as i64;
    micros
}
