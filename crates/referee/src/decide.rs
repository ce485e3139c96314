use std::time::Duration;

use goban::{Color, Dead, Illegal, Move, Point, Position, judge};
use kernel::{PlayerId, Timestamp};

use crate::{
    Command, Decision, EndReason, Event, Game, Guard, NETWORK_ALLOWANCE, NextDeadline, Outcome, Refusal,
    Settings, game::make,
};

/// What [`Event::TimeCredited`] gives as its reason.
pub const CREDIT_REASON: &str = "the server was away";

/// How far a replica's idea of the store's clock may lag behind the clock itself before a rightful claim of a timeout would be refused
/// early. Generous: a refusal here only saves a round trip.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5);

/// Each side has moved once after so many moves; before that, a resignation or a timeout is an abort.
const OPENING: u32 = 2;

/// The smallest step of the store's clock.
const TICK: Duration = Duration::from_millis(1);

/// What a command makes happen. `actor` is the player who gave it, or none for the server itself.
///
/// `now` is an idea of the store's clock and serves only to refuse early what the store would refuse in any case: a claim of a timeout long
/// before it is due. A move is never refused for its lateness here, however late: an outage that is not known yet may have taken the
/// time, and only the store knows both its clock and its outages. So its guard decides.
///
/// # Errors
/// Why nothing happens, checked in this order: seat, end of the game, ply, turn, board, rule.
pub fn decide(
    game: &Game,
    actor: Option<PlayerId>,
    command: Command<'_>,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    let player = authorize(game, actor, command)?;
    if game.is_corrupt() {
        return Err(Refusal::Corrupt);
    }
    if let Some(outcome) = game.outcome() {
        return Err(Refusal::GameOver { outcome });
    }
    match command {
        Command::Play { ply, point } => {
            check_turn(game, player, ply)?;
            play(game, point)
        }
        Command::Pass { ply } => {
            check_turn(game, player, ply)?;
            Ok(pass(game))
        }
        Command::Resign => Ok(resign(game, player)),
        Command::Timeout => timeout(game, now),
        Command::Credit { outages } => credit(game, outages),
    }
}

/// The colour that the command is given for: the actor's, or that of the player to move if it is the server's.
fn authorize(game: &Game, actor: Option<PlayerId>, command: Command<'_>) -> Result<Color, Refusal> {
    match command {
        Command::Play { .. } | Command::Pass { .. } | Command::Resign => {
            actor.and_then(|player| game.seats().color_of(player)).ok_or(Refusal::NotASeat)
        }
        Command::Timeout | Command::Credit { .. } if actor.is_some() => Err(Refusal::ServerOnly),
        Command::Timeout | Command::Credit { .. } => Ok(game.position.turn()),
    }
}

fn check_turn(game: &Game, player: Color, ply: u32) -> Result<(), Refusal> {
    let turn = game.position.turn();
    if ply != game.ply() {
        Err(Refusal::StalePly { ply: game.ply() })
    } else if player != turn {
        Err(Refusal::NotYourTurn { turn })
    } else {
        Ok(())
    }
}

fn play(game: &Game, point: Point) -> Result<Decision, Refusal> {
    let mut after = game.position.clone();
    let captured = make(&mut after, Move::Play(point)).map_err(|reason| match reason {
        Illegal::OffBoard => Refusal::OffBoard { point, size: game.settings().size },
        reason => Refusal::Illegal { point, reason },
    })?;
    Ok(moved(game, Event::MovePlayed { color: game.position.turn(), point, captured }, &after))
}

fn pass(game: &Game) -> Decision {
    let mut after = game.position.clone();
    // A pass is never illegal and takes nothing.
    let _nothing = make(&mut after, Move::Pass);
    moved(game, Event::Passed { color: game.position.turn() }, &after)
}

/// The entry of a move after which the position is `after`, with the end of the game if it brings that about.
fn moved(game: &Game, event: Event, after: &Position) -> Decision {
    let mut events = vec![event];
    let end = end_after(game.settings(), after);
    let deadline = match (&end, game.clock.due_after_move()) {
        (Some(_), _) => NextDeadline::Clear,
        (None, Some(time)) => NextDeadline::After(time),
        (None, None) => NextDeadline::Keep,
    };
    events.extend(end);
    let guard = Guard { not_after: game.due().map(|due| due - TICK), not_before: None, ..settled(game) };
    Decision { events, guard, deadline }
}

/// The end that a move brings about, if it does: two passes, a repetition, the move limit; the first of these where several do.
fn end_after(settings: &Settings, after: &Position) -> Option<Event> {
    if after.passes() >= 2 {
        Some(counted(settings, after, EndReason::Score))
    } else if after.repetition() {
        Some(Event::Finished { outcome: Outcome::void(EndReason::Repetition), verdict: None })
    } else if settings.move_limit.is_some_and(|limit| after.ply() >= limit) {
        Some(counted(settings, after, EndReason::MoveLimit))
    } else {
        None
    }
}

fn counted(settings: &Settings, position: &Position, reason: EndReason) -> Event {
    let verdict = judge(position, settings.komi, 0, Dead::Clear);
    let lead = verdict.black.half_points() - verdict.white.half_points();
    Event::Finished { outcome: Outcome::counted(reason, lead), verdict: Some(verdict) }
}

fn resign(game: &Game, player: Color) -> Decision {
    lost(game, player, EndReason::Resignation, settled(game))
}

fn timeout(game: &Game, now: Timestamp) -> Result<Decision, Refusal> {
    let (Some(due), Some(deadline)) = (game.due(), game.deadline()) else { return Err(Refusal::NoClock) };
    if now + CLOCK_TOLERANCE < due {
        return Err(Refusal::NotDue { deadline });
    }
    let guard = Guard { not_before: Some(due), ..settled(game) };
    Ok(lost(game, game.position.turn(), EndReason::Time, guard))
}

/// A game that is over because one player gave up or ran out of time.
fn lost(game: &Game, loser: Color, reason: EndReason, guard: Guard) -> Decision {
    let outcome = if game.ply() < OPENING {
        Outcome::void(EndReason::Abort)
    } else {
        Outcome::won(loser.opposite(), reason)
    };
    let events = vec![Event::Finished { outcome, verdict: None }];
    Decision { events, guard, deadline: NextDeadline::Clear }
}

fn credit(game: &Game, outages: &[(Timestamp, Timestamp)]) -> Result<Decision, Refusal> {
    let deadline = game.deadline().ok_or(Refusal::NoClock)?;
    let (credit, settled_until) = game.clock.owed(outages).ok_or(Refusal::NothingToCredit)?;
    Ok(Decision {
        events: vec![Event::TimeCredited { credit, settled_until, reason: CREDIT_REASON.into() }],
        guard: settled(game),
        deadline: NextDeadline::At(deadline + credit + NETWORK_ALLOWANCE),
    })
}

/// A guard that asks nothing yet.
fn settled(game: &Game) -> Guard {
    Guard { settled_until: game.clock.settled_until(), ..Guard::default() }
}
