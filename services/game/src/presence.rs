//! Who is there: a player is while any of their streams of a game is open, at any replica, from any device.
//!
//! Each replica says in a log of its own, in batches, for which seats it has streams and which have lost their last one; all replicas read all of these logs. When a
//! player has been gone for as long as a short break may last, the replica that had the last stream marks the player as away in the game's log, unless another one has a stream by
//! then. The deadline of a replica's log is the end of its lease: when it lapses, the sweep of any other replica finds it, and that one takes the seats over. Its
//! players then have the time of a short break to come back, and so they are not punished for our fault. See ADR 4.

mod keeper;
mod own;
mod seat;
#[cfg(test)]
mod tests;
mod views;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use goban::Color;
use kernel::{GameId, Timestamp};
use ledger::{LogName, Sequence, Wake};
use parking_lot::Mutex;
use platform::{clock::Clock, shutdown::Shutdown};
use referee::Seats;
use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

pub use seat::Seat;

use crate::{games::Games, live::LiveGame};
use own::Own;
use views::Views;

/// The kind of every replica's log.
const LOG_KIND: &str = "presence";

/// How often a replica says what has changed.
const TICK: Duration = Duration::from_millis(200);

/// So long we wait for what others have to say of a player who may have come back to them: some ticks.
const HEARSAY: Duration = Duration::from_millis(600);

/// How patient we are with players, and with each other.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For so long the last stream of a player may be gone and nobody is told.
    pub away: Duration,
    /// For so long the first stream may take to come after the game was made.
    pub arrival: Duration,
    /// A replica of which nothing was heard for so long is taken for dead.
    pub lease: Duration,
}

impl Patience {
    /// A replica gives a sign of life after this long.
    fn renew(&self) -> Duration {
        self.lease / 5
    }
}

/// Who is there. Cheap to clone.
#[derive(Clone)]
pub struct Presence(Arc<Shared>);

struct Shared {
    games: Games,
    /// Never set, so that it does not run backwards or leap.
    clock: Clock,
    patience: Patience,
    own: Mutex<Own>,
    /// Players who are here while their game says that they are away.
    returning: Mutex<BTreeSet<Seat>>,
    /// Rung when one returns.
    bell: Notify,
    /// Logs whose lease has lapsed.
    lapsed: Mutex<BTreeSet<LogName>>,
    keeper: tokio::sync::Mutex<Keeper>,
}

/// This replica's log, and what the others' say.
struct Keeper {
    wakes: broadcast::Receiver<Wake>,
    views: Views,
    /// Logs that have to be read.
    unread: BTreeSet<LogName>,
    log: LogName,
    sequence: Sequence,
    /// When something was written last.
    written: Option<Timestamp>,
}

impl Presence {
    /// Nobody is there yet. `clock` must not be one that is set.
    pub fn new(games: Games, clock: Clock, patience: Patience) -> Self {
        let keeper = Keeper::new(games.ledger());
        Self(Arc::new(Shared {
            games,
            clock,
            patience,
            own: Mutex::default(),
            returning: Mutex::default(),
            bell: Notify::new(),
            lapsed: Mutex::default(),
            keeper: tokio::sync::Mutex::new(keeper),
        }))
    }

    /// Starts what keeps it going.
    pub fn start(&self, shutdown: &Shutdown) {
        let presence = self.clone();
        shutdown.spawn_until_stopping(async move {
            loop {
                tokio::select! {
                    biased;
                    () = tokio::time::sleep(TICK) => presence.tick().await,
                    () = presence.0.bell.notified() => presence.mark_back().await,
                }
            }
        });
    }

    /// A stream of this player was opened; none for who has no seat, for programs, whose streams are others, and once the game is over.
    pub fn open(&self, live: &LiveGame, player: kernel::PlayerId) -> Option<Held> {
        let (color, away) = live.look(|game, _| {
            let color = game.seats().color_of(player)?;
            let minded = !game.seats().get(color).bot && game.outcome().is_none();
            minded.then(|| (color, game.presence(color) != referee::Presence::Connected))
        })??;
        let seat = Seat::new(live.id(), color);
        self.0.own.lock().open(seat);
        let held = Held { presence: self.clone(), seat };
        if away {
            held.is_back();
        }
        Some(held)
    }

    /// A game was made: its players' first streams are awaited.
    pub fn expect(&self, game: GameId, seats: &Seats) {
        let due = self.0.clock.now() + self.0.patience.arrival;
        let mut own = self.0.own.lock();
        for color in Color::BOTH.into_iter().filter(|color| !seats.get(*color).bot) {
            own.await_return(Seat::new(game, color), due);
        }
    }

    /// A sweep has found this log to be due: the lease of its replica has lapsed. Other logs are nobody's business here.
    pub fn lapsed(&self, log: &LogName) {
        if log.kind() == LOG_KIND {
            self.0.lapsed.lock().insert(log.clone());
        }
    }
}

/// A stream of a player's, for as long as this value lives.
pub struct Held {
    presence: Presence,
    seat: Seat,
}

impl Held {
    /// Whose.
    pub fn color(&self) -> Color {
        self.seat.color()
    }

    /// The game says that the player is away, and here is a stream that says otherwise.
    pub fn is_back(&self) {
        self.presence.0.returning.lock().insert(self.seat);
        self.presence.0.bell.notify_one();
    }

    /// The game is over: it does not matter any more who is there.
    pub fn over(self) {
        let seat = self.seat;
        let shared = Arc::clone(&self.presence.0);
        drop(self);
        shared.own.lock().settle(seat);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let shared = &self.presence.0;
        let due = shared.clock.now() + shared.patience.away + HEARSAY;
        shared.own.lock().close(self.seat, due);
    }
}

/// A clock that nobody sets. It begins long after zero, so that one can look back.
pub fn steady_clock() -> Clock {
    let (start, begin) = (Instant::now(), Timestamp::default() + Duration::from_secs(86_400));
    Clock::new(move || begin + start.elapsed())
}
