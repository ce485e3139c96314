//! The streams that this replica serves, and what the changes of the queue mean to them.

use std::sync::Arc;

use kernel::{GameId, PlayerId, TicketId};
use nigiri_proto::matchmaking::v1::EndedReason;
use tokio::sync::watch;

use super::{Aside, Following, Guard, Local, Standing, task::Task};
use crate::{
    metrics,
    queue::Change,
    ticket::{Match, Ticket},
    wave,
};

impl Task {
    /// Gives a ticket a stream of this replica.
    pub(super) fn follow(&mut self, ticket: Ticket) -> Following {
        self.last_stream += 1;
        let begin = match ticket.aside {
            None => Standing::Waiting,
            Some(game) => Standing::Aside(Aside { game, made: None, person_waits: false }),
        };
        let (standing, seen) = watch::channel(begin);
        let player = ticket.player.id;
        let guard = Guard { player, stream: self.last_stream, commands: self.commands.clone() };
        self.local_tickets.insert(ticket.id, player);
        let local = Local { ticket: ticket.clone(), stream: self.last_stream, standing };
        self.locals.insert(player, local);
        Following { ticket, standing: seen, _guard: guard }
    }

    /// A stream is gone: its ticket is released, unless another stream has it by now.
    pub(super) fn leave(&mut self, player: PlayerId, stream: u64) {
        if self.locals.get(&player).is_some_and(|local| local.stream == stream)
            && let Some(local) = self.forget(player)
        {
            self.intents.releases.insert(local.id());
        }
    }

    /// All streams are gone, or will hear that this replica is.
    pub(super) fn leave_all(&mut self) {
        self.intents.joins.clear();
        self.local_tickets.clear();
        let locals = std::mem::take(&mut self.locals);
        self.intents.releases.extend(locals.into_values().map(|local| local.id()));
    }

    /// Tells a stream the last that it will hear.
    pub(super) fn end(&mut self, player: PlayerId, standing: Standing) {
        if let Some(local) = self.forget(player) {
            // If the stream is gone, it hears nothing.
            local.standing.send_replace(standing);
        }
    }

    fn forget(&mut self, player: PlayerId) -> Option<Local> {
        let local = self.locals.remove(&player)?;
        self.local_tickets.remove(&local.id());
        Some(local)
    }

    /// Looks after what a change of the queue means here.
    pub(super) fn settle(&mut self, change: Change) {
        match change {
            Change::Opened(id) => {
                if let Some(ticket) = self.queue.ticket(id) {
                    let ratings = ticket.ratings.map(|rating| rating.0);
                    self.seen.experience.came(ticket.wish.kinds, &ratings, &wave::rules(), self.queue.now());
                }
                self.look_after(id);
            }
            Change::Reopened(ticket) | Change::Held(ticket, _) => self.look_after(ticket),
            Change::NotOpened(ticket) | Change::Expired(ticket) => {
                if let Some(player) = self.local_tickets.get(&ticket) {
                    self.adrift.insert(*player);
                }
            }
            Change::Closed(ticket, reason) => self.closed(ticket, reason),
            Change::Matched(game) => self.matched(game),
            Change::Started(made) => self.started(&made),
            Change::SetAside(ticket, made) => self.set_aside(ticket, made),
            Change::Resumed(ticket) => {
                self.wave_due = true;
                self.tell(ticket, Standing::Waiting);
            }
            Change::Refused(game) => {
                if self.launcher.settled(game) {
                    metrics::refused();
                }
            }
            Change::Renewed(replica) => {
                if replica == self.id {
                    self.intents.renew = false;
                }
            }
            Change::Offered(bot) => self.intents.bots.offered(bot),
            // Who wants it looks again at the next entry.
            Change::Seated(..) => {}
            Change::Restored => {
                self.adrift.extend(self.locals.keys());
                self.launcher.retain(|game| self.queue.pending_match(game).is_some());
            }
        }
    }

    /// A ticket is open and somebody's: ours with a stream, ours without, or not ours.
    fn look_after(&mut self, ticket: TicketId) {
        match self.local_tickets.get(&ticket) {
            Some(player) => {
                self.adrift.insert(*player);
            }
            None => {
                self.intents.releases.insert(ticket);
            }
        }
    }

    fn closed(&mut self, ticket: TicketId, reason: EndedReason) {
        for cancel in self.intents.cancels.extract_if(.., |cancel| cancel.ticket == Some(ticket)) {
            let _gone = cancel.reply.send(Ok(()));
        }
        if let Some(player) = self.local_tickets.get(&ticket).copied() {
            self.end(player, Standing::Ended(reason));
        }
    }

    fn matched(&mut self, game: GameId) {
        let Some(pending) = self.queue.pending_match(game) else { return };
        let pending = pending.clone();
        let met = pending.tickets.len() > 1;
        if met {
            self.remember_meeting(&pending.made);
        }
        for ticket in &pending.tickets {
            self.remember_wait(ticket, met);
        }
        // Whoever proposed it makes its game; the others only if that takes too long.
        let ours = self.intents.proposals.extract_if(.., |made| made.game == game).count() > 0;
        if ours {
            let waits = pending.tickets.iter().map(|ticket| ticket.waited(pending.made_at));
            metrics::matched(pending.tickets.len() == 1, waits);
            self.launcher.launch(&pending);
        }
    }

    /// How long a ticket waited until a person came, or until it left otherwise.
    pub(super) fn remember_wait(&mut self, ticket: &Ticket, met: bool) {
        let now = self.queue.now();
        self.seen.waits.left(ticket.wish.kinds, ticket.rating().0, ticket.waited(now), met, now);
    }

    fn set_aside(&mut self, ticket: TicketId, made: Arc<Match>) {
        let aside = Aside { game: made.game, made: Some(made), person_waits: false };
        self.tell(ticket, Standing::Aside(aside));
        self.look_after(ticket);
    }

    /// Tells a ticket's stream, if it is here, how things stand.
    fn tell(&mut self, id: TicketId, standing: Standing) {
        let local = self.local_tickets.get(&id).and_then(|player| self.locals.get_mut(player));
        if let (Some(local), Some(ticket)) = (local, self.queue.ticket(id)) {
            local.ticket = ticket.clone();
            // If the stream is gone, it hears nothing.
            local.standing.send_replace(standing);
        }
    }

    fn started(&mut self, made: &Arc<Match>) {
        self.launcher.settled(made.game);
        let is_aside = |ticket| self.queue.ticket(ticket).is_some_and(|ticket| ticket.aside.is_some());
        let over: Vec<_> = made.tickets.iter().copied().filter(|ticket| !is_aside(*ticket)).collect();
        for ticket in over {
            if let Some(player) = self.local_tickets.get(&ticket).copied() {
                self.end(player, Standing::Matched(Arc::clone(made)));
            }
        }
    }
}
