//! What runs out by itself: the clock of the player to move, grace, the time for agreeing on a score.

use std::time::Duration;

use goban::Color;
use kernel::Timestamp;

use super::Game;
use crate::NETWORK_ALLOWANCE;

/// Something that runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The clock of the player to move.
    Clock,
    /// The time for agreeing on a score; nothing else runs then.
    Agreement,
    /// A player's grace.
    Grace(Color),
}

/// A timer that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub timer: Timer,
    /// Since when.
    pub started: Timestamp,
    /// What players are told.
    pub deadline: Timestamp,
    /// The first moment at which it is over.
    pub due: Timestamp,
}

impl Running {
    fn new(timer: Timer, started: Timestamp, deadline: Timestamp) -> Self {
        Self { timer, started, deadline, due: deadline + NETWORK_ALLOWANCE }
    }
}

impl Game {
    /// All that runs.
    pub(crate) fn running(&self) -> impl Iterator<Item = Running> {
        let mut found = [None; 3];
        if self.end.is_none() {
            if let Some(agreement) = &self.agreement {
                found[0] = Some(Running::new(Timer::Agreement, agreement.started, agreement.deadline()));
            } else {
                found[0] = self.running_clock();
                for color in Color::BOTH {
                    found[1 + color.index()] = self.absences[color.index()]
                        .as_ref()
                        .map(|gone| Running::new(Timer::Grace(color), gone.from, gone.deadline()));
                }
            }
        }
        found.into_iter().flatten()
    }

    fn running_clock(&self) -> Option<Running> {
        let turn = self.to_move();
        Some(Running {
            timer: Timer::Clock,
            started: self.clock.started()?,
            deadline: self.clock.deadline(turn)?,
            due: self.clock.due(turn)?,
        })
    }

    /// What is over first.
    pub(crate) fn next_over(&self) -> Option<Running> {
        self.running().min_by_key(|running| running.due)
    }

    /// The first moment at which something that concerns a player is over: the clock if that player is to move, their grace, the time for agreeing.
    pub(crate) fn due_for(&self, color: Color) -> Option<Timestamp> {
        let concerns = |timer| match timer {
            Timer::Clock => self.to_move() == color,
            Timer::Agreement => true,
            Timer::Grace(whose) => whose == color,
        };
        self.running().filter(|running| concerns(running.timer)).map(|running| running.due).min()
    }

    /// The first moment at which a player's grace is over, if it runs.
    pub(crate) fn due_for_grace(&self, color: Color) -> Option<Timestamp> {
        self.running().find(|running| running.timer == Timer::Grace(color)).map(|running| running.due)
    }

    /// Outages that ended up to this moment concern nothing that runs, or have been credited.
    pub fn settled_until(&self) -> Timestamp {
        let first = self.running().map(|running| running.started).min();
        first.unwrap_or_else(|| self.clock.turn_started()).max(self.credited_until)
    }

    /// What outages took from what runs and has not been given back: from clock or agreement, and from each side's grace, and until when they are
    /// then settled. Times that overlap count once.
    pub(crate) fn owed(
        &self,
        outages: &[(Timestamp, Timestamp)],
    ) -> Option<(Duration, [Duration; 2], Timestamp)> {
        let mut outages = outages.to_vec();
        outages.sort_unstable();
        let last = outages.iter().map(|&(_, to)| to).max()?;
        let lost_since = |start: Timestamp| {
            let mut settled = start.max(self.credited_until);
            let mut lost = Duration::ZERO;
            for &(from, to) in &outages {
                lost = lost.saturating_add(to.since(from.max(settled)));
                settled = settled.max(to);
            }
            lost
        };
        let (mut credit, mut grace) = (Duration::ZERO, [Duration::ZERO; 2]);
        for running in self.running() {
            match running.timer {
                Timer::Clock | Timer::Agreement => credit = lost_since(running.started),
                Timer::Grace(color) => grace[color.index()] = lost_since(running.started),
            }
        }
        let owed = credit.max(grace[0]).max(grace[1]) > Duration::ZERO;
        owed.then_some((credit, grace, last.max(self.settled_until())))
    }

    /// Gives time back. False, and nothing happens, if no outage can have taken that much.
    pub(crate) fn credit(
        &mut self,
        credit: Duration,
        grace: [Duration; 2],
        settled_until: Timestamp,
    ) -> bool {
        let (mut most, mut most_grace) = (Duration::ZERO, [Duration::ZERO; 2]);
        for running in self.running() {
            let lost = settled_until.since(running.started.max(self.credited_until));
            match running.timer {
                Timer::Clock | Timer::Agreement => most = lost,
                Timer::Grace(color) => most_grace[color.index()] = lost,
            }
        }
        let possible = credit <= most && grace[0] <= most_grace[0] && grace[1] <= most_grace[1];
        if !possible {
            return false;
        }
        self.prolong(credit);
        for (absence, more) in self.absences.iter_mut().zip(grace) {
            if let Some(absence) = absence {
                absence.grace = absence.grace.saturating_add(more);
            }
        }
        self.credited_until = self.credited_until.max(settled_until);
        true
    }

    /// Whether a clock runs, or the time for agreeing on a score.
    pub(crate) fn has_time(&self) -> bool {
        self.running().any(|running| matches!(running.timer, Timer::Clock | Timer::Agreement))
    }

    /// Gives time to what runs. False, and nothing happens, if nothing does.
    pub(crate) fn give(&mut self, time: Duration) -> bool {
        let runs = self.has_time();
        if runs {
            self.prolong(time);
        }
        runs
    }

    fn prolong(&mut self, time: Duration) {
        match &mut self.agreement {
            Some(agreement) => agreement.time = agreement.time.saturating_add(time),
            None => self.clock.credit(time),
        }
    }
}
