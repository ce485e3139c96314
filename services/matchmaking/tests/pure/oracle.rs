//! A log for tests, facts by number, and an independent look at what must hold of any queue.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{GameId, PlayerId, TicketId, Timestamp};
use matchmaking::{
    queue::{Change, Queue},
    ticket::{Hold, ReplicaId},
};
use nigiri_proto::{
    events::v1::{
        BotFreed, BotGames, BotOffered, BotSeated, MatchMade, MatchRefused, MatchStarted, QueueEntry,
        QueueFact, Ticket, TicketClosed, TicketHeld, TicketOpened, TicketReleased, TicketResumed,
        TicketsRenewed, queue_fact::Fact,
    },
    game::v1::{Color, GameSettings, Seat},
    matchmaking::v1::{AiLevel, EndedReason, MatchSettings},
};
use platform::convert::{from_proto_time, to_proto_time};
use uuid::Uuid;

pub fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub fn player(number: u32) -> PlayerId {
    PlayerId::from_uuid(Uuid::from_u128(0x1000 + u128::from(number)))
}

pub fn ticket(number: u32) -> TicketId {
    TicketId::from_uuid(Uuid::from_u128(0x2000 + u128::from(number)))
}

pub fn replica(number: u32) -> ReplicaId {
    ReplicaId::from_uuid(Uuid::from_u128(0x3000 + u128::from(number)))
}

pub fn game(tickets: &[u32]) -> GameId {
    GameId::derive(&format!("{tickets:?}"))
}

fn seat(number: u32, bot: bool) -> Seat {
    let player_id = player(number).to_string();
    Seat { color: Color::Unspecified.into(), player_id, name: format!("Player {number}"), bot, guest: false }
}

/// Facts of one entry. Tickets, players and replicas by their numbers; times in milliseconds.
#[derive(Default)]
pub struct Facts(pub Vec<Fact>);

impl Facts {
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, fact: Fact) -> Self {
        self.0.push(fact);
        self
    }

    /// The ticket of the last fact takes an AI, and looks for a person beside it.
    pub fn keep_looking(mut self) -> Self {
        if let Some(Fact::TicketOpened(TicketOpened { ticket: Some(ticket) })) = self.0.last_mut() {
            (ticket.allow_ai, ticket.keep_looking) = (true, true);
        }
        self
    }

    pub fn resume(self, id: u32, game: GameId) -> Self {
        let (ticket_id, game_id) = (ticket(id).to_string(), game.to_string());
        self.with(Fact::TicketResumed(TicketResumed { ticket_id, game_id }))
    }

    /// Spoils the last fact.
    pub fn spoil(&mut self) {
        if let Some(Fact::TicketOpened(TicketOpened { ticket: Some(ticket) })) = self.0.last_mut() {
            ticket.ticket_id = "no id".to_owned();
        }
    }

    pub fn open(self, id: u32, who: u32, by: u32, until: u64) -> Self {
        let ticket = Ticket {
            ticket_id: ticket(id).to_string(),
            player: Some(seat(who, false)),
            accepts: vec![MatchSettings { preset: "quick".to_owned(), ..MatchSettings::default() }],
            rating_micros: 1_200_000_000,
            open_time: Some(to_proto_time(at(0))),
            expire_time: Some(to_proto_time(at(until))),
            held_by: replica(by).to_string(),
            ..Ticket::default()
        };
        self.with(Fact::TicketOpened(TicketOpened { ticket: Some(ticket) }))
    }

    pub fn renew(self, by: u32, until: u64) -> Self {
        let expire_time = Some(to_proto_time(at(until)));
        self.with(Fact::TicketsRenewed(TicketsRenewed { held_by: replica(by).to_string(), expire_time }))
    }

    pub fn hold(self, id: u32, from: Option<u32>, by: u32, until: u64) -> Self {
        self.with(Fact::TicketHeld(TicketHeld {
            ticket_id: ticket(id).to_string(),
            held_from: from.map(|from| replica(from).to_string()).unwrap_or_default(),
            held_by: replica(by).to_string(),
            expire_time: Some(to_proto_time(at(until))),
        }))
    }

    pub fn release(self, id: u32, by: u32, until: u64) -> Self {
        self.with(Fact::TicketReleased(TicketReleased {
            ticket_id: ticket(id).to_string(),
            held_by: replica(by).to_string(),
            expire_time: Some(to_proto_time(at(until))),
        }))
    }

    pub fn close(self, id: u32) -> Self {
        let reason = EndedReason::Cancelled.into();
        self.with(Fact::TicketClosed(TicketClosed { ticket_id: ticket(id).to_string(), reason }))
    }

    /// A match of tickets whose players have the same numbers.
    pub fn made(self, ids: &[u32]) -> Self {
        let seats = match ids {
            [a, b] => vec![seat(*a, false), seat(*b, false)],
            _ => vec![seat(ids[0], false), seat(99, true)],
        };
        self.with(Fact::MatchMade(MatchMade {
            game_id: game(ids).to_string(),
            ticket_ids: ids.iter().map(|id| ticket(*id).to_string()).collect(),
            settings: Some(GameSettings::default()),
            seats,
        }))
    }

    pub fn started(self, ids: &[u32]) -> Self {
        self.with(Fact::MatchStarted(MatchStarted { game_id: game(ids).to_string() }))
    }

    pub fn refused(self, ids: &[u32], closed: &[u32]) -> Self {
        let closed_ticket_ids = closed.iter().map(|id| ticket(*id).to_string()).collect();
        self.with(Fact::MatchRefused(MatchRefused {
            game_id: game(ids).to_string(),
            closed_ticket_ids,
            ..MatchRefused::default()
        }))
    }

    pub fn offer(self, who: u32, level: AiLevel, until: u64) -> Self {
        self.with(Fact::BotOffered(BotOffered {
            player: Some(seat(who, true)),
            level: level.into(),
            expire_time: Some(to_proto_time(at(until))),
            ..BotOffered::default()
        }))
    }

    /// The bot of the last fact plays so many games at once.
    pub fn limit(mut self, max_games: u32) -> Self {
        if let Some(Fact::BotOffered(offered)) = self.0.last_mut() {
            offered.max_games = max_games;
        }
        self
    }

    /// The bot of the last fact plays these games by the game service's list.
    pub fn listed(mut self, games: &[GameId]) -> Self {
        if let Some(Fact::BotOffered(offered)) = self.0.last_mut() {
            let game_ids = games.iter().map(ToString::to_string).collect();
            offered.games = Some(BotGames { game_ids });
        }
        self
    }

    pub fn seat(self, who: u32, game: GameId) -> Self {
        let (bot_id, game_id) = (player(who).to_string(), game.to_string());
        self.with(Fact::BotSeated(BotSeated { bot_id, game_id }))
    }

    pub fn free(self, who: u32, game: GameId) -> Self {
        let (bot_id, game_id) = (player(who).to_string(), game.to_string());
        self.with(Fact::BotFreed(BotFreed { bot_id, game_id }))
    }

    pub fn entry(self) -> QueueEntry {
        QueueEntry {
            facts: self.0.into_iter().map(|fact| QueueFact { fact: Some(fact) }).collect(),
            format: 0,
        }
    }
}

