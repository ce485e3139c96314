use std::time::Duration;

use kernel::{IdError, PlayerId, Timestamp};
use platform::{
    auth::{banned, session_ended},
    status::{Failure, Reason, Violation},
};

use crate::{metrics, nickname, oidc::IdTokenFault, player::Cause};

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
    /// The session was ended.
    #[error("the session has been ended")]
    SessionEnded(Cause),
    /// The player is banned; `until` the largest moment for good.
    #[error("the player is banned: {reason}")]
    Banned {
        /// Why.
        reason: String,
        /// Until when.
        until: Timestamp,
    },
    /// No client id is configured.
    #[error("signing in is not configured here: guests can play")]
    SignInOff,
    /// The provider cannot be had.
    #[error("the identity provider is away: {0}")]
    Provider(String),
    /// An ID token that is not good.
    #[error("the ID token is not good")]
    IdToken(IdTokenFault),
    /// An ID token that was used before.
    #[error("the ID token was used before: get a new one")]
    IdTokenUsed,
    /// A nonce that is too short or too long.
    #[error("a nonce has 16 to 200 characters")]
    Nonce,
    /// An address that people are not sent back to.
    #[error("the redirect address is not one of the configured ones")]
    RedirectNotAllowed,
    /// A sign-in that was not begun here, is finished, or took too long.
    #[error("the sign-in was not begun here, is finished, or took too long: begin anew")]
    SignInUnknown,
    /// The person or the provider said no.
    #[error("the sign-in was refused by the provider: begin anew")]
    SignInDenied,
    /// The guest and the member have played each other.
    #[error(
        "the guest and the member have played each other, so they cannot become one: sign in without the guest's token"
    )]
    PlayedEachOther,
    /// Whether they have cannot be told.
    #[error("whether the guest and the member have played each other cannot be told now: try again")]
    GamesAway,
    /// The person has not agreed yet.
    #[error("the person has not agreed yet: try again in a while")]
    SignInPending(Duration),
    /// A request's id that is none.
    #[error("a request's id is a random UUID: version 4, in its usual text form")]
    RequestId,
    /// The last rename was a short while ago.
    #[error("the player was renamed a short while ago: the next rename can come in {} s", .0.as_secs())]
    RenamedLately(Duration),
    /// The caller has no session of this id.
    #[error("there is no such session")]
    SessionNotFound,
    /// The caller has no bot of this id.
    #[error("there is no such bot of the caller's")]
    BotNotFound,
    /// The owner has as many as one may.
    #[error("a player may own {0} bots")]
    TooManyBots(u16),
    /// Guests own no bots.
    #[error("this needs an account: sign in first")]
    AccountRequired,
    /// A ban without a good reason or duration.
    #[error("{}", .0.description)]
    Ban(Violation),
    /// The ledger cannot be reached.
    #[error(transparent)]
    Ledger(#[from] ledger::Unavailable),
    /// A text that is no player's id.
    #[error("player_id: {0}")]
    PlayerId(IdError),
    /// Nobody has this id.
    #[error("there is no player with the id {0}")]
    PlayerNotFound(PlayerId),
    /// Nobody has this name.
    #[error("there is no player called {0:?}")]
    NoSuchName(String),
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
            Error::SessionEnded(cause) => session_ended(cause.name()),
            Error::Banned { reason, until } => {
                banned(&reason, (until.as_millis() < i64::MAX.unsigned_abs()).then_some(until))
            }
            Error::SignInOff => Self::new(Reason::SignInOff, words),
            Error::Provider(_) => {
                tracing::warn!(error = words, "a sign-in has failed");
                Self::new(Reason::ProviderUnavailable, "the identity provider is away: try again")
            }
            Error::IdToken(IdTokenFault::Invalid) => Self::new(Reason::IdTokenInvalid, words),
            Error::IdToken(IdTokenFault::Expired) => Self::new(Reason::IdTokenExpired, words),
            Error::IdTokenUsed => Self::new(Reason::IdTokenUsed, words),
            Error::Nonce => Self::field(Reason::IdTokenNonce, "nonce", words),
            Error::RedirectNotAllowed => Self::field(Reason::RedirectNotAllowed, "redirect_uri", words),
            Error::SignInUnknown => Self::new(Reason::SignInUnknown, words),
            Error::SignInDenied => Self::new(Reason::SignInDenied, words),
            Error::SignInPending(wait) => Self::new(Reason::SignInPending, words).retry_after(wait),
            Error::PlayedEachOther => Self::new(Reason::PlayedEachOther, words),
            Error::GamesAway => Self::new(Reason::PeerUnavailable, words),
            Error::RequestId => Self::field(Reason::InvalidRequest, "request_id", words),
            Error::RenamedLately(wait) => Self::new(Reason::RenamedLately, words).retry_after(wait),
            Error::SessionNotFound => Self::new(Reason::SessionNotFound, words),
            Error::BotNotFound => Self::new(Reason::BotNotFound, words),
            Error::TooManyBots(_) => Self::new(Reason::TooManyBots, words),
            Error::AccountRequired => Self::new(Reason::AccountRequired, words),
            Error::Ban(violation) => Self::invalid(vec![violation]),
            Error::Ledger(error) => error.into(),
            Error::PlayerId(error) => Self::field(Reason::InvalidRequest, "player_id", error),
            Error::PlayerNotFound(id) => Self::new(Reason::PlayerNotFound, words).resource("player", id),
            Error::NoSuchName(name) => Self::new(Reason::PlayerNotFound, words).resource("player", name),
            Error::Store(error) => error.into(),
            Error::UnknownKind(_) | Error::NoKey | Error::Signing(_) => Self::internal(words),
        }
    }
}
