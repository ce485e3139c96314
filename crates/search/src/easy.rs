//! The easy level: a beginner who looks one move ahead.

use goban::{Dead, Komi, Point, Position, Rng, judge};

use crate::instinct::Instinct;

/// How much an easy player's eye errs, in the points of [`Instinct::urge`].
const BLUR: f32 = 5.0;

/// Below this a move looks like a mistake, and passing is better.
const MISTAKE: f32 = -8.0;

/// A capture of so many stones is never overlooked.
const GREAT_CAPTURE: usize = 3;

/// The most attractive of the candidates, as far as an easy player sees; none when all look like mistakes.
pub(crate) fn pick(position: &Position, candidates: &[Point], rng: &mut Rng) -> Option<Point> {
    let instinct = Instinct::new(position);
    let great = candidates.iter().map(|&p| (instinct.taken(p), p)).max();
    if let Some((taken, point)) = great
        && taken >= GREAT_CAPTURE
    {
        return Some(point);
    }
    let owned = small_territories(position);
    let size = position.size();
    let mut best: Option<(f32, Point)> = None;
    for &point in candidates {
        let mut urge = instinct.urge(point);
        if owned.get(size.index(point)).copied().unwrap_or(false) {
            urge -= 8.0;
        }
        if urge < MISTAKE {
            continue;
        }
        urge += BLUR * (rng.unit() + rng.unit() - 1.0);
        if best.is_none_or(|(most, _)| urge > most) {
            best = Some((urge, point));
        }
    }
    best.map(|(_, point)| point)
}

/// Empty points that reach only one colour, unless that is most of the board: nothing for a beginner to do there.
fn small_territories(position: &Position) -> Vec<bool> {
    let verdict = judge(position, Komi::ZERO, 0, Dead::None);
    let board = position.board();
    let points = || position.size().points().zip(&verdict.owner);
    let of = |color| points().filter(|&(p, owner)| *owner == Some(color) && board.is_empty(p)).count();
    let most = position.size().area() / 3;
    let counts = goban::Color::BOTH.map(|color| of(color) <= most);
    points().map(|(p, owner)| owner.is_some_and(|color| board.is_empty(p) && counts[color.index()])).collect()
}
