use kernel::{GameId, PlayerId};
use platform::status::{Failure, Reason, Violation};
use uuid::Uuid;

/// Why the service refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are malformed: all that are.
    #[error("malformed request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The game is not rated, or has not counted yet.
    #[error("game {0} is not rated, or has not counted yet")]
    NotRated(GameId),
    /// The player is not on that leaderboard.
    #[error("player {0} is not on that leaderboard")]
    NotRanked(PlayerId),
    /// There is no such flag.
    #[error("there is no flag {0}")]
    FlagNotFound(Uuid),
    /// The caller may not do that.
    #[error(transparent)]
    Caller(Failure),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let words = error.to_string();
        match error {
            Error::Invalid(violations) => Self::invalid(violations),
            Error::NotRated(game) => Self::new(Reason::NotRated, words).resource("game", game),
            Error::NotRanked(player) => Self::new(Reason::NotRanked, words).resource("player", player),
            Error::FlagNotFound(flag) => Self::new(Reason::FlagNotFound, words).resource("flag", flag),
            Error::Caller(failure) => failure,
            Error::Store(error) => Self::from(error),
        }
    }
}

impl From<Error> for tonic::Status {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
