//! The words of the queue: who waits, for what, and who follows the ticket.

use std::{fmt, sync::Arc, time::Duration};

use goban::Preset;
use kernel::{GameId, PlayerId, TicketId, Timestamp};
use nigiri_proto::{
    game::v1::{GameSettings, Seat},
    matchmaking::v1::AiLevel,
};
use uuid::Uuid;

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

/// A set of presets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presets(u16);

impl Presets {
    /// With this preset as well.
    #[must_use]
    pub fn with(self, preset: Preset) -> Self {
        Self(self.0 | Self::bit(preset))
    }

    /// What both have.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The presets, in the order of [`Preset::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Preset> {
        Preset::ALL.into_iter().filter(move |preset| self.0 & Self::bit(*preset) != 0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn bit(preset: Preset) -> u16 {
        Preset::ALL.iter().position(|other| *other == preset).map_or(0, |index| 1 << index)
    }
}

/// What somebody would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Kinds of games: at least one.
    pub accepts: Presets,
    /// Whether the game should change ratings.
    pub rated: bool,
    /// Whether an AI may fill in.
    pub allow_ai: bool,
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
    /// Their rating when the ticket was opened.
    pub rating: Rating,
    /// When the wait began, by the store's clock.
    pub open_time: Timestamp,
    /// Whom they met last, if known.
    pub last_opponent: Option<PlayerId>,
    /// Who follows the ticket.
    pub hold: Hold,
}

impl Ticket {
    /// How long it has waited at this moment.
    pub const fn waited(&self, now: Timestamp) -> Duration {
        now.since(self.open_time)
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
}