/// A log that is folded as it grows.
#[derive(Default)]
pub struct Log {
    pub queue: Queue,
}

impl Log {
    pub fn append(&mut self, millis: u64, facts: Facts) -> Vec<Change> {
        self.queue.apply(&facts.entry(), at(millis))
    }
}

/// The games that one bot has been given, as the changes of a log tell.
#[derive(Default)]
pub struct Places(BTreeSet<GameId>);

impl Places {
    /// How many it has after one entry. Whoever is freed must be named by the entry; a refused match gives its place back.
    pub fn observe(&mut self, entry: &QueueEntry, changes: &[Change], bot: PlayerId) -> usize {
        for fact in entry.facts.iter().filter_map(|fact| fact.fact.as_ref()) {
            match fact {
                Fact::BotFreed(freed) if freed.bot_id == bot.to_string() => {
                    self.0.remove(&freed.game_id.parse().unwrap());
                }
                Fact::MatchMade(made) => {
                    let game = made.game_id.parse().unwrap();
                    let is_bot = |seat: &Seat| seat.bot && seat.player_id == bot.to_string();
                    if made.seats.iter().any(is_bot) && changes.contains(&Change::Matched(game)) {
                        self.0.insert(game);
                    }
                }
                _ => {}
            }
        }
        for change in changes {
            match change {
                Change::Seated(who, game) if *who == bot => {
                    self.0.insert(*game);
                }
                Change::Refused(game) => {
                    self.0.remove(game);
                }
                _ => {}
            }
        }
        self.0.len()
    }
}

/// Follows the changes of a log without knowing the fold, and fails when something happens that never may.
#[derive(Default)]
pub struct Oracle {
    /// Who opened each ticket.
    players: BTreeMap<TicketId, PlayerId>,
    /// Until when each replica's lease was ever stated to stand.
    leases: BTreeMap<String, Timestamp>,
    holds: BTreeMap<TicketId, Hold>,
    open: BTreeSet<TicketId>,
    matched: BTreeMap<GameId, Vec<TicketId>>,
    over: BTreeSet<TicketId>,
    started: BTreeSet<GameId>,
}

impl Oracle {
    /// Looks at one entry and what it came to.
    pub fn observe(&mut self, entry: &QueueEntry, stamp: Timestamp, changes: &[Change]) {
        for change in changes {
            if let Change::Expired(id) = change {
                assert!(self.end_of(*id) <= stamp, "{id} expired too early");
            }
        }
        self.read(entry);
        for change in changes {
            self.follow(change, entry);
        }
        let mut players: Vec<_> = self.waiting().map(|id| self.players[&id]).collect();
        let before = players.len();
        players.sort();
        players.dedup();
        assert_eq!(players.len(), before, "a player has two tickets");
        for id in &self.open {
            assert!(self.end_of(*id) > stamp, "{id} outlives its time");
        }
    }

