//! One look at the whole queue: which matches to propose now. Pure; what it proposes counts only if the log agrees.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use goban::Preset;
use kernel::{GameId, PlayerId, TicketId, Timestamp};
use nigiri_proto::game::v1::{Color, GameSettings};
use pairing::{Candidate, Colors, Densities, Experience, Kinds, Rules, Waits};

use crate::{
    bots::choice::{self, Sought},
    kinds::{self, Kind},
    queue::Queue,
    ticket::{Bot, Hold, Match, Player, Rating, Ticket},
    wire,
};

/// When a wave looks, and by what rules.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The store's clock.
    pub now: Timestamp,
    /// When an AI fills in.
    pub patience: Patience,
    /// A replica that has not renewed its lease for this long is taken to be gone: its tickets stand, but are not paired until somebody
    /// follows them again.
    pub gone_after: Duration,
}

/// When an AI fills in for those who allow it.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a ticket that has waited this long.
    pub usual: Duration,
    /// For one that has waited this long already, when hardly anybody will come for it within the usual time.
    pub soonest: Duration,
}

/// Below this chance nobody is waited for.
const HARDLY: f64 = 0.05;

impl Patience {
    /// The wait after which an AI fills in for such a ticket.
    pub fn of(&self, kinds: Kinds, rating: Rating, waits: &Waits, now: Timestamp) -> Duration {
        let chance = waits.chance(kinds, rating.0, self.soonest, self.usual, now);
        if chance.is_some_and(|chance| chance < HARDLY) { self.soonest.min(self.usual) } else { self.usual }
    }
}

/// What this replica has seen of late.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Who came.
    pub experience: Experience,
    /// How long tickets waited.
    pub waits: Waits,
}

/// By which rules tickets are paired.
pub fn rules() -> Rules {
    Rules { boards: kinds::boards(), ..Rules::default() }
}

/// The matches that should be made now: pairs first, then bots for those who were left alone for too long.
pub fn plan(queue: &Queue, view: View, seen: &Seen) -> Vec<Match> {
    let followed = |ticket: &&Ticket| match ticket.hold {
        Hold::By(replica) => {
            queue.lease(replica).is_some_and(|lease| lease.renewed + view.gone_after > view.now)
        }
        Hold::Until(_) => false,
    };
    let mut left: Vec<&Ticket> =
        queue.open().filter(followed).filter(|ticket| ticket.aside.is_none()).collect();
    left.sort_unstable_by_key(|ticket| ticket.id);
    let (rules, densities) = (rules(), seen.experience.densities(view.now));
    let pool: Vec<_> = left.iter().map(|ticket| candidate(ticket, view.now, &rules, &densities)).collect();
    let pairs = pairing::pair(&pool, &rules);
    let mut matches: Vec<_> =
        pairs.into_iter().filter_map(|pair| meet(left[pair.a], left[pair.b], pair.kind)).collect();
    let met: HashSet<_> = matches.iter().flat_map(|made| made.tickets.iter().copied()).collect();
    let mut due = HashMap::new();
    let mut wants_ai = |ticket: &Ticket| {
        // Like tickets are many, and are asked about once.
        let like = (ticket.wish.kinds, ticket.rating().whole() / 50);
        let after = || view.patience.of(ticket.wish.kinds, ticket.rating(), &seen.waits, view.now);
        ticket.takes_ai() && ticket.waited(view.now) >= *due.entry(like).or_insert_with(after)
    };
    let impatient = left.iter().filter(|ticket| !met.contains(&ticket.id) && wants_ai(ticket));
    let mut given = HashMap::new();
    matches.extend(impatient.filter_map(|ticket| fill_in(ticket, queue, view.now, &mut given)));
    matches
}

/// Whether somebody waits who may be met by a ticket that is set aside, if it were not.
pub fn somebody_waits(queue: &Queue, ticket: &Ticket, now: Timestamp) -> bool {
    let (rules, nothing) = (rules(), Densities::default());
    let own = candidate(ticket, now, &rules, &nothing);
    let suits = |other: &&Ticket| {
        other.aside.is_none() && rules.meeting(&own, &candidate(other, now, &rules, &nothing)).is_some()
    };
    queue.open().any(|other| suits(&other))
}

