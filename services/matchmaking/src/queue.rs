//! The queue as a fold over its log: pure, total, the same on every replica.
//!
//! A ticket is open from its entry until an entry closes or matches it, or until its time is up. Time is the stamps of the
//! entries and nothing else: before an entry's facts are looked at, everything whose time is up at its stamp is gone.
//! A fact that does not hold at its place in the log (a match of a ticket that is no longer open, a second ticket of
//! a player) counts for nothing. So replicas may propose what contradicts each other: the order of the log decides, for all alike.
//!
//! A ticket that a replica holds stands as long as that replica's *lease*, which one fact renews whatever the number of
//! tickets. A ticket that nobody holds has a moment of its own. A match holds its tickets until its game is there or is refused;
//! a refusal opens again, with their waiting time, those tickets that were not at fault.

mod bots;
mod matches;
mod snapshot;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use kernel::{GameId, PlayerId, TicketId, Timestamp};
use nigiri_proto::{
    events::v1::{self as events, QueueEntry, QueueFact, queue_fact::Fact},
    matchmaking::v1::EndedReason,
};

use crate::{
    ticket::{Bot, Hold, Match, ReplicaId, Ticket},
    wire,
};

use bots::Playing;
pub use bots::{LISTED_AFTER, Offer};

/// A ticket that a refused match gives back, and that no live replica holds, stands this long.
pub const REOPENED_FOR: Duration = Duration::from_secs(10);

/// Games that began are remembered this long, for streams that come back late.
pub const RECENT_FOR: Duration = Duration::from_secs(60);

/// A replica's word that it follows its tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// When it last gave its word: the stamp of that entry.
    pub renewed: Timestamp,
    /// Until when its tickets stand.
    pub expires: Timestamp,
}

/// A match whose game is not known to be there yet, with the tickets that it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The match.
    pub made: Arc<Match>,
    /// Its tickets, in the match's order.
    pub tickets: Vec<Ticket>,
    /// When it was made: the stamp of that entry.
    pub made_at: Timestamp,
}

/// A match whose game began a short while ago.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// The match.
    pub made: Arc<Match>,
    /// When its game was there: the stamp of that entry.
    pub started_at: Timestamp,
}

/// Where a player stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// With an open ticket.
    Open(TicketId),
    /// In a match whose game is not there yet.
    Matched(GameId),
}

/// What a fact came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A ticket was opened.
    Opened(TicketId),
    /// A ticket was not opened: its player has another.
    NotOpened(TicketId),
    /// A ticket's stream is another now, or none.
    Held(TicketId, Hold),
    /// A ticket was closed.
    Closed(TicketId, EndedReason),
    /// A ticket's time was up.
    Expired(TicketId),
    /// A match counts; its tickets are held.
    Matched(GameId),
    /// A match's game is there.
    Started(Arc<Match>),
    /// A ticket stands, but is paired with nobody while its player meets an AI.
    SetAside(TicketId, Arc<Match>),
    /// A ticket that was set aside is paired again.
    Resumed(TicketId),
    /// A match's game was refused.
    Refused(GameId),
    /// A ticket is open again after a refused match.
    Reopened(TicketId),
    /// A replica renewed its lease.
    Renewed(ReplicaId),
    /// A bot's offer stands, or has ended by its own word.
    Offered(PlayerId),
    /// A bot has a game more.
    Seated(PlayerId, GameId),
    /// The queue was taken from a snapshot: whoever followed it with a gap looks at everything anew.
    Restored,
}

/// The queue at one place in its log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    now: Timestamp,
    tickets: BTreeMap<TicketId, Ticket>,
    players: HashMap<PlayerId, Place>,
    /// Tickets that nobody holds, by the end of their time.
    left: BTreeSet<(Timestamp, TicketId)>,
    leases: BTreeMap<ReplicaId, Lease>,
    pending: BTreeMap<GameId, Pending>,
    bots: BTreeMap<PlayerId, Bot>,
    playing: BTreeMap<PlayerId, Playing>,
    /// Oldest first.
    recent: VecDeque<Recent>,
    last_games: HashMap<PlayerId, Recent>,
}

impl Queue {
    /// The stamp of the last entry.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// All open tickets, by their ids.
    pub fn open(&self) -> impl ExactSizeIterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// Whether an open ticket still stands at a moment after the last entry.
    pub fn stands(&self, ticket: &Ticket, now: Timestamp) -> bool {
        match ticket.hold {
            Hold::By(replica) => self.lease(replica).is_some_and(|lease| lease.expires > now),
            Hold::Until(expires) => expires > now,
        }
    }

