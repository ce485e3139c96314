//! What the replica wants to be in the log, looked at against the queue as it stands.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use kernel::{GameId, PlayerId, TicketId, Timestamp};
use nigiri_proto::{
    events::v1::{
        TicketClosed, TicketHeld, TicketOpened, TicketReleased, TicketResumed, TicketsRenewed,
        queue_fact::Fact,
    },
    game::v1::Color,
    matchmaking::v1::EndedReason,
};
use platform::convert::to_proto_time;

use super::{Command, Joined, Joining, Reply, Seen, Standing, bots::Wanted, launch::Outcome, task::Task};
use crate::{
    error::Error,
    queue::{LISTED_AFTER, Place},
    ticket::{Hold, Last, Match, ReplicaId, Ticket},
    wire,
};

/// Facts of one entry stay below this size, in bytes; what is left goes into the next.
const ENTRY_BYTES: usize = 256 * 1024;

/// Without a word of the client, a `matched` that this replica has not handed out is repeated for this long.
const UNSAID_FOR: Duration = Duration::from_secs(10);

/// So many players are remembered with whom they met and what they were told; past this the memory starts anew.
const REMEMBERED: usize = 100_000;

/// All that is wanted.
#[derive(Default)]
pub(super) struct Intents {
    pub joins: Vec<Join>,
    pub cancels: Vec<Cancel>,
    pub bots: Wanted,
    /// Tickets that this replica may hold without a stream.
    pub releases: BTreeSet<TicketId>,
    pub proposals: Vec<Match>,
    /// Games against AIs that are over, by players whose tickets were set aside for them.
    pub resumes: BTreeSet<(PlayerId, GameId)>,
    pub outcomes: Vec<Outcome>,
    /// What is asked of the queue as far as its log goes by now.
    pub looks: Vec<super::bots::Question>,
    pub renew: bool,
}

/// Somebody wants to be in the queue.
pub(super) struct Join {
    joining: Joining,
    reply: Reply<Joined>,
    /// The id of the ticket that may be opened.
    fresh: TicketId,
    /// The replica that held the player's ticket when this was first looked at, and its last sign of life then.
    holder: Option<(ReplicaId, Timestamp)>,
}

/// Somebody wants to be out of it.
pub(super) struct Cancel {
    pub player: PlayerId,
    pub reason: EndedReason,
    pub reply: Reply<()>,
    /// The ticket that is being closed.
    pub ticket: Option<TicketId>,
}

/// Facts for one entry.
#[derive(Default)]
pub(super) struct Batch {
    facts: Vec<Fact>,
    bytes: usize,
}

impl Batch {
    const fn is_full(&self) -> bool {
        self.bytes >= ENTRY_BYTES
    }

    pub fn push(&mut self, fact: Fact) {
        // Tag and length of the fact and of its wrapper.
        self.bytes += fact.encoded_len() + 8;
        self.facts.push(fact);
    }
}

impl Task {
    pub(super) fn take(&mut self, command: Command) {
        match command {
            Command::Join(joining, reply) => {
                let fresh = TicketId::from_uuid(chance::uuid());
                self.intents.joins.push(Join { joining: *joining, reply, fresh, holder: None });
            }
            Command::Leave { player, stream } => self.leave(player, stream),
            Command::Cancel(player, reason, reply) => {
                self.intents.cancels.push(Cancel { player, reason, reply, ticket: None });
            }
            Command::Resume { player, game } => {
                self.intents.resumes.insert((player, game));
            }
            Command::Look(question) => question(&self.queue, self.now()),
            Command::LookAgain(question) => self.intents.looks.push(question),
            Command::Offer(offer, reply) => self.intents.bots.offer(*offer, reply),
            Command::Seat(seating) => self.intents.bots.seat(*seating),
            Command::Free { bot, game } => self.intents.bots.free(bot, game),
            Command::Dismiss(bot) => self.intents.bots.dismiss(bot),
            Command::Delivered { player, game } => {
                if self.delivered.len() >= REMEMBERED {
                    self.delivered.clear();
                }
                self.delivered.insert(player, game);
            }
            Command::Launched(outcome) => self.intents.outcomes.push(*outcome),
        }
    }

