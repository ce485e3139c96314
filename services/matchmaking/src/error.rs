use kernel::GameId;
use nigiri_proto::matchmaking::v1::AiLevel;
use platform::status::{Failure, Reason, Violation};

/// Why a call of this service was refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The request is malformed.
    #[error("the request is malformed")]
    Invalid(Vec<Violation>),
    /// Who calls may not call this.
    #[error(transparent)]
    Caller(Failure),
    /// A guest asked for a rated game where only accounts have them.
    #[error("rated games need an account; guests may play unrated games")]
    RatedNeedsAccount,
    /// Another stream follows the caller's ticket.
    #[error("another stream of yours is looking for an opponent already")]
    TicketExists,
    /// The caller has no ticket.
    #[error("you have no open ticket")]
    NoTicket,
    /// The caller's ticket has come to a game.
    #[error("the ticket has been matched already: the game is {0}")]
    TicketMatched(GameId),
    /// No bot of that level is ready.
    #[error("no AI of that level has room now; try again")]
    NoBot(AiLevel),
    /// This replica is going away.
    #[error("this replica is going away; call again and reach another")]
    Draining,
    /// The log did not take the change in time.
    #[error("the ledger does not answer in time; call again")]
    LedgerSlow,
    /// The game service cannot be reached.
    #[error("the game service cannot be reached; call again")]
    GameAway,
    /// The settings that were asked for make no game.
    #[error("these settings do not make a game")]
    Settings(Vec<Violation>),
    /// The game service refused a game that we asked for.
    #[error("the game service refused the game: {0}")]
    GameRefused(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(violations) => Self::invalid(violations),
            Error::Caller(failure) => failure,
            Error::RatedNeedsAccount => Self::new(Reason::RatedNeedsAccount, error),
            Error::TicketExists => Self::new(Reason::TicketExists, error),
            Error::NoTicket => Self::new(Reason::NoTicket, error),
            Error::TicketMatched(game) => Self::new(Reason::TicketMatched, error).with("game_id", game),
            Error::NoBot(level) => Self::new(Reason::NoBot, error).with("level", level.as_str_name()),
            Error::Draining => Self::new(Reason::Draining, error),
            Error::LedgerSlow => Self::new(Reason::LedgerUnavailable, error),
            Error::GameAway => Self::new(Reason::PeerUnavailable, error),
            Error::Settings(violations) => Self::invalid_for(Reason::InvalidSettings, violations),
            Error::GameRefused(_) => Self::internal(error),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Caller(failure)
    }
}

impl From<Error> for tonic::Status {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
