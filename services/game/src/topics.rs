//! The topics that this service writes.

use kernel::PlayerId;

/// A game has ended: `nigiri.events.v1.FinishedNotice`.
pub const FINISHED: &str = "finished";

/// A game has begun: `nigiri.events.v1.CreatedNotice`.
pub const CREATED: &str = "created";

/// The turns of a bot: `nigiri.events.v1.TurnNotice`.
pub fn turns(bot: PlayerId) -> String {
    format!("turns.{bot}")
}