    /// The facts that would bring about what is wanted. What is done, or cannot be, is answered and forgotten.
    pub(super) fn collect(&mut self) -> Vec<Fact> {
        let mut batch = Batch::default();
        self.collect_cancels(&mut batch);
        self.collect_joins(&mut batch);
        self.collect_adrift(&mut batch);
        self.collect_releases(&mut batch);
        if self.intents.renew && !self.locals.is_empty() {
            batch.push(self.renewal());
        }
        self.collect_bots(&mut batch);
        self.collect_resumes(&mut batch);
        self.collect_matches(&mut batch);
        batch.facts
    }

    fn collect_cancels(&mut self, batch: &mut Batch) {
        for mut cancel in std::mem::take(&mut self.intents.cancels) {
            if cancel.reply.is_closed() {
                // Nobody waits for it any more; it must not hit a later ticket.
                continue;
            }
            let refusal = match self.queue.place(cancel.player) {
                Some(Place::Open(ticket)) => {
                    cancel.ticket = Some(ticket);
                    batch.push(closed(ticket, cancel.reason));
                    self.intents.cancels.push(cancel);
                    continue;
                }
                Some(Place::Matched(game)) => Error::TicketMatched(game),
                None => Error::NoTicket,
            };
            // Who asked may have gone.
            let _gone = cancel.reply.send(Err(refusal));
        }
    }

    fn collect_joins(&mut self, batch: &mut Batch) {
        for mut join in std::mem::take(&mut self.intents.joins) {
            if join.reply.is_closed() {
                self.intents.releases.insert(join.fresh);
                continue;
            }
            if batch.is_full() {
                self.intents.joins.push(join);
                continue;
            }
            match self.look_at(&mut join) {
                Step::Write(facts) => {
                    facts.into_iter().for_each(|fact| batch.push(fact));
                    self.intents.joins.push(join);
                }
                Step::Wait => self.intents.joins.push(join),
                Step::Follow(ticket) => {
                    let joined = self.follow(*ticket);
                    // If who asked has gone, the answer's guard releases the ticket.
                    let _gone = join.reply.send(Ok(Joined::Following(Box::new(joined))));
                }
                Step::Begun { made, known } => {
                    let _gone = join.reply.send(Ok(Joined::Begun { made, known }));
                }
                Step::Refuse(error) => {
                    let _gone = join.reply.send(Err(error));
                }
            }
        }
    }

    fn look_at(&self, join: &mut Join) -> Step {
        let player = join.joining.player.id;
        if self.locals.contains_key(&player) {
            return Step::Refuse(Error::TicketExists);
        }
        let Some(ticket) = self.queue.ticket_of(player) else {
            let Joining { playing, over, .. } = join.joining;
            return match (self.begun_game(&join.joining), playing.filter(|game| over != Some(*game))) {
                (Some((made, known)), _) => Step::Begun { made, known },
                (None, Some(game)) => Step::Refuse(Error::AlreadyPlaying(game)),
                (None, None) => Step::Write(vec![self.opening(join, self.now())]),
            };
        };
        if matches!(self.queue.place(player), Some(Place::Matched(_))) {
            return Step::Follow(Box::new(ticket.clone()));
        }
        let same = ticket.wish == join.joining.wish;
        match ticket.hold {
            Hold::By(replica) if replica == self.id && same => return Step::Follow(Box::new(ticket.clone())),
            Hold::By(replica) if replica != self.id => {
                if let Some(step) = self.wait_for(replica, join) {
                    return step;
                }
            }
            Hold::By(_) | Hold::Until(_) => {}
        }
        if same {
            return Step::Write(vec![self.holding(ticket)]);
        }
        // Another wish: a new ticket that has waited as long.
        Step::Write(vec![closed(ticket.id, EndedReason::Cancelled), self.opening(join, ticket.open_time)])
    }

