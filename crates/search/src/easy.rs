//! The easy level: a beginner who looks one move ahead.

use goban::{Dead, Komi, Point, Position, Rng, clearly_dead, judge};

use crate::instinct::Instinct;

/// How much an easy player's eye errs, in the points of [`Instinct::urge`].
const BLUR: f32 = 5.0;

/// Below this a move looks like a mistake, and passing is better.
const MISTAKE: f32 = -8.0;

/// A capture of so many stones is never overlooked.
const GREAT_CAPTURE: usize = 3;

/// Before so many moves were played, the first line is no place to play, on boards that have so many lines.
const FIRST_LINE: u32 = 20;
const ROOM: u8 = 7;

/// The largest capture of three stones or more that are not dead as they stand: an easy player takes it whatever else there is.
pub(crate) fn great_capture(position: &Position, candidates: &[Point]) -> Option<Point> {
    let instinct = Instinct::new(position);
    let largest = candidates.iter().map(|&p| instinct.taken(p)).max().unwrap_or(0);
    if largest < GREAT_CAPTURE {
        return None;
    }
    let dead = clearly_dead(position.board());
    let taken = |point: Point| {
        let victims = position.board().victims(position.turn(), point);
        victims.iter().filter(|victim| dead.binary_search(victim).is_err()).count()
    };
    let largest = candidates.iter().map(|&p| (taken(p), p)).max();
    largest.filter(|(taken, _)| *taken >= GREAT_CAPTURE).map(|(_, point)| point)
}

/// The most attractive of the candidates, as far as an easy player sees; none when all look like mistakes.
pub(crate) fn pick(position: &Position, candidates: &[Point], rng: &mut Rng) -> Option<Point> {
    let instinct = Instinct::new(position);
    let owned = small_territories(position);
    let size = position.size();
    let is_early = position.ply() < FIRST_LINE && size.columns().min(size.rows()) >= ROOM;
    let mut best: Option<(f32, Point)> = None;
    for &point in candidates {
        if is_early && instinct.line(point) == 1 {
            continue;
        }
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
