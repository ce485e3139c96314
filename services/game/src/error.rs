use kernel::GameId;
use ledger::{Sequence, Unavailable};
use platform::status::{Failure, Reason, Violation};
use referee::Refusal;

/// Why the game service refuses a call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No game has this id.
    #[error("there is no game {0}")]
    NotFound(GameId),
    /// A newer version has written to the game what this one does not understand.
    #[error(
        "a newer version of the server has written to the game {0}, and this one cannot go on with it: another replica can"
    )]
    Newer(GameId),
    /// The game is private, and the caller has not its key.
    #[error("the game {0} is private: only its players, and those who have its key, may see it")]
    Private(GameId),
    /// The request is malformed.
    #[error("the request is malformed")]
    Request(Vec<Violation>),
    /// Another game has this id.
    #[error("there is another game {0}")]
    Exists(GameId),
    /// The settings or seats do not fit.
    #[error("these settings do not make a game")]
    Settings(Vec<Violation>),
    /// The referee says no.
    #[error("{refusal}")]
    Refused {
        /// Why.
        refusal: Refusal,
        /// The last entry of the game.
        sequence: Sequence,
    },
    /// The command id was used for another command.
    #[error("this command id was used in this game for another command: each new command needs a new one")]
    CommandIdReused,
    /// Too many boards wait to be estimated.
    #[error("too many boards are waiting to be counted; ask again in a moment")]
    Busy,
    /// The ledger is away.
    #[error(transparent)]
    Ledger(#[from] Unavailable),
    /// The store is away, or a bug.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// A bug.
    #[error("{0}")]
    Internal(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::NotFound(id) => Self::new(Reason::GameNotFound, message).resource("game", id),
            Error::Newer(_) => Self::new(Reason::ServerTooOld, message),
            Error::Private(_) => Self::new(Reason::PrivateGame, message),
            Error::Request(violations) => Self::invalid(violations),
            Error::Exists(id) => Self::new(Reason::GameExists, message).resource("game", id),
            Error::Settings(violations) => Self::invalid_for(Reason::InvalidSettings, violations),
            Error::Refused { refusal, sequence } => refused(refusal, message).with("sequence", sequence),
            Error::CommandIdReused => Self::new(Reason::CommandIdReused, message),
            Error::Busy => Self::new(Reason::TooBusy, message),
            Error::Ledger(error) => error.into(),
            Error::Store(error) => error.into(),
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

fn refused(refusal: Refusal, message: String) -> Failure {
    match refusal {
        Refusal::NotASeat => Failure::new(Reason::NotYourSeat, message),
        Refusal::ServerOnly => Failure::new(Reason::RoleRequired, message),
        Refusal::GameOver { outcome } => Failure::new(Reason::GameOver, message).with("result", outcome),
        Refusal::StalePly { ply } => Failure::new(Reason::StalePly, message).with("ply", ply),
        Refusal::NotYourTurn { turn } => Failure::new(Reason::NotYourTurn, message).with("turn", turn),
        Refusal::OffBoard { point, size } => {
            Failure::field(Reason::OffBoard, "point", message).with("point", point).with("size", size)
        }
        Refusal::Illegal { point, reason } => {
            let reason = match reason {
                goban::Illegal::Occupied => Reason::Occupied,
                goban::Illegal::Suicide => Reason::Suicide,
                goban::Illegal::Ko => Reason::Ko,
                goban::Illegal::Superko => Reason::Superko,
                goban::Illegal::OffBoard => Reason::OffBoard,
            };
            Failure::new(reason, message).with("point", point)
        }
        Refusal::OutOfTime => Failure::new(Reason::OutOfTime, message),
        Refusal::ScoreProposed => Failure::new(Reason::ScoreProposed, message),
        Refusal::NoScore => Failure::new(Reason::NoScore, message),
        Refusal::StaleScore { version } => Failure::new(Reason::StaleScore, message).with("version", version),
        Refusal::NoStone { point } => Failure::new(Reason::NoStone, message).with("point", point),
        Refusal::NotInThisGame { what } => Failure::new(Reason::NotInThisGame, message).with("what", what),
        Refusal::TooSoon { ply } => Failure::new(Reason::ProposalTooSoon, message).with("ply", ply),
        Refusal::ProposalPending { id } => {
            Failure::new(Reason::ProposalPending, message).with("proposal_id", id)
        }
        Refusal::StaleProposal => Failure::new(Reason::StaleProposal, message),
        Refusal::NothingToTakeBack => Failure::new(Reason::NothingToTakeBack, message),
        Refusal::AlreadySo => Failure::new(Reason::AlreadySo, message),
        Refusal::NotOver => Failure::new(Reason::GameNotOver, message),
        Refusal::RematchAgreed { game } => Failure::new(Reason::AlreadySo, message).with("game", game),
        refusal @ (Refusal::NotDue { .. }
        | Refusal::NoClock
        | Refusal::NothingToCredit
        | Refusal::Corrupt) => Failure::internal(refusal),
    }
}
