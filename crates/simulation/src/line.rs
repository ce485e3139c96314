//! What connects one run of a replica with everything else: when it breaks, all that the replica does stops mattering.

use std::{future::Future, time::Duration};

use platform::db::{Fate, Fates};
use tokio::sync::watch;

use crate::{
    dice::{Dice, Trace},
    world::Rates,
};

/// How things stand with a run of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the process lives.
    pub alive: bool,
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
    /// What breaks by itself.
    pub rates: Rates,
    /// The simulation's luck.
    pub dice: Dice,
    /// The record.
    pub trace: Trace,
    standing: watch::Sender<Standing>,
    /// Whether the ledger and the store serve at all.
    shared: watch::Receiver<Shared>,
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
        rates: Rates,
        dice: Dice,
        trace: Trace,
        shared: watch::Receiver<Shared>,
    ) -> Self {
        let standing = Standing { alive: true, ledger: true, store: true, network: true };
        Self { name, rates, dice, trace, standing: watch::channel(standing).0, shared }
    }

    /// How things stand.
    pub fn standing(&self) -> Standing {
        *self.standing.borrow()
    }

    /// Breaks or mends something.
    pub fn change(&self, change: impl FnOnce(&mut Standing)) {
        self.standing.send_modify(change);
    }

    /// The process is dead from now on.
    pub fn die(&self) {
        self.change(|standing| standing.alive = false);
    }

    /// Waits for the death of the process.
    pub async fn died(&self) {
        self.until(|standing| !standing.alive).await;
    }

    /// Waits until packets travel (or the process is dead).
    pub async fn open(&self) {
        self.until(|standing| standing.network || !standing.alive).await;
    }

    async fn until(&self, holds: impl FnMut(&Standing) -> bool) {
        // The sender lives as long as this line.
        let mut standing = self.standing.subscribe();
        let _closed = standing.wait_for(holds).await;
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
        self.standing().ledger && self.shared.borrow().ledger
    }

    /// The way to the ledger, or back.
    pub async fn travel(&self) {
        let time = match self.dice.below(1000) {
            0..700 => Duration::ZERO,
            rest if rest < 1000 - self.rates.slow => self.dice.millis(1, 4),
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
                if !standing.store || !line.shared.borrow().store || line.dice.per_mille(line.rates.lost) {
                    Fate::Refused
                } else if line.dice.per_mille(line.rates.lost) {
                    Fate::Unanswered
                } else {
                    Fate::Done
                };
            line.trace.note(format_args!("{:?} store {fate:?}", line.name));
            fate
        })
    }
}
