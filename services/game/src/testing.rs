//! Replicas on one ledger that can fail, and a clock that only the test moves.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use goban::{Preset, Size};
use kernel::{GameId, PlayerId, Timestamp};
use ledger::{
    Append, AppendError, Appended, DeadLetter, Delivery, DeliveryId, Entry, Ledger, LogName, Logs,
    ManualClock, Notice, Sequence, Sweep, Unavailable, Wake, memory::MemoryLedger,
};
use prost::Message as _;
use referee::{Command, Control, Event, Game, Seat as Sitting, Seats, Settings};
use tokio::sync::broadcast;

use crate::{
    games::Games,
    presence::{Held, Presence},
    store::Store,
};

/// How far the clock moves at once.
pub const STEP: Duration = Duration::from_millis(200);

/// Seconds.
pub fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The player of this name.
pub fn player(name: &str) -> PlayerId {
    PlayerId::from_uuid(GameId::derive(name).as_uuid())
}

/// The seats of two people.
pub fn seats() -> Seats {
    let seat = |name| Sitting { player: player(name), name: name.into(), bot: false, guest: false };
    Seats { black: seat("black"), white: seat("white") }
}

/// Replicas on one ledger, and a clock that only the test moves.
pub struct World {
    pub clock: ManualClock,
    pub ledger: FaultyLedger,
    db: platform::db::Db,
    pub game: GameId,
    _folder: Box<dyn std::any::Any>,
}

/// A replica that does something only when it is told.
pub struct Replica {
    pub games: Games,
    pub presence: Presence,
}

impl World {
    /// A game without a clock, in which both have moved.
    pub async fn new() -> Self {
        Self::with(Control::None).await
    }

    /// A game with this clock, in which both have moved.
    pub async fn with(control: Control) -> Self {
        let clock = ManualClock::new(Timestamp::from_millis(1_000_000_000));
        let (db, folder) = platform::testing::sqlite().await.unwrap();
        let ledger = FaultyLedger::new(MemoryLedger::new(clock.clock()));
        let game = GameId::derive("a game");
        let world = Self { clock, ledger, db, game, _folder: Box::new(folder) };
        let settings = Settings { control, ..Settings::of_preset(Preset::Quick, Size::NINE) };
        let replica = world.replica();
        replica.games.create(game, settings, seats(), "").await.unwrap();
        for (name, ply, point) in [("black", 0, "D5"), ("white", 1, "E5")] {
            let play = Command::Play { ply, point: point.parse().unwrap() };
            replica.games.command(game, player(name), name, play, "").await.unwrap();
        }
        world
    }

    pub fn replica(&self) -> Replica {
        let games = Games::new(Arc::new(self.ledger.clone()), Store::new(self.db.clone()));
        let patience = crate::Args::default().patience();
        Replica { presence: Presence::new(games.clone(), self.clock.clock(), patience), games }
    }

    /// Time goes by for these replicas; the others are dead.
    pub async fn pass(&self, time: Duration, alive: &[&Replica]) {
        let end = self.clock.now() + time;
        while self.clock.now() < end {
            self.clock.advance(STEP);
            for replica in alive {
                let Ok(sweep) = self.ledger.sweep(100).await else { continue };
                let live = replica.games.get(self.game).await.unwrap();
                replica.games.catch_up(&live).await.unwrap();
                if replica.games.swept(self.ledger.now()) {
                    replica.games.give_back(&live).await.unwrap();
                }
                sweep.due.iter().for_each(|(log, _)| replica.presence.lapsed(log));
                if sweep.due.iter().any(|(log, _)| log == live.log()) {
                    // Somebody else may have been faster.
                    let _decided = replica.games.claim_timeout(self.game).await;
                }
            }
            for replica in alive {
                replica.presence.tick().await;
            }
        }
    }

    /// The game as its log tells it, and what has been said of the players' presence, with the time of it.
    pub async fn told(&self) -> (Game, Vec<(Event, Timestamp)>) {
        let replica = self.replica();
        let (entries, _) = replica.games.entries(self.game).await.unwrap();
        let game = crate::replay(self.game, &entries).unwrap().unwrap();
        assert_eq!(game.corruption(), None);
        let mut said = Vec::new();
        for end in 1..=entries.len() {
            let entry = &entries[end - 1];
            let decoded = nigiri_proto::events::v1::GameEntry::decode(entry.payload.clone()).unwrap();
            for event in &decoded.events {
                let event = crate::codec::event_from_proto(event, Some(game.settings().size)).unwrap();
                if is_told(&event) {
                    said.push((event, entry.stamp));
                }
            }
        }
        (game, said)
    }

