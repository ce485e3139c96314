//! Entries of a game's log as bytes. Whoever reads or writes one does it here, so that nobody takes what a newer version has written for something
//! else: an event that is passed over would leave a wrong board behind, without a word. See ADR 9.

#[cfg(feature = "next")]
mod next;

use bytes::Bytes;
use nigiri_proto::events::v1::GameEntry;
use prost::Message;

/// The highest format that this version knows. It is raised when an entry's words get another meaning, or a field a value that old readers
/// do not know; a new kind of event they notice by themselves.
const FORMAT: u32 = if cfg!(feature = "next") { 1 } else { 0 };

/// Why an entry cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// These are the bytes of no entry.
    #[error("an entry is damaged: {0}")]
    Damaged(String),
    /// This version lacks something that it would have to know.
    #[error("a newer version of the server has written an entry that this one does not understand")]
    Newer,
}

/// An entry from its bytes. All of its events are of a kind that is known here.
///
/// # Errors
/// When it is damaged, or a newer version has written what this one would misunderstand.
pub fn read_entry(payload: &Bytes) -> Result<GameEntry, Unreadable> {
    let entry = GameEntry::decode(payload.clone()).map_err(|error| Unreadable::Damaged(error.to_string()))?;
    #[cfg(feature = "next")]
    let entry = next::read(payload, entry);
    // A kind of event that is not known leaves an empty place behind.
    let strange = entry.events.iter().any(|event| event.event.is_none());
    if strange || entry.format > FORMAT { Err(Unreadable::Newer) } else { Ok(entry) }
}

/// The bytes of an entry.
pub fn write_entry(entry: &GameEntry) -> Bytes {
    #[cfg(feature = "next")]
    if let Some(bytes) = next::write(entry) {
        return bytes;
    }
    entry.encode_to_vec().into()
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{GameEvent, Passed, game_event::Event};

    use super::*;

    fn passed() -> GameEvent {
        GameEvent { event: Some(Event::Passed(Passed { color: 1 })) }
    }

    /// What a newer version has written is read if there is only more in it; not if an event is of a new kind, or if its writer says that it means something
    /// else. Damage is told apart from that.
    #[test]
    fn what_would_be_misunderstood_is_not_read() {
        let entry = GameEntry { events: vec![passed()], ply: 3, ..GameEntry::default() };
        let written = write_entry(&entry);
        assert_eq!(read_entry(&written), Ok(entry.clone()));
        // A field 999 with the number 1, in the entry; and in the event, which is the entry's field 1.
        let more = Bytes::from([&written[..], &[0xb8, 0x3e, 1]].concat());
        assert_eq!(read_entry(&more), Ok(entry.clone()));
        let event = [passed().encode_to_vec().as_slice(), &[0xb8, 0x3e, 1]].concat();
        let length = u8::try_from(event.len()).unwrap();
        let more = Bytes::from([&written[..], &[0x0a, length], &event].concat());
        assert_eq!(read_entry(&more).map(|entry| entry.events), Ok(vec![passed(), passed()]));

        let strange = Bytes::from([&written[..], &[0x0a, 3, 0xb8, 0x3e, 1]].concat());
        assert_eq!(read_entry(&strange), Err(Unreadable::Newer));
        let other = GameEntry { format: FORMAT + 1, ..entry };
        assert_eq!(read_entry(&write_entry(&other)), Err(Unreadable::Newer));
        assert!(matches!(read_entry(&Bytes::from_static(&[0x0a, 9])), Err(Unreadable::Damaged(_))));
    }
}
