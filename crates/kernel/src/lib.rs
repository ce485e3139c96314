//! The words that every crate shares: ids and moments. Pure: no I/O, no clock.

mod id;
mod timestamp;

pub use id::{GameId, IdError, PlayerId, TicketId, WatchKey};
pub use timestamp::Timestamp;
