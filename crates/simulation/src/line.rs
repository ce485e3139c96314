//! What connects one run of a replica with everything else: when it breaks, all that the replica does stops mattering.

use std::{future::Future, sync::Arc, time::Duration};

use parking_lot::Mutex;
use platform::db::{Fate, Fates};
use tokio::sync::Notify;

use crate::{
    dice::{Dice, Trace},
    world::Rates,
};

/// What happens seldom in a game (a message, a commit) is lost or doubled so many times as often as the rest.
pub const OFTEN: u32 = 8;

/// How things stand with a run of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the process lives.
    pub alive: bool,
    /// Whether it keeps its connections.
    pub serves: bool,
    /// Whether it reaches the ledger.
    pub ledger: bool,
    /// Whether it reaches the store.
    pub store: bool,
    /// Whether its packets travel.
    pub network: bool,
}

/// What connects one run of a replica with everything else. Clones are the same line.
#[derive(Clone)]
pub struct Line {
    /// The replica and which of its runs it is.
    pub name: (usize, u32),
    /// The simulation's luck.
    pub dice: Dice,
    /// The record.
    pub trace: Trace,
    standing: Arc<(Mutex<Standing>, Notify)>,
    shared: Arc<Mutex<Shared>>,
    /// What breaks by itself.
    rates: Arc<Mutex<Rates>>,
}

/// What all replicas have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Whether the ledger serves.
    pub ledger: bool,
    /// Whether the store serves.
    pub store: bool,
}

impl Line {
    /// A line on which everything works.
    pub fn new(
        name: (usize, u32),
        rates: Arc<Mutex<Rates>>,
        dice: Dice,
        trace: Trace,
        shared: Arc<Mutex<Shared>>,
    ) -> Self {
        let standing = Standing { alive: true, serves: true, ledger: true, store: true, network: true };
        Self { name, rates, dice, trace, standing: Arc::new((Mutex::new(standing), Notify::new())), shared }
    }

    /// What breaks by itself.
    pub fn rates(&self) -> Rates {
        *self.rates.lock()
    }

    /// How things stand.
    pub fn standing(&self) -> Standing {
        *self.standing.0.lock()
    }

    /// Breaks or mends something.
    pub fn change(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing.0.lock());
        self.standing.1.notify_waiters();
    }

    /// The process is dead from now on.
    pub fn die(&self) {
        self.change(|standing| standing.alive = false);
    }

    /// Waits until it serves nobody any more.
    pub async fn closed(&self) {
        self.until(|standing| !standing.alive || !standing.serves).await;
    }

    /// Waits for the death of the process.
    pub async fn died(&self) {
        self.until(|standing| !standing.alive).await;
    }

    /// Waits until packets travel (or the process is dead).
    pub async fn open(&self) {
        self.until(|standing| standing.network || !standing.alive).await;
    }

    /// Waits for something. Those who wait for one thing go on in the order in which they came, always.
    async fn until(&self, holds: impl Fn(&Standing) -> bool) {
        loop {
            let rung = self.standing.1.notified();
            tokio::pin!(rung);
            // From here on no ring is missed.
            rung.as_mut().enable();
            if holds(&self.standing()) {
                return;
            }
            rung.await;
        }
    }

    /// Does something as the process: when that dies it never ends, wherever it stood.
    pub async fn mortal<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            () = self.died() => std::future::pending().await,
            out = work => out,
        }
    }

    /// Whether the ledger can be reached.
    pub fn reaches_ledger(&self) -> bool {
        self.standing().ledger && self.shared.lock().ledger
    }

    /// The way to the ledger, or back.
    pub async fn travel(&self) {
        let time = match self.dice.below(1000) {
            0..700 => Duration::ZERO,
            rest if rest < 1000 - self.rates().slow => self.dice.millis(1, 4),
            _ => self.dice.millis(20, 700),
        };
        if !time.is_zero() {
            tokio::time::sleep(time).await;
        }
    }

    /// How the process's work with the store ends.
    pub fn fates(&self) -> Fates {
        let line = self.clone();
        Fates::new(move || {
            let standing = line.standing();
            if !standing.alive {
                return Fate::Never;
            }
            let fate =
                if !standing.store || !line.shared.lock().store || line.dice.per_mille(line.rates().lost) {
                    Fate::Refused
                } else if line.dice.per_mille(OFTEN * line.rates().lost) {
                    Fate::Unanswered
                } else {
                    Fate::Done
                };
            line.trace.note(format_args!("{:?} store {fate:?}", line.name));
            fate
        })
    }
}
