//! The words of the queue: who waits, for what, and who follows the ticket.

use std::{fmt, sync::Arc, time::Duration};

use kernel::{GameId, PlayerId, TicketId, Timestamp};
use nigiri_proto::{
    game::v1::{Color, GameSettings, Seat},
    matchmaking::v1::{AiLevel, BotAccepts},
};
use pairing::{BOARDS, Colors, Kinds};
use platform::telemetry::trace::TraceContext;
use uuid::Uuid;

use crate::kinds::{self, Kind};

/// A process of this service: made when it starts, so that a process that starts again is another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(Uuid);

impl ReplicaId {
    /// The replica with these bits.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// A replica that has never been.
    pub fn random() -> Self {
        Self(chance::uuid())
    }
}

impl fmt::Display for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for ReplicaId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::try_parse(text).map(Self)
    }
}

/// A person or a bot, as their opponents will see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Who.
    pub id: PlayerId,
    /// The public name.
    pub name: Arc<str>,
    /// Whether it is a person without an account.
    pub guest: bool,
}

/// What somebody would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Kinds of games, rated or not: at least one. See [`kinds`](crate::kinds).
    pub kinds: Kinds,
    /// The colour: either, unless all kinds leave the choice.
    pub colors: Colors,
    /// By how many points an opponent may be weaker.
    pub weaker_by: u32,
    /// By how many points an opponent may be stronger.
    pub stronger_by: u32,
    /// Whether an AI may fill in.
    pub allow_ai: bool,
    /// Whether the search for a person goes on when one does.
    pub keep_looking: bool,
}

impl Wish {
    /// The first of the kinds: what is played with an AI that fills in.
    pub fn first_kind(&self) -> Option<Kind> {
        self.kinds.first().and_then(Kind::at).map(|(kind, _)| kind)
    }

    /// Of these ratings, the one in the pool of the first kind.
    pub fn rating(&self, ratings: &[Rating; BOARDS]) -> Rating {
        ratings[self.first_kind().map_or(0, Kind::board)]
    }

    /// Whether a rated game would do.
    pub fn rated(&self) -> bool {
        kinds::list(self.kinds).any(|(_, rated)| rated)
    }
}

/// The last game between people that somebody began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// Whom they met.
    pub opponent: PlayerId,
    /// Their own colour; unspecified if unknown.
    pub color: Color,
}

/// A rating in millionths of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(pub i64);

impl Rating {
    /// Where everybody begins: 1,200 points.
    pub const INITIAL: Self = Self::points(1_200);

    /// So many whole points.
    pub const fn points(points: i32) -> Self {
        Self(points as i64 * 1_000_000)
    }

    /// The rating in whole points: the nearest, halves upwards, as the rating service shows it.
    pub fn whole(self) -> i32 {
        let points = self.0.saturating_add(500_000).div_euclid(1_000_000);
        i32::try_from(points).unwrap_or(if points < 0 { i32::MIN } else { i32::MAX })
    }
}

/// Who follows a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A stream of this replica; the ticket stands as long as the replica's lease.
    By(ReplicaId),
    /// Nobody; the ticket stands until this moment.
    Until(Timestamp),
}

/// A player's wish for a game, in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its id.
    pub id: TicketId,
    /// Who waits.
    pub player: Player,
    /// What they would accept.
    pub wish: Wish,
    /// Their ratings on the boards of [`kinds::SIDES`] when the ticket was opened.
    pub ratings: [Rating; BOARDS],
    /// Whether they are new or weak, and spared opponents who are much stronger.
    pub sheltered: bool,
    /// Whom they never meet.
    pub avoids: Arc<[PlayerId]>,
    /// When the wait began, by the store's clock.
    pub open_time: Timestamp,
    /// Their last game, if known.
    pub last: Option<Last>,
    /// Who follows the ticket.
    pub hold: Hold,
    /// The game against an AI for whose time it is set aside: it stands, but is paired with nobody.
    pub aside: Option<GameId>,
    /// Whether an AI has filled in for it: none does again.
    pub met_ai: bool,
    /// The search that opened it, if its trace is kept.
    pub trace: Option<TraceContext>,
}

impl Ticket {
    /// How long it has waited at this moment.
    pub const fn waited(&self, now: Timestamp) -> Duration {
        now.since(self.open_time)
    }

    /// The rating in the pool of the first kind.
    pub fn rating(&self) -> Rating {
        self.wish.rating(&self.ratings)
    }

    /// Whether an AI may fill in now, or later.
    pub const fn takes_ai(&self) -> bool {
        self.wish.allow_ai && !self.met_ai
    }
}

/// A game that tickets came to. Its settings and seats are carried from the log to the game service as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The game's id, derived from the tickets.
    pub game: GameId,
    /// The tickets: two, or one when an AI fills in.
    pub tickets: Vec<TicketId>,
    /// What is played.
    pub settings: GameSettings,
    /// Both seats, Black first.
    pub seats: Vec<Seat>,
}

impl Match {
    /// The seat of a player, and the seat opposite.
    pub fn seats_of(&self, player: PlayerId) -> Option<(&Seat, &Seat)> {
        let id = player.to_string();
        match self.seats.as_slice() {
            [black, white] if black.player_id == id => Some((black, white)),
            [black, white] if white.player_id == id => Some((white, black)),
            _ => None,
        }
    }

    /// The players who sit in it.
    pub fn players(&self) -> impl Iterator<Item = PlayerId> {
        self.seats.iter().filter_map(|seat| seat.player_id.parse().ok())
    }

    /// The bot that sits in it.
    pub fn bot(&self) -> Option<PlayerId> {
        self.seats.iter().find(|seat| seat.bot)?.player_id.parse().ok()
    }

    /// The ticket by which a player came to it.
    pub fn ticket_of(&self, player: PlayerId) -> Option<TicketId> {
        let id = player.to_string();
        let place = self.seats.iter().filter(|seat| !seat.bot).position(|seat| seat.player_id == id)?;
        self.tickets.get(place).copied()
    }
}

/// A bot that is ready to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// Who.
    pub player: Player,
    /// How strong.
    pub level: AiLevel,
    /// Until when the offer stands, by the store's clock.
    pub expires: Timestamp,
    /// All that it would play, the usual game first; empty for anything.
    pub accepts: Arc<[BotAccepts]>,
    /// How many games it plays at once; 0 for any number.
    pub max_games: u32,
    /// Whose it is; none for a bot of the house, and while that is not known.
    pub owner: Option<Owner>,
}

/// Who owns a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Who.
    pub id: PlayerId,
    /// The public name, when the bot began to offer itself.
    pub name: Arc<str>,
}
