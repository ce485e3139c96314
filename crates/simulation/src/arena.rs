//! What the players did and saw, for the audit.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hasher},
    time::Duration,
};

use nigiri_client::GameId;
use nigiri_proto::game::v1::{Color, GameEvent, GameUpdate};
use parking_lot::Mutex;
use platform::signal::Signal;
use prost::Message;

/// Everything that the players did and saw.
#[derive(Debug, Default)]
pub struct Arena {
    games: Mutex<BTreeMap<GameId, Played>>,
    problems: Mutex<Vec<String>>,
    /// How many players have played all their games.
    gone: Signal,
}

/// What is known of one game.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// What each watcher saw.
    pub seen: Vec<Seen>,
    /// Commands that were acknowledged: the number of the entry, the command's id, and what was wanted.
    pub acknowledged: Vec<(u64, String, String)>,
    /// Who let the time run out on purpose.
    pub dawdled: BTreeSet<i32>,
}

/// What one watcher saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Number and digest of each entry.
    pub entries: Vec<(u64, u64)>,
    /// A digest of how things stood after each entry, as the stream told.
    pub states: BTreeMap<u64, u64>,
    /// The last entry that is known, told or contained in a snapshot.
    pub last: u64,
}

impl Seen {
    /// An entry came. What a new stream tells again, in the same words, is passed over.
    pub fn entry(&mut self, update: &GameUpdate) {
        let sequence = update.sequence;
        let entry = (sequence, digest(&update.events, update.event_time.as_ref()));
        let mut state = DefaultHasher::new();
        state.write(&update.state.as_ref().map(Message::encode_to_vec).unwrap_or_default());
        self.states.insert(sequence, state.finish());
        if sequence > self.last || !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
        self.last = self.last.max(sequence);
    }
}

/// A digest of all that an entry says, and of its stamp.
pub fn digest(events: &[GameEvent], time: Option<&prost_types::Timestamp>) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(time) = time {
        hasher.write_i64(time.seconds);
        hasher.write_i32(time.nanos);
    }
    for event in events {
        hasher.write(&event.encode_to_vec());
    }
    hasher.finish()
}

impl Arena {
    /// Notes something about a game.
    pub fn of(&self, game: GameId, note: impl FnOnce(&mut Played)) {
        note(self.games.lock().entry(game).or_default());
    }

    /// True for the first who comes with this game.
    pub fn is_new(&self, game: GameId) -> bool {
        let mut games = self.games.lock();
        let new = !games.contains_key(&game);
        games.entry(game).or_default();
        new
    }

    /// A player has played all their games.
    pub fn leaves(&self) {
        let gone = self.gone.follow().look();
        self.gone.raise(gone + 1);
    }

    /// Waits until only one of so many players is left.
    pub async fn only(&self, players: u64) {
        let mut gone = self.gone.follow();
        while gone.look() + 1 < players {
            gone.changed().await;
        }
    }

    /// Notes that a colour lets its time run out.
    pub fn dawdles(&self, game: GameId, color: Color) {
        self.of(game, |played| {
            played.dawdled.insert(color.into());
        });
    }

    /// Notes what must not be.
    pub fn problem(&self, what: String) {
        self.problems.lock().push(what);
    }

    /// Waits until something is noted that must not be.
    pub async fn faulty(&self) {
        while self.problems.lock().is_empty() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// All games.
    pub fn games(&self) -> BTreeMap<GameId, Played> {
        self.games.lock().clone()
    }

    /// All that must not be.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lock().clone()
    }
}
