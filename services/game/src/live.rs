//! One game as this replica knows it: the fold over its log so far, and what has just been added to it.

use std::{
    collections::{VecDeque, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use kernel::{GameId, PlayerId, Timestamp};
use ledger::{Entry, LogName, Sequence};
use nigiri_proto::{events::v1::GameEntry, game::v1 as pb};
use parking_lot::Mutex;
use platform::{
    signal::{Follower, Signal},
    telemetry::trace::{self, TraceContext},
};
use referee::{Event, Game};
use tokio::time::Instant;

use crate::{
    bells::Bell,
    codec::{self, Unreadable},
    error::Error,
    frame::Update,
    store::accounts::Moved,
};

/// Updates that are kept for watchers who are a little behind; who is further behind gets a snapshot.
const RECENT: usize = 12;

/// So many of them are kept of a game in which nothing happens: whoever reads has been told.
const KEPT: usize = 2;

/// One game as this replica knows it.
pub struct LiveGame {
    id: GameId,
    log: LogName,
    state: Mutex<State>,
    /// The last entry that has been folded in.
    sequence: Signal,
    /// Streams of many games that follow this one.
    bells: Mutex<Vec<Arc<Bell>>>,
    /// Outages up to this moment, in milliseconds of the store's clock, have taken nothing, or it was given back.
    settled_until: AtomicU64,
    /// Streams of it that are not its players'.
    spectators: AtomicUsize,
    /// Held while the log is read, so that it is read once for all who miss something.
    pub(crate) reading: tokio::sync::Mutex<()>,
}

struct State {
    /// None while nothing is known, and for good once a newer version has written what is not understood here.
    game: Option<Game>,
    /// Whether that is so: what this replica knows of the game is not how it stands.
    newer: bool,
    sequence: Sequence,
    recent: VecDeque<Update>,
    commands: Vec<CommandMark>,
    /// The trace to which the game's beginning belongs, if it is kept.
    origin: Option<Box<TraceContext>>,
    used: Instant,
    /// When the log last told something, or was last read to its end.
    heard: Instant,
}

/// What is remembered of a command: enough to know it again, in 16 bytes.
#[derive(Clone, Copy, Default)]
struct CommandMark {
    id: u64,
    body: u64,
}

/// Who gave which command, for telling a repetition from a new one.
pub struct CommandKey<'a> {
    /// Who.
    pub player: PlayerId,
    /// The id that the client made up.
    pub id: &'a str,
    /// What is wanted.
    pub body: CommandBody<'a>,
}

/// What a command wants, as its entry tells it.
#[derive(Hash)]
pub enum CommandBody<'a> {
    /// A stone.
    Play(u32, &'a str),
    /// A pass.
    Pass(u32),
    /// A resignation.
    Resign,
    /// Anything else, in words.
    Other(&'a str),
}

/// Somebody who looks on, for as long as this lives.
pub struct Spectator(Arc<LiveGame>);

impl Spectator {
    /// One more who looks on at this game.
    pub fn of(live: Arc<LiveGame>) -> Self {
        live.spectators.fetch_add(1, Ordering::Relaxed);
        Self(live)
    }
}

impl Drop for Spectator {
    fn drop(&mut self) {
        self.0.spectators.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a command was seen before.
pub enum Seen {
    /// Never.
    No,
    /// It is this entry.
    Same(Sequence),
    /// Its id was used for another command.
    Other,
}

/// What a watcher has missed.
pub enum Missed {
    /// Nothing.
    Nothing,
    /// These updates, in order.
    Updates(Vec<Update>),
    /// More than is kept.
    TooMuch,
}

impl LiveGame {
    /// A game of which nothing is known yet.
    pub fn new(id: GameId, log: LogName) -> Self {
        Self {
            id,
            log,
            state: Mutex::new(State::new()),
            sequence: Signal::default(),
            bells: Mutex::default(),
            settled_until: AtomicU64::new(0),
            spectators: AtomicUsize::new(0),
            reading: tokio::sync::Mutex::default(),
        }
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// The game's log.
    pub fn log(&self) -> &LogName {
        &self.log
    }

    /// The last entry that has been folded in.
    pub fn sequence(&self) -> Sequence {
        self.state.lock().sequence
    }

    /// Outages up to this moment have taken nothing from what runs, or it was given back: milliseconds of the store's clock.
    pub fn settled_until(&self) -> u64 {
        self.settled_until.load(Ordering::Relaxed)
    }

    /// It was found that outages up to this moment are settled.
    pub fn settle_until(&self, moment: u64) {
        self.settled_until.fetch_max(moment, Ordering::Relaxed);
    }

    /// Told of each new entry.
    pub fn subscribe(&self) -> Follower {
        self.sequence.follow()
    }

    /// Rings this bell at each new entry, until [`LiveGame::unhang`].
    pub fn hang(&self, bell: Arc<Bell>) {
        self.bells.lock().push(bell);
    }

    /// Rings this bell no more.
    pub fn unhang(&self, bell: &Arc<Bell>) {
        self.bells.lock().retain(|other| !Arc::ptr_eq(other, bell));
    }

    /// Streams that follow it here.
    pub fn watchers(&self) -> usize {
        self.sequence.followers() + self.bells.lock().len()
    }

    /// Streams that follow it here and are not its players'.
    pub fn spectators(&self) -> usize {
        self.spectators.load(Ordering::Relaxed)
    }

    /// Whether somebody follows it, or has used it since that moment.
    pub fn in_use_since(&self, since: Instant) -> bool {
        self.sequence.followers() > 0 || !self.bells.lock().is_empty() || self.state.lock().used >= since
    }

    /// Whether the log has told something since that moment, or was read to its end.
    pub fn heard_since(&self, since: Instant) -> bool {
        self.state.lock().heard >= since
    }

    /// Lets go of what is kept for watchers who are a little behind, and of room for more, if nothing has happened since that moment.
    pub fn rest(&self, since: Instant) {
        let mut state = self.state.lock();
        if state.heard < since {
            let told = state.recent.len().saturating_sub(KEPT);
            state.recent.drain(..told);
            state.recent.shrink_to_fit();
            state.commands.shrink_to_fit();
        }
    }

    /// The log has been read to its end.
    pub fn is_read(&self) {
        self.state.lock().heard = Instant::now();
    }

    /// Whether a newer version has written to it what this one does not understand. Then nothing can be said of it here, let alone decided.
    pub fn is_newer(&self) -> bool {
        self.state.lock().newer
    }

    /// Why there is nothing to look at.
    pub fn unknown(&self) -> Error {
        if self.is_newer() { Error::Newer(self.id) } else { Error::NotFound(self.id) }
    }

    /// Looks at the game with its last sequence; none while nothing is known, and when a newer version knows more.
    pub fn look<T>(&self, look: impl FnOnce(&Game, Sequence) -> T) -> Option<T> {
        let mut state = self.state.lock();
        state.used = Instant::now();
        let sequence = state.sequence;
        state.game.as_ref().map(|game| look(game, sequence))
    }

    /// The trace to which the game's beginning belongs, if it is kept.
    pub fn origin(&self) -> Option<TraceContext> {
        self.state.lock().origin.as_deref().copied()
    }

    /// The game as it stands.
    pub fn snapshot(&self, now: Timestamp) -> Option<pb::GameSnapshot> {
        self.look(|game, sequence| codec::snapshot(self.id, game, sequence, now))
    }

    /// Whether a command was seen before.
    pub fn seen(&self, command: &CommandKey<'_>) -> Seen {
        let mark = CommandMark::of(command);
        let state = self.state.lock();
        match state.commands.iter().position(|known| known.id == mark.id) {
            None => Seen::No,
            Some(at) if state.commands[at].body == mark.body => Seen::Same(at as Sequence + 1),
            Some(_) => Seen::Other,
        }
    }

    /// Puts right whose a seat is. False if nobody of that id sits here.
    pub fn reseat(&self, moved: &Moved) -> bool {
        let mut state = self.state.lock();
        state.game.as_mut().is_some_and(|game| game.reseat(moved.player, moved.into, &moved.name))
    }

    /// Folds in the next entry; what is known already is passed over. False if entries are missing before it.
    pub fn absorb(&self, entry: &Entry) -> bool {
        self.next(entry.sequence, |state| state.absorb(entry))
    }

    /// Likewise, with an entry that this replica has just written.
    pub fn absorb_own(
        &self,
        sequence: Sequence,
        stamp: Timestamp,
        entry: GameEntry,
        events: &[Event],
    ) -> bool {
        self.next(sequence, |state| state.fold(sequence, stamp, entry, events.iter().map(Some)))
    }

    fn next(&self, sequence: Sequence, fold: impl FnOnce(&mut State)) -> bool {
        let mut state = self.state.lock();
        if sequence <= state.sequence {
            return true;
        }
        if sequence != state.sequence + 1 {
            return false;
        }
        fold(&mut state);
        drop(state);
        self.sequence.raise(sequence);
        self.bells.lock().iter().for_each(|bell| bell.ring());
        true
    }

    /// What a watcher has missed who has seen everything up to `after`.
    pub fn missed(&self, after: Sequence) -> Missed {
        let state = self.state.lock();
        if after >= state.sequence {
            return Missed::Nothing;
        }
        let missing = usize::try_from(state.sequence - after).unwrap_or(usize::MAX);
        if missing > state.recent.len() {
            return Missed::TooMuch;
        }
        Missed::Updates(state.recent.range(state.recent.len() - missing..).cloned().collect())
    }
}

impl State {
    fn new() -> Self {
        let now = Instant::now();
        let (recent, commands) = (VecDeque::new(), Vec::new());
        Self { game: None, newer: false, sequence: 0, recent, commands, origin: None, used: now, heard: now }
    }

    fn absorb(&mut self, entry: &Entry) {
        let decoded = match codec::read_entry(&entry.payload) {
            Ok(decoded) => decoded,
            Err(Unreadable::Newer) => return self.leave(entry.sequence),
            Err(error) => {
                tracing::error!(sequence = entry.sequence, %error, "an entry cannot be read");
                GameEntry::default()
            }
        };
        let size = self.game.as_ref().map(|game| game.settings().size);
        let events: Vec<_> =
            decoded.events.iter().map(|event| codec::event_from_proto(event, size)).collect();
        self.fold(entry.sequence, entry.stamp, decoded, events.iter().map(Option::as_ref));
    }

    /// Leaves the game to those who understand this entry: to go on from a state that lacks it would be to guess.
    fn leave(&mut self, sequence: Sequence) {
        if !self.newer {
            tracing::info!(sequence, "a newer version has written to a game: it is left to other replicas");
        }
        (self.game, self.newer) = (None, true);
        (self.sequence, self.heard) = (sequence, Instant::now());
        self.recent.clear();
    }

    /// Folds in an entry and what it says; none for an event that cannot be read.
    fn fold<'a>(
        &mut self,
        sequence: Sequence,
        stamp: Timestamp,
        entry: GameEntry,
        events: impl Iterator<Item = Option<&'a Event>>,
    ) {
        if self.newer {
            return self.leave(sequence);
        }
        self.sequence = sequence;
        self.heard = Instant::now();
        for event in events {
            match (event, &mut self.game) {
                (None, _) => tracing::error!(sequence, "an event cannot be read"),
                (Some(event), None) => self.game = Game::begin(event, stamp),
                (Some(event), Some(game)) => {
                    game.apply(event, stamp);
                    if let Some(cause) = game.corruption() {
                        tracing::error!(sequence, cause, "the game's record is damaged");
                    }
                }
            }
        }
        if sequence == 1 && trace::is_on() {
            let origin = entry.traceparent.parse().ok().filter(|origin: &TraceContext| origin.is_kept());
            self.origin = origin.map(Box::new);
        }
        self.commands.push(CommandMark::read(&entry));
        if let Some(game) = &self.game {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(Update::new(&codec::update(game, sequence, stamp, entry.events)));
        }
    }
}

impl CommandMark {
    fn of(command: &CommandKey<'_>) -> Self {
        let mut id = DefaultHasher::new();
        (command.player, command.id).hash(&mut id);
        let mut body = DefaultHasher::new();
        command.body.hash(&mut body);
        Self { id: id.finish(), body: body.finish() }
    }

    /// The mark that the command of this entry had.
    fn read(entry: &GameEntry) -> Self {
        use pb::game_event::Event as Wire;
        let (Ok(player), false) = (entry.player_id.parse(), entry.command_id.is_empty()) else {
            return Self::default();
        };
        let body = match entry.events.first().and_then(|event| event.event.as_ref()) {
            Some(Wire::MovePlayed(played)) => CommandBody::Play(entry.ply, &played.point),
            Some(Wire::Passed(_)) => CommandBody::Pass(entry.ply),
            _ if !entry.wanted.is_empty() => CommandBody::Other(&entry.wanted),
            _ => CommandBody::Resign,
        };
        Self::of(&CommandKey { player, id: &entry.command_id, body })
    }
}

/// Every update of a game after `after`, folded anew from its entries: for who comes back after a long time. None if a newer version has written what is not
/// understood here.
pub fn rebuild(entries: &[Entry], after: Sequence) -> Option<Vec<Update>> {
    let mut state = State::new();
    let mut updates = Vec::new();
    for entry in entries {
        state.absorb(entry);
        if entry.sequence > after {
            updates.extend(state.recent.back().cloned());
        }
    }
    (!state.newer).then_some(updates)
}
