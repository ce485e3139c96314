mod agreement;
mod ending;
mod moves;
mod presence;
mod proposals;

use std::time::Duration;

use goban::Color;
use kernel::{PlayerId, Timestamp};

use crate::{Command, Decision, Event, Found, Game, Guard, NextDeadline, Refusal};

pub use presence::CREDIT_REASON;

/// How far a replica's idea of the store's clock may lag behind the clock itself before a rightful claim of a timeout would be refused
/// early. Generous: a refusal here only saves a round trip.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5);

/// The smallest step of the store's clock.
const TICK: Duration = Duration::from_millis(1);

/// What happens and under which condition; the rest of a decision follows from it.
struct Plan {
    events: Vec<Event>,
    guard: Guard,
}

/// What a command makes happen. `actor` is the player who gave it, or none for the server itself.
///
/// `now` is an idea of the store's clock and serves only to refuse early what the store would refuse in any case (a claim of a timeout long
/// before it is due), and to say which deadline comes first. A move is never refused for its lateness here, however late: an outage that is not known yet may have taken the
/// time, and only the store knows both its clock and its outages. So its guard decides.
///
/// # Errors
/// Why nothing happens, checked in this order: seat, end of the game, a proposed score, ply, turn, board, rule.
pub fn decide(
    game: &Game,
    actor: Option<PlayerId>,
    command: Command<'_>,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    decide_knowing(game, actor, command, now, None)
}

/// As [`decide`], and with the same answer, for a caller who has the answer to what [`crate::question`] asks.
///
/// # Errors
/// As [`decide`].
pub fn decide_knowing(
    game: &Game,
    actor: Option<PlayerId>,
    command: Command<'_>,
    now: Timestamp,
    known: Option<&Found>,
) -> Result<Decision, Refusal> {
    let by = authorize(game, actor, command)?;
    if game.is_corrupt() {
        return Err(Refusal::Corrupt);
    }
    match (command, game.outcome()) {
        (Command::RequestRematch { .. }, Some(_)) => {}
        (Command::RequestRematch { .. }, None) => return Err(Refusal::NotOver),
        (_, Some(outcome)) => return Err(Refusal::GameOver { outcome }),
        (_, None) => {}
    }
    Ok(concluded(game, plan(game, by, command, now, known)?, now))
}

fn plan(
    game: &Game,
    by: Color,
    command: Command<'_>,
    now: Timestamp,
    known: Option<&Found>,
) -> Result<Plan, Refusal> {
    match command {
        Command::Play { ply, point } => moves::play(game, by, ply, point, known),
        Command::Pass { ply } => moves::pass(game, by, ply, known),
        Command::Resign => Ok(ending::resign(game, by)),
        Command::OfferDraw { ply } => proposals::offer_draw(game, by, ply),
        Command::RequestTakeback { ply } => proposals::request_takeback(game, by, ply),
        Command::Answer { id, version, accept } => proposals::answer(game, by, id, version, accept),
        Command::AcceptScore { version } => agreement::accept(game, by, version),
        Command::DisputeScore { version } => agreement::dispute(game, by, version),
        Command::MarkChain { version, point, dead } => agreement::mark(game, by, version, point, dead),
        Command::Leave => presence::leave(game, by, now),
        Command::RequestRematch { game: id } => ending::request_rematch(game, by, id),
        Command::Timeout => ending::timeout(game, now),
        Command::Credit { outages } => presence::credit(game, outages),
        Command::GiveTime { time, reason } => ending::give_time(game, time, reason),
        Command::MarkAway { color } => presence::mark_away(game, color),
        Command::MarkBack { color } => presence::mark_back(game, color),
        Command::Adjudicate { ruling, reason } => Ok(ending::adjudicate(game, ruling, reason)),
        Command::Void { reason } => Ok(ending::void(game, reason)),
    }
}

/// The colour that the command is given for: the actor's, or that of the player to move if it is the server's.
fn authorize(game: &Game, actor: Option<PlayerId>, command: Command<'_>) -> Result<Color, Refusal> {
    match command {
        Command::Timeout
        | Command::Credit { .. }
        | Command::GiveTime { .. }
        | Command::MarkAway { .. }
        | Command::MarkBack { .. }
        | Command::Adjudicate { .. }
        | Command::Void { .. } => {
            if actor.is_some() {
                return Err(Refusal::ServerOnly);
            }
            Ok(game.to_move())
        }
        Command::Play { .. }
        | Command::Pass { .. }
        | Command::Resign
        | Command::OfferDraw { .. }
        | Command::RequestTakeback { .. }
        | Command::Answer { .. }
        | Command::AcceptScore { .. }
        | Command::DisputeScore { .. }
        | Command::MarkChain { .. }
        | Command::Leave
        | Command::RequestRematch { .. } => {
            actor.and_then(|player| game.seats().color_of(player)).ok_or(Refusal::NotASeat)
        }
    }
}

/// The first entry of a game that is as it was made.
pub(crate) fn opened(game: &Game, created: Event) -> Decision {
    let start = game.created_at();
    Decision {
        deadline: deadline_after(None, game, start),
        events: vec![created],
        guard: Guard::default(),
        turn: game.turn().map(|turn| (turn, game.ply())),
    }
}

/// The decision that a plan is, with what becomes of the deadline and of the turn: told by the game as it will be.
fn concluded(game: &Game, plan: Plan, now: Timestamp) -> Decision {
    let Plan { events, guard } = plan;
    let mut after = game.clone();
    events.iter().for_each(|event| after.apply(event, now));
    debug_assert_eq!(after.corruption(), None, "{events:?}");
    let resumed = game.agreement().is_some() && after.agreement().is_none();
    let begins = after.agreement().is_none() && (after.ply() != game.ply() || resumed);
    Decision {
        deadline: deadline_after(game.due(), &after, after.last_stamp()),
        turn: after.turn().filter(|_| begins).map(|turn| (turn, after.ply())),
        events,
        guard,
    }
}

fn deadline_after(before: Option<Timestamp>, game: &Game, stamp: Timestamp) -> NextDeadline {
    match game.next_over() {
        None if before.is_none() => NextDeadline::Keep,
        None => NextDeadline::Clear,
        Some(next) if before == Some(next.due) => NextDeadline::Keep,
        Some(next) if next.started == stamp => NextDeadline::After(next.due.since(stamp)),
        Some(next) => NextDeadline::At(next.due),
    }
}

/// A plan of one event that nothing can make too late.
fn just(game: &Game, event: Event) -> Plan {
    Plan { events: vec![event], guard: settled(game) }
}

/// A guard that asks nothing yet.
fn settled(game: &Game) -> Guard {
    Guard { settled_until: game.settled_until(), ..Guard::default() }
}

/// A guard that lets a player act until something of theirs is over.
fn in_time(game: &Game, by: Color) -> Guard {
    Guard { not_after: game.due_for(by).map(|due| due - TICK), ..settled(game) }
}

fn check_ply(game: &Game, ply: u32) -> Result<(), Refusal> {
    if ply == game.ply() { Ok(()) } else { Err(Refusal::StalePly { ply: game.ply() }) }
}

fn check_no_score(game: &Game) -> Result<(), Refusal> {
    if game.agreement().is_some() { Err(Refusal::ScoreProposed) } else { Ok(()) }
}