    /// Another replica held the player's ticket: if it gives a sign of life, its stream is alive too; if it does not, it is gone.
    fn wait_for(&self, replica: ReplicaId, join: &mut Join) -> Option<Step> {
        let lease = self.queue.lease(replica)?;
        match join.holder {
            Some((holder, renewed)) if holder == replica && lease.renewed > renewed => {
                Some(Step::Refuse(Error::TicketExists))
            }
            _ if lease.renewed + self.args.gone_after() <= self.now() => None,
            _ => {
                join.holder = Some((replica, lease.renewed));
                Some(Step::Wait)
            }
        }
    }

    /// The player's game that began a moment ago, and whether its news has reached them. Of those that they know, one against an AI is none, for it may go on
    /// beside another; nor is one that [`Joining::playing`] would name.
    fn begun_game(&self, joining: &Joining) -> Option<(Arc<Match>, bool)> {
        let player = joining.player.id;
        let recent = self.queue.last_game(player)?;
        let game = recent.made.game;
        let known = match joining.seen {
            Seen::Last(seen) => seen == Some(game),
            Seen::Unsaid => {
                self.delivered.get(&player) == Some(&game) || recent.started_at + UNSAID_FOR <= self.now()
            }
        };
        let with_bot = recent.made.seats.iter().any(|seat| seat.bot);
        let listed = recent.started_at + LISTED_AFTER <= self.now();
        let is_settled = joining.over == Some(game) || (known && (with_bot || listed));
        (!is_settled).then(|| (Arc::clone(&recent.made), known))
    }

    fn opening(&self, join: &Join, open_time: Timestamp) -> Fact {
        let joining = &join.joining;
        let ticket = Ticket {
            id: join.fresh,
            player: joining.player.clone(),
            wish: joining.wish,
            ratings: joining.strength.ratings,
            sheltered: joining.strength.sheltered,
            avoids: Arc::clone(&joining.avoids),
            open_time,
            last: self.met.get(&joining.player.id).copied(),
            hold: Hold::By(self.id),
            aside: None,
            met_ai: false,
            trace: joining.trace,
        };
        self.open(&ticket)
    }

    fn open(&self, ticket: &Ticket) -> Fact {
        Fact::TicketOpened(TicketOpened { ticket: Some(wire::to_ticket(ticket, self.kept_until())) })
    }

    fn holding(&self, ticket: &Ticket) -> Fact {
        let from = match ticket.hold {
            Hold::By(replica) => replica.to_string(),
            Hold::Until(_) => String::new(),
        };
        Fact::TicketHeld(TicketHeld {
            ticket_id: ticket.id.to_string(),
            held_from: from,
            held_by: self.id.to_string(),
            expire_time: Some(to_proto_time(self.kept_until())),
        })
    }

    fn renewal(&self) -> Fact {
        Fact::TicketsRenewed(TicketsRenewed {
            held_by: self.id.to_string(),
            expire_time: Some(to_proto_time(self.kept_until())),
        })
    }

    fn kept_until(&self) -> Timestamp {
        self.now() + self.args.matchmaking_keep
    }

