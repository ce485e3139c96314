//! Page tokens of lists in the order of time: a version, the kind of list, a moment and an id.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use kernel::Timestamp;
use uuid::Uuid;

/// The first byte of every token: its version.
const VERSION: u8 = 1;

/// The kinds of lists, so that no token is taken for one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// A player's points in a pool.
    Points,
    /// Annulments.
    Annulments,
    /// Flags.
    Flags,
}

/// The token of what follows.
pub(crate) fn write(list: List, time: Timestamp, id: Uuid) -> String {
    let mut bytes = vec![VERSION, list as u8];
    bytes.extend(time.as_millis().to_be_bytes());
    bytes.extend(id.as_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// What a token of this list says; nothing if it is none.
pub(crate) fn read(list: List, token: &str) -> Option<(Timestamp, Uuid)> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
    let (head, rest) = bytes.split_first_chunk::<2>()?;
    let (time, id) = rest.split_first_chunk::<8>()?;
    let time = u64::from_be_bytes(*time);
    // A moment beyond what the store can hold is nobody's.
    let stored = *head == [VERSION, list as u8] && i64::try_from(time).is_ok();
    stored.then_some((Timestamp::from_millis(time), Uuid::from_slice(id).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token comes back in its own list and in no other; what is no token is nothing.
    #[test]
    fn a_token_belongs_to_one_list() {
        let (time, id) = (Timestamp::from_millis(1_796_000_000_123), Uuid::from_u128(7));
        let token = write(List::Flags, time, id);
        assert_eq!(read(List::Flags, &token), Some((time, id)));
        assert_eq!(read(List::Points, &token), None);
        let far = write(List::Flags, Timestamp::from_millis(u64::MAX), id);
        for text in ["", "x", "%%%", &token[1..], &format!("{token}AAAA"), &far] {
            assert_eq!(read(List::Flags, text), None, "{text}");
        }
    }
}
