//! What the next version writes otherwise: nothing that is released, but what a test of an upgrade needs to have two versions that differ (`tests/next`).
//!
//! Each entry has a field more, which old readers may pass over. The moves of half of the players are events of a new kind, without which nothing
//! that comes after them makes sense.

use bytes::Bytes;
use goban::Point;
use nigiri_proto::{
    events::v1::GameEntry,
    game::v1::{MovePlayed, game_event::Event},
};
use prost::Message;

/// An entry, as far as the next version has more.
#[derive(Clone, PartialEq, prost::Message)]
struct NextEntry {
    /// The events as they lie there.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    events: Vec<Bytes>,
    /// Who wrote it: a field that old readers may pass over.
    #[prost(string, tag = "1000")]
    writer: String,
}

/// An event of a new kind.
#[derive(Clone, PartialEq, prost::Message)]
struct NextEvent {
    #[prost(message, optional, tag = "1000")]
    stone: Option<Stone>,
}

/// A move in another form.
#[derive(Clone, PartialEq, prost::Message)]
struct Stone {
    #[prost(int32, tag = "1")]
    color: i32,
    #[prost(uint32, tag = "2")]
    column: u32,
    #[prost(uint32, tag = "3")]
    row: u32,
    #[prost(string, repeated, tag = "4")]
    captured: Vec<String>,
}

/// Puts in what an old reader would not have found.
pub fn read(payload: &Bytes, mut entry: GameEntry) -> GameEntry {
    let Ok(next) = NextEntry::decode(payload.clone()) else { return entry };
    for (event, bytes) in entry.events.iter_mut().zip(next.events) {
        if event.event.is_some() {
            continue;
        }
        let stone = NextEvent::decode(bytes).ok().and_then(|next| next.stone);
        event.event = stone.and_then(|stone| {
            let point = Point::new(u8::try_from(stone.column).ok()?, u8::try_from(stone.row).ok()?);
            let (color, captured) = (stone.color, stone.captured);
            Some(Event::MovePlayed(MovePlayed { color, point: point.to_string(), captured }))
        });
    }
    entry
}

/// The bytes of an entry, in the new form.
pub fn write(entry: &GameEntry) -> Option<Bytes> {
    let new = matches!(entry.player_id.bytes().last(), Some(b'0'..=b'7'));
    let events = entry.events.iter().map(|event| match &event.event {
        Some(Event::MovePlayed(played)) if new => {
            let point: Point = played.point.parse().ok()?;
            let (column, row) = (u32::from(point.column()), u32::from(point.row()));
            let (color, captured) = (played.color, played.captured.clone());
            Some(NextEvent { stone: Some(Stone { color, column, row, captured }) }.encode_to_vec().into())
        }
        _ => Some(Bytes::from(event.encode_to_vec())),
    });
    let next = NextEntry { events: events.collect::<Option<_>>()?, writer: "the next version".to_owned() };
    let rest = GameEntry { events: Vec::new(), ..entry.clone() };
    Some([rest.encode_to_vec(), next.encode_to_vec()].concat().into())
}
