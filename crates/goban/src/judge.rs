//! Counting a position: the one function behind the preview and the final score.

use std::fmt;

use crate::estimate::{Estimate, estimate};
use crate::komi::write_halves;
use crate::life;
use crate::rules::{Scoring, Tax};
use crate::territory::Territory;
use crate::{Color, Komi, Point, Position};

/// The version of this judge: it rises when any position could be judged differently than before.
pub const JUDGE_VERSION: u32 = 6;

/// Which stones are dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dead<'a> {
    /// None: every stone on the board lives.
    None,
    /// Those that are clearly dead: see [`life::clearly_dead`].
    Clear,
    /// Those that two good players would agree on at the end of a game: see [`crate::estimate`].
    Estimate,
    /// These, as the players agreed. Points without a stone are left out.
    Given(&'a [Point]),
}

/// One player's points, by part. Parts that the rules do not count are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Living stones (area scoring).
    pub stones: u32,
    /// Surrounded points that count.
    pub territory: u32,
    /// Stones taken, and the opponent's dead stones (territory scoring).
    pub prisoners: u32,
    /// What White receives for moving second; 0 for Black.
    pub komi: Komi,
    /// What White receives for handicap stones; 0 for Black.
    pub handicap: u32,
    /// Points that the player's groups pay for their two eyes (tax on all groups).
    pub tax: u32,
}

impl Score {
    /// The sum, in half points, exactly.
    #[must_use]
    pub fn half_points(&self) -> i32 {
        let points = i64::from(self.stones)
            + i64::from(self.territory)
            + i64::from(self.prisoners)
            + i64::from(self.handicap)
            - i64::from(self.tax);
        i32::try_from(2 * points + i64::from(self.komi.half_points())).unwrap_or(i32::MAX)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_halves(f, self.half_points())
    }
}

/// Who won by how much. Written as `B+2`, `W+0.5`, `Draw` or `Void`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side has more points.
    Win {
        /// The side.
        winner: Color,
        /// By how many half points, from 1.
        half_points: u32,
    },
    /// Both have the same number of points.
    Draw,
    /// No result: under simple ko a position stood for the third time.
    Void,
}

impl Outcome {
    /// From Black's half points less White's.
    #[must_use]
    pub const fn from_lead(half_points: i32) -> Self {
        let by = half_points.unsigned_abs();
        match half_points {
            0 => Self::Draw,
            1.. => Self::Win { winner: Color::Black, half_points: by },
            _ => Self::Win { winner: Color::White, half_points: by },
        }
    }

    /// The side that won, if any.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Win { winner, .. } => Some(winner),
            Self::Draw | Self::Void => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Win { winner, half_points } => {
                write!(f, "{}+", winner.letter())?;
                write_halves(f, i32::try_from(half_points).unwrap_or(i32::MAX))
            }
            Self::Draw => f.write_str("Draw"),
            Self::Void => f.write_str("Void"),
        }
    }
}

/// What the judge says about a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The version of the judge: [`JUDGE_VERSION`].
    pub version: u32,
    /// The stones that were taken as dead, in row order from the bottom left.
    pub dead: Vec<Point>,
    /// Whose each point is, in row order from the bottom left ([`crate::Size::index`]): a living stone's, or that
    /// of the only colour that an empty point or a dead stone reaches. Points that a tax leaves uncounted have an owner.
    pub owner: Vec<Option<Color>>,
    /// Black's points.
    pub black: Score,
    /// White's points.
    pub white: Score,
    /// Who won by how much.
    pub result: Outcome,
    /// With [`Dead::Estimate`], what is not settled: nothing otherwise.
    pub doubt: Option<Doubt>,
}

/// How far an estimate is to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Stones whose fate the next move may decide. Those that are not among the dead count as alive.
    pub unsettled: Vec<Point>,
    /// Empty points of borders that are still open: they belong to nobody yet.
    pub open: Vec<Point>,
    /// How sure the least sure chain is, in thousandths.
    pub sure: u16,
}

/// Counts a position by its own rules. `handicap` is the number of stones that Black was given (0 or 1: none).
/// The same position gives the same verdict on every machine.
#[must_use]
pub fn judge(position: &Position, komi: Komi, handicap: u8, dead: Dead<'_>) -> Verdict {
    let (size, rules) = (position.size(), position.rules());
    let (dead, doubt) = dead_stones(position, dead);
    let mut living: Vec<Option<Color>> = size.points().map(|p| position.stone(p)).collect();
    let mut killed = [0, 0];
    for &point in &dead {
        if let Some(color) = living[size.index(point)].take() {
            killed[color.opposite().index()] += 1;
        }
    }
    let territory = Territory::of(size, &living, &dead_colors(position, &dead), rules.tax);
    let score = |color: Color| {
        let count = |points: &[Option<Color>]| {
            u32::try_from(points.iter().filter(|&&owner| owner == Some(color)).count()).unwrap_or(u32::MAX)
        };
        let area = rules.scoring == Scoring::Area;
        let white = color == Color::White;
        Score {
            stones: if area { count(&living) } else { 0 },
            territory: count(&territory.counted),
            prisoners: if area { 0 } else { position.captures(color) + killed[color.index()] },
            komi: if white { komi } else { Komi::ZERO },
            handicap: if white { u32::from(rules.handicap_bonus.points(handicap)) } else { 0 },
            tax: if rules.tax == Tax::All { 2 * territory.groups[color.index()] } else { 0 },
        }
    };
    let (black, white) = (score(Color::Black), score(Color::White));
    let result = if position.repetition() {
        Outcome::Void
    } else {
        Outcome::from_lead(black.half_points() - white.half_points())
    };
    Verdict { version: JUDGE_VERSION, dead, owner: territory.owner, black, white, result, doubt }
}

/// The dead stones, sorted, each once, and what an estimate is unsure of.
fn dead_stones(position: &Position, dead: Dead<'_>) -> (Vec<Point>, Option<Doubt>) {
    let mut stones = match dead {
        Dead::None => Vec::new(),
        Dead::Clear => life::life(position.board(), position.rules().multi_stone_suicide).dead,
        Dead::Estimate => {
            let Estimate { dead, unsettled, open, sure, .. } = estimate(position.board());
            return (dead, Some(Doubt { unsettled, open, sure }));
        }
        Dead::Given(points) => points.iter().copied().filter(|&p| position.stone(p).is_some()).collect(),
    };
    stones.sort_unstable();
    stones.dedup();
    (stones, None)
}

/// For each point, the colour of a dead stone.
fn dead_colors(position: &Position, dead: &[Point]) -> Vec<Option<Color>> {
    let size = position.size();
    let mut colors = vec![None; size.area()];
    for &point in dead {
        colors[size.index(point)] = position.stone(point);
    }
    colors
}
