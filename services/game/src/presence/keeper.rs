//! What a replica does every now and then: it says what has changed, hears the others, decides who has gone, and takes over from who has died.

use std::time::Duration;

use ::metrics::{counter, gauge};
use futures::StreamExt;
use kernel::Timestamp;
use ledger::{
    Append, AppendError, Appended, Deadline, Guard, LogName, Logs, Refused, SharedLedger, Unavailable, Wake,
};
use nigiri_proto::events::v1::PresenceEntry;
use prost::Message;
use referee::Command;
use tokio::{sync::broadcast::error::TryRecvError, time::Instant};

use super::{Keeper, LOG_KIND, Presence, Seat, views::View};
use crate::{error::Error, metrics};

/// A replica begins a new log after this many entries.
const LONGEST: u64 = 2000;

/// Entries that are read at once.
const PAGE: usize = 500;

/// Decisions that are written at once, and for how long at most before the others are heard again.
const AT_ONCE: usize = 64;
const DECIDING: Duration = Duration::from_secs(1);

/// An ended log is there for this long for those who have not heard of its end.
const KEEP_ENDED: Duration = Duration::from_secs(60);

/// How often a log is begun anew at once when others have written to it.
const ANEW: u32 = 3;

impl Presence {
    /// One round. Called all the time; nothing depends on how often.
    pub async fn tick(&self) {
        let mut keeper = self.0.keeper.lock().await;
        if let Err(error) = self.round(&mut keeper).await {
            tracing::debug!(%error, "nothing is decided about who is there while the ledger is away");
            // The others may have been unable to say something, too.
            let until = self.0.clock.now() + self.0.patience.renew();
            self.0.own.lock().put_all_off(until);
        }
        drop(keeper);
        self.mark_back().await;
        gauge!(metrics::PRESENCES).set(self.0.own.lock().len() as f64);
    }

    async fn round(&self, keeper: &mut Keeper) -> Result<(), Unavailable> {
        self.hear(keeper).await?;
        self.say(keeper).await?;
        if keeper.sequence >= LONGEST {
            self.begin_anew(keeper).await?;
        }
        let lapsed = std::mem::take(&mut *self.0.lapsed.lock());
        for log in lapsed {
            self.take_over(keeper, &log).await?;
        }
        self.mark_away(keeper).await;
        Ok(())
    }

