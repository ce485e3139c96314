use std::{sync::Arc, time::Duration};

use goban::{Color, Point, Verdict};
use kernel::{GameId, Timestamp};

use crate::{Outcome, Seats, Settings};

/// One thing that happened in a game. When it happened is the stamp of its entry, and times that it states run from there.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The game was made: always the first event. Its clock runs from here.
    Created {
        /// What is played.
        settings: Box<Settings>,
        /// Who plays.
        seats: Seats,
    },
    /// A stone was played.
    MovePlayed {
        /// Whose stone.
        color: Color,
        /// Where.
        point: Point,
        /// Stones that left the board by it, sorted.
        captured: Vec<Point>,
    },
    /// A player passed.
    Passed {
        /// Who.
        color: Color,
    },
    /// Time in which the servers were away was given back.
    TimeCredited {
        /// How much to the running clock, or to the time for agreeing on a score.
        credit: Duration,
        /// How much to Black's and White's grace.
        grace: [Duration; 2],
        /// Outages that ended up to this moment are settled by it.
        settled_until: Timestamp,
        /// Why, in words for people.
        reason: Arc<str>,
    },
    /// An operator gave time to the turn that runs, or to the time for agreeing on a score.
    TimeGiven {
        /// How much.
        time: Duration,
        /// Why, in words for people.
        reason: Arc<str>,
    },
    /// A player is gone.
    PlayerAway {
        /// Who.
        color: Color,
        /// Whether the player said so.
        left: bool,
        /// How long the game waits from here.
        grace: Duration,
    },
    /// A player is back.
    PlayerBack {
        /// Who.
        color: Color,
    },
    /// A player offered a draw.
    DrawOffered {
        /// Who.
        color: Color,
        /// The proposal's number in the game, from 1.
        id: u32,
        /// The ply at which it was made.
        version: u32,
    },
    /// A player asked to take back moves.
    TakebackRequested {
        /// Who.
        color: Color,
        /// The proposal's number in the game, from 1.
        id: u32,
        /// The ply at which it was made.
        version: u32,
        /// How many moves: 1 or 2.
        moves: u32,
    },
    /// A player answered the opponent's proposal.
    ProposalAnswered {
        /// Who answered.
        color: Color,
        /// The proposal's number.
        id: u32,
        /// Yes or no.
        accepted: bool,
    },
    /// Moves were taken back: board, captures, the positions that ko and superko look back on, and both clocks are as they were when the first of them was
    /// to be made, and that turn begins anew.
    TakenBack {
        /// Who had asked.
        color: Color,
        /// How many moves.
        moves: u32,
    },
    /// After two passes the server proposes a score. The clocks stand still until it is agreed or disputed.
    ScoreProposed {
        /// 1.
        version: u32,
        /// The score, with the dead stones.
        verdict: Box<Verdict>,
        /// Whether Black and White accept it already: programs accept what the server proposes.
        accepted: [bool; 2],
        /// How long the players have from here.
        time: Duration,
    },
    /// A player says that a chain is dead, or that it is alive. Both have to accept the new score.
    ChainMarked {
        /// Who.
        color: Color,
        /// The stone of the chain that was named.
        point: Point,
        /// Dead or alive.
        dead: bool,
        /// One more than before.
        version: u32,
        /// The new score, with the dead stones.
        verdict: Box<Verdict>,
        /// Whether Black and White accept it already.
        accepted: [bool; 2],
        /// By how much the players' time is longer.
        extension: Duration,
    },
    /// A player accepted the score.
    ScoreAccepted {
        /// Who.
        color: Color,
        /// Its version.
        version: u32,
    },
    /// A player disputed the score: play goes on, and clocks go on where they stood.
    ScoreDisputed {
        /// Who.
        color: Color,
        /// Its version.
        version: u32,
        /// Who moves: the player who passed first.
        turn: Color,
    },
    /// An operator decided the game, or the server ended one that could not go on. The end is in the same entry.
    Adjudicated {
        /// Why, in words for people.
        reason: Arc<str>,
    },
    /// The game ended. Only rematch events come after it.
    Finished {
        /// How.
        outcome: Outcome,
        /// How the board was counted, if it was.
        verdict: Option<Box<Verdict>>,
    },
    /// After the end, a player asked for another game.
    RematchRequested {
        /// Who.
        color: Color,
    },
    /// Both asked for another game.
    RematchAgreed {
        /// Its id.
        game: GameId,
    },
}
