use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Level;

/// How much a player may think about one move.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Random games from the position, at most. A search also ends when what is left could not change the choice.
    pub playouts: u32,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// So many playouts, and nothing that stops them.
    #[must_use]
    pub const fn playouts(playouts: u32) -> Self {
        Self { playouts, stop: None }
    }

    /// What a level usually has.
    #[must_use]
    pub const fn of(level: Level) -> Self {
        Self::playouts(match level {
            Level::Easy => 100,
            Level::Normal => 400,
            Level::Hard => 4_000,
        })
    }

    /// The same, but thinking ends early, with the best move so far, once the flag is raised.
    #[must_use]
    pub fn stopped_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { stop: Some(flag), ..self }
    }

    /// Whether thinking should end now.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
