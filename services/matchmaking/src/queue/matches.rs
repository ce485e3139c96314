//! What becomes of matches, and of the tickets that they hold.

use std::sync::Arc;

use kernel::{GameId, TicketId};
use nigiri_proto::{events::v1 as events, matchmaking::v1::EndedReason};

use super::{Change, Pending, Place, Queue, REOPENED_FOR, Recent};
use crate::{
    ticket::{Hold, Match, Ticket},
    wire,
};

impl Queue {
    pub(super) fn make(&mut self, made: Match, changes: &mut Vec<Change>) {
        let distinct = made.tickets.first() != made.tickets.get(1);
        let alone = made.tickets.len() == 1;
        // A replica that has not read that an AI has filled in already would have one fill in again.
        let free = |ticket: &Ticket| ticket.aside.is_none() && !(alone && ticket.met_ai);
        let open = made.tickets.iter().all(|id| self.tickets.get(id).is_some_and(free));
        let has_room = made.bot().is_none_or(|bot| self.has_room(bot, made.game));
        if !distinct || !open || !has_room || self.pending.contains_key(&made.game) {
            return;
        }
        if let Some(bot) = made.bot() {
            self.engage(bot, made.game);
        }
        let tickets: Vec<_> = made.tickets.iter().filter_map(|id| self.remove(*id)).collect();
        for ticket in &tickets {
            self.players.insert(ticket.player.id, Place::Matched(made.game));
        }
        changes.push(Change::Matched(made.game));
        self.pending.insert(made.game, Pending { made: Arc::new(made), tickets, made_at: self.now });
    }

    pub(super) fn start(&mut self, game: GameId, changes: &mut Vec<Change>) {
        let Some(pending) = self.pending.remove(&game) else { return };
        for ticket in &pending.tickets {
            self.players.remove(&ticket.player.id);
        }
        changes.push(Change::Started(Arc::clone(&pending.made)));
        self.remember(Recent { made: Arc::clone(&pending.made), started_at: self.now });
        for mut ticket in pending.tickets {
            if pending.made.tickets.len() == 1 && ticket.wish.keep_looking {
                (ticket.aside, ticket.met_ai) = (Some(game), true);
                changes.push(Change::SetAside(ticket.id, Arc::clone(&pending.made)));
                self.give_back(ticket);
            }
        }
    }

    pub(super) fn resume(&mut self, id: TicketId, game: GameId, changes: &mut Vec<Change>) {
        if let Some(ticket) = self.tickets.get_mut(&id).filter(|ticket| ticket.aside == Some(game)) {
            ticket.aside = None;
            changes.push(Change::Resumed(id));
        }
    }

    /// Opens a ticket again that a match has held: without its replica it stands for a while.
    fn give_back(&mut self, mut ticket: Ticket) {
        if !matches!(ticket.hold, Hold::By(replica) if self.leases.contains_key(&replica)) {
            ticket.hold = Hold::Until(self.now + REOPENED_FOR);
        }
        self.insert(ticket);
    }

    pub(super) fn refuse(&mut self, fact: &events::MatchRefused, changes: &mut Vec<Change>) -> Option<()> {
        let game = fact.game_id.parse().ok()?;
        let pending = self.pending.remove(&game)?;
        changes.push(Change::Refused(game));
        if let Some(bot) = pending.made.bot() {
            self.free(bot, game);
        }
        let players: Vec<_> = pending.tickets.iter().map(|ticket| ticket.player.id).collect();
        for mut ticket in pending.tickets {
            self.players.remove(&ticket.player.id);
            if fact.closed_ticket_ids.contains(&ticket.id.to_string()) {
                changes.push(Change::Closed(ticket.id, EndedReason::Refused));
                continue;
            }
            if fact.apart {
                let others = players.iter().filter(|player| **player != ticket.player.id);
                ticket.avoids = ticket.avoids.iter().chain(others).copied().collect();
            }
            let rerated = fact.rerated.iter().find(|rerated| rerated.ticket_id == ticket.id.to_string());
            if let Some(ratings) = rerated.and_then(|rerated| wire::ratings(&rerated.board_ratings)) {
                ticket.ratings = ratings;
            }
            changes.push(Change::Reopened(ticket.id));
            self.give_back(ticket);
        }
        Some(())
    }
}
