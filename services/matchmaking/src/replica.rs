//! One process's part in the queue: it follows the log, writes what its callers want into it, and proposes matches.
//!
//! Everything that a replica wants is an *intent*: a ticket to open, to close, to release, a match to propose, an outcome to
//! state. An intent is looked at against the queue as it stands; it is done, or has to wait, or names the facts
//! that would bring it about. The facts of all intents go into one entry, which is appended right behind what this replica has
//! seen; when somebody else was faster, their entries are read and all intents are looked at anew. So nothing is decided twice, a
//! lost answer of the ledger does no harm, and calls that come while an append is under way share the next one.

mod bots;
mod follow;
mod intent;
mod launch;
mod task;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use kernel::{GameId, PlayerId, TicketId, Timestamp};
use ledger::{LogName, Logs, SharedLedger};
use nigiri_proto::matchmaking::v1::EndedReason;
use pairing::Waits;
use platform::{shutdown::Shutdown, telemetry::trace::TraceContext};
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    blocked::{Blocked, Promised},
    config::Args,
    error::Error,
    games::Games,
    queue::Offer,
    ratings::{Ratings, Strength},
    ticket::{Match, Player, ReplicaId, Ticket, Wish},
};

/// The queue's log. All games of strangers come from one queue.
pub const LOG: &str = "queue:main";

/// A call waits this long for the log to take its change.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a client says about the last game that it was told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    Unsaid,
    /// It has seen this one, or none at all.
    Last(Option<GameId>),
}

/// A wish to be in the queue.
#[derive(Clone, Debug)]
pub struct Joining {
    /// Who.
    pub player: Player,
    /// For what.
    pub wish: Wish,
    /// How strong.
    pub strength: Strength,
    /// Whom they never meet.
    pub avoids: Arc<[PlayerId]>,
    /// What the client knows.
    pub seen: Seen,
    /// A game of the player that is known to be over.
    pub over: Option<GameId>,
    /// A game against a person in which the player sits now.
    pub playing: Option<GameId>,
    /// The search, if its trace is kept.
    pub trace: Option<TraceContext>,
}

/// What became of it.
#[derive(Debug)]
pub enum Joined {
    /// The player has a ticket, which the caller follows from now on.
    Following(Box<Following>),
    /// The player's game has begun a moment ago.
    Begun {
        /// The match that it came of.
        made: Arc<Match>,
        /// Whether they know.
        known: bool,
    },
}

/// A ticket and what becomes of it. Dropping it releases the ticket, which then stands for a while longer.
#[derive(Debug)]
pub struct Following {
    /// The ticket as it was taken up.
    pub ticket: Ticket,
    /// What becomes of it.
    pub standing: watch::Receiver<Standing>,
    _guard: Guard,
}

/// What becomes of a ticket.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It waits.
    Waiting,
    /// It is set aside for this game against an AI.
    Aside(Aside),
    /// It has come to a game, and the game is there.
    Matched(Arc<Match>),
    /// It has ended without a game.
    Ended(EndedReason),
}

/// Facts from outside of the log, which count again when a match becomes a game.
#[derive(Clone)]
pub struct Outside {
    /// Who makes the games.
    pub games: Games,
    /// How strong players are now.
    pub ratings: Ratings,
    /// Who has blocked whom.
    pub blocked: Blocked,
    /// Who is about to play by a challenge.
    pub promised: Promised,
}

/// A game against an AI that goes on while a ticket stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    /// The game.
    pub game: GameId,
    /// The match by which it began; none for a stream that has come since.
    pub made: Option<Arc<Match>>,
    /// Whether somebody waits who might be met.
    pub person_waits: bool,
}

/// The queue in a few numbers.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Open tickets.
    pub open: usize,
    /// Bots that would begin another game.
    pub bots: usize,
    /// When the tickets were opened that were open at the last wave, the first one first.
    pub opened: Arc<[Timestamp]>,
    /// How long tickets of late have waited.
    pub waits: Arc<Waits>,
}

/// The queue as operators see it.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Open tickets, in no particular order.
    pub tickets: Vec<Ticket>,
    /// Bots that are ready.
    pub bots: usize,
}

/// Tells the replica that a stream is gone.
#[derive(Debug)]
struct Guard {
    player: PlayerId,
    stream: u64,
    commands: mpsc::UnboundedSender<Command>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // The replica may have stopped: then nobody holds the ticket any more either.
        let _stopped = self.commands.send(Command::Leave { player: self.player, stream: self.stream });
    }
}

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What callers want of the replica's task.
enum Command {
    Join(Box<Joining>, Reply<Joined>),
    Leave { player: PlayerId, stream: u64 },
    Cancel(PlayerId, EndedReason, Reply<()>),
    Resume { player: PlayerId, game: GameId },
    Offer(Box<Offer>, Reply<()>),
    Seat(Box<bots::Seating>),
    Free { bot: PlayerId, game: GameId },
    Dismiss(PlayerId),
    Look(bots::Question),
    LookAgain(bots::Question),
    Delivered { player: PlayerId, game: GameId },
    Launched(Box<launch::Outcome>),
}

