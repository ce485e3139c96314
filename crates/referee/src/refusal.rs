use goban::{Color, Illegal, Point, Size};
use kernel::Timestamp;

use crate::Outcome;

/// Why a command changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The command is one that a player gives, and its actor plays in this game on neither side.
    #[error("only the two players of a game may do that")]
    NotASeat,
    /// The command is one that only the server gives.
    #[error("only the server may do that")]
    ServerOnly,
    /// The game is over.
    #[error("the game is over: {outcome}")]
    GameOver {
        /// How it ended.
        outcome: Outcome,
    },
    /// The command answers another position than the present one.
    #[error("the game is at another ply: {ply} moves have been made")]
    StalePly {
        /// The number of moves made so far, passes included.
        ply: u32,
    },
    /// It is the other player's turn.
    #[error("it is {turn}'s turn")]
    NotYourTurn {
        /// Whose turn it is.
        turn: Color,
    },
    /// The board has no such point.
    #[error("{point} is off the {size} board")]
    OffBoard {
        /// The point.
        point: Point,
        /// The board.
        size: Size,
    },
    /// A rule forbids the stone.
    #[error("{point} is not possible: {reason}")]
    Illegal {
        /// The point.
        point: Point,
        /// The rule.
        reason: Illegal,
    },
    /// The move came too late. [`crate::decide`] itself never says so, since only the store's clock and its outages can tell: it
    /// is the answer to a move whose [`crate::Guard::not_after`] did not hold.
    #[error("the time for this move is over")]
    OutOfTime,
    /// The time of the player to move is not over yet.
    #[error("the time is not over before {deadline}")]
    NotDue {
        /// The player's own deadline, without the allowance.
        deadline: Timestamp,
    },
    /// The game is played without a clock.
    #[error("this game has no clock")]
    NoClock,
    /// The outages took nothing from the running clock that has not been given back.
    #[error("no time was lost that has not been given back")]
    NothingToCredit,
    /// The game's log makes no sense: see [`crate::Game::is_corrupt`].
    #[error("the record of this game is damaged")]
    Corrupt,
}