    /// Local tickets that are not where they should be are brought back; where that cannot be, their streams end.
    fn collect_adrift(&mut self, batch: &mut Batch) {
        for player in std::mem::take(&mut self.adrift) {
            let Some(local) = self.locals.get(&player) else { continue };
            if batch.is_full() {
                self.adrift.insert(player);
                continue;
            }
            let fact = match self.queue.place(player) {
                Some(Place::Open(id)) if id == local.id() => match self.queue.ticket(id) {
                    Some(ticket) if ticket.hold == Hold::By(self.id) => continue,
                    Some(ticket) if matches!(ticket.hold, Hold::Until(_)) => self.holding(ticket),
                    _ => {
                        self.end(player, Standing::Ended(EndedReason::Moved));
                        continue;
                    }
                },
                Some(Place::Matched(game)) if self.is_in(game, local.id()) => continue,
                Some(_) => {
                    self.end(player, Standing::Ended(EndedReason::Moved));
                    continue;
                }
                None => match self.queue.last_game(player) {
                    Some(recent) if recent.made.tickets.contains(&local.id()) => {
                        let made = Arc::clone(&recent.made);
                        self.end(player, Standing::Matched(made));
                        continue;
                    }
                    // Its time was up although its stream lives: the log was out of reach for too long.
                    _ => self.open(&Ticket { hold: Hold::By(self.id), ..local.ticket.clone() }),
                },
            };
            batch.push(fact);
            self.adrift.insert(player);
        }
    }

    fn is_in(&self, game: GameId, ticket: TicketId) -> bool {
        self.queue.pending_match(game).is_some_and(|pending| pending.made.tickets.contains(&ticket))
    }

    fn collect_releases(&mut self, batch: &mut Batch) {
        for id in std::mem::take(&mut self.intents.releases) {
            let Some(ticket) = self.queue.ticket(id) else { continue };
            let followed = self.local_tickets.contains_key(&id)
                || self.intents.joins.iter().any(|join| join.joining.player.id == ticket.player.id);
            if ticket.hold == Hold::By(self.id) && !followed {
                batch.push(Fact::TicketReleased(TicketReleased {
                    ticket_id: id.to_string(),
                    held_by: self.id.to_string(),
                    expire_time: Some(to_proto_time(self.kept_until())),
                }));
                self.intents.releases.insert(id);
            }
        }
    }

    fn collect_resumes(&mut self, batch: &mut Batch) {
        let queue = &self.queue;
        self.intents.resumes.retain(|(player, game)| {
            let ticket = queue.ticket_of(*player).filter(|ticket| ticket.aside == Some(*game));
            if let Some(ticket) = ticket {
                let (ticket_id, game_id) = (ticket.id.to_string(), game.to_string());
                batch.push(Fact::TicketResumed(TicketResumed { ticket_id, game_id }));
            }
            ticket.is_some()
        });
    }

    fn collect_matches(&mut self, batch: &mut Batch) {
        for outcome in std::mem::take(&mut self.intents.outcomes) {
            let pending = self.queue.pending_match(outcome.game);
            if pending.is_some_and(|pending| pending.made_at == outcome.made_at) {
                batch.push(outcome.fact.clone());
                self.intents.outcomes.push(outcome);
            }
        }
        for made in std::mem::take(&mut self.intents.proposals) {
            let has_room = made.bot().is_none_or(|bot| self.queue.has_room(bot, made.game));
            if has_room && made.tickets.iter().all(|id| self.queue.ticket(*id).is_some()) {
                if !batch.is_full() {
                    batch.push(Fact::MatchMade(wire::to_made(&made)));
                }
                self.intents.proposals.push(made);
            }
        }
    }

    /// Whom players met, and with which colour, is remembered here for their next tickets.
    pub(super) fn remember_meeting(&mut self, made: &Match) {
        if self.met.len() >= REMEMBERED {
            self.met.clear();
        }
        if let [black, white] = made.players().collect::<Vec<_>>().as_slice() {
            self.met.insert(*black, Last { opponent: *white, color: Color::Black });
            self.met.insert(*white, Last { opponent: *black, color: Color::White });
        }
    }
}

/// What to do about somebody who wants to be in the queue.
enum Step {
    Write(Vec<Fact>),
    Wait,
    Follow(Box<Ticket>),
    Begun { made: Arc<Match>, known: bool },
    Refuse(Error),
}

fn closed(ticket: TicketId, reason: EndedReason) -> Fact {
    Fact::TicketClosed(TicketClosed { ticket_id: ticket.to_string(), reason: reason.into() })
}
