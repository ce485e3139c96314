//! The replicas, and what they share.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

use kernel::Timestamp;
use ledger::{Clock, memory::MemoryLedger};
use nigiri_client::{Client, Options};
use nigiri_proto::session::v1::session_service_server::SessionServiceServer;
use parking_lot::Mutex;
use platform::{
    config::RatedArgs,
    db::{Fate, Fates},
    network::{Network, Pipe},
    node::{Node, Parts, Running},
    testing::{self, SimulatedStore},
};
use tokio::time::Instant;

use crate::{
    Plant,
    dice::{Dice, Trace},
    ledger::RemoteLedger,
    line::{Line, Shared},
    network::Doors,
    session::KnowsEverybody,
};

/// When every simulation begins.
pub const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// What [`Plant::ForgottenMark`] and [`Plant::ForgottenOrder`] do to the store.
const FORGETS_MARKS: &str = "\
    CREATE TRIGGER forgets BEFORE INSERT ON rated_games \
    WHEN EXISTS (SELECT 1 FROM rated_games WHERE game_id = NEW.game_id) BEGIN \
    DELETE FROM rating_history WHERE game_id = NEW.game_id; \
    DELETE FROM rated_games WHERE game_id = NEW.game_id; END";

/// What [`Plant::ForgottenOrder`] does to it besides.
const FORGETS_ORDER: &str = "\
    CREATE TRIGGER forgets_order AFTER UPDATE OF last_at ON player_ratings WHEN NEW.last_at > 0 BEGIN \
    UPDATE player_ratings SET last_at = 0 WHERE player_id = NEW.player_id AND pool = NEW.pool; END";

/// What breaks by itself, in one of a thousand cases each.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Requests, answers and hints that are lost.
    pub lost: u32,
    /// Messages that take long.
    pub slow: u32,
    /// Connections that break at a message.
    pub cut: u32,
}

impl Rates {
    /// Nothing breaks.
    pub const CALM: Self = Self { lost: 0, slow: 0, cut: 0 };
}

/// The store's clock.
#[derive(Clone)]
pub struct Sky {
    began: Instant,
    /// By how many milliseconds the clock was stepped.
    stepped: Arc<AtomicI64>,
}

impl Sky {
    fn new() -> Self {
        Self { began: Instant::now(), stepped: Arc::default() }
    }

    /// Steps the store's clock by so many milliseconds.
    pub fn step(&self, millis: i64) {
        self.stepped.fetch_add(millis, Ordering::Relaxed);
    }

    fn clock(&self) -> Clock {
        let sky = self.clone();
        Clock::new(move || {
            let elapsed = i64::try_from(sky.began.elapsed().as_millis()).unwrap_or(i64::MAX);
            let millis = elapsed + sky.stepped.load(Ordering::Relaxed);
            Timestamp::from_millis(START.as_millis().saturating_add_signed(millis))
        })
    }
}

/// One run of a replica.
struct Replica {
    line: Line,
    running: Running,
}

/// The replicas, and what they share.
pub struct World {
    /// The simulation's luck.
    pub dice: Dice,
    /// The record.
    pub trace: Trace,
    /// Where the replicas are.
    pub doors: Doors,
    /// The store's clock.
    pub sky: Sky,
    /// The ledger itself.
    pub ledger: MemoryLedger,
    /// Whether ledger and store serve.
    pub shared: Arc<Mutex<Shared>>,
    rates: Arc<Mutex<Rates>>,
    store: SimulatedStore,
    plant: Option<Plant>,
    replicas: Mutex<Vec<Option<Replica>>>,
    runs: AtomicU32,
    heartbeat: Duration,
}

impl World {
    /// A world without replicas. The store is a copy of this migrated file, in this folder.
    ///
    /// # Errors
    /// When the store cannot be made.
    pub async fn new(
        seed: u64,
        rates: Rates,
        options: crate::Options,
        template: &Path,
        folder: &Path,
    ) -> anyhow::Result<Arc<Self>> {
        let sky = Sky::new();
        let file = folder.join("store.db");
        std::fs::copy(template, &file)?;
        let store = SimulatedStore::new(&file)?;
        let plants: &[&str] = match options.plant {
            Some(Plant::ForgottenMark) => &[FORGETS_MARKS],
            Some(Plant::ForgottenOrder) => &[FORGETS_MARKS, FORGETS_ORDER],
            _ => &[],
        };
        for &plant in plants {
            let db = store.seen_by(Fates::new(|| Fate::Done));
            let plant =
                async { platform::on!(&db, |pool| sqlx::query(plant).execute(pool).await.map(|_| ())) };
            db.run(plant).await?;
        }
        let ledger = if options.plant == Some(Plant::CompareAndSet) {
            MemoryLedger::with_broken_compare_and_set(sky.clock())
        } else {
            MemoryLedger::new(sky.clock())
        };
        let dice = Dice::new(seed);
        let heartbeat = if dice.per_mille(500) { Duration::from_secs(15) } else { Duration::from_secs(5) };
        Ok(Arc::new(Self {
            dice,
            trace: Trace::new(options.aloud),
            doors: Doors::default(),
            sky,
            ledger,
            shared: Arc::new(Mutex::new(Shared { ledger: true, store: true })),
            rates: Arc::new(Mutex::new(rates)),
            store,
            plant: options.plant,
            replicas: Mutex::default(),
            runs: AtomicU32::new(0),
            heartbeat,
        }))
    }

