//! All games that this replica knows, and what can be done to them. Any replica serves any game: what is known here is a
//! cache of the log, and only an append decides.

mod accounts;
mod command;
mod follow;
mod outages;
mod oversight;
pub mod preview;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use kernel::GameId;
use ledger::{Entry, LogName, Sequence, SharedLedger, Unavailable};
use nigiri_proto::game::v1::ReplicaStreams;
use parking_lot::Mutex;
use platform::signal::{Follower, Signal};
use tokio::time::Instant;

use crate::{error::Error, estimates::Estimates, frame::Update, live::LiveGame, store::Store};

/// The kind of every game's log, which its id follows behind a colon.
pub const LOG_KIND: &str = "game";

/// A game of which nothing was heard for so long is read again while somebody follows it; sooner if something runs out there before, so that
/// whoever is to move is not the last to know.
const SILENCE: Duration = Duration::from_secs(60);
const SHORTEST_SILENCE: Duration = Duration::from_secs(5);

/// Entries that are read at once.
const PAGE: usize = 1000;

/// All games that this replica knows. Cheap to clone.
#[derive(Clone)]
pub struct Games {
    shared: Arc<Shared>,
}

struct Shared {
    ledger: SharedLedger,
    store: Store,
    estimates: Estimates,
    known: Mutex<BTreeMap<GameId, Arc<LiveGame>>>,
    /// The store's clock at the last sweep, in milliseconds; 0 before the first one.
    swept: AtomicU64,
    /// Outages may have ended until then of which nobody here has asked, in milliseconds.
    doubtful_until: AtomicU64,
    /// Raised while the ledger is out of reach for long.
    out_of_touch: Signal,
}

impl Games {
    /// No game is known yet.
    pub fn new(ledger: SharedLedger, store: Store) -> Self {
        let (known, swept, doubtful_until) = (Mutex::default(), AtomicU64::new(0), AtomicU64::new(0));
        let (estimates, out_of_touch) = (Estimates::new(), Signal::default());
        let shared = Shared { ledger, store, estimates, known, swept, doubtful_until, out_of_touch };
        Self { shared: Arc::new(shared) }
    }

    /// The ledger below.
    pub fn ledger(&self) -> &SharedLedger {
        &self.shared.ledger
    }

    /// Tells again and again while this replica has not reached the ledger for long: another one may, so whoever watches here is better
    /// off there.
    pub fn out_of_touch(&self) -> Follower {
        self.shared.out_of_touch.follow()
    }

    /// The archive below.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// A game, from the cache, the log or the archive.
    ///
    /// # Errors
    /// When there is none, ledger or store are away, or a newer version has written to it what this one does not understand.
    pub async fn get(&self, id: GameId) -> Result<Arc<LiveGame>, Error> {
        let live = self.entry(id)?;
        if live.sequence() == 0 {
            let loaded = self.load(&live).await;
            if !matches!(loaded, Ok(true)) {
                self.forget(id);
            }
            if !loaded? {
                return Err(Error::NotFound(id));
            }
        }
        if live.is_newer() { Err(Error::Newer(id)) } else { Ok(live) }
    }

    /// The cache's entry for a game, made if need be. It must be there before the log is read: a hint about a new entry that
    /// comes in between then finds it.
    fn entry(&self, id: GameId) -> Result<Arc<LiveGame>, Error> {
        let mut known = self.shared.known.lock();
        if let Some(live) = known.get(&id) {
            return Ok(Arc::clone(live));
        }
        let live = Arc::new(LiveGame::new(id, log_name(id)?));
        known.insert(id, Arc::clone(&live));
        Ok(live)
    }

    /// Fills a game from its log or, if that is gone, from the archive. False if neither knows it.
    async fn load(&self, live: &LiveGame) -> Result<bool, Error> {
        self.catch_up(live).await?;
        if live.sequence() == 0 {
            for entry in self.shared.store.entries(live.id()).await?.unwrap_or_default() {
                live.absorb(&entry);
            }
        }
        let over = live.look(|game, _| game.outcome().is_some());
        if over == Some(false) {
            // The store may be away, and the game goes on all the same: whoever acts and has no seat makes us ask again.
            if let Err(error) = self.put_seats_right(live).await {
                tracing::debug!(%error, "whose the seats are was not asked");
            }
        }
        Ok(live.sequence() > 0)
    }

    /// Reads what the log has and the game does not know yet.
    ///
    /// # Errors
    /// When the ledger is away.
    pub async fn catch_up(&self, live: &LiveGame) -> Result<(), Unavailable> {
        let _reading = live.reading.lock().await;
        loop {
            let entries = self.shared.ledger.read(live.log(), live.sequence(), PAGE).await?;
            let full = entries.len() == PAGE;
            for entry in &entries {
                live.absorb(entry);
            }
            if !full {
                live.is_read();
                return Ok(());
            }
        }
    }

