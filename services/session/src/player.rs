use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::SessionEndedCause;
use platform::auth::Role;
use uuid::Uuid;

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
    /// The owner of a bot; none for people and the house's bots.
    pub owner: Option<PlayerId>,
    /// Whether the account was deleted.
    pub deleted: bool,
}

/// A session as its player sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub handle: Uuid,
    /// When it began.
    pub created: Timestamp,
    /// When it was last refreshed.
    pub refreshed: Timestamp,
    /// Until when it lasts.
    pub expires: Timestamp,
}

/// Why a session has ended. The numbers are those of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
pub enum Cause {
    /// By its player.
    SignedOut = 1,
    /// By an operator.
    Kicked = 2,
    /// A refresh token was used a second time.
    Reused = 3,
    /// By the bot's owner.
    Owner = 4,
    /// The guest became part of another player.
    Merged = 100,
    /// The account was deleted.
    Deleted = 101,
}

impl Cause {
    /// The cause with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::SignedOut, Self::Kicked, Self::Reused, Self::Owner, Self::Merged, Self::Deleted]
            .into_iter()
            .find(|cause| cause.number() == number)
    }

    /// The cause's number.
    pub fn number(self) -> i16 {
        self as i16
    }

    /// The cause that a notice names.
    pub fn of(cause: SessionEndedCause) -> Self {
        match cause {
            SessionEndedCause::Unspecified | SessionEndedCause::SignedOut => Self::SignedOut,
            SessionEndedCause::Kicked => Self::Kicked,
            SessionEndedCause::Reused => Self::Reused,
            SessionEndedCause::Owner => Self::Owner,
        }
    }

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::Kicked => "kicked",
            Self::Reused => "reused",
            Self::Owner => "owner",
            Self::Merged => "merged",
            Self::Deleted => "deleted",
        }
    }
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