    /// From now on nothing breaks by itself.
    pub fn calm(&self) {
        *self.rates.lock() = Rates::CALM;
    }

    /// Starts a replica, as often as it takes.
    pub async fn start(&self, slot: usize) {
        loop {
            let name = (slot, self.runs.fetch_add(1, Ordering::Relaxed));
            let (dice, trace) = (self.dice.clone(), self.trace.clone());
            let line = Line::new(name, Arc::clone(&self.rates), dice, trace, Arc::clone(&self.shared));
            match Box::pin(self.bind(&line)).await {
                Ok(running) => {
                    self.trace.note(format_args!("{name:?} serves"));
                    self.doors.open(line.clone(), running.pipe().clone());
                    let mut replicas = self.replicas.lock();
                    while replicas.len() <= slot {
                        replicas.push(None);
                    }
                    replicas[slot] = Some(Replica { line, running });
                    return;
                }
                Err(error) => {
                    self.trace.note(format_args!("{name:?} does not start: {error:#}"));
                    line.die();
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        }
    }

    async fn bind(&self, line: &Line) -> anyhow::Result<Running> {
        let (pipe, made) = Pipe::new();
        tokio::spawn(self.doors.clone().carry(line.clone(), made));
        let mut node = Node::new(Parts {
            ledger: Arc::new(RemoteLedger::new(self.ledger.clone(), line.clone(), self.plant)),
            db: self.store.seen_by(line.fates()),
            clock: self.sky.clock(),
            service_secret: testing::secret(),
            network: Some(Network::InProcess(pipe)),
        })?;
        let context = node.context();
        let server = node.server();
        server.public("/nigiri.session.v1.SessionService/");
        server.add(SessionServiceServer::new(KnowsEverybody));
        let day = Duration::from_secs(86_400);
        let game = game::Args { heartbeat: self.heartbeat, log_keep: day, ..game::Args::default() };
        game::bind(game, &context, server).await?;
        let rating = rating::Args {
            rating_workers: 2,
            rating_lag_interval: Duration::from_secs(60),
            rating_lapse_interval: day,
            ..rating::Args::default()
        };
        rating::bind(rating, &context, server).await?;
        let matchmaking =
            matchmaking::Args { matchmaking_snapshot_after: 40, ..matchmaking::Args::default() };
        matchmaking::bind(matchmaking, RatedArgs { rated_guests: true }, &context, server).await?;
        node.start(None).await
    }

    fn take(&self, slot: usize) -> Option<Replica> {
        self.replicas.lock().get_mut(slot)?.take()
    }

    /// Kills a replica wherever it stands.
    pub fn kill(&self, slot: usize) {
        let Some(Replica { line, running }) = self.take(slot) else { return };
        self.trace.note(format_args!("{:?} is killed", line.name));
        line.die();
        self.doors.close(slot);
        // It can do nothing any more; this clears its tasks away.
        tokio::spawn(running.stop(Duration::ZERO, Duration::from_secs(1)));
    }

    /// Stops a replica as an operator does: its streams are told, its connections end, its work is finished.
    pub async fn drain(&self, slot: usize) {
        let Some(Replica { line, running }) = self.take(slot) else { return };
        self.trace.note(format_args!("{:?} drains", line.name));
        self.doors.close(slot);
        running.context().shutdown.drain();
        tokio::time::sleep(Duration::from_secs(2)).await;
        // The server would say goodbye to its connections in a random order, so they are gone before it stops.
        line.change(|standing| standing.serves = false);
        tokio::time::sleep(Duration::from_millis(10)).await;
        running.stop(Duration::ZERO, Duration::from_secs(5)).await;
        line.die();
    }

    /// The line of a replica that runs.
    pub fn line(&self, slot: usize) -> Option<Line> {
        self.replicas.lock().get(slot)?.as_ref().map(|replica| replica.line.clone())
    }

    /// A client that knows all addresses and begins at this one.
    pub fn client(&self, slots: usize, first: usize) -> Client {
        self.client_of((0..slots).map(|slot| (first + slot) % slots))
    }

    /// A client that knows these addresses only.
    pub fn client_of(&self, slots: impl IntoIterator<Item = usize>) -> Client {
        let channels: Vec<_> = slots.into_iter().map(|slot| self.doors.channel(slot)).collect();
        // Everything may be down for longer than a player usually waits.
        let patient = Options { retry_for: Duration::from_secs(120), ..Options::default() };
        Client::from_ways(|_| channels.clone(), patient)
    }
}
