//! One look at the whole queue: which matches to propose now. Pure; what it proposes counts only if the log agrees.

use std::{collections::HashSet, sync::Arc, time::Duration};

use goban::{Preset, Size};
use kernel::{GameId, Timestamp};
use nigiri_proto::{
    game::v1::{Color, GameSettings, NoClock, PerMove, TimeControl, time_control::Control},
    matchmaking::v1::AiLevel,
};
use pairing::{Candidate, Colors, Experience, Kinds, Rules};
use platform::convert::to_proto_duration;

use crate::{
    queue::Queue,
    ticket::{Bot, Hold, Match, Player, Presets, Rating, Ticket, Wish},
    wire,
};

/// What can be asked for in this queue.
pub const OFFERED: [Preset; 1] = [Preset::Quick];

/// Time for a move between strangers.
const PER_MOVE: Duration = Duration::from_secs(30);

/// When a wave looks, and by what rules.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The store's clock.
    pub now: Timestamp,
    /// An AI fills in for a ticket that has waited this long.
    pub ai_after: Duration,
    /// A replica that has not renewed its lease for this long is taken to be gone: its tickets stand, but are not paired until somebody
    /// follows them again.
    pub gone_after: Duration,
}

/// The matches that should be made now: pairs first, then bots for those who were left alone for too long.
pub fn plan(queue: &Queue, view: View, experience: &Experience) -> Vec<Match> {
    let followed = |ticket: &&Ticket| match ticket.hold {
        Hold::By(replica) => {
            queue.lease(replica).is_some_and(|lease| lease.renewed + view.gone_after > view.now)
        }
        Hold::Until(_) => false,
    };
    let mut left: Vec<&Ticket> = queue.open().filter(followed).collect();
    left.sort_unstable_by_key(|ticket| ticket.id);
    let rules = rules();
    let pool: Vec<_> = left.iter().map(|ticket| candidate(ticket, view.now, &rules, experience)).collect();
    let pairs = pairing::pair(&pool, &rules);
    let mut matches: Vec<_> =
        pairs.into_iter().map(|pair| meet(left[pair.a], left[pair.b], pair.kind)).collect();
    let met: HashSet<_> = matches.iter().flat_map(|made| made.tickets.iter().copied()).collect();
    let impatient = left.iter().filter(|ticket| !met.contains(&ticket.id) && wants_ai(ticket, view));
    matches.extend(impatient.filter_map(|ticket| fill_in(ticket, queue, view.now)));
    matches
}

/// Whether an AI should fill in for this ticket.
pub fn wants_ai(ticket: &Ticket, view: View) -> bool {
    ticket.wish.allow_ai && ticket.waited(view.now) >= view.ai_after
}

/// Rated games have the same kinds as others, so much later.
const RATED: u8 = 32;

/// By which rules tickets are paired. All that is offered is played on one board.
pub fn rules() -> Rules {
    Rules { boards: [u64::MAX, 0, 0], ..Rules::default() }
}

/// The kinds of games that a ticket accepts: presets, and whether they are rated.
fn kinds(wish: &Wish) -> Kinds {
    let bits = u64::from(wish.accepts.bits());
    Kinds(if wish.rated { bits << RATED } else { bits })
}

fn candidate(ticket: &Ticket, now: Timestamp, rules: &Rules, experience: &Experience) -> Candidate {
    Candidate {
        player: ticket.player.id,
        ratings: [ticket.rating.0; pairing::BOARDS],
        waited: ticket.waited(now),
        kinds: kinds(&ticket.wish),
        colors: Colors::Any,
        below: u32::MAX,
        above: u32::MAX,
        sheltered: false,
        content: rules.content(experience.density(ticket.rating.0, now)),
        last_opponent: ticket.last_opponent,
        avoids: Arc::default(),
    }
}

/// The match of two tickets. Everything about it follows from the tickets, so that all replicas propose the same.
fn meet(a: &Ticket, b: &Ticket, kind: u8) -> Match {
    let (a, b) = if a.id < b.id { (a, b) } else { (b, a) };
    let game = GameId::derive(&format!("match:{}:{}", a.id, b.id));
    let (black, white) = if heads(game) { (a, b) } else { (b, a) };
    let (rated, place) = (kind >= RATED, kind % RATED);
    let preset = Presets::from_bits(1 << (place % 16)).iter().next().unwrap_or(Preset::Quick);
    Match {
        game,
        tickets: vec![black.id, white.id],
        settings: settings(preset, Some(PER_MOVE), rated),
        seats: vec![
            wire::seat(&black.player, Color::Black, false),
            wire::seat(&white.player, Color::White, false),
        ],
    }
}

