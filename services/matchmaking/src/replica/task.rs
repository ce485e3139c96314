//! The replica's task: one loop that owns the folded queue, and the only writer of this process.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chance::Rng as _;
use kernel::{GameId, PlayerId, TicketId, Timestamp};
use ledger::{
    Append, AppendError, Deadline, Entry, Guard, LogName, MAX_PAYLOAD, Refused, Sequence, SharedLedger,
    Unavailable, Wake,
};
use nigiri_proto::events::v1::{QueueEntry, QueueFact, queue_fact::Fact};
use platform::shutdown::Shutdown;
use prost::Message;
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        mpsc, watch,
    },
    time::{Instant, MissedTickBehavior},
};

use super::{Command, Local, Overview, Standing, intent::Intents, launch::Launcher};
use crate::{
    config::Args,
    metrics,
    queue::{Change, Queue},
    ticket::{Last, ReplicaId},
    wave::{self, View},
};

/// The highest format of entries that this version knows. It is raised when a fact's words get another meaning, or a field that every replica has to
/// heed; a new kind of fact the others notice by themselves.
const FORMAT: u32 = 0;

/// Entries that are read at once.
const PAGE: usize = 256;

/// After so many entries in a row the loop looks after its callers again.
const ROUNDS: u32 = 32;

/// When the ledger cannot be reached, nothing is written for this long.
const HOLD_OFF: Duration = Duration::from_millis(200);

/// A match whose game is not there after this time is taken up by other replicas as well.
const OVERDUE: Duration = Duration::from_secs(1);

/// An extra look at the queue, because of a new ticket, comes after at least so many times what the last look took.
const BREATHER: u32 = 4;

/// What a task is made of.
pub(super) struct Parts {
    pub id: ReplicaId,
    pub args: Args,
    pub ledger: SharedLedger,
    pub log: LogName,
    /// Whether operators want no matches.
    pub paused: Arc<AtomicBool>,
}

/// The state behind a [`super::Handle`].
pub(super) struct Task {
    pub(super) id: ReplicaId,
    pub(super) args: Args,
    ledger: SharedLedger,
    log: LogName,
    paused: Arc<AtomicBool>,
    pub(super) queue: Queue,
    sequence: Sequence,
    /// A newer version has written what this one does not understand: nothing that comes after it can be folded as the others fold it.
    outgrown: bool,
    since_snapshot: u64,
    snapshot_after: u64,
    pub(super) intents: Intents,
    pub(super) locals: BTreeMap<PlayerId, Local>,
    pub(super) local_tickets: BTreeMap<TicketId, PlayerId>,
    /// Local tickets whose place in the queue has to be looked at.
    pub(super) adrift: BTreeSet<PlayerId>,
    pub(super) last_stream: u64,
    /// Whom players met last, as far as this replica has seen.
    pub(super) met: HashMap<PlayerId, Last>,
    /// Who has come of late, and how long tickets have waited.
    pub(super) seen: wave::Seen,
    /// The last game whose news this replica has handed to a player.
    pub(super) delivered: HashMap<PlayerId, GameId>,
    pub(super) launcher: Launcher,
    pub(super) commands: mpsc::UnboundedSender<Command>,
    overview: watch::Sender<Overview>,
    hold_off: Option<Instant>,
    pub(super) wave_due: bool,
    next_extra_wave: Instant,
}

impl Task {
    pub fn new(
        parts: Parts,
        launcher: Launcher,
        commands: mpsc::UnboundedSender<Command>,
        overview: watch::Sender<Overview>,
    ) -> Self {
        let Parts { id, args, ledger, log, paused } = parts;
        // Replicas do not all write the same snapshot at once.
        let spread = args.matchmaking_snapshot_after / 4;
        Self {
            id,
            snapshot_after: args.matchmaking_snapshot_after + chance::rng().random_range(0..=spread),
            args,
            ledger,
            log,
            paused,
            queue: Queue::default(),
            sequence: 0,
            outgrown: false,
            since_snapshot: 0,
            intents: Intents::default(),
            locals: BTreeMap::new(),
            local_tickets: BTreeMap::new(),
            adrift: BTreeSet::new(),
            last_stream: 0,
            met: HashMap::new(),
            seen: wave::Seen::default(),
            delivered: HashMap::new(),
            launcher,
            commands,
            overview,
            hold_off: None,
            wave_due: false,
            next_extra_wave: Instant::now(),
        }
    }

