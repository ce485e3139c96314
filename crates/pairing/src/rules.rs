//! What two candidates are worth to each other.

use std::time::Duration;

use crate::{BOARDS, Candidate, Colors, POINT};

/// How gaps are weighed against waits. The same for every replica.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The rating gap that is accepted at first, in points either way.
    pub narrowest: u32,
    /// What a second of waiting adds to it, in points.
    pub widening: u32,
    /// Where it stops at first, in points.
    pub widest: u32,
    /// After so long nobody shall starve: the window goes on opening at the same pace, without limit.
    pub patience: Duration,
    /// A player who is new or weak never meets anybody stronger by this many points or more.
    pub shelter: u32,
    /// Two who have just met meet again only when both have waited this long and nobody else is near.
    pub rematch_after: Duration,
    /// How dear a second of waiting is, in hundredths of a point of rating gap; see [`Self::content`].
    pub second: u32,
    /// The kinds of games on each board.
    pub boards: [u64; BOARDS],
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            narrowest: 100,
            widening: 12,
            widest: 400,
            patience: Duration::from_secs(30),
            shelter: 400,
            rematch_after: Duration::from_secs(2),
            second: 400,
            boards: [u64::MAX, 0, 0],
        }
    }
}

/// What comes of two who may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// What it is worth: more than zero.
    pub value: i64,
    /// The rating gap, in millionths of a point.
    pub gap: i64,
    /// What they play: of the kinds that both accept, the first on the board where they are nearest.
    pub kind: u8,
}

impl Rules {
    /// The rating gap that somebody accepts after so long, in points either way.
    pub fn window(&self, waited: Duration) -> u32 {
        let widened = |time: Duration| {
            let points = time.as_millis() * u128::from(self.widening) / 1000;
            u32::try_from(points).unwrap_or(u32::MAX)
        };
        let first = self.narrowest.saturating_add(widened(waited)).min(self.widest.max(self.narrowest));
        first.saturating_add(widened(waited.saturating_sub(self.patience)))
    }

    /// The gap that somebody should be content with at once, in points, when so many who suit them come per second for each point of rating: the one
    /// at which the mean wait for somebody nearer, times the price of a second, costs as much as the mean gap. Never
    /// more than the window where it stops at first.
    pub fn content(&self, density: f64) -> u32 {
        // Partners within a gap g come 2·g·density times a second, so the wait is 1/(2·g·density) and the mean gap g/2: the
        // sum of price·wait and gap is least at g = √(price/density).
        let price = f64::from(self.second) / 100.0;
        let gap = (price / density.max(1e-9)).sqrt();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
        let points = gap.clamp(1.0, f64::from(self.widest.max(1))) as u32;
        points
    }

    /// What two who may meet come to; none when they may not, or had better wait.
    pub fn meeting(&self, a: &Candidate, b: &Candidate) -> Option<Meeting> {
        self.meets(&self.prepare(a), &self.prepare(b))
    }

    /// Whether two may meet on a board by their ratings: both windows, both ranges, and shelter.
    pub fn fits(&self, a: &Candidate, b: &Candidate, board: usize) -> bool {
        self.prepare(a).fits(&self.prepare(b), board)
    }

