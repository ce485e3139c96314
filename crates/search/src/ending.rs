//! The end of a game: what it would count to now, which stones to clear away, when there is nothing left to hope for.

use goban::{Color, Dead, Komi, Point, Position, judge};

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
    pub fn of(position: &Position, komi: Komi) -> Self {
        let verdict = judge(position, komi, 0, Dead::Clear);
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

/// Whether the game has gone on for long enough to be given up: 40 moves on 9x9.
pub(crate) fn may_resign(position: &Position) -> bool {
    position.ply() as usize >= position.size().area() / 2
}

/// A move that goes on to take stones that are as good as dead, but that the judge does not see as dead: fewest liberties first.
pub(crate) fn clear_away(position: &Position, outlook: &Outlook, candidates: &[Point]) -> Option<Point> {
    let (board, turn, size) = (position.board(), position.turn(), position.size());
    let mut best: Option<(i32, Point)> = None;
    for &point in candidates {
        let enemies = size.neighbours(point).filter(|&n| board.stone(n) == Some(turn.opposite()));
        for enemy in enemies {
            if outlook.owns(turn, size.index(enemy)) < DEAD {
                continue;
            }
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
