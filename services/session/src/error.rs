use kernel::{IdError, PlayerId};
use platform::status::{Failure, Reason, Violation};

use crate::{metrics, nickname};

/// Why the session service refuses.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that nobody can have.
    #[error("{field}: {refusal}")]
    Name {
        /// The field of the request.
        field: &'static str,
        /// What is wrong with it.
        refusal: nickname::Refusal,
    },
    /// A name that is somebody else's, or looks like it.
    #[error("the name {name:?}, or one that looks like it, belongs to somebody else")]
    NameTaken {
        /// The name: normalised, so it is short and clean.
        name: String,
    },
    /// A service's name that is none.
    #[error("a service's name has 1 to 32 characters of a to z and `-`")]
    ServiceName,
    /// The secret is not the one that the services share.
    #[error("the secret is wrong")]
    SecretWrong,
    /// A refresh token that is unknown, expired or ended, or no refresh token at all.
    #[error("the refresh token is unknown, expired or ended: sign in again")]
    RefreshTokenInvalid,
    /// A refresh token that was used before.
    #[error("the refresh token was used before; its session has been ended: sign in again")]
    RefreshTokenReused,
    /// A text that is no player's id.
    #[error("player_id: {0}")]
    PlayerId(IdError),
    /// Nobody has this id.
    #[error("there is no player with the id {0}")]
    PlayerNotFound(PlayerId),
    /// The store cannot be reached, or refuses.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// The store holds a kind of player that this version does not know.
    #[error("the store has a player of the unknown kind {0}")]
    UnknownKind(i16),
    /// A row of the signing keys is no key, or there is none.
    #[error("the store's signing keys are broken: a seed needs 32 bytes")]
    NoKey,
    /// A token cannot be signed.
    #[error("cannot sign a token: {0}")]
    Signing(#[from] jsonwebtoken::errors::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let words = error.to_string();
        match error {
            Error::Name { field, refusal } => {
                let reason = refusal.reason();
                metrics::name_refused(reason.name());
                Self::field(reason, field, refusal)
            }
            Error::NameTaken { name } => Self::new(Reason::NameTaken, words).resource("name", name),
            Error::ServiceName => Self::invalid(vec![Violation::new("service", words)]),
            Error::SecretWrong => Self::new(Reason::SecretWrong, words),
            Error::RefreshTokenInvalid => Self::new(Reason::RefreshTokenInvalid, words),
            Error::RefreshTokenReused => Self::new(Reason::RefreshTokenReused, words),
            Error::PlayerId(error) => Self::field(Reason::InvalidRequest, "player_id", error),
            Error::PlayerNotFound(id) => Self::new(Reason::PlayerNotFound, words).resource("player", id),
            Error::Store(error) => error.into(),
            Error::UnknownKind(_) | Error::NoKey | Error::Signing(_) => Self::internal(words),
        }
    }
}
