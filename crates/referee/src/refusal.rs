use goban::{Color, Illegal, Point, Size};
use kernel::{GameId, Timestamp};

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
    #[error("the game is at ply {ply} now: look at it again, then decide")]
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
    /// The players are asked to agree on a score; there are no moves and no proposals now.
    #[error("the score is being agreed on")]
    ScoreProposed,
    /// No score is proposed.
    #[error("no score is proposed now")]
    NoScore,
    /// The command answers a score that is no longer proposed.
    #[error("another score is proposed now: version {version}")]
    StaleScore {
        /// The version that is proposed.
        version: u32,
    },
    /// There is no stone on the point.
    #[error("there is no stone on {point}")]
    NoStone {
        /// The point.
        point: Point,
    },
    /// The game does not have that: its settings, its opponent or its rules leave it out.
    #[error("there are no {what} in this game")]
    NotInThisGame {
        /// What, in the plural.
        what: &'static str,
    },
    /// It is too early for that, or too early for it again.
    #[error("that is not possible before ply {ply}")]
    TooSoon {
        /// The ply from which it is possible.
        ply: u32,
    },
    /// The player has made a proposal that the opponent has not answered.
    #[error("your proposal {id} has not been answered yet")]
    ProposalPending {
        /// Its number.
        id: u32,
    },
    /// The opponent's proposal that the answer quotes is not there any more, or is another one now.
    #[error("there is no such proposal now")]
    StaleProposal,
    /// The player has not moved, or not since moves were taken back.
    #[error("you have no move to take back")]
    NothingToTakeBack,
    /// What is wanted is so already.
    #[error("that is so already")]
    AlreadySo,
    /// The game is not over yet.
    #[error("the game is not over yet")]
    NotOver,
    /// The next game has been agreed already.
    #[error("the next game is {game}")]
    RematchAgreed {
        /// Its id.
        game: GameId,
    },
    /// The move came too late. [`crate::decide`] itself never says so, since only the store's clock and its outages can tell: it
    /// is the answer to a move whose [`crate::Guard::not_after`] did not hold.
    #[error("the time for this move is over")]
    OutOfTime,
    /// What runs is not over yet.
    #[error("the time is not over before {deadline}")]
    NotDue {
        /// The first of the deadlines that players are told, without the allowance.
        deadline: Timestamp,
    },
    /// Nothing runs: the game is played without a clock, and both players are there.
    #[error("nothing runs in this game")]
    NoClock,
    /// The outages took nothing from the running clock that has not been given back.
    #[error("no time was lost that has not been given back")]
    NothingToCredit,
    /// The game's log makes no sense: see [`crate::Game::is_corrupt`].
    #[error("the record of this game is damaged")]
    Corrupt,
}
