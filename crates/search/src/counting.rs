//! What a playout's end is worth under the rules of the game.

use goban::{Color, Position, Scoring};

use crate::Terms;

/// Turns what is on the board at a playout's end into a result. Playouts fill the board, so they count by area. Under territory scoring the
/// stones that were played are taken off again: area less stones played is territory and prisoners. After the first pass both sides are
/// taken to play equally many, since what is played then is played on one's own ground.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counting {
    /// What is added to twice Black's lead on the board.
    offset: i32,
    /// What a stone costs, in half points.
    stone: i32,
}

impl Counting {
    pub fn new(position: &Position, terms: &Terms) -> Self {
        let played = |color: Color| {
            let standing = position.board().stones(color).count();
            i32::try_from(standing).unwrap_or(0)
                + i32::try_from(position.captures(color.opposite())).unwrap_or(0)
        };
        let stone = match position.rules().scoring {
            Scoring::Area => 0,
            Scoring::Territory => 2,
        };
        let offset = -terms.for_white(position) - stone * (played(Color::Black) - played(Color::White));
        Self { offset, stone }
    }

    /// Black's lead in half points, from the lead on the board in points and Black's less White's stones that were played from the root on.
    pub const fn lead(self, on_board: i32, stones: i32) -> i32 {
        2 * on_board + self.offset - self.stone * stones
    }
}

/// The part of a value that is for the margin.
const MARGIN: f32 = 0.04;
/// Half points at which most of it is reached.
const WIDE: f32 = 40.0;

/// The value for Black of a lead of Black's in half points: 1 a win, 0 a loss, a half a draw; and a little more or less by the margin, so
/// that a winner does not play carelessly nor a loser absurdly.
pub(crate) fn value_of(lead: i32) -> f32 {
    let won = match lead {
        1.. => 1.0,
        0 => 0.5,
        _ => 0.0,
    };
    let margin = lead as f32 / WIDE;
    let margin = 0.5 + 0.5 * margin.clamp(-1.0, 1.0);
    (1.0 - MARGIN) * won + MARGIN * margin
}
