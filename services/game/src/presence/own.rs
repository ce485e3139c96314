//! The seats that this replica minds, and what it has still to say of them. Pure.

use std::collections::{BTreeMap, BTreeSet};

use kernel::Timestamp;
use nigiri_proto::events::v1::PresenceEntry;

use super::seat::Seat;

/// Seats that one entry tells of at most: far less than an entry may hold.
const AT_ONCE: usize = 20_000;

/// The seats that this replica minds.
#[derive(Debug, Default)]
pub struct Own {
    seats: BTreeMap<Seat, Minded>,
    /// Seats whose state the log does not tell yet.
    unsaid: BTreeSet<Seat>,
    /// When it is to be decided whether a player has gone.
    due: BTreeSet<(Timestamp, Seat)>,
}

#[derive(Debug)]
struct Minded {
    streams: u32,
    gone: Option<Gone>,
}

#[derive(Debug)]
struct Gone {
    due: Timestamp,
    /// The stamp of the entry that tells it, once one does.
    said: Option<Timestamp>,
}

impl Own {
    /// A stream was opened.
    pub fn open(&mut self, seat: Seat) {
        let minded = self.seats.entry(seat).or_insert(Minded { streams: 0, gone: None });
        minded.streams += 1;
        if let Some(gone) = minded.gone.take() {
            self.due.remove(&(gone.due, seat));
        }
        if minded.streams == 1 {
            self.unsaid.insert(seat);
        }
    }

    /// A stream has gone. If it was the last one, it is to be decided at `due` whether the player has.
    pub fn close(&mut self, seat: Seat, due: Timestamp) {
        let Some(minded) = self.seats.get_mut(&seat) else { return };
        minded.streams = minded.streams.saturating_sub(1);
        if minded.streams == 0 {
            minded.gone = Some(Gone { due, said: None });
            self.due.insert((due, seat));
            self.unsaid.insert(seat);
        }
    }

    /// Minds a seat for which no stream is open here; it is to be decided at `due` whether the player has gone. Nothing changes if it is minded already.
    pub fn await_return(&mut self, seat: Seat, due: Timestamp) {
        self.seats.entry(seat).or_insert_with(|| {
            self.due.insert((due, seat));
            self.unsaid.insert(seat);
            Minded { streams: 0, gone: Some(Gone { due, said: None }) }
        });
    }

    /// It is decided about a player; nothing changes if a stream was opened meanwhile.
    pub fn settle(&mut self, seat: Seat) {
        let Some(Minded { gone: Some(gone), .. }) = self.seats.get(&seat) else { return };
        self.due.remove(&(gone.due, seat));
        self.seats.remove(&seat);
        self.unsaid.insert(seat);
    }

    /// Puts a decision off; nothing changes if a stream was opened meanwhile.
    pub fn put_off(&mut self, seat: Seat, until: Timestamp) {
        let Some(gone) = self.seats.get_mut(&seat).and_then(|minded| minded.gone.as_mut()) else { return };
        self.due.remove(&(gone.due, seat));
        gone.due = until;
        self.due.insert((until, seat));
    }

    /// Puts every decision off that would fall before that moment.
    pub fn put_all_off(&mut self, until: Timestamp) {
        while let Some((due, seat)) = self.due.first().copied()
            && due < until
        {
            self.put_off(seat, until);
        }
    }

    /// Whether a stream is open here.
    pub fn is_here(&self, seat: Seat) -> bool {
        self.seats.get(&seat).is_some_and(|minded| minded.streams > 0)
    }

    /// The players about whom it is to be decided now, each with the stamp at which the log says that they have gone. Those of whom it does not say so yet come later.
    /// At most `limit`, those who have been gone for longest first.
    pub fn due(&self, now: Timestamp, limit: usize) -> Vec<(Seat, Timestamp)> {
        let due = self.due.iter().take_while(|(due, _)| *due <= now);
        let said = due.filter_map(|(_, seat)| Some((*seat, self.seats.get(seat)?.gone.as_ref()?.said?)));
        said.take(limit).collect()
    }

    /// Takes what is to be said next.
    pub fn take_unsaid(&mut self) -> (PresenceEntry, Vec<Seat>) {
        let seats: Vec<Seat> = self.unsaid.iter().take(AT_ONCE).copied().collect();
        let (mut here, mut gone, mut settled) = (Vec::new(), Vec::new(), Vec::new());
        for seat in &seats {
            self.unsaid.remove(seat);
            seat.pack(match self.seats.get(seat) {
                Some(Minded { gone: None, .. }) => &mut here,
                Some(Minded { gone: Some(_), .. }) => &mut gone,
                None => &mut settled,
            });
        }
        let entry = PresenceEntry {
            here: here.into(),
            gone: gone.into(),
            settled: settled.into(),
            ..PresenceEntry::default()
        };
        (entry, seats)
    }

    /// The log tells these now, in an entry with this stamp.
    pub fn said(&mut self, seats: &[Seat], stamp: Timestamp) {
        for seat in seats {
            if let Some(gone) = self.seats.get_mut(seat).and_then(|minded| minded.gone.as_mut())
                && !self.unsaid.contains(seat)
            {
                gone.said = Some(stamp);
            }
        }
    }

    /// What was taken was not written.
    pub fn unsay(&mut self, seats: Vec<Seat>) {
        self.unsaid.extend(seats);
    }

    /// A new log begins, in which everything is to be said again.
    pub fn begin_anew(&mut self) {
        self.unsaid = self.seats.keys().copied().collect();
        for minded in self.seats.values_mut() {
            if let Some(gone) = &mut minded.gone {
                gone.said = None;
            }
        }
    }

    /// How many seats are minded.
    pub fn len(&self) -> usize {
        self.seats.len()
    }
}
