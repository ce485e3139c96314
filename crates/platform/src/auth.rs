//! Who is calling: access tokens (JWT, EdDSA), checked offline with the session service's public keys.

mod bans;
mod guarded;
mod layer;
mod verifier;

use std::{fmt, sync::Arc};

use kernel::{PlayerId, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::status::{Failure, Reason};

pub use bans::{ACCOUNTS, Bans, banned, session_ended};
pub use guarded::is_stream;
pub(crate) use guarded::{is_served, lasts};
pub use layer::{Auth, AuthLayer};
pub(crate) use verifier::keys_away;
pub use verifier::{KeySource, Verifier};

/// The `iss` of every access token.
pub const ISSUER: &str = "nigiri";

/// The `aud` of every access token.
pub const AUDIENCE: &str = "nigiri";

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person.
    Player,
    /// A program that plays.
    Bot,
    /// One of our own services.
    Service,
    /// A person who looks after the installation; plays like anybody.
    Operator,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Player => "player",
            Self::Bot => "bot",
            Self::Service => "service",
            Self::Operator => "operator",
        })
    }
}

/// What an access token says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// [`ISSUER`].
    pub iss: String,
    /// [`AUDIENCE`].
    pub aud: String,
    /// The player's id, or the service's name.
    pub sub: String,
    /// The public name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// Whether the player has no lasting account.
    #[serde(default)]
    pub guest: bool,
    /// The session that the token belongs to, by the handle under which its player sees it; none for services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<Uuid>,
    /// Issued at: seconds since the Unix epoch.
    pub iat: u64,
    /// Not before: seconds since the Unix epoch.
    pub nbf: u64,
    /// Expires at: seconds since the Unix epoch.
    pub exp: u64,
}

/// A verified caller. In the extensions of every request that carries a token.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Whose token it is.
    pub subject: Subject,
    /// The public name.
    pub name: Arc<str>,
    /// The role.
    pub role: Role,
    /// Whether the player has no lasting account.
    pub guest: bool,
    /// The session that the token belongs to; none for services.
    pub session: Option<Uuid>,
    /// Until when the token holds.
    pub expires: Timestamp,
}

/// Whose token it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A player, person or bot.
    Player(PlayerId),
    /// A service, by its name.
    Service(Arc<str>),
}

impl Identity {
    /// The player who calls.
    ///
    /// # Errors
    /// [`Reason::RoleRequired`] when a service calls.
    pub fn player(&self) -> Result<PlayerId, Failure> {
        match self.subject {
            Subject::Player(id) => Ok(id),
            Subject::Service(_) => Err(Self::role_required("a player")),
        }
    }

    /// The bot that calls.
    ///
    /// # Errors
    /// [`Reason::RoleRequired`] when anybody else calls.
    pub fn bot(&self) -> Result<PlayerId, Failure> {
        match (self.role, self.player()) {
            (Role::Bot, Ok(id)) => Ok(id),
            _ => Err(Self::role_required("a bot")),
        }
    }

    /// Checks that one of our services calls.
    ///
    /// # Errors
    /// [`Reason::RoleRequired`] when anybody else calls.
    pub fn service(&self) -> Result<(), Failure> {
        if self.role == Role::Service { Ok(()) } else { Err(Self::role_required("a service")) }
    }

    /// Checks that an operator calls.
    ///
    /// # Errors
    /// [`Reason::RoleRequired`] when anybody else calls.
    pub fn operator(&self) -> Result<PlayerId, Failure> {
        match (self.role, self.player()) {
            (Role::Operator, Ok(id)) => Ok(id),
            _ => Err(Self::role_required("an operator")),
        }
    }

    fn role_required(role: &str) -> Failure {
        Failure::new(Reason::RoleRequired, format!("this call is for {role}")).with("role", role)
    }
}

/// The caller of a request that has passed the [`AuthLayer`].
///
/// # Errors
/// [`Reason::TokenMissing`] when the request carried no token.
pub fn caller<T>(request: &tonic::Request<T>) -> Result<Arc<Identity>, Failure> {
    request.extensions().get::<Arc<Identity>>().cloned().ok_or_else(missing)
}

fn missing() -> Failure {
    Failure::new(
        Reason::TokenMissing,
        "this call needs an access token: metadata `authorization: Bearer <token>`",
    )
}
