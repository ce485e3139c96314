//! What all players of a swarm share.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use nigiri_client::{Color, Error, GameId, PlayerId, Session, Watched, reason};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{digest::Seen, stats::Stats};

/// One game in so many is followed by a third watcher.
const SAMPLE: u128 = 8;
/// One game in so many is played to two passes also when the time is up.
const PLAYED_OUT: u128 = 4;
/// How long after the end of the time even those are given up.
const LONGEST: Duration = Duration::from_secs(45);
/// How long the third watchers may take after the last player.
const SPECTATORS_PATIENCE: Duration = Duration::from_secs(20);
/// So many problems are told one by one.
const TOLD: usize = 30;

/// A command that the server acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The entry's number.
    pub sequence: u64,
    /// Whose command.
    pub color: Color,
    /// What it was.
    pub command: Command,
}

/// What a player may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A stone, in answer to this ply.
    Play(u32, String),
    /// A pass, in answer to this ply.
    Pass(u32),
    /// To give up.
    Resign,
}

/// A game of the swarm, as its players and watchers saw it.
#[derive(Default)]
pub struct Run {
    /// What was acknowledged to either player.
    pub acknowledged: Mutex<Vec<Acknowledged>>,
    /// What each player saw, and the third watcher of some.
    pub seen: Mutex<Vec<Seen>>,
    /// Commands whose end the client could not find out.
    pub unknown: AtomicU64,
    /// When the last move of either colour was sent, in nanoseconds since the start; 0 for never.
    sent: [AtomicU64; 2],
}

impl Run {
    /// A move is being sent in answer to this ply.
    pub fn sending(&self, ply: u32, since_start: Duration) {
        let nanos = u64::try_from(since_start.as_nanos()).unwrap_or(u64::MAX);
        self.sent[ply as usize % 2].store(nanos, Ordering::Relaxed);
    }

    /// When the move was sent that answered this ply, since the start.
    pub fn sent(&self, ply: u32) -> Option<Duration> {
        let nanos = self.sent[ply as usize % 2].load(Ordering::Relaxed);
        (nanos > 0).then(|| Duration::from_nanos(nanos))
    }
}

/// What all players share.
pub struct Arena {
    /// Counters.
    pub stats: Stats,
    start: Instant,
    deadline: Instant,
    ours: HashSet<PlayerId>,
    games: Mutex<HashMap<GameId, Arc<Run>>>,
    spectators: Vec<Session>,
    next_spectator: AtomicUsize,
    watching: TaskTracker,
    strangers: AtomicBool,
    problems: AtomicUsize,
}

impl Arena {
    /// An arena for these players, whose time begins now.
    pub fn new(players: &[Session], spectators: Vec<Session>, time: Duration) -> Result<Self, Error> {
        let start = Instant::now();
        Ok(Self {
            stats: Stats::new(),
            start,
            deadline: start + time,
            ours: players.iter().map(Session::player_id).collect::<Result<_, _>>()?,
            games: Mutex::default(),
            spectators,
            next_spectator: AtomicUsize::new(0),
            watching: TaskTracker::new(),
            strangers: AtomicBool::new(false),
            problems: AtomicUsize::new(0),
        })
    }

    /// When the time began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// When no new games begin any more.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Whether a player should resign now, so that the end comes soon.
    pub fn should_resign(&self, game: GameId) -> bool {
        let late = Instant::now().saturating_duration_since(self.deadline);
        let played_out = game.as_uuid().as_u128().is_multiple_of(PLAYED_OUT);
        late > LONGEST || (self.is_over() && !played_out)
    }

    /// The game with this id, which somebody of the swarm plays. The first who asks has a third watcher follow it, if it is in the sample.
    pub fn game(self: &Arc<Self>, id: GameId) -> Arc<Run> {
        let mut games = lock(&self.games);
        if let Some(run) = games.get(&id) {
            return Arc::clone(run);
        }
        let run = Arc::new(Run::default());
        games.insert(id, Arc::clone(&run));
        drop(games);
        if id.as_uuid().as_u128().is_multiple_of(SAMPLE) && !self.spectators.is_empty() {
            let number = self.next_spectator.fetch_add(1, Ordering::Relaxed);
            let session = self.spectators[number % self.spectators.len()].clone();
            // Half of them begin with a snapshot, half with the first entry.
            let after = number.is_multiple_of(2).then_some(0);
            self.watching.spawn(follow(Arc::clone(self), session, id, Arc::clone(&run), after));
        }
        run
    }

    /// All games, in no order.
    pub fn games(&self) -> Vec<(GameId, Arc<Run>)> {
        lock(&self.games).iter().map(|(id, run)| (*id, Arc::clone(run))).collect()
    }

    /// Waits for the third watchers to see the ends of their games.
    pub async fn spectators_end(&self) {
        self.watching.close();
        if tokio::time::timeout(SPECTATORS_PATIENCE, self.watching.wait()).await.is_err() {
            self.error(&format!("{} third watchers saw no end of their games", self.watching.len()));
        }
    }

    /// Whether somebody sits opposite who is not of the swarm.
    pub fn note_opponent(&self, player_id: &str) {
        if !player_id.parse().is_ok_and(|id| self.ours.contains(&id)) {
            self.strangers.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody else has played with the swarm, so that its ratings need not sum up.
    pub fn met_strangers(&self) -> bool {
        self.strangers.load(Ordering::Relaxed)
    }

    /// Counts something that went wrong after the client's own retries.
    pub fn error(&self, what: &str) {
        self.stats.errors.add();
        self.tell(what);
    }

    /// Counts a broken promise of a stream.
    pub fn out_of_order(&self, what: &str) {
        self.stats.order_violations.add();
        self.tell(what);
    }

    fn tell(&self, what: &str) {
        match self.problems.fetch_add(1, Ordering::Relaxed) {
            n if n < TOLD => eprintln!("swarm: {what}"),
            TOLD => eprintln!("swarm: and more of that kind"),
            _ => {}
        }
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows a game as a third watcher.
async fn follow(arena: Arc<Arena>, session: Session, id: GameId, run: Arc<Run>, after: Option<u64>) {
    let mut watch = session.game(id).watch(after);
    let mut seen = Seen::default();
    while let Some(watched) = watch.next().await {
        match watched {
            Ok(Watched::Snapshot(snapshot)) => seen.snapshot(snapshot.sequence),
            Ok(Watched::Update(update)) => {
                seen.entry(update.sequence, &update.events, update.event_time.as_ref());
            }
            Ok(_) => {}
            Err(error @ Error::OutOfOrder { .. }) => {
                return arena.out_of_order(&format!("game {id}, third watcher: {error}"));
            }
            // The game is made a moment after its match is told.
            Err(error) if error.is(reason::GAME_NOT_FOUND) && !arena.is_over() => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                watch = session.game(id).watch(after);
            }
            Err(error) => return arena.error(&format!("game {id}, third watcher: {error}")),
        }
    }
    lock(&run.seen).push(seen);
}
