use std::time::Duration;

use goban::{Color, Point};
use kernel::{GameId, Timestamp};

/// What somebody wants to happen. Where a command carries a `ply`, it is [`crate::Game::ply`] as the player has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// A player puts a stone on a point.
    Play {
        /// The ply that it answers.
        ply: u32,
        /// Where.
        point: Point,
    },
    /// A player passes.
    Pass {
        /// The ply that it answers.
        ply: u32,
    },
    /// A player gives up, at any time, also when it is the other's turn.
    Resign,
    /// A player offers a draw. Where the other has offered one, this accepts it.
    OfferDraw {
        /// The ply that it answers.
        ply: u32,
    },
    /// A player asks to take back their last move, and the reply to it. Against a program that one chose it happens at once.
    RequestTakeback {
        /// The ply that it answers; also the one before the opponent's reply, which does not change what is meant.
        ply: u32,
    },
    /// A player answers the opponent's proposal.
    Answer {
        /// [`crate::Proposal::id`].
        id: u32,
        /// [`crate::Proposal::version`].
        version: u32,
        /// Yes or no.
        accept: bool,
    },
    /// A player accepts the score that is proposed.
    AcceptScore {
        /// [`crate::Agreement::version`].
        version: u32,
    },
    /// A player disputes the score that is proposed: play goes on.
    DisputeScore {
        /// [`crate::Agreement::version`].
        version: u32,
    },
    /// A player says that a chain is dead, or that it is alive.
    MarkChain {
        /// [`crate::Agreement::version`].
        version: u32,
        /// A stone of the chain.
        point: Point,
        /// Dead or alive.
        dead: bool,
    },
    /// A player leaves, and says so.
    Leave,
    /// A player asks for another game with the same settings and colours swapped. When both have asked, it is agreed.
    RequestRematch {
        /// The id of this game, from which the next one's is derived.
        game: GameId,
    },
    /// The server claims that something is over: a player's time, a player's grace, the time for an agreement.
    Timeout,
    /// The server gives back the time that it was away.
    Credit {
        /// When it was away: from the last sign of life before to the first one after, by the store's clock. In any order; they may
        /// overlap.
        outages: &'a [(Timestamp, Timestamp)],
    },
    /// An operator gives time to the player whose clock runs, or to both while they agree on a score.
    GiveTime {
        /// How much.
        time: Duration,
        /// Why, in words for people.
        reason: &'a str,
    },
    /// The server has found a player's streams gone for so long that it is no short break.
    MarkAway {
        /// Whose.
        color: Color,
    },
    /// The server has found a stream of the player again.
    MarkBack {
        /// Whose.
        color: Color,
    },
    /// An operator decides the game.
    Adjudicate {
        /// How.
        ruling: Ruling,
        /// Why, in words for people.
        reason: &'a str,
    },
    /// The server ends a game that cannot go on, by no fault of the players.
    Void {
        /// Why, in words for people.
        reason: &'a str,
    },
}

/// What an operator decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Who has won; nobody for a draw, or for no result if it does not count.
    pub winner: Option<Color>,
    /// Whether it changes ratings.
    pub counts: bool,
}