    /// Reads the log of a game of which nothing was heard for a while: the log is the truth, hints are not. Hints that are known to be lost are
    /// not waited for, so this is rare: once for a game, however many follow it.
    ///
    /// # Errors
    /// When the ledger is away.
    pub async fn look_again(&self, live: &LiveGame) -> Result<(), Unavailable> {
        let due = live.look(|game, _| game.due()).flatten();
        let left = due.map(|due| due.since(self.ledger().now()) / 3);
        let silence = left.map_or(SILENCE, |left| left.clamp(SHORTEST_SILENCE, SILENCE));
        match Instant::now().checked_sub(silence) {
            Some(since) if !live.heard_since(since) => self.catch_up(live).await,
            _ => Ok(()),
        }
    }

    /// Whether a game is over, or is not there.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn is_over(&self, id: GameId) -> Result<bool, Error> {
        let live = match self.get(id).await {
            Ok(live) => live,
            Err(Error::NotFound(_)) => return Ok(true),
            Err(error) => return Err(error),
        };
        let is_over = || live.look(|game, _| game.outcome().is_some()).ok_or_else(|| live.unknown());
        if !is_over()? {
            // This replica may not have heard of the end yet.
            self.catch_up(&live).await?;
        }
        is_over()
    }

    /// Every entry of a game, from its log or from the archive, and whether it was the archive.
    ///
    /// # Errors
    /// When there is none, or ledger or store are away.
    pub async fn entries(&self, id: GameId) -> Result<(Vec<Entry>, bool), Error> {
        if let Some(entries) = self.shared.store.entries(id).await? {
            return Ok((entries, true));
        }
        let log = log_name(id)?;
        let mut all: Vec<Entry> = Vec::new();
        loop {
            let after = all.last().map_or(0, |entry| entry.sequence);
            let page = self.shared.ledger.read(&log, after, PAGE).await?;
            let full = page.len() == PAGE;
            all.extend(page);
            if !full {
                break;
            }
        }
        if !all.is_empty() {
            return Ok((all, false));
        }
        // It may have been archived, and its log retired, since we looked.
        let archived = self.shared.store.entries(id).await?;
        archived.map(|entries| (entries, true)).ok_or(Error::NotFound(id))
    }

    /// Every update of a game after `after`, for who comes back after a long time.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn updates_since(&self, id: GameId, after: Sequence) -> Result<Vec<Update>, Error> {
        let (entries, _) = self.entries(id).await?;
        crate::live::rebuild(&entries, after).ok_or(Error::Newer(id))
    }

    /// Drops games from the cache that nobody has used for that long.
    pub fn forget_idle(&self, idle: Duration) {
        let Some(since) = Instant::now().checked_sub(idle) else { return };
        self.shared.known.lock().retain(|_, live| Arc::strong_count(live) > 1 || live.in_use_since(since));
    }

    /// Lets the games rest in which nothing has happened for that long.
    pub fn rest(&self, quiet: Duration) {
        let Some(since) = Instant::now().checked_sub(quiet) else { return };
        // Not all at once: what is read here is needed for every move.
        let known: Vec<_> = self.shared.known.lock().values().cloned().collect();
        known.iter().for_each(|live| live.rest(since));
    }

    fn forget(&self, id: GameId) {
        let mut known = self.shared.known.lock();
        if known.get(&id).is_some_and(|live| live.sequence() == 0) {
            known.remove(&id);
        }
    }

    /// Games in the cache.
    pub fn known(&self) -> usize {
        self.shared.known.lock().len()
    }

    /// Streams of a game that this replica serves; none if there are none.
    pub fn streams_of(&self, id: GameId) -> Option<ReplicaStreams> {
        let live = self.cached(id)?;
        let count = |streams| u32::try_from(streams).unwrap_or(u32::MAX);
        let (streams, spectators) = (count(live.watchers()), count(live.spectators()));
        (streams > 0).then(|| ReplicaStreams { streams, spectators, ..ReplicaStreams::default() })
    }

    fn cached(&self, id: GameId) -> Option<Arc<LiveGame>> {
        self.shared.known.lock().get(&id).cloned()
    }
}

/// The log of a game.
///
/// # Errors
/// Never for an id; the ledger's rules for names are its own.
pub fn log_name(id: GameId) -> Result<LogName, Error> {
    LogName::new(&format!("{LOG_KIND}:{id}")).map_err(|error| Error::Internal(error.to_string()))
}

/// The game of a log.
pub fn game_of(log: &LogName) -> Option<GameId> {
    if log.kind() == LOG_KIND { log.id().parse().ok() } else { None }
}
