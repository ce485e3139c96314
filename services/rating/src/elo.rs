//! Elo, to the millionth of a point: pure, and the same on every machine.
//!
//! Source: Arpad E. Elo, *The Rating of Chessplayers, Past and Present* (1978): expected score by the logistic curve with a scale of 400
//! points, and a gain of K times what was scored beyond it. Ours differs in two ways. Both players of a game have one K, the
//! smaller of theirs, so that what one wins the other loses and the sum over a closed pool never moves. And there is no floor and no cap
//! on the gap.

use std::fmt;

/// Millionths in a point.
pub const MICROS: i64 = 1_000_000;
/// The gap, in points, at which the stronger is expected to score ten times as much as the weaker.
const SCALE: f64 = 400.0;

/// The numbers of the system, in the one place where they stand. An installation may choose others before its first rated game; from then on
/// they are what the store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What a new player has, in points.
    pub initial: i64,
    /// K, in points, of a player who is new to the pool.
    pub k_new: i16,
    /// K, in points, of everybody else.
    pub k_usual: i16,
    /// K, in points, of a player above `top`, new or not.
    pub k_top: i16,
    /// A player is new until this many rated games.
    pub new_games: u32,
    /// Above this a player's rating moves slowly; in points.
    pub top: i64,
    /// A rating is provisional until this many rated games.
    pub provisional_games: u32,
}

impl Rules {
    /// What holds unless an installation chose otherwise.
    pub const USUAL: Self = Self {
        initial: 1_200,
        k_new: 40,
        k_usual: 20,
        k_top: 10,
        new_games: 30,
        top: 2_100,
        provisional_games: 10,
    };

    /// Where a player stands who has not played.
    pub const fn newcomer(&self) -> Standing {
        Standing { rating: Rating(self.initial * MICROS), games: 0 }
    }

    /// Whether a rating is still provisional.
    pub const fn is_provisional(&self, standing: Standing) -> bool {
        standing.games < self.provisional_games
    }

    /// A player's own K, in points.
    pub const fn k(&self, standing: Standing) -> i16 {
        if standing.rating.0 > self.top * MICROS {
            self.k_top
        } else if standing.games < self.new_games {
            self.k_new
        } else {
            self.k_usual
        }
    }

    /// What this game changes. Swapping the seats negates it exactly, since it is always computed from the stronger player's side.
    pub fn rate(&self, black: Standing, white: Standing, outcome: Outcome) -> Change {
        let k = self.k(black).min(self.k(white));
        let black_gain = if black.rating >= white.rating {
            gain(k, black.rating, white.rating, outcome)
        } else {
            -gain(k, white.rating, black.rating, outcome.swapped())
        };
        Change { k, black_gain }
    }
}

/// A rating in millionths of a point. May be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(i64);

impl Rating {
    /// The rating of this many millionths of a point.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Millionths of a point.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole points, as it is shown: the nearest, halves upwards.
    pub fn points(self) -> i32 {
        let points = self.0.saturating_add(MICROS / 2).div_euclid(MICROS);
        i32::try_from(points).unwrap_or(if points < 0 { i32::MIN } else { i32::MAX })
    }

    /// The rating this many millionths higher.
    pub const fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.points().fmt(f)
    }
}

/// Where a player of a pool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The rating.
    pub rating: Rating,
    /// Rated games that have counted.
    pub games: u32,
}

impl Standing {
    /// Where the player stands after a game that gained this many millionths.
    pub const fn after(self, gain: i64) -> Self {
        Self { rating: self.rating.plus(gain), games: self.games.saturating_add(1) }
    }
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Black.
    Black,
    /// White.
    White,
    /// Nobody: each scores a half.
    Draw,
}

impl Outcome {
    /// The outcome of the same game with the seats swapped.
    pub const fn swapped(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
            Self::Draw => Self::Draw,
        }
    }

    /// What Black scored: 0, ½ or 1.
    const fn black_score(self) -> f64 {
        match self {
            Self::Black => 1.0,
            Self::White => 0.0,
            Self::Draw => 0.5,
        }
    }
}

/// What a game changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The game's K, in points: the smaller of both players'.
    pub k: i16,
    /// What Black wins, in millionths of a point; White loses exactly this.
    pub black_gain: i64,
}

/// What Black wins, in millionths, rounded to the nearest.
fn gain(k: i16, black: Rating, white: Rating, outcome: Outcome) -> i64 {
    let unrounded = f64::from(k) * MICROS as f64 * (outcome.black_score() - expected(black, white));
    unrounded.round() as i64
}

/// The score that the first player is expected to make against the second: 0 to 1.
pub fn expected(first: Rating, second: Rating) -> f64 {
    let gap = (second.0 as f64 - first.0 as f64) / (MICROS as f64 * SCALE);
    1.0 / (1.0 + ten_to(gap))
}

