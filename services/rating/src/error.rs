use kernel::GameId;
use platform::status::{Failure, Reason, Violation};

/// Why the service refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are malformed: all that are.
    #[error("malformed request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The game is not rated, or has not counted yet.
    #[error("game {0} is not rated, or has not counted yet")]
    NotRated(GameId),
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
            Error::Store(error) => Self::from(error),
        }
    }
}

impl From<Error> for tonic::Status {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
