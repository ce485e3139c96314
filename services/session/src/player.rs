use kernel::{PlayerId, Timestamp};
use platform::auth::Role;

/// A player as anybody may see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Who.
    pub id: PlayerId,
    /// The public name: unique, normalised.
    pub name: String,
    /// What kind of player.
    pub kind: Kind,
    /// When the account was made.
    pub created: Timestamp,
}

/// What kind of player somebody is. The numbers are those of the store and of `nigiri.session.v1.PlayerKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
pub enum Kind {
    /// A person without a lasting account.
    Guest = 1,
    /// A person with an account.
    Member = 2,
    /// A program.
    Bot = 3,
}

impl Kind {
    /// The kind with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Guest, Self::Member, Self::Bot].into_iter().find(|kind| kind.number() == number)
    }

    /// The kind's number.
    pub fn number(self) -> i16 {
        self as i16
    }

    /// The role in this kind's tokens.
    pub fn role(self) -> Role {
        match self {
            Self::Guest | Self::Member => Role::Player,
            Self::Bot => Role::Bot,
        }
    }
}