    pub async fn said(&self) -> Vec<Event> {
        self.told().await.1.into_iter().map(|(event, _)| event).collect()
    }
}

/// What the server itself tells.
fn is_told(event: &Event) -> bool {
    matches!(
        event,
        Event::PlayerAway { .. }
            | Event::PlayerBack { .. }
            | Event::TimeCredited { .. }
            | Event::Finished { .. }
    )
}

impl Replica {
    /// A stream of this player's is opened here.
    pub async fn stream(&self, world: &World, name: &str) -> Held {
        let live = self.games.get(world.game).await.unwrap();
        self.games.catch_up(&live).await.unwrap();
        self.presence.open(&live, player(name)).unwrap()
    }
}

/// A ledger that is out of reach when the test says so.
#[derive(Clone)]
pub struct FaultyLedger {
    inner: MemoryLedger,
    away: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

impl FaultyLedger {
    fn new(inner: MemoryLedger) -> Self {
        Self { inner, away: Arc::default(), asked: Arc::default() }
    }

    /// From now on it is out of reach, or back.
    pub fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// How often anything was asked of it, or written to it, so far.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn reach(&self) -> Result<&MemoryLedger, Unavailable> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.away.load(Ordering::SeqCst) {
            Err(Unavailable("out of reach".into()))
        } else {
            Ok(&self.inner)
        }
    }
}

#[tonic::async_trait]
impl Ledger for FaultyLedger {
    async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        self.reach()?.append(append).await
    }

    async fn read(&self, log: &LogName, after: Sequence, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        self.reach()?.read(log, after, limit).await
    }

    fn wakes(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.inner.wakes(logs)
    }

    async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        self.reach()?.sweep(limit).await
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        self.reach()?.retire(log, after).await
    }

    async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        self.reach()?.trim(log, first).await
    }

    async fn publish(&self, key: &str, notice: Notice) -> Result<(), Unavailable> {
        self.reach()?.publish(key, notice).await
    }

    async fn join(&self, topic: &str, group: &str) -> Result<(), Unavailable> {
        self.reach()?.join(topic, group).await
    }

    async fn fetch(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<Delivery>, Unavailable> {
        self.reach()?.fetch(topic, group, consumer, max, wait).await
    }

    async fn claim(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> Result<Vec<Delivery>, Unavailable> {
        self.reach()?.claim(topic, group, consumer, idle, max).await
    }

    async fn renew(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<bool, Unavailable> {
        self.reach()?.renew(topic, group, consumer, id).await
    }

    async fn release(
        &self,
        topic: &str,
        group: &str,
        consumer: &str,
        id: &DeliveryId,
    ) -> Result<(), Unavailable> {
        self.reach()?.release(topic, group, consumer, id).await
    }

    async fn acknowledge(&self, topic: &str, group: &str, ids: &[DeliveryId]) -> Result<(), Unavailable> {
        self.reach()?.acknowledge(topic, group, ids).await
    }

    async fn bury(
        &self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> Result<(), Unavailable> {
        self.reach()?.bury(topic, group, delivery, error).await
    }

    async fn dead_letters(
        &self,
        topic: &str,
        group: &str,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Unavailable> {
        self.reach()?.dead_letters(topic, group, limit).await
    }

    async fn revive(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.reach()?.revive(topic, group, id).await
    }

    async fn discard(&self, topic: &str, group: &str, id: &DeliveryId) -> Result<bool, Unavailable> {
        self.reach()?.discard(topic, group, id).await
    }

    async fn groups(&self) -> Result<Vec<(String, String)>, Unavailable> {
        self.reach()?.groups().await
    }

    async fn trim_topic(&self, topic: &str) -> Result<u64, Unavailable> {
        self.reach()?.trim_topic(topic).await
    }

    async fn lag(&self, topic: &str, group: &str) -> Result<u64, Unavailable> {
        self.reach()?.lag(topic, group).await
    }
}
