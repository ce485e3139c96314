//! What the replicas say of the seats that they mind: a fold over their logs.

use std::collections::BTreeMap;

use kernel::Timestamp;
use ledger::{Entry, LogName, Sequence};
use nigiri_proto::events::v1::PresenceEntry;
use prost::Message;

use super::seat::Seat;

/// What a replica says of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A stream is open.
    Here,
    /// None is any more, since that stamp of the replica's log.
    Gone(Timestamp),
}

/// One replica's log as far as it is known here.
#[derive(Debug, Default)]
pub struct View {
    sequence: Sequence,
    stamp: Timestamp,
    seats: BTreeMap<Seat, Said>,
    ended: bool,
    /// When it was heard last, by this replica's clock.
    heard: Timestamp,
}

impl View {
    /// Folds in the next entry; what is known already is passed over. False if entries are missing before it.
    pub fn absorb(&mut self, entry: &Entry) -> bool {
        if entry.sequence <= self.sequence {
            return true;
        }
        if entry.sequence != self.sequence + 1 {
            return false;
        }
        (self.sequence, self.stamp) = (entry.sequence, entry.stamp);
        let read = PresenceEntry::decode(entry.payload.clone()).unwrap_or_else(|error| {
            tracing::error!(%error, "an entry of a presence log cannot be read");
            PresenceEntry::default()
        });
        self.seats.extend(Seat::unpack(&read.here).map(|seat| (seat, Said::Here)));
        self.seats.extend(Seat::unpack(&read.gone).map(|seat| (seat, Said::Gone(entry.stamp))));
        for seat in Seat::unpack(&read.settled) {
            self.seats.remove(&seat);
        }
        self.ended |= read.ended;
        true
    }

    /// The number of the last entry.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The stamp of the last entry.
    pub fn stamp(&self) -> Timestamp {
        self.stamp
    }

    /// Whether all its seats are minded elsewhere.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The seats that it minds.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + '_ {
        self.seats.keys().copied()
    }
}

/// What the other replicas say.
#[derive(Debug, Default)]
pub struct Views(BTreeMap<LogName, View>);

impl Views {
    /// Folds in an entry of a replica's log. False if entries are missing before it.
    pub fn absorb(&mut self, log: &LogName, entry: &Entry, now: Timestamp) -> bool {
        if !self.0.contains_key(log) {
            self.0.insert(log.clone(), View::default());
        }
        let Some(view) = self.0.get_mut(log) else { return false };
        view.heard = now;
        view.absorb(entry)
    }

    /// The last entry of a log that is known.
    pub fn sequence(&self, log: &LogName) -> Sequence {
        self.0.get(log).map_or(0, View::sequence)
    }

    /// The logs that are known and of which nothing was heard since that moment.
    pub fn quiet_since(&self, since: Timestamp) -> impl Iterator<Item = &LogName> {
        self.0.iter().filter(move |(_, view)| view.heard <= since).map(|(log, _)| log)
    }

    /// A log was looked at, and nothing new was there.
    pub fn looked_at(&mut self, log: &LogName, now: Timestamp) {
        if let Some(view) = self.0.get_mut(log) {
            view.heard = now;
        }
    }

    /// A log is not there any more.
    pub fn forget(&mut self, log: &LogName) {
        self.0.remove(log);
    }

    /// Forgets the logs that ended before that moment.
    pub fn forget_ended(&mut self, before: Timestamp) {
        self.0.retain(|_, view| !view.ended || view.heard > before);
    }

    /// Whether another replica minds the seat from now on, and this one, which said in its log `own` at `stamp` that the player has gone, has not to decide: a stream is open
    /// there, or was open for longer. Where two say the same at the same time, the order of their names decides, for both alike.
    pub fn minded_elsewhere(&self, seat: Seat, own: &LogName, stamp: Timestamp) -> bool {
        self.0.iter().any(|(log, view)| match view.seats.get(&seat) {
            _ if log == own => false,
            Some(Said::Here) => true,
            Some(Said::Gone(since)) => (*since, log) > (stamp, own),
            None => false,
        })
    }
}