    pub async fn run(
        mut self,
        mut commands: mpsc::UnboundedReceiver<Command>,
        mut wakes: broadcast::Receiver<Wake>,
        shutdown: Shutdown,
    ) {
        let mut renewals = tokio::time::interval(self.args.renewal());
        renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut next_wave = Instant::now() + self.until_wave();
        loop {
            let held_off = self.hold_off;
            tokio::select! {
                // What comes seldom comes first, so that it is not kept waiting by what comes often; and a simulation can be repeated.
                biased;
                () = shutdown.stopping().cancelled() => break,
                _ = renewals.tick() => self.intents.renew = !self.locals.is_empty(),
                () = until(held_off), if held_off.is_some() => self.hold_off = None,
                () = tokio::time::sleep_until(next_wave) => {
                    next_wave = Instant::now() + self.until_wave();
                    self.look_around().await;
                }
                command = commands.recv() => {
                    let Some(command) = command else { return };
                    self.take(command);
                    while let Ok(command) = commands.try_recv() {
                        self.take(command);
                    }
                }
                wake = wakes.recv() => self.hear(wake).await,
            }
            self.flush().await;
            if self.outgrown {
                tracing::error!(
                    "a newer version has written to the queue what this one does not understand: the process ends"
                );
                shutdown.fail();
                return;
            }
        }
        // Nobody renews the lease any more: all tickets are released, so that their players are not kept from coming back.
        while let Ok(command) = commands.try_recv() {
            self.take(command);
        }
        self.leave_all();
        self.hold_off = None;
        self.flush().await;
    }

    /// The store's clock, never before what has been seen in the log.
    pub(super) fn now(&self) -> Timestamp {
        self.ledger.now().max(self.queue.now())
    }

    pub(super) fn view(&self) -> View {
        View { now: self.now(), patience: self.args.patience(), gone_after: self.args.gone_after() }
    }

    /// Waves of several replicas drift apart, so that they seldom propose the same.
    fn until_wave(&self) -> Duration {
        self.args.matchmaking_wave.mul_f64(chance::rng().random_range(0.8..1.2))
    }

    async fn hear(&mut self, wake: Result<Wake, RecvError>) {
        match wake {
            Ok(Wake::Appended(log, entry)) if log == self.log => {
                if entry.sequence == self.sequence + 1 {
                    self.fold(entry);
                } else if entry.sequence > self.sequence {
                    self.try_catch_up().await;
                }
            }
            Ok(Wake::Appended(..)) => {}
            Ok(Wake::Lost) | Err(RecvError::Lagged(_)) => {
                self.try_catch_up().await;
            }
            Err(RecvError::Closed) => {
                // The ledger's hints have ended: the periodic look goes on. Not at once again, though.
                tokio::time::sleep(HOLD_OFF).await;
            }
        }
    }

    /// What is done from time to time: read what no hint has told of, look at the whole queue, take up what others left lying.
    async fn look_around(&mut self) {
        self.try_catch_up().await;
        let now = self.now();
        let overdue = self.queue.pending().filter(|pending| {
            pending.made_at + OVERDUE <= now && !self.launcher.is_running(pending.made.game)
        });
        let overdue: Vec<_> = overdue.cloned().collect();
        for pending in &overdue {
            self.launcher.launch(pending);
        }
        self.wave();
        let standing = self.queue.open().filter(|ticket| self.queue.stands(ticket, now));
        let (open, oldest) = standing
            .fold((0, Duration::ZERO), |(open, oldest), ticket| (open + 1, oldest.max(ticket.waited(now))));
        let bots = self.queue.bots().filter(|bot| bot.expires > now).count();
        metrics::queue(open, oldest, bots);
        self.tell_streams();
    }

