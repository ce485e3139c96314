use goban::Point;
use kernel::GameId;
use referee::Command;

/// What a player wants.
#[derive(Clone, Copy, Debug)]
pub enum Wish {
    /// To play a stone.
    Play {
        /// The ply that it answers.
        ply: u32,
        /// Where.
        point: Point,
    },
    /// To pass.
    Pass {
        /// The ply that it answers.
        ply: u32,
    },
    /// To give up.
    Resign,
    /// To offer a draw.
    Draw {
        /// The ply that it answers.
        ply: u32,
    },
    /// To take back the last move.
    Takeback {
        /// The ply that it answers.
        ply: u32,
    },
    /// To answer the opponent's proposal.
    Answer {
        /// The proposal's number.
        id: u32,
        /// The proposal's version.
        version: u32,
        /// Yes or no.
        accept: bool,
    },
    /// To accept the score.
    Accept {
        /// The score's version.
        version: u32,
    },
    /// To dispute the score.
    Dispute {
        /// The score's version.
        version: u32,
    },
    /// To mark a chain.
    Mark {
        /// The score's version.
        version: u32,
        /// A stone of the chain.
        point: Point,
        /// Dead or alive.
        dead: bool,
    },
    /// To leave.
    Leave,
    /// To play again.
    Rematch,
}

impl Wish {
    /// The command to the referee of that game.
    pub fn command(self, game: GameId) -> Command<'static> {
        match self {
            Self::Play { ply, point } => Command::Play { ply, point },
            Self::Pass { ply } => Command::Pass { ply },
            Self::Resign => Command::Resign,
            Self::Draw { ply } => Command::OfferDraw { ply },
            Self::Takeback { ply } => Command::RequestTakeback { ply },
            Self::Answer { id, version, accept } => Command::Answer { id, version, accept },
            Self::Accept { version } => Command::AcceptScore { version },
            Self::Dispute { version } => Command::DisputeScore { version },
            Self::Mark { version, point, dead } => Command::MarkChain { version, point, dead },
            Self::Leave => Command::Leave,
            Self::Rematch => Command::RequestRematch { game },
        }
    }

    /// In words, by which a repetition is known again. For a stone, its point. These words are kept in the log.
    pub fn words(self) -> String {
        match self {
            Self::Play { point, .. } => point.to_string(),
            Self::Pass { .. } | Self::Resign => String::new(),
            Self::Draw { ply } => format!("draw {ply}"),
            Self::Takeback { ply } => format!("takeback {ply}"),
            Self::Answer { id, version, accept } => format!("answer {id} {version} {accept}"),
            Self::Accept { version } => format!("accept {version}"),
            Self::Dispute { version } => format!("dispute {version}"),
            Self::Mark { version, point, dead } => format!("mark {version} {point} {dead}"),
            Self::Leave => "leave".to_owned(),
            Self::Rematch => "rematch".to_owned(),
        }
    }
}