    /// An open ticket.
    pub fn ticket(&self, id: TicketId) -> Option<&Ticket> {
        self.tickets.get(&id)
    }

    /// Where a player stands.
    pub fn place(&self, player: PlayerId) -> Option<Place> {
        self.players.get(&player).copied()
    }

    /// The ticket by which a player waits, open or matched.
    pub fn ticket_of(&self, player: PlayerId) -> Option<&Ticket> {
        match self.place(player)? {
            Place::Open(ticket) => self.tickets.get(&ticket),
            Place::Matched(game) => {
                self.pending.get(&game)?.tickets.iter().find(|ticket| ticket.player.id == player)
            }
        }
    }

    /// Matches whose games are not there yet.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = &Pending> {
        self.pending.values()
    }

    /// A match whose game is not there yet.
    pub fn pending_match(&self, game: GameId) -> Option<&Pending> {
        self.pending.get(&game)
    }

    /// The last game that a player came to, if that was a short while ago.
    pub fn last_game(&self, player: PlayerId) -> Option<&Recent> {
        self.last_games.get(&player)
    }

    /// Whether a game comes of a match that is being made, or was a short while ago.
    pub fn knows(&self, game: GameId) -> bool {
        self.pending.contains_key(&game)
            // It is asked about what has just begun.
            || self.recent.iter().rev().any(|recent| recent.made.game == game)
            || self.tickets.values().any(|ticket| ticket.aside == Some(game))
    }

    /// A replica's lease.
    pub fn lease(&self, replica: ReplicaId) -> Option<Lease> {
        self.leases.get(&replica).copied()
    }

    /// Takes one entry with its stamp; stamps never run backwards.
    pub fn apply(&mut self, entry: &QueueEntry, stamp: Timestamp) -> Vec<Change> {
        let mut changes = Vec::new();
        self.now = self.now.max(stamp);
        self.expire(&mut changes);
        for QueueFact { fact } in &entry.facts {
            // A fact of a kind that this version does not know, or that cannot be read, counts for nothing.
            let _unreadable = fact.as_ref().and_then(|fact| self.take(fact, &mut changes));
        }
        changes
    }

    fn take(&mut self, fact: &Fact, changes: &mut Vec<Change>) -> Option<()> {
        match fact {
            Fact::TicketOpened(fact) => {
                let (ticket, expires) = wire::ticket(fact.ticket.as_ref()?)?;
                self.open_ticket(ticket, expires, changes);
            }
            Fact::TicketsRenewed(fact) => {
                self.renew(fact.held_by.parse().ok()?, wire::time(fact.expire_time), changes);
            }
            Fact::TicketHeld(fact) => self.hold(fact, changes)?,
            Fact::TicketReleased(fact) => self.release(fact, changes)?,
            Fact::TicketClosed(fact) => {
                self.close(fact.ticket_id.parse().ok()?, fact.reason(), changes);
            }
            Fact::MatchMade(fact) => self.make(wire::made(fact)?, changes),
            Fact::MatchStarted(fact) => self.start(fact.game_id.parse().ok()?, changes),
            Fact::MatchRefused(fact) => self.refuse(fact, changes)?,
            Fact::TicketResumed(fact) => {
                self.resume(fact.ticket_id.parse().ok()?, fact.game_id.parse().ok()?, changes);
            }
            Fact::BotOffered(fact) => self.offer(wire::offer(fact)?, changes),
            Fact::BotSeated(fact) => {
                self.seat(fact.bot_id.parse().ok()?, fact.game_id.parse().ok()?, changes)
            }
            Fact::BotFreed(fact) => self.free(fact.bot_id.parse().ok()?, fact.game_id.parse().ok()?),
            Fact::Snapshot(fact) => {
                *self = Self::restore(fact, self.now);
                changes.push(Change::Restored);
                self.expire(changes);
            }
        }
        Some(())
    }

    fn open_ticket(&mut self, ticket: Ticket, expires: Timestamp, changes: &mut Vec<Change>) {
        if let Hold::By(replica) = ticket.hold {
            self.renew(replica, expires, changes);
        }
        let stands = match ticket.hold {
            Hold::By(replica) => self.leases.contains_key(&replica),
            Hold::Until(expires) => expires > self.now,
        };
        if !stands || self.players.contains_key(&ticket.player.id) || self.tickets.contains_key(&ticket.id) {
            return changes.push(Change::NotOpened(ticket.id));
        }
        changes.push(Change::Opened(ticket.id));
        self.insert(ticket);
    }

    fn renew(&mut self, replica: ReplicaId, expires: Timestamp, changes: &mut Vec<Change>) {
        if expires <= self.now {
            return;
        }
        let lease = self.leases.entry(replica).or_insert(Lease { renewed: self.now, expires });
        lease.renewed = self.now;
        lease.expires = lease.expires.max(expires);
        changes.push(Change::Renewed(replica));
    }

    fn hold(&mut self, fact: &events::TicketHeld, changes: &mut Vec<Change>) -> Option<()> {
        let from = wire::optional(&fact.held_from).ok()?;
        let by: ReplicaId = fact.held_by.parse().ok()?;
        self.renew(by, wire::time(fact.expire_time), changes);
        self.change_hands(fact.ticket_id.parse().ok()?, from, Hold::By(by), changes)
    }

    fn release(&mut self, fact: &events::TicketReleased, changes: &mut Vec<Change>) -> Option<()> {
        let from = Some(fact.held_by.parse().ok()?);
        let until = Hold::Until(wire::time(fact.expire_time));
        self.change_hands(fact.ticket_id.parse().ok()?, from, until, changes)
    }

    /// Gives an open ticket from one hand to another, if it still is in the first and the second can hold it.
    fn change_hands(
        &mut self,
        id: TicketId,
        from: Option<ReplicaId>,
        to: Hold,
        changes: &mut Vec<Change>,
    ) -> Option<()> {
        let ticket = self.tickets.get_mut(&id)?;
        let holder = match ticket.hold {
            Hold::By(replica) => Some(replica),
            Hold::Until(_) => None,
        };
        let can_hold = match to {
            Hold::By(replica) => self.leases.contains_key(&replica),
            Hold::Until(expires) => expires > self.now,
        };
        if holder != from || !can_hold {
            return None;
        }
        if let Hold::Until(expires) = ticket.hold {
            self.left.remove(&(expires, id));
        }
        if let Hold::Until(expires) = to {
            self.left.insert((expires, id));
        }
        ticket.hold = to;
        changes.push(Change::Held(id, to));
        Some(())
    }

    fn close(&mut self, id: TicketId, reason: EndedReason, changes: &mut Vec<Change>) {
        if self.remove(id).is_some() {
            changes.push(Change::Closed(id, reason));
        }
    }

    /// Lets go of everything whose time is up.
    fn expire(&mut self, changes: &mut Vec<Change>) {
        let now = self.now;
        while let Some((expires, id)) = self.left.first().copied()
            && expires <= now
        {
            self.remove(id);
            changes.push(Change::Expired(id));
        }
        let lapsed = self.leases.values().any(|lease| lease.expires <= now);
        if lapsed {
            self.leases.retain(|_, lease| lease.expires > now);
            let held = |ticket: &&Ticket| match ticket.hold {
                Hold::By(replica) => !self.leases.contains_key(&replica),
                Hold::Until(_) => false,
            };
            let mut lost: Vec<_> = self.tickets.values().filter(held).map(|ticket| ticket.id).collect();
            lost.sort_unstable();
            for id in lost {
                self.remove(id);
                changes.push(Change::Expired(id));
            }
        }
        self.expire_bots();
        while self.recent.front().is_some_and(|recent| recent.started_at + RECENT_FOR <= now) {
            let Some(recent) = self.recent.pop_front() else { break };
            for player in recent.made.players() {
                if self.last_games.get(&player).is_some_and(|last| last.made.game == recent.made.game) {
                    self.last_games.remove(&player);
                }
            }
        }
    }

    fn insert(&mut self, ticket: Ticket) {
        if let Hold::Until(expires) = ticket.hold {
            self.left.insert((expires, ticket.id));
        }
        self.players.insert(ticket.player.id, Place::Open(ticket.id));
        self.tickets.insert(ticket.id, ticket);
    }

    fn remove(&mut self, id: TicketId) -> Option<Ticket> {
        let ticket = self.tickets.remove(&id)?;
        if let Hold::Until(expires) = ticket.hold {
            self.left.remove(&(expires, id));
        }
        self.players.remove(&ticket.player.id);
        Some(ticket)
    }

    fn remember(&mut self, recent: Recent) {
        for player in recent.made.players() {
            self.last_games.insert(player, recent.clone());
        }
        self.recent.push_back(recent);
    }
}