    /// What the streams of this replica say of places and waits.
    fn tell_streams(&self) {
        if self.locals.is_empty() {
            return;
        }
        let mut opened: Vec<_> = self.queue.open().map(|ticket| ticket.open_time).collect();
        opened.sort_unstable();
        let waits = Arc::new(self.seen.waits.clone());
        self.overview.send_modify(|seen| (seen.opened, seen.waits) = (opened.into(), waits));
        let now = self.now();
        for local in self.locals.values() {
            // Few tickets are set aside, and one look over the queue is short.
            local.standing.send_if_modified(|standing| {
                let (Standing::Aside(aside), Some(ticket)) = (standing, self.queue.ticket(local.id())) else {
                    return false;
                };
                let before = aside.person_waits;
                aside.person_waits = wave::somebody_waits(&self.queue, ticket, now);
                before != aside.person_waits
            });
        }
    }

    /// Looks at the whole queue, and intends the matches that should be made.
    fn wave(&mut self) {
        self.wave_due = false;
        if self.queue.open().len() == 0 {
            return;
        }
        if self.paused.load(Ordering::Relaxed) {
            self.intents.proposals.clear();
            return;
        }
        let started = Instant::now();
        self.intents.proposals = wave::plan(&self.queue, self.view(), &self.seen);
        let took = started.elapsed();
        self.next_extra_wave = Instant::now() + took * BREATHER;
        metrics::wave(took);
    }

    /// Writes what is intended, until nothing is left to write.
    async fn flush(&mut self) {
        // While the log cannot be read, whoever asked waits.
        if !self.intents.looks.is_empty() && self.try_catch_up().await {
            for question in std::mem::take(&mut self.intents.looks) {
                question(&self.queue, self.now());
            }
        }
        for _ in 0..ROUNDS {
            if self.hold_off.is_some() {
                break;
            }
            let facts = self.collect();
            if !facts.is_empty() {
                self.write(facts).await;
            } else if self.since_snapshot >= self.snapshot_after {
                self.write_snapshot().await;
            } else if self.wave_due && self.queue.open().len() > 1 && Instant::now() >= self.next_extra_wave {
                self.wave();
            } else {
                break;
            }
        }
        // Who comes next brings the next look, at the replica that they come to.
        self.wave_due &= self.queue.open().len() > 1;
        let (open, bots) = (self.queue.open().len(), self.queue.bots_with_room());
        self.overview.send_if_modified(|seen| {
            let before = (seen.open, seen.bots);
            (seen.open, seen.bots) = (open, bots);
            before != (open, bots)
        });
    }

    async fn write(&mut self, facts: Vec<Fact>) {
        let facts = facts.into_iter().map(|fact| QueueFact { fact: Some(fact) }).collect();
        self.append(&QueueEntry { facts, format: 0 }).await;
    }

    async fn write_snapshot(&mut self) {
        let fact = Fact::Snapshot(self.queue.snapshot());
        let entry = QueueEntry { facts: vec![QueueFact { fact: Some(fact) }], format: 0 };
        let size = entry.encoded_len();
        if size > MAX_PAYLOAD {
            tracing::warn!(size, "the queue is too long for a snapshot; trying again when it is shorter");
            self.since_snapshot = 0;
            return;
        }
        if self.append(&entry).await
            && let Err(error) = self.ledger.trim(&self.log, self.sequence).await
        {
            tracing::warn!(%error, "the queue's log cannot be trimmed now; the next snapshot does it");
        }
    }