    /// Folds in what the others have said.
    async fn hear(&self, keeper: &mut Keeper) -> Result<(), Unavailable> {
        let now = self.0.clock.now();
        loop {
            match keeper.wakes.try_recv() {
                Ok(Wake::Appended(log, entry)) => {
                    if log != keeper.log && !keeper.views.absorb(&log, &entry, now) {
                        keeper.unread.insert(log);
                    }
                }
                Ok(Wake::Lost) | Err(TryRecvError::Lagged(_)) => {
                    keeper.unread.extend(keeper.views.quiet_since(now).cloned());
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        keeper.unread.extend(keeper.views.quiet_since(now - self.0.patience.lease).cloned());
        while let Some(log) = keeper.unread.iter().next().cloned() {
            self.read(keeper, &log, now).await?;
            keeper.unread.remove(&log);
        }
        // A little later, since the log that says the same may be heard later.
        keeper.views.forget_ended(now - self.0.patience.renew());
        Ok(())
    }

    /// Reads what a log has and is not known yet.
    async fn read(&self, keeper: &mut Keeper, log: &LogName, now: Timestamp) -> Result<(), Unavailable> {
        let ledger = self.ledger();
        loop {
            let page = ledger.read(log, keeper.views.sequence(log), PAGE).await?;
            for entry in &page {
                keeper.views.absorb(log, entry, now);
            }
            if page.len() < PAGE {
                break;
            }
        }
        keeper.views.looked_at(log, now);
        if ledger.read(log, 0, 1).await?.is_empty() {
            keeper.views.forget(log);
        }
        Ok(())
    }

    /// Writes what has changed, or a sign of life when it is time for one.
    async fn say(&self, keeper: &mut Keeper) -> Result<(), Unavailable> {
        let mut anew = 0;
        loop {
            let now = self.0.clock.now();
            let (entry, seats) = self.0.own.lock().take_unsaid();
            let quiet_until = keeper.written.map(|written| written + self.0.patience.renew());
            if seats.is_empty() && quiet_until.is_some_and(|until| now < until) {
                return Ok(());
            }
            match self.append(&keeper.log, keeper.sequence, &entry, Guard::default()).await {
                Ok(Appended { sequence, stamp }) => {
                    (keeper.sequence, keeper.written) = (sequence, Some(now));
                    self.0.own.lock().said(&seats, stamp);
                }
                Err(AppendError::Unavailable(error)) => {
                    self.0.own.lock().unsay(seats);
                    return Err(error);
                }
                // Our lease had lapsed and somebody has taken over, or we wrote something without hearing of it.
                Err(AppendError::Refused(refused)) => {
                    anew += 1;
                    if anew > ANEW {
                        return Err(Unavailable(refused.to_string()));
                    }
                    tracing::warn!(%refused, "the log of presences is begun anew");
                    self.forget_log(keeper);
                }
            }
        }
    }

    /// Begins a new log, in which everything is to be said again.
    fn forget_log(&self, keeper: &mut Keeper) {
        (keeper.log, keeper.sequence, keeper.written) = (new_log(), 0, None);
        self.0.own.lock().begin_anew();
    }

    /// Begins a new log and ends the old one, which has grown long.
    async fn begin_anew(&self, keeper: &mut Keeper) -> Result<(), Unavailable> {
        let (log, sequence) = (keeper.log.clone(), keeper.sequence);
        self.forget_log(keeper);
        self.say(keeper).await?;
        self.end(&log, sequence).await
    }

    /// Ends a log: its seats are minded elsewhere.
    async fn end(&self, log: &LogName, sequence: u64) -> Result<(), Unavailable> {
        let entry = PresenceEntry { ended: true, ..PresenceEntry::default() };
        match self.append(log, sequence, &entry, Guard::default()).await {
            Ok(_) => self.ledger().retire(log, KEEP_ENDED).await,
            Err(AppendError::Refused(_)) => Ok(()),
            Err(AppendError::Unavailable(error)) => Err(error),
        }
    }

    /// Takes over the seats of a replica whose lease has lapsed: as if their streams had been here, and were gone now.
    async fn take_over(&self, keeper: &mut Keeper, log: &LogName) -> Result<(), Unavailable> {
        let Some(view) = self.whole(log).await?.filter(|_| *log != keeper.log) else { return Ok(()) };
        let (last, said) = (view.sequence(), view.stamp());
        if view.ended() {
            return self.ledger().retire(log, KEEP_ENDED).await;
        }
        let guard =
            Guard { not_before: Some(said + self.0.patience.lease), settled_until: said, ..Guard::default() };
        let by = keeper.log.id().to_owned();
        let taken = PresenceEntry { taken_by: by, ..PresenceEntry::default() };
        match self.append(log, last, &taken, guard).await {
            Ok(_) => {}
            // Nobody could say anything for a while, so the replica may be well: it, and its players, have the lease again from here.
            Err(AppendError::Refused(Refused::Outage { .. })) => {
                let again = self.append(log, last, &PresenceEntry::default(), Guard::default()).await;
                return match again {
                    Err(AppendError::Unavailable(error)) => Err(error),
                    _ => Ok(()),
                };
            }
            // It lives, or somebody else was faster.
            Err(AppendError::Refused(_)) => return Ok(()),
            Err(AppendError::Unavailable(error)) => return Err(error),
        }
        let due = self.0.clock.now() + self.0.patience.away;
        view.seats().for_each(|seat| self.0.own.lock().await_return(seat, due));
        // If we die before the end is written, the lease of that log lapses again.
        self.say(keeper).await?;
        counter!(metrics::TAKEN_OVER).increment(1);
        tracing::info!(seats = view.seats().count(), "a replica is gone; its players are awaited here");
        self.end(log, last + 1).await
    }

    /// A log from its beginning; none if it is not there.
    async fn whole(&self, log: &LogName) -> Result<Option<View>, Unavailable> {
        let mut view = View::default();
        loop {
            let page = self.ledger().read(log, view.sequence(), PAGE).await?;
            page.iter().for_each(|entry| {
                view.absorb(entry);
            });
            if page.len() < PAGE {
                return Ok((view.sequence() > 0).then_some(view));
            }
        }
    }

    /// Marks as away who has been gone for too long, and is not minded elsewhere.
    async fn mark_away(&self, keeper: &Keeper) {
        let began = Instant::now();
        loop {
            let now = self.0.clock.now();
            let due = self.0.own.lock().due(now, AT_ONCE);
            if due.is_empty() || began.elapsed() > DECIDING {
                return;
            }
            let (elsewhere, gone): (Vec<_>, Vec<_>) = due
                .into_iter()
                .partition(|(seat, stamp)| keeper.views.minded_elsewhere(*seat, &keeper.log, *stamp));
            elsewhere.iter().for_each(|(seat, _)| self.0.own.lock().settle(*seat));
            let marks = gone.into_iter().map(|(seat, _)| async move {
                if self.mark(seat, Command::MarkAway { color: seat.color() }).await {
                    self.0.own.lock().settle(seat);
                } else {
                    self.0.own.lock().put_off(seat, now + DECIDING);
                }
            });
            futures::stream::iter(marks).buffer_unordered(AT_ONCE).collect::<()>().await;
        }
    }

    /// Marks as back who is here while the game says otherwise.
    pub(crate) async fn mark_back(&self) {
        let returning = std::mem::take(&mut *self.0.returning.lock());
        let marks = returning.into_iter().map(|seat| async move {
            let here = self.0.own.lock().is_here(seat);
            if here && !self.mark(seat, Command::MarkBack { color: seat.color() }).await {
                self.0.returning.lock().insert(seat);
            }
        });
        futures::stream::iter(marks).buffer_unordered(AT_ONCE).collect::<()>().await;
    }

    /// True when nothing is left to do.
    async fn mark(&self, seat: Seat, command: Command<'_>) -> bool {
        match self.0.games.mark(seat.game(), command).await {
            Ok(_) => true,
            Err(error @ (Error::Refused { .. } | Error::NotFound(_))) => {
                tracing::debug!(game.id = %seat.game(), %error, "nothing to say of a player's presence");
                true
            }
            Err(error) => {
                tracing::debug!(game.id = %seat.game(), %error, "a player's presence will be written later");
                false
            }
        }
    }

    fn ledger(&self) -> &SharedLedger {
        self.0.games.ledger()
    }

    async fn append(
        &self,
        log: &LogName,
        expected: u64,
        entry: &PresenceEntry,
        guard: Guard,
    ) -> Result<Appended, AppendError> {
        let lives = !entry.ended;
        let append = Append {
            log: log.clone(),
            expected,
            payload: entry.encode_to_vec().into(),
            guard,
            deadline: if lives { Deadline::After(self.0.patience.lease) } else { Deadline::Clear },
            notices: Vec::new(),
        };
        self.ledger().append(append).await
    }
}

impl Keeper {
    pub(super) fn new(ledger: &SharedLedger) -> Self {
        Self {
            wakes: ledger.wakes(&Logs::Kind(LOG_KIND.into())),
            views: super::Views::default(),
            unread: std::collections::BTreeSet::new(),
            log: new_log(),
            sequence: 0,
            written: None,
        }
    }
}

/// The name of a log that nobody has written to.
fn new_log() -> LogName {
    let name = format!("{LOG_KIND}:{}", chance::uuid());
    LogName::new(&name).unwrap_or_else(|error| unreachable!("{error}"))
}
