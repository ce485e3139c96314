use std::{fmt, str::FromStr};

use uuid::Uuid;

/// A text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an id: expected a UUID such as 67e55044-10b1-426f-9247-bb680e5fe0c8")]
pub struct IdError {
    /// The text that was given, cut after 64 characters.
    pub text: String,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The id with these bits.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bits of the id.
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                // Only the usual hyphenated form, so that one id has one spelling.
                match Uuid::try_parse(text) {
                    Ok(uuid) if text.len() == 36 => Ok(Self(uuid)),
                    _ => Err(IdError { text: text.chars().take(64).collect() }),
                }
            }
        }
    };
}

id!(
    /// A player: a person or a bot.
    PlayerId
);
id!(
    /// A game. Derived from what caused the game, so that a retry names the same game.
    GameId
);
id!(
    /// A ticket in the matchmaking queue.
    TicketId
);
id!(
    /// What one needs to watch a private game without playing in it. Random: nobody can guess it.
    WatchKey
);

impl GameId {
    /// The id of the game that this cause makes: a name-based UUID (RFC 9562, version 5). The same cause always gives
    /// the same id.
    pub fn derive(cause: &str) -> Self {
        Self(Uuid::new_v5(&Uuid::NAMESPACE_OID, cause.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is displayed is parsed back, and nothing else is an id.
    #[test]
    fn ids_round_trip_and_have_one_spelling() {
        let id = GameId::derive("a cause");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id, GameId::derive("a cause"));
        assert_ne!(id, GameId::derive("another cause"));
        let long = "x".repeat(10_000);
        for text in
            ["", "1", "67e5504410b1426f9247bb680e5fe0c8", "{67e55044-10b1-426f-9247-bb680e5fe0c8}", &long]
        {
            let error = text.parse::<PlayerId>().unwrap_err();
            assert!(error.text.len() <= 64);
        }
    }
}