fn candidate(ticket: &Ticket, now: Timestamp, rules: &Rules, densities: &Densities) -> Candidate {
    let ratings = ticket.ratings.map(|rating| rating.0);
    Candidate {
        player: ticket.player.id,
        ratings,
        waited: ticket.waited(now),
        kinds: ticket.wish.kinds,
        colors: ticket.wish.colors,
        below: ticket.wish.weaker_by,
        above: ticket.wish.stronger_by,
        sheltered: ticket.sheltered,
        content: rules.content(densities.of(ticket.wish.kinds, &ratings, rules)),
        last_opponent: ticket.last.map(|last| last.opponent),
        avoids: Arc::clone(&ticket.avoids),
    }
}

/// Whether two may meet on a board by their ratings, whatever else is near.
pub fn may_meet(a: &Ticket, b: &Ticket, board: usize, now: Timestamp) -> bool {
    let (rules, nothing) = (rules(), Densities::default());
    let [a, b] = [a, b].map(|ticket| candidate(ticket, now, &rules, &nothing));
    rules.fits(&a, &b, board)
}

/// The match of two tickets. Everything about it follows from the tickets, so that all replicas propose the same.
fn meet(a: &Ticket, b: &Ticket, kind: u8) -> Option<Match> {
    let (a, b) = if a.id < b.id { (a, b) } else { (b, a) };
    let game = GameId::derive(&format!("match:{}:{}", a.id, b.id));
    let (black, white) = if is_black(a, b, game) { (a, b) } else { (b, a) };
    let (kind, rated) = Kind::at(kind)?;
    Some(Match {
        game,
        tickets: vec![black.id, white.id],
        settings: kind.settings(rated),
        seats: vec![
            wire::seat(&black.player, Color::Black, false),
            wire::seat(&white.player, Color::White, false),
        ],
    })
}

/// Whether the first of two has Black: by what they wish; else who had White last has Black now, so that two who have just met swap; else by a coin.
fn is_black(a: &Ticket, b: &Ticket, game: GameId) -> bool {
    match (a.wish.colors, b.wish.colors) {
        (Colors::Black, _) | (_, Colors::White) => return true,
        (Colors::White, _) | (_, Colors::Black) => return false,
        (Colors::Any, Colors::Any) => {}
    }
    let last = |ticket: &Ticket| ticket.last.map(|last| last.color);
    match (last(a), last(b)) {
        (Some(Color::White), Some(Color::Black) | None) | (None, Some(Color::Black)) => true,
        (Some(Color::Black), Some(Color::White) | None) | (None, Some(Color::White)) => false,
        _ => heads(game),
    }
}

/// The match of a ticket with a bot of about its player's strength, by the clock of the setting; the bot has been given a game more.
fn fill_in(
    ticket: &Ticket,
    queue: &Queue,
    now: Timestamp,
    given: &mut HashMap<PlayerId, u32>,
) -> Option<Match> {
    let settings = ticket.wish.first_kind()?.settings(false);
    let level = choice::level_of(ticket.rating());
    let sought = Sought { level, settings: &settings, avoids: &ticket.avoids, given };
    let bot = choice::nearest(queue, now, &sought, &ticket.id.to_string())?;
    *given.entry(bot.player.id).or_default() += 1;
    let game = GameId::derive(&format!("match:{}:{}", ticket.id, bot.player.id));
    let color = match ticket.wish.colors {
        Colors::Black => Color::Black,
        Colors::White => Color::White,
        Colors::Any if heads(game) => Color::Black,
        Colors::Any => Color::White,
    };
    Some(with_bot(game, vec![ticket.id], settings, &ticket.player, color, bot))
}

/// A match with a bot, the player on this colour.
pub fn with_bot(
    game: GameId,
    tickets: Vec<TicketId>,
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

/// What is played against an AI of one's choice when nothing else is asked for.
pub fn usual_ai_game() -> GameSettings {
    kinds::without_clock(Preset::Quick)
}

/// A coin that falls the same way for everybody: a bit of the game's id, which is a hash.
pub fn heads(game: GameId) -> bool {
    game.as_uuid().as_bytes()[15] & 1 == 0
}
