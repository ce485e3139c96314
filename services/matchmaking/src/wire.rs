//! Between the log's messages and the queue's words. Reading is lenient and total: what cannot be read is none, and a fact
//! without it counts for nothing, identically for every reader.

use std::str::FromStr;

use kernel::Timestamp;
use nigiri_proto::{
    events::v1 as events,
    game::v1::{Color, Seat},
    matchmaking::v1::{AiLevel, MatchSettings},
};
use platform::convert::{from_proto_time, to_proto_time};

use crate::ticket::{Bot, Hold, Match, Player, Presets, Rating, ReplicaId, Ticket, Wish};

pub(crate) fn time(time: Option<prost_types::Timestamp>) -> Timestamp {
    time.map_or_else(Timestamp::default, from_proto_time)
}

pub(crate) fn player(seat: &Seat) -> Option<Player> {
    Some(Player { id: seat.player_id.parse().ok()?, name: seat.name.as_str().into(), guest: seat.guest })
}

pub(crate) fn seat(player: &Player, color: Color, bot: bool) -> Seat {
    let (player_id, name) = (player.id.to_string(), player.name.to_string());
    Seat { color: color.into(), player_id, name, bot, guest: player.guest }
}

/// An id, or none where the text is empty. An error where the text is neither.
pub(crate) fn optional<T: FromStr>(text: &str) -> Result<Option<T>, T::Err> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
}

/// The ticket, and until when it stands.
pub(crate) fn ticket(from: &events::Ticket) -> Option<(Ticket, Timestamp)> {
    let expires = time(from.expire_time);
    let held_by: Option<ReplicaId> = optional(&from.held_by).ok()?;
    let accepts = from.accepts.iter().filter_map(|settings| settings.preset.parse().ok());
    let wish = Wish {
        accepts: accepts.fold(Presets::default(), Presets::with),
        rated: from.rated,
        allow_ai: from.allow_ai,
    };
    let ticket = Ticket {
        id: from.ticket_id.parse().ok()?,
        player: player(from.player.as_ref()?)?,
        wish,
        rating: Rating(from.rating_micros),
        open_time: time(from.open_time),
        last_opponent: optional(&from.last_opponent_id).ok()?,
        hold: held_by.map_or(Hold::Until(expires), Hold::By),
    };
    Some((ticket, expires))
}

pub(crate) fn to_ticket(ticket: &Ticket, lease: Timestamp) -> events::Ticket {
    let (held_by, expires) = match ticket.hold {
        Hold::By(replica) => (replica.to_string(), lease),
        Hold::Until(expires) => (String::new(), expires),
    };
    let accepts = ticket
        .wish
        .accepts
        .iter()
        .map(|preset| MatchSettings { preset: preset.name().to_owned(), ..MatchSettings::default() });
    events::Ticket {
        ticket_id: ticket.id.to_string(),
        player: Some(seat(&ticket.player, Color::Unspecified, false)),
        accepts: accepts.collect(),
        rated: ticket.wish.rated,
        allow_ai: ticket.wish.allow_ai,
        rating_micros: ticket.rating.0,
        open_time: Some(to_proto_time(ticket.open_time)),
        expire_time: Some(to_proto_time(expires)),
        last_opponent_id: ticket.last_opponent.map(|id| id.to_string()).unwrap_or_default(),
        held_by,
        ..events::Ticket::default()
    }
}

pub(crate) fn made(from: &events::MatchMade) -> Option<Match> {
    let tickets: Option<Vec<_>> = from.ticket_ids.iter().map(|id| id.parse().ok()).collect();
    let made = Match {
        game: from.game_id.parse().ok()?,
        tickets: tickets?,
        settings: from.settings.clone()?,
        seats: from.seats.clone(),
    };
    let fits = matches!(made.tickets.as_slice(), [_] | [_, _]) && made.players().count() == 2;
    fits.then_some(made)
}

pub(crate) fn to_made(made: &Match) -> events::MatchMade {
    events::MatchMade {
        game_id: made.game.to_string(),
        ticket_ids: made.tickets.iter().map(ToString::to_string).collect(),
        settings: Some(made.settings.clone()),
        seats: made.seats.clone(),
    }
}

pub(crate) fn bot(from: &events::BotOffered) -> Option<Bot> {
    let level = AiLevel::try_from(from.level).ok().filter(|level| *level != AiLevel::Unspecified)?;
    Some(Bot { player: player(from.player.as_ref()?)?, level, expires: time(from.expire_time) })
}

pub(crate) fn to_bot(bot: &Bot) -> events::BotOffered {
    events::BotOffered {
        player: Some(seat(&bot.player, Color::Unspecified, true)),
        level: bot.level.into(),
        expire_time: Some(to_proto_time(bot.expires)),
    }
}