/// A replica, for its callers.
#[derive(Clone)]
pub struct Handle {
    // Unbounded, but a call waits for its answer, so there are no more commands than calls and streams.
    commands: mpsc::UnboundedSender<Command>,
    overview: watch::Receiver<Overview>,
    ledger: SharedLedger,
    paused: Arc<AtomicBool>,
}

impl Handle {
    /// Begins to follow the queue: reads its log as far as it goes, and goes on in the background until the process stops.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn start(
        args: Args,
        ledger: SharedLedger,
        outside: Outside,
        shutdown: &Shutdown,
    ) -> anyhow::Result<Self> {
        let log = LogName::new(LOG)?;
        let (commands, received) = mpsc::unbounded_channel();
        let (overview, seen) = watch::channel(Overview::default());
        let launcher = launch::Launcher::new(outside, commands.clone(), shutdown.clone());
        let wakes = ledger.wakes(&Logs::One(log.clone()));
        let paused = Arc::new(AtomicBool::new(false));
        let parts = task::Parts {
            id: ReplicaId::random(),
            args,
            ledger: ledger.clone(),
            log,
            paused: Arc::clone(&paused),
        };
        let mut task = task::Task::new(parts, launcher, commands.clone(), overview);
        task.catch_up().await.context("cannot read the log of the matchmaking queue")?;
        shutdown.spawn(task.run(received, wakes, shutdown.clone()));
        Ok(Self { commands, overview: seen, ledger, paused })
    }

    /// Puts a player into the queue, or takes up the ticket that they have.
    ///
    /// # Errors
    /// [`Error::TicketExists`] when another stream follows it; [`Error::LedgerSlow`].
    pub async fn join(&self, joining: Joining) -> Result<Joined, Error> {
        self.ask(|reply| Command::Join(Box::new(joining), reply)).await
    }

    /// Closes a player's ticket for good.
    ///
    /// # Errors
    /// [`Error::NoTicket`], [`Error::TicketMatched`], [`Error::LedgerSlow`].
    pub async fn cancel(&self, player: PlayerId) -> Result<(), Error> {
        self.ask(|reply| Command::Cancel(player, EndedReason::Cancelled, reply)).await
    }

    /// Takes a player out of the queue, if they are in it. A match that was made before stands.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`].
    pub async fn leave_for(&self, player: PlayerId, reason: EndedReason) -> Result<(), Error> {
        match self.ask(|reply| Command::Cancel(player, reason, reply)).await {
            Ok(()) | Err(Error::NoTicket | Error::TicketMatched(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a game comes from the queue, as far as is remembered: that of a match that is being made or was a short while ago.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`] when the replica is too busy to say.
    pub async fn knows(&self, game: GameId) -> Result<bool, Error> {
        self.look(move |queue, _| queue.knows(game)).await
    }

    /// A stream has handed a player the news of this game.
    pub fn delivered(&self, player: PlayerId, game: GameId) {
        // When the replica has stopped, nobody will ask it what was delivered.
        let _stopped = self.send(Command::Delivered { player, game });
    }

    /// The queue as it stands here.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`] when the replica is too busy to say; [`Error::Draining`].
    pub async fn list(&self) -> Result<Listing, Error> {
        self.look(|queue, now| {
            let standing = queue.open().filter(|ticket| queue.stands(ticket, now)).cloned();
            let bots = queue.bots().filter(|bot| bot.expires > now).count();
            Listing { tickets: standing.collect(), bots }
        })
        .await
    }

    /// A player's game against an AI is over: a ticket that was set aside for it is paired again.
    pub fn resume(&self, player: PlayerId, game: GameId) {
        // When the replica has stopped, the ticket is taken up elsewhere.
        let _stopped = self.send(Command::Resume { player, game });
    }

    /// Proposes no matches from now on, or does again. Tickets stay as they are.
    pub fn pause(&self, paused: bool) {
        if self.paused.swap(paused, Ordering::Relaxed) != paused {
            tracing::info!(paused, "operators stop the making of matches, or let it go on");
        }
    }

    /// The queue in a few numbers.
    pub fn overview(&self) -> Overview {
        self.overview.borrow().clone()
    }

    /// The store's clock.
    pub fn now(&self) -> Timestamp {
        self.ledger.now()
    }

    fn send(&self, command: Command) -> Result<(), Error> {
        self.commands.send(command).map_err(|_| Error::Draining)
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.send(command(reply))?;
        let answer = tokio::time::timeout(PATIENCE, answer).await.map_err(|_| Error::LedgerSlow)?;
        answer.map_err(|_| Error::Draining)?
    }
}

/// A ticket that this replica's streams follow.
struct Local {
    ticket: Ticket,
    stream: u64,
    standing: watch::Sender<Standing>,
}

impl Local {
    fn id(&self) -> TicketId {
        self.ticket.id
    }
}