    /// Compares with a queue: what is open or matched here is so there, and nothing else. No ticket is lost.
    pub fn agree(&self, queue: &Queue) {
        let open: BTreeSet<_> = queue.open().map(|ticket| ticket.id).collect();
        assert_eq!(open, self.open);
        let pending: BTreeMap<_, _> =
            queue.pending().map(|pending| (pending.made.game, pending.made.tickets.clone())).collect();
        assert_eq!(pending, self.matched);
    }

    fn waiting(&self) -> impl Iterator<Item = TicketId> {
        self.open.iter().copied().chain(self.matched.values().flatten().copied())
    }

    fn end_of(&self, id: TicketId) -> Timestamp {
        match self.holds[&id] {
            Hold::By(replica) => self.leases[&replica.to_string()],
            Hold::Until(end) => end,
        }
    }

    /// What the entry states about tickets and leases, whether it counts or not.
    fn read(&mut self, entry: &QueueEntry) {
        for fact in entry.facts.iter().filter_map(|fact| fact.fact.as_ref()) {
            let (by, until) = match fact {
                Fact::TicketOpened(fact) => {
                    let opened = fact.ticket.as_ref().unwrap();
                    let id = opened.ticket_id.parse().unwrap();
                    let who = opened.player.as_ref().unwrap().player_id.parse().unwrap();
                    assert_eq!(self.players.insert(id, who).unwrap_or(who), who);
                    self.holds.insert(id, Hold::By(opened.held_by.parse().unwrap()));
                    (&opened.held_by, opened.expire_time)
                }
                Fact::TicketsRenewed(fact) => (&fact.held_by, fact.expire_time),
                Fact::TicketHeld(fact) => (&fact.held_by, fact.expire_time),
                _ => continue,
            };
            let until = from_proto_time(until.unwrap());
            let lease = self.leases.entry(by.clone()).or_insert(until);
            *lease = until.max(*lease);
        }
    }

    fn follow(&mut self, change: &Change, entry: &QueueEntry) {
        match change {
            Change::Opened(id) => assert!(self.open.insert(*id) && !self.over.contains(id)),
            Change::Held(id, hold) => {
                assert!(self.open.contains(id));
                self.holds.insert(*id, *hold);
            }
            Change::Expired(id) | Change::Closed(id, EndedReason::Cancelled) => {
                assert!(self.open.remove(id) && self.over.insert(*id), "{id} ended twice");
            }
            Change::Closed(id, _) => assert!(self.over.insert(*id)),
            Change::Matched(game) => {
                let tickets = tickets_of(*game, entry);
                assert!(tickets.iter().all(|id| self.open.remove(id)), "a ticket in two matches");
                assert!(self.matched.insert(*game, tickets).is_none());
            }
            Change::Started(made) => {
                assert!(self.started.insert(made.game), "a game started twice");
                let tickets = self.matched.remove(&made.game).unwrap();
                assert!(tickets.iter().all(|id| self.over.insert(*id)), "a ticket in two games");
            }
            Change::SetAside(id, made) => {
                assert!(made.tickets == [*id] && self.started.contains(&made.game));
                assert!(self.over.remove(id) && self.open.insert(*id), "it was not in that game");
                self.holds.insert(*id, Hold::Until(at(u64::MAX)));
            }
            Change::Resumed(id) => assert!(self.open.contains(id)),
            Change::Refused(game) => {
                self.matched.remove(game).unwrap();
            }
            Change::Reopened(id) => {
                assert!(self.open.insert(*id) && !self.over.contains(id));
                self.holds.insert(*id, Hold::Until(at(u64::MAX)));
            }
            Change::NotOpened(_)
            | Change::Renewed(_)
            | Change::Offered(_)
            | Change::Seated(..)
            | Change::Restored => {}
        }
    }

    /// A ticket that a refused match gave back: who holds it is the fold's to say.
    pub fn learn_hold(&mut self, queue: &Queue) {
        for ticket in queue.open() {
            if self.holds.get(&ticket.id) == Some(&Hold::Until(at(u64::MAX))) {
                self.holds.insert(ticket.id, ticket.hold);
            }
        }
    }
}

fn tickets_of(game: GameId, entry: &QueueEntry) -> Vec<TicketId> {
    let made = entry.facts.iter().find_map(|fact| match &fact.fact {
        Some(Fact::MatchMade(made)) if made.game_id == game.to_string() => Some(made),
        _ => None,
    });
    made.unwrap().ticket_ids.iter().map(|id| id.parse().unwrap()).collect()
}