/// The match of a ticket with a bot of about its player's strength, by the clock of the setting.
fn fill_in(ticket: &Ticket, queue: &Queue, now: Timestamp) -> Option<Match> {
    let bot = bot_for(queue, now, level_of(ticket.rating), &ticket.id.to_string())?;
    let game = GameId::derive(&format!("match:{}:{}", ticket.id, bot.player.id));
    let preset = ticket.wish.accepts.iter().next().unwrap_or(Preset::Quick);
    let color = if heads(game) { Color::Black } else { Color::White };
    Some(with_bot(game, vec![ticket.id], settings(preset, Some(PER_MOVE), false), &ticket.player, color, bot))
}

/// A match with a bot, the player on this colour.
pub fn with_bot(
    game: GameId,
    tickets: Vec<kernel::TicketId>,
    settings: GameSettings,
    player: &Player,
    color: Color,
    bot: &Bot,
) -> Match {
    let seats = if color == Color::White {
        vec![wire::seat(&bot.player, Color::Black, true), wire::seat(player, Color::White, false)]
    } else {
        vec![wire::seat(player, Color::Black, false), wire::seat(&bot.player, Color::White, true)]
    };
    Match { game, tickets, settings, seats }
}

/// A coin that falls the same way for everybody: a bit of the game's id, which is a hash.
pub fn heads(game: GameId) -> bool {
    game.as_uuid().as_bytes()[15] & 1 == 0
}

/// The level of an AI that is about as strong as this.
pub fn level_of(rating: Rating) -> AiLevel {
    match rating.whole() {
        ..1_100 => AiLevel::Easy,
        1_100..1_500 => AiLevel::Normal,
        _ => AiLevel::Hard,
    }
}

/// A bot of this level, or of the nearest one that is there. The seed spreads players over bots, alike for everybody.
fn bot_for<'a>(queue: &'a Queue, now: Timestamp, level: AiLevel, seed: &str) -> Option<&'a Bot> {
    let levels = match level {
        AiLevel::Easy => [AiLevel::Easy, AiLevel::Normal, AiLevel::Hard],
        AiLevel::Normal | AiLevel::Unspecified => [AiLevel::Normal, AiLevel::Easy, AiLevel::Hard],
        AiLevel::Hard => [AiLevel::Hard, AiLevel::Normal, AiLevel::Easy],
    };
    levels.into_iter().find_map(|level| bot_of(queue, now, level, seed))
}

/// A bot of exactly this level (any, for unspecified) that is ready at this moment.
pub fn bot_of<'a>(queue: &'a Queue, now: Timestamp, level: AiLevel, seed: &str) -> Option<&'a Bot> {
    if level == AiLevel::Unspecified {
        return bot_for(queue, now, AiLevel::Normal, seed);
    }
    let bots: Vec<_> = queue.bots().filter(|bot| bot.level == level && bot.expires > now).collect();
    let place = GameId::derive(seed).as_uuid().as_u128() % (bots.len().max(1) as u128);
    bots.get(usize::try_from(place).ok()?).copied()
}

/// The settings of a preset: its first board, its komi and its move limit; no clock where there is no time for a move.
pub fn settings(preset: Preset, per_move: Option<Duration>, rated: bool) -> GameSettings {
    let side = preset.sides().first().copied().unwrap_or(9);
    let size = Size::square(side).unwrap_or(Size::NINE);
    let control = match per_move {
        Some(time) => Control::PerMove(PerMove { time: Some(to_proto_duration(time)) }),
        None => Control::None(NoClock {}),
    };
    GameSettings {
        preset: preset.name().to_owned(),
        board_size: u32::from(side),
        komi: f64::from(preset.komi().half_points()) / 2.0,
        time_control: Some(TimeControl { control: Some(control) }),
        rated,
        move_limit: preset.move_limit(size),
        options: None,
        watch_key: String::new(),
    }
}
