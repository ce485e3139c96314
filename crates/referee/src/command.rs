use goban::Point;
use kernel::Timestamp;

/// What somebody wants to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// A player puts a stone on a point.
    Play {
        /// The number of moves that the player has seen, passes included.
        ply: u32,
        /// Where.
        point: Point,
    },
    /// A player passes.
    Pass {
        /// The number of moves that the player has seen, passes included.
        ply: u32,
    },
    /// A player gives up, at any time, also when it is the other's turn.
    Resign,
    /// The server claims that the player to move has run out of time.
    Timeout,
    /// The server gives back the time that it was away.
    Credit {
        /// When it was away: from the last sign of life before to the first one after, by the store's clock. In any order; they may
        /// overlap.
        outages: &'a [(Timestamp, Timestamp)],
    },
}
