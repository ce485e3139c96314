//! The leaderboard of a pool: its order, and the token by which a page follows another.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use kernel::{PlayerId, Timestamp};
use uuid::Uuid;

use crate::{
    elo::{Rating, Standing},
    pool::Pool,
};

/// A player is on the leaderboards for this long after the last rated game.
pub const ACTIVE: Duration = Duration::from_hours(90 * 24);

/// Which leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The pool.
    pub pool: Pool,
    /// Whether players whose rating is provisional are listed as well.
    pub provisional: bool,
}

/// A place in the order of a leaderboard: the higher rating first, of equals who got there first, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The rating.
    pub rating: Rating,
    /// When the rating came to stand where it stands.
    pub reached: Timestamp,
    /// Who.
    pub player: PlayerId,
}

/// A line of a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leader {
    /// 1 for the first.
    pub rank: u64,
    /// Where in the order.
    pub place: Place,
    /// Rating and games.
    pub standing: Standing,
    /// The name at the last rated game.
    pub name: String,
}

/// A page of a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The strongest first.
    pub leaders: Vec<Leader>,
    /// Whether there is anybody behind them.
    pub more: bool,
}

/// A text that is no page token of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not a token at all.
    #[error("not a page token: pass `next_page_token` of the page before, or nothing")]
    Malformed,
    /// A token of a list of another pool or with other players.
    #[error("a page token of another list: keep `board_size` and `include_provisional` as they were")]
    OtherList,
}

/// The first byte of every token: its version.
const VERSION: u8 = 1;

impl Board {
    /// The pool in a token.
    fn list(self) -> u8 {
        u8::try_from(self.pool.number()).unwrap_or(0)
    }

    /// The token of the page that follows this place.
    pub fn token(self, after: Place) -> String {
        let mut bytes = vec![VERSION, self.list(), u8::from(self.provisional)];
        bytes.extend(after.rating.micros().to_be_bytes());
        bytes.extend(after.reached.as_millis().to_be_bytes());
        bytes.extend(after.player.as_uuid().as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place that a token of this list names.
    ///
    /// # Errors
    /// When it is no token, or one of another list.
    pub fn place(self, token: &str) -> Result<Place, TokenError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| TokenError::Malformed)?;
        let (list, place) = parts(&bytes).ok_or(TokenError::Malformed)?;
        match list {
            [VERSION, pool, list] if pool == self.list() && list == u8::from(self.provisional) => Ok(place),
            [VERSION, ..] => Err(TokenError::OtherList),
            _ => Err(TokenError::Malformed),
        }
    }
}

/// The list and the place in a token's bytes, if they are as many as they must be.
fn parts(bytes: &[u8]) -> Option<([u8; 3], Place)> {
    let (list, rest) = bytes.split_first_chunk()?;
    let (rating, rest) = rest.split_first_chunk()?;
    let (reached, rest) = rest.split_first_chunk()?;
    let place = Place {
        rating: Rating::from_micros(i64::from_be_bytes(*rating)),
        reached: Timestamp::from_millis(u64::from_be_bytes(*reached)),
        player: PlayerId::from_uuid(Uuid::from_slice(rest).ok()?),
    };
    Some((*list, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token names its place in its own list and in no other; what is no token is refused, whatever it is.
    #[test]
    fn a_token_belongs_to_one_list() {
        let board = |size, provisional| Board { pool: Pool::new(size).unwrap(), provisional };
        let place = Place {
            rating: Rating::from_micros(-1),
            reached: Timestamp::from_millis(1_796_000_000_123),
            player: PlayerId::from_uuid(Uuid::from_u128(7)),
        };
        let token = board(9, false).token(place);
        assert_eq!(board(9, false).place(&token), Ok(place));
        for other in [board(9, true), board(13, false)] {
            assert_eq!(other.place(&token), Err(TokenError::OtherList));
        }
        let long = "A".repeat(100_000);
        let other_version = format!("Ag{}", &token[2..]);
        for text in ["x", "%%%", &token[1..], &format!("{token}AAAA"), &long, &other_version] {
            assert_eq!(board(9, false).place(text), Err(TokenError::Malformed), "{text:.60}");
        }
    }
}