    /// Appends an entry right behind what this replica has seen. When that is no longer the end, nothing is written, and what
    /// came in between is read.
    async fn append(&mut self, entry: &QueueEntry) -> bool {
        let append = Append {
            log: self.log.clone(),
            expected: self.sequence,
            payload: entry.encode_to_vec().into(),
            guard: Guard::default(),
            deadline: Deadline::Keep,
            notices: Vec::new(),
        };
        let payload = append.payload.clone();
        match self.ledger.append(append).await {
            Ok(appended) => {
                self.fold(Entry { sequence: appended.sequence, stamp: appended.stamp, payload });
                self.wave_due |= entry.facts.iter().any(brings_somebody);
                true
            }
            Err(AppendError::Refused(Refused::Conflict { .. })) => {
                self.try_catch_up().await;
                tokio::time::sleep(Duration::from_micros(chance::rng().random_range(0..3_000))).await;
                false
            }
            Err(AppendError::Refused(refused)) => {
                tracing::error!(%refused, "an entry of the queue was refused");
                self.hold_off = Some(Instant::now() + HOLD_OFF);
                false
            }
            Err(AppendError::Unavailable(error)) => {
                // It may have been written: then it is found in the log, and the intents are done.
                tracing::warn!(%error, "the queue cannot be written now; trying again");
                self.hold_off = Some(Instant::now() + HOLD_OFF);
                self.try_catch_up().await;
                false
            }
        }
    }

    async fn try_catch_up(&mut self) -> bool {
        let read = self.catch_up().await;
        if let Err(error) = &read {
            tracing::warn!(%error, "the queue's log cannot be read now; trying again");
        }
        read.is_ok()
    }

    /// Reads the log to its end.
    pub async fn catch_up(&mut self) -> Result<(), Unavailable> {
        loop {
            let entries = self.ledger.read(&self.log, self.sequence, PAGE).await?;
            let full = entries.len() == PAGE;
            for entry in entries {
                self.fold(entry);
            }
            if self.outgrown {
                return Err(Unavailable("a newer version of the server has written to it".to_owned()));
            }
            if !full {
                return Ok(());
            }
        }
    }

    /// Takes the next entry into the queue, and looks after everything that it changes here.
    fn fold(&mut self, entry: Entry) {
        if entry.sequence <= self.sequence || self.outgrown {
            return;
        }
        let gap = entry.sequence != self.sequence + 1;
        let decoded = QueueEntry::decode(entry.payload).unwrap_or_else(|error| {
            tracing::error!(%error, sequence = entry.sequence, "an entry of the queue cannot be read");
            QueueEntry::default()
        });
        // A kind of fact that is not known leaves an empty place behind.
        if decoded.format > FORMAT || decoded.facts.iter().any(|fact| fact.fact.is_none()) {
            self.outgrown = true;
            return;
        }
        self.sequence = entry.sequence;
        self.remember_who_gives_up(&decoded);
        let changes = self.queue.apply(&decoded, entry.stamp);
        let restored = changes.contains(&Change::Restored);
        if gap && !restored {
            tracing::error!(sequence = entry.sequence, "the queue's log was trimmed without a snapshot");
        }
        self.since_snapshot = if restored { 0 } else { self.since_snapshot + 1 };
        for change in changes {
            self.settle(change);
        }
    }
}

impl Task {
    /// Tickets that their players close say how long nobody came.
    fn remember_who_gives_up(&mut self, entry: &QueueEntry) {
        for QueueFact { fact } in &entry.facts {
            if let Some(Fact::TicketClosed(closed)) = fact
                && let Some(ticket) = closed.ticket_id.parse().ok().and_then(|id| self.queue.ticket(id))
            {
                let ticket = ticket.clone();
                self.remember_wait(&ticket, false);
            }
        }
    }
}

fn brings_somebody(fact: &QueueFact) -> bool {
    matches!(fact.fact, Some(Fact::TicketOpened(_) | Fact::TicketHeld(_) | Fact::MatchRefused(_)))
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