/// Ten to a power, by nothing but additions, multiplications and divisions, which IEEE 754 rounds in one way alone: the system's `pow` may
/// differ in its last bit between machines, and a replay has to give the same millionth everywhere. Powers beyond ±300 count as ±300.
fn ten_to(power: f64) -> f64 {
    let exponent = power.clamp(-300.0, 300.0) * std::f64::consts::LOG2_10;
    let whole = exponent.round();
    let x = (exponent - whole) * std::f64::consts::LN_2;
    // e^x for |x| < 0.35 by Taylor's series, from the smallest term up: 15 terms are below the last bit.
    let fraction = (1..=15).rev().fold(1.0, |sum, n| 1.0 + x / f64::from(n) * sum);
    // An exact power of two, made of its bits: 1023 is the exponent's bias.
    let power_of_two = f64::from_bits(((whole as i64 + 1023) as u64) << 52);
    fraction * power_of_two
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: Rules = Rules::USUAL;
    const NEW: Standing = RULES.newcomer();

    fn standing() -> impl Strategy<Value = Standing> {
        let micros = prop_oneof![0..3_500 * MICROS, -2_000 * MICROS..6_000 * MICROS];
        (micros, 0u32..60).prop_map(|(micros, games)| Standing { rating: Rating(micros), games })
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![Just(Outcome::Black), Just(Outcome::White), Just(Outcome::Draw)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// The sum never moves, and nobody wins or loses more than K.
        #[test]
        fn a_change_sums_to_zero_and_is_bounded_by_k(black in standing(), white in standing(), outcome in outcome()) {
            let change = RULES.rate(black, white, outcome);
            let after = black.after(change.black_gain).rating.0 + white.after(-change.black_gain).rating.0;
            prop_assert_eq!(after, black.rating.0 + white.rating.0);
            prop_assert!(change.black_gain.abs() <= i64::from(change.k) * MICROS);
            prop_assert!(change.k <= RULES.k(black) && change.k <= RULES.k(white));
        }

        /// Colours mean nothing: swapped seats give the negated change, to the last millionth.
        #[test]
        fn swapped_seats_negate_the_change(black in standing(), white in standing(), outcome in outcome()) {
            let (one, other) = (RULES.rate(black, white, outcome), RULES.rate(white, black, outcome.swapped()));
            prop_assert_eq!((one.k, one.black_gain), (other.k, -other.black_gain));
        }

        /// A win never costs, a better result never brings less, and a stronger opponent never makes a result worth less.
        #[test]
        fn more_is_never_worth_less(black in standing(), white in standing(), stronger in 0..1_000 * MICROS) {
            let by = |outcome| gain(RULES.k_usual, black.rating, white.rating, outcome);
            prop_assert!(by(Outcome::White) <= 0 && 0 <= by(Outcome::Black));
            prop_assert!(by(Outcome::White) < by(Outcome::Draw) && by(Outcome::Draw) < by(Outcome::Black));
            for outcome in [Outcome::Black, Outcome::White, Outcome::Draw] {
                let harder = gain(RULES.k_usual, black.rating, white.rating.plus(stronger), outcome);
                prop_assert!(harder >= by(outcome));
            }
        }

        /// Our power of ten agrees with the system's to the last few bits.
        #[test]
        fn the_power_of_ten_is_right(power in -300.0f64..300.0) {
            let (ours, theirs) = (ten_to(power), 10f64.powf(power));
            // The power itself has 53 bits, so that its own last bit is worth up to 300 * ln(10) of the result's.
            prop_assert!((ours / theirs - 1.0).abs() < 1e-15 * (4.0 + 3.0 * power.abs()), "{ours} {theirs}");
        }
    }

    /// The table of the original: equal players, and gaps of 100, 200 and 400 points; the worked numbers of the first games.
    #[test]
    fn known_expectations_and_first_games_come_out() {
        let at = |points: i64| Rating(points * MICROS);
        assert_eq!(expected(at(1_500), at(1_500)), 0.5);
        for (gap, score) in [(100, 0.640_065), (200, 0.759_747), (400, 0.909_091), (-400, 0.090_909)] {
            assert!((expected(at(1_500 + gap), at(1_500)) - score).abs() < 1e-6);
        }
        assert_eq!(RULES.rate(NEW, NEW, Outcome::Black), Change { k: 40, black_gain: 20 * MICROS });
        assert_eq!(RULES.rate(NEW, NEW, Outcome::Draw).black_gain, 0);
        let second = RULES.rate(NEW.after(20 * MICROS), NEW.after(-20 * MICROS), Outcome::White);
        assert_eq!(second.black_gain, -22_292_465);
        assert_eq!(NEW.rating.points(), 1_200);
        let shown = [
            (-500_000, 0),
            (-500_001, -1),
            (499_999, 0),
            (500_000, 1),
            (i64::MAX, i32::MAX),
            (i64::MIN, i32::MIN),
        ];
        for (micros, points) in shown {
            assert_eq!(Rating(micros).points(), points, "{micros}");
        }
    }

    /// K by games and rating, at each boundary; one K for both, the smaller.
    #[test]
    fn k_falls_with_games_and_at_the_top() {
        let standing = |micros, games| Standing { rating: Rating(micros), games };
        let top = RULES.top * MICROS;
        for (rating, games, k) in
            [(0, 0, 40), (top, 29, 40), (top, 30, 20), (top + 1, 29, 10), (top + 1, 500, 10), (0, 500, 20)]
        {
            assert_eq!(RULES.k(standing(rating, games)), k, "{rating} {games}");
        }
        assert_eq!(RULES.rate(standing(0, 29), standing(0, 30), Outcome::Black).k, 20);
        assert!(RULES.is_provisional(standing(0, 9)) && !RULES.is_provisional(standing(0, 10)));
    }

    /// Absurd numbers do not overflow.
    #[test]
    fn extremes_stay_within_bounds() {
        let (low, high) = (
            Standing { rating: Rating(i64::MIN), games: u32::MAX },
            Standing { rating: Rating(i64::MAX), games: 0 },
        );
        assert_eq!(RULES.rate(low, high, Outcome::White).black_gain, 0);
        assert_eq!(RULES.rate(low, high, Outcome::Black).black_gain, 10 * MICROS);
        assert_eq!(high.after(MICROS).rating, high.rating);
    }
}