    /// A candidate with what follows from them alone.
    pub(crate) fn prepare<'c>(&self, candidate: &'c Candidate) -> Prepared<'c> {
        let limit = |points: u32| i64::from(points) * POINT;
        let spared = if candidate.sheltered { limit(self.shelter) - 1 } else { i64::MAX };
        Prepared {
            candidate,
            kinds: candidate.kinds.0,
            ratings: candidate.ratings,
            window: limit(self.window(candidate.waited)),
            above: limit(candidate.above).min(spared),
            below: limit(candidate.below),
            brings: self.brings(candidate),
        }
    }

    /// [`Rules::meeting`] of two who are looked at again and again.
    pub(crate) fn meets(&self, a: &Prepared<'_>, b: &Prepared<'_>) -> Option<Meeting> {
        let common = a.kinds & b.kinds;
        if common == 0 {
            return None;
        }
        let near = |board: usize| {
            let kinds = common & self.boards[board];
            let gap = b.ratings[board].saturating_sub(a.ratings[board]).saturating_abs();
            #[expect(clippy::cast_possible_truncation, reason = "below 64")]
            (kinds != 0 && a.fits(b, board)).then(|| (gap, kinds.trailing_zeros() as u8))
        };
        let (gap, kind) = (0..BOARDS).filter_map(near).min()?;
        let value = a.brings.saturating_add(b.brings).saturating_sub(gap);
        if value <= 0 {
            return None;
        }
        let (one, other) = (a.candidate, b.candidate);
        let colors = matches!(
            (one.colors, other.colors),
            (Colors::Black, Colors::Black) | (Colors::White, Colors::White)
        );
        if colors || one.player == other.player || shuns(one, other) || shuns(other, one) {
            return None;
        }
        let met = one.last_opponent == Some(other.player) || other.last_opponent == Some(one.player);
        let value = match met {
            false => value,
            true if one.waited.min(other.waited) < self.rematch_after => return None,
            // Next to nothing, so that anybody else is better.
            true => 1,
        };
        Some(Meeting { value, gap, kind })
    }

    /// What somebody brings to a meeting: half of the gap that they are content with at once, and when their patience is at its end
    /// as much for each second as the window opens, so that soon nothing but the window stops them.
    pub fn brings(&self, candidate: &Candidate) -> i64 {
        let over = candidate.waited.saturating_sub(self.patience);
        let millis = i64::try_from(over.as_millis()).unwrap_or(i64::MAX).min(1_000_000_000);
        let waiting = millis * i64::from(self.widening) * (POINT / 1000);
        // Among equals, who has waited longer goes first.
        let turn = i64::try_from(candidate.waited.as_millis()).unwrap_or(i64::MAX).min(1_000_000_000);
        let waiting = waiting.saturating_add(turn);
        // One unit more: who is exactly at the gap is content.
        (i64::from(candidate.content) * (POINT / 2)).saturating_add(waiting).saturating_add(1)
    }

    /// The board that a kind is played on.
    pub fn board(&self, kind: u8) -> usize {
        self.boards.iter().position(|kinds| kinds & (1 << kind) != 0).unwrap_or(0)
    }

    /// Somebody's place on the line of ratings: the mean over the boards that they play on.
    pub(crate) fn strength(&self, candidate: &Candidate) -> i64 {
        let plays = |board: &usize| candidate.kinds.0 & self.boards[*board] != 0;
        let (mut sum, mut count) = (0_i64, 0_i64);
        for board in (0..BOARDS).filter(plays) {
            sum = sum.saturating_add(candidate.ratings[board]);
            count += 1;
        }
        sum / count.max(1)
    }
}

/// A candidate with what follows from them and the rules alone, worked out once: everybody is looked at in many pairs.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'c> {
    pub candidate: &'c Candidate,
    kinds: u64,
    ratings: [i64; BOARDS],
    /// The gap that they accept either way; and how much stronger and weaker an opponent they take. In millionths of a point.
    window: i64,
    above: i64,
    below: i64,
    /// See [`Rules::brings`].
    brings: i64,
}

impl Prepared<'_> {
    /// The kinds of games that they take, as bits.
    pub fn kinds(&self) -> u64 {
        self.kinds
    }

    /// The rating on a board, in millionths of a point.
    pub fn rating(&self, board: usize) -> i64 {
        self.ratings[board]
    }

    fn fits(&self, other: &Self, board: usize) -> bool {
        let difference = other.ratings[board].saturating_sub(self.ratings[board]);
        difference.saturating_abs() <= self.window.min(other.window)
            && self.takes(difference)
            && other.takes(difference.saturating_neg())
    }

    /// Whether they take an opponent who is so much stronger, in millionths of a point.
    fn takes(&self, difference: i64) -> bool {
        difference <= self.above && difference.saturating_neg() <= self.below
    }
}

fn shuns(a: &Candidate, b: &Candidate) -> bool {
    a.avoids.contains(&b.player)
}
