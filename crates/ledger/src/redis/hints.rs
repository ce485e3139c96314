//! Where consumers wait. They do not block on a stream: that would take a connection for each consumer, and on a Cluster one for each
//! partition of it. The hints on the wake channels say which partition of which topic has something new, and only that is read; as hints
//! can be lost, everything is read now and then.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::Notify, time::Instant};

/// All partitions are read at least this often while somebody waits.
pub(super) const FULL_READ: Duration = Duration::from_secs(1);

/// What is known about the topics that somebody in this process reads.
#[derive(Debug, Default)]
pub(super) struct Hints(Mutex<HashMap<String, HashMap<String, Arc<GroupHints>>>>);

/// What is known about one group of a topic.
#[derive(Debug, Default)]
pub(super) struct GroupHints {
    state: Mutex<State>,
    pub bell: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Partitions that may have something that no consumer has had.
    filled: BTreeSet<u16>,
    /// When all were last read.
    read: Option<Instant>,
    /// Where the last reading began, so that no partition is always last.
    turn: usize,
}

impl Hints {
    pub fn group(&self, topic: &str, group: &str) -> Arc<GroupHints> {
        let mut topics = self.0.lock();
        if let Some(known) = topics.get(topic).and_then(|groups| groups.get(group)) {
            return Arc::clone(known);
        }
        let groups = topics.entry(topic.to_owned()).or_default();
        Arc::clone(groups.entry(group.to_owned()).or_default())
    }

    /// A partition of a topic has a new message.
    pub fn filled(&self, topic: &str, partition: u16) {
        for group in self.0.lock().get(topic).into_iter().flat_map(HashMap::values) {
            group.put_back([partition]);
        }
    }

    /// Hints were lost.
    pub fn lost(&self) {
        for group in self.0.lock().values().flat_map(HashMap::values) {
            group.state.lock().read = None;
            group.bell.notify_waiters();
        }
    }
}

impl GroupHints {
    /// The partitions to read now: those with a hint, or all if it is time for that or `everything` is asked for.
    pub fn take(&self, partitions: u16, everything: bool) -> Vec<u16> {
        let mut state = self.state.lock();
        let due = state.read.is_none_or(|read| read.elapsed() >= FULL_READ);
        let mut taken: Vec<u16> = if everything || due {
            state.read = Some(Instant::now());
            state.filled.clear();
            (0..partitions).collect()
        } else {
            std::mem::take(&mut state.filled).into_iter().collect()
        };
        if !taken.is_empty() {
            state.turn = (state.turn + 1) % taken.len();
            let turn = state.turn;
            taken.rotate_left(turn);
        }
        taken
    }

    /// These may have more.
    pub fn put_back(&self, partitions: impl IntoIterator<Item = u16>) {
        let mut state = self.state.lock();
        let before = state.filled.len();
        state.filled.extend(partitions);
        let more = state.filled.len() > before;
        drop(state);
        // Only for news, or those who wait would wake each other for ever.
        if more {
            self.bell.notify_waiters();
        }
    }
}
