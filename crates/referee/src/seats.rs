use std::sync::Arc;

use goban::Color;
use kernel::PlayerId;

use crate::Violation;

/// One side of the board and who sits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Who.
    pub player: PlayerId,
    /// The player's name when the game was made.
    pub name: Arc<str>,
    /// Whether the player is a program.
    pub bot: bool,
    /// Whether the player has no account.
    pub guest: bool,
}

/// Both sides of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Who plays Black.
    pub black: Seat,
    /// Who plays White.
    pub white: Seat,
}

impl Seats {
    /// Who plays that colour.
    pub const fn get(&self, color: Color) -> &Seat {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The colour that somebody plays, if they play.
    pub fn color_of(&self, player: PlayerId) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.get(color).player == player)
    }

    /// What is wrong with them, for a game that is rated or not.
    pub(crate) fn violations(&self, rated: bool) -> Vec<Violation> {
        let one = (self.black.player == self.white.player).then(|| {
            let problem = format!("{} would play against themselves", self.black.player);
            Violation::new("seats", problem, "two different players".into())
        });
        let bot = (rated && (self.black.bot || self.white.bot)).then(|| {
            Violation::new("rated", "a game with a program is never rated", "an unrated game".into())
        });
        // Whether guests may play rated games is for whoever makes the game: an installation may allow it.
        one.into_iter().chain(bot).collect()
    }
}
