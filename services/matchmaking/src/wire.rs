//! Between the log's messages and the queue's words. Reading is lenient and total: what cannot be read is none, and a fact
//! without it counts for nothing, identically for every reader.

use std::str::FromStr;

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{
    events::v1 as events,
    game::v1::{Color, Seat},
    matchmaking::v1::AiLevel,
};
use pairing::{BOARDS, Colors};
use platform::convert::{from_proto_time, to_proto_time};
use uuid::Uuid;

use crate::{
    kinds,
    queue::Offer,
    ticket::{Bot, Hold, Last, Match, Owner, Player, Rating, ReplicaId, Ticket, Wish},
};

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

/// Ratings on all boards; none when there are others.
pub(crate) fn ratings(micros: &[i64]) -> Option<[Rating; BOARDS]> {
    <[i64; BOARDS]>::try_from(micros).ok().map(|micros| micros.map(Rating))
}

/// Players, 16 bytes each.
fn ids(bytes: &[u8]) -> impl Iterator<Item = PlayerId> {
    bytes.as_chunks().0.iter().map(|bytes| PlayerId::from_uuid(Uuid::from_bytes(*bytes)))
}

fn to_ids(players: &[PlayerId]) -> Vec<u8> {
    players.iter().flat_map(|player| player.as_uuid().into_bytes()).collect()
}

/// The colours of which a player named one, or none.
pub(crate) const fn colors(color: Color) -> Colors {
    match color {
        Color::Unspecified => Colors::Any,
        Color::Black => Colors::Black,
        Color::White => Colors::White,
    }
}

const fn color(colors: Colors) -> Color {
    match colors {
        Colors::Any => Color::Unspecified,
        Colors::Black => Color::Black,
        Colors::White => Color::White,
    }
}

/// The ticket, and until when it stands.
pub(crate) fn ticket(from: &events::Ticket) -> Option<(Ticket, Timestamp)> {
    let expires = time(from.expire_time);
    let held_by: Option<ReplicaId> = optional(&from.held_by).ok()?;
    let (places, _unknown) = kinds::read(&from.accepts);
    let wish = Wish {
        kinds: kinds::kinds(places, from.rated, !from.rated || from.unrated_too),
        colors: colors(from.color()),
        weaker_by: from.weaker_by.unwrap_or(u32::MAX),
        stronger_by: from.stronger_by.unwrap_or(u32::MAX),
        allow_ai: from.allow_ai,
        keep_looking: from.keep_looking,
    };
    let opponent: Option<_> = optional(&from.last_opponent_id).ok()?;
    let ticket = Ticket {
        id: from.ticket_id.parse().ok()?,
        player: player(from.player.as_ref()?)?,
        wish,
        ratings: ratings(&from.board_ratings).unwrap_or([Rating(from.rating_micros); BOARDS]),
        sheltered: from.sheltered,
        avoids: ids(&from.avoided_ids).collect(),
        open_time: time(from.open_time),
        last: opponent.map(|opponent| Last { opponent, color: from.last_color() }),
        hold: held_by.map_or(Hold::Until(expires), Hold::By),
        aside: optional(&from.aside_game_id).ok()?,
        met_ai: from.met_ai,
        trace: from.traceparent.parse().ok(),
    };
    Some((ticket, expires))
}

pub(crate) fn to_ticket(ticket: &Ticket, lease: Timestamp) -> events::Ticket {
    let (held_by, expires) = match ticket.hold {
        Hold::By(replica) => (replica.to_string(), lease),
        Hold::Until(expires) => (String::new(), expires),
    };
    let wish = &ticket.wish;
    let (accepts, rated, unrated) = kinds::write(wish.kinds);
    let limit = |points| (points != u32::MAX).then_some(points);
    events::Ticket {
        ticket_id: ticket.id.to_string(),
        player: Some(seat(&ticket.player, Color::Unspecified, false)),
        accepts,
        rated,
        unrated_too: rated && unrated,
        allow_ai: wish.allow_ai,
        rating_micros: ticket.ratings[0].0,
        board_ratings: ticket.ratings.map(|rating| rating.0).to_vec(),
        open_time: Some(to_proto_time(ticket.open_time)),
        expire_time: Some(to_proto_time(expires)),
        last_opponent_id: ticket.last.map(|last| last.opponent.to_string()).unwrap_or_default(),
        last_color: ticket.last.map_or(Color::Unspecified, |last| last.color).into(),
        held_by,
        weaker_by: limit(wish.weaker_by),
        stronger_by: limit(wish.stronger_by),
        color: color(wish.colors).into(),
        keep_looking: wish.keep_looking,
        sheltered: ticket.sheltered,
        avoided_ids: to_ids(&ticket.avoids).into(),
        aside_game_id: ticket.aside.map(|game| game.to_string()).unwrap_or_default(),
        met_ai: ticket.met_ai,
        traceparent: ticket.trace.map(|trace| trace.to_string()).unwrap_or_default(),
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
    let owner: Option<_> = optional(&from.owner_id).ok()?;
    Some(Bot {
        player: player(from.player.as_ref()?)?,
        level,
        expires: time(from.expire_time),
        accepts: from.accepts.clone().into(),
        max_games: from.max_games,
        owner: owner.map(|id| Owner { id, name: from.owner_name.as_str().into() }),
    })
}

pub(crate) fn to_bot(bot: &Bot) -> events::BotOffered {
    events::BotOffered {
        player: Some(seat(&bot.player, Color::Unspecified, true)),
        level: bot.level.into(),
        expire_time: Some(to_proto_time(bot.expires)),
        accepts: bot.accepts.to_vec(),
        max_games: bot.max_games,
        owner_id: bot.owner.as_ref().map(|owner| owner.id.to_string()).unwrap_or_default(),
        owner_name: bot.owner.as_ref().map(|owner| owner.name.to_string()).unwrap_or_default(),
        ..events::BotOffered::default()
    }
}

pub(crate) fn offer(from: &events::BotOffered) -> Option<Offer> {
    let ids = |games: &events::BotGames| games.game_ids.iter().filter_map(|id| id.parse().ok()).collect();
    Some(Offer { bot: bot(from)?, leaving: from.leaving, games: from.games.as_ref().map(ids) })
}

pub(crate) fn to_offer(offer: &Offer) -> events::BotOffered {
    let ids = |games: &[GameId]| games.iter().map(ToString::to_string).collect();
    let games = offer.games.as_ref().map(|games| events::BotGames { game_ids: ids(games) });
    events::BotOffered { leaving: offer.leaving, games, ..to_bot(&offer.bot) }
}
