//! What a playout's end is worth under the rules of the game.

use goban::{Color, Komi, Position, Scoring};

/// Turns the lead on the board at a playout's end into a result. Playouts end with the board filled, so they count by area; under
/// territory scoring the stones played up to the root are taken off, as if both sides played equally many from there on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counting {
    /// What is added to twice Black's lead on the board.
    offset: i32,
}

impl Counting {
    pub fn new(position: &Position, komi: Komi) -> Self {
        let played = |color: Color| {
            let standing = position.board().stones(color).count();
            i32::try_from(standing).unwrap_or(0)
                + i32::try_from(position.captures(color.opposite())).unwrap_or(0)
        };
        let stones = match position.rules().scoring {
            Scoring::Area => 0,
            Scoring::Territory => played(Color::Black) - played(Color::White),
        };
        Self { offset: -i32::from(komi.half_points()) - 2 * stones }
    }

    /// Black's lead in half points, from the lead on the board in points.
    pub const fn lead(self, on_board: i32) -> i32 {
        2 * on_board + self.offset
    }

    /// What that is worth for a player: 1 a win, 0 a loss, a half a draw; and a little more or less by the margin, so that a winner does
    /// not play carelessly nor a loser absurdly.
    pub fn value(self, on_board: i32, color: Color) -> f32 {
        value_of(self.lead(on_board), color)
    }
}

/// The part of a value that is for the margin.
const MARGIN: f32 = 0.05;
/// Half points at which most of it is reached.
const WIDE: f32 = 40.0;

/// The value of a lead of Black's in half points.
pub(crate) fn value_of(lead: i32, color: Color) -> f32 {
    let lead = if color == Color::Black { lead } else { -lead };
    let won = match lead {
        1.. => 1.0,
        0 => 0.5,
        _ => 0.0,
    };
    let margin = lead as f32 / WIDE;
    let margin = 0.5 + 0.5 * margin.clamp(-1.0, 1.0);
    (1.0 - MARGIN) * won + MARGIN * margin
}
