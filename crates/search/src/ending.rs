//! The end of a game: what it would count to now, which stones to clear away, when there is nothing left to hope for.

use goban::{Color, Dead, Point, Position, estimate, judge};

use crate::Terms;

use crate::candidates::liberties_after;
use crate::outlook::Outlook;

/// What the game would count to if it ended now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// Half points by which the player to move leads.
    pub lead: i32,
    /// Empty points that reach both colours.
    pub open: usize,
}

impl Standing {
    pub fn of(position: &Position, terms: &Terms) -> Self {
        let verdict = if is_open(position) {
            judge(position, terms.komi, terms.handicap, Dead::None)
        } else {
            terms.count(position)
        };
        let lead = verdict.black.half_points() - verdict.white.half_points();
        let lead = if position.turn() == Color::Black { lead } else { -lead };
        let points = position.size().points().zip(&verdict.owner);
        let open = points.filter(|&(p, owner)| owner.is_none() && position.board().is_empty(p)).count();
        Self { lead, open }
    }

    /// Whether so little is open that a player could think of ending the game.
    pub fn is_late(&self, position: &Position) -> bool {
        self.open * 12 <= position.size().area()
    }
}

/// Whether the board is so empty that no stone needs to be looked at: nothing is decided yet.
fn is_open(position: &Position) -> bool {
    position.passes() == 0 && position.board().empties() as usize * 5 > position.size().area() * 3
}

/// Whether no stone's fate and no border is open any more: what is left are neutral points.
pub(crate) fn is_settled(position: &Position) -> bool {
    let estimate = estimate(position.board());
    estimate.unsettled.is_empty() && estimate.open.is_empty()
}

/// Whether the game has gone on for long enough to be given up: 40 moves on 9x9.
pub(crate) fn may_resign(position: &Position) -> bool {
    position.ply() as usize >= position.size().area() / 2
}

/// A move that goes on to take stones that are as good as dead, but that the judge does not see as dead: fewest liberties first.
pub(crate) fn clear_away(position: &Position, outlook: &Outlook, candidates: &[Point]) -> Option<Point> {
    let (turn, size) = (position.turn(), position.size());
    hunt(position, candidates, |enemy| outlook.owns(turn, size.index(enemy)) >= DEAD)
}

/// A move beside stones of the opponent that are to be taken, where they have the fewest liberties, and which does not lose the own stone.
pub(crate) fn hunt(
    position: &Position,
    candidates: &[Point],
    is_prey: impl Fn(Point) -> bool,
) -> Option<Point> {
    let (board, turn, size) = (position.board(), position.turn(), position.size());
    let mut best: Option<(i32, Point)> = None;
    for &point in candidates {
        let enemies = size.neighbours(point).filter(|&n| board.stone(n) == Some(turn.opposite()));
        for enemy in enemies.filter(|&enemy| is_prey(enemy)) {
            let liberties = board.liberties(enemy);
            if liberties > 1 && liberties_after(board, turn, point) < 2 {
                continue;
            }
            let urgency = 100 - i32::try_from(liberties).unwrap_or(100);
            if best.is_none_or(|(most, _)| urgency > most) {
                best = Some((urgency, point));
            }
        }
    }
    best.map(|(_, point)| point)
}

/// A stone is as good as dead when playouts give its point to the other side this surely.
const DEAD: f32 = 0.7;
