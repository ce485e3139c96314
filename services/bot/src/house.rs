//! Who the house's bots are, and what they are doing.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use search::Level;

use crate::metrics;

/// The house's bots: the same in every process.
pub struct House(Vec<Arc<Bot>>);

/// One of them.
#[derive(Debug)]
pub struct Bot {
    /// The account's name, by the rules of nicknames.
    pub name: &'static str,
    /// How strong it plays.
    pub level: Level,
    player_id: OnceLock<String>,
    thinking: AtomicU32,
    moves: AtomicU64,
}

impl House {
    /// All of them, the easiest first. Only the house may have a name that begins like these.
    pub fn new() -> Self {
        let named =
            [("Nigiri Easy", Level::Easy), ("Nigiri Normal", Level::Normal), ("Nigiri Hard", Level::Hard)];
        Self(named.into_iter().map(|(name, level)| Arc::new(Bot::new(name, level))).collect())
    }

    /// The bots, the easiest first.
    pub fn bots(&self) -> &[Arc<Bot>] {
        &self.0
    }
}

impl Bot {
    fn new(name: &'static str, level: Level) -> Self {
        Self {
            name,
            level,
            player_id: OnceLock::new(),
            thinking: AtomicU32::new(0),
            moves: AtomicU64::new(0),
        }
    }

    /// The account's id; none until the bot has signed in.
    pub fn player_id(&self) -> Option<&str> {
        self.player_id.get().map(String::as_str)
    }

    /// It has signed in; an account never changes its id.
    pub fn signed_in(&self, player_id: String) {
        let known = self.player_id.get_or_init(|| player_id.clone());
        if *known != player_id {
            tracing::warn!(bot = self.name, "the account has another id now");
        }
    }

    /// Turns that it thinks about now.
    pub fn thinking(&self) -> u32 {
        self.thinking.load(Ordering::Relaxed)
    }

    /// Moves that it has made since the process began.
    pub fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    /// It has made a move.
    pub fn moved(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    /// It thinks about a turn, until the guard is dropped.
    pub fn begin(self: &Arc<Self>) -> Thinking {
        self.thinking.fetch_add(1, Ordering::Relaxed);
        metrics::open_turns(self.level, 1.0);
        Thinking(Arc::clone(self))
    }
}

/// A turn that is being thought about.
pub struct Thinking(Arc<Bot>);

impl Drop for Thinking {
    fn drop(&mut self) {
        self.0.thinking.fetch_sub(1, Ordering::Relaxed);
        metrics::open_turns(self.0.level, -1.0);
    }
}
