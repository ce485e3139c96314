use std::time::Duration;

use goban::Color;
use kernel::{GameId, Timestamp};

use super::{CLOCK_TOLERANCE, Plan, agreement, just, settled};
use crate::{
    EndReason, Event, Game, Guard, Outcome, Refusal, Ruling,
    game::{Timer, rematch_id},
};

pub(super) fn resign(game: &Game, player: Color) -> Plan {
    just(game, lost(game, player, EndReason::Resignation))
}

/// What is over first, if it is over.
pub(super) fn timeout(game: &Game, now: Timestamp) -> Result<Plan, Refusal> {
    let over = game.next_over().ok_or(Refusal::NoClock)?;
    if now + CLOCK_TOLERANCE < over.due {
        let deadline = game.running().map(|running| running.deadline).min();
        return Err(Refusal::NotDue { deadline: deadline.unwrap_or(over.deadline) });
    }
    let end = match (over.timer, game.agreement()) {
        (Timer::Agreement, Some(agreement)) => agreement::agreed(&agreement.own),
        (Timer::Grace(color), _) => lost(game, color, EndReason::Abandonment),
        (Timer::Clock | Timer::Agreement, _) => lost(game, game.to_move(), EndReason::Time),
    };
    Ok(Plan { events: vec![end], guard: Guard { not_before: Some(over.due), ..settled(game) } })
}

/// The end of a game because one player gave up or something of theirs is over.
fn lost(game: &Game, loser: Color, reason: EndReason) -> Event {
    let outcome = if game.move_number() < game.settings().opening() {
        Outcome::void(EndReason::Abort)
    } else {
        Outcome::won(loser.opposite(), reason)
    };
    Event::Finished { outcome, verdict: None }
}

pub(super) fn adjudicate(game: &Game, ruling: Ruling, reason: &str) -> Plan {
    let why = if ruling.counts { EndReason::Adjudication } else { EndReason::UnratedAdjudication };
    let outcome = Outcome { winner: ruling.winner, ..Outcome::void(why) };
    decided(game, outcome, reason)
}

pub(super) fn void(game: &Game, reason: &str) -> Plan {
    decided(game, Outcome::void(EndReason::Void), reason)
}

pub(super) fn give_time(game: &Game, time: Duration, reason: &str) -> Result<Plan, Refusal> {
    if !game.has_time() {
        return Err(Refusal::NotInThisGame { what: "clocks that run" });
    }
    Ok(just(game, Event::TimeGiven { time, reason: reason.into() }))
}

fn decided(game: &Game, outcome: Outcome, reason: &str) -> Plan {
    let events =
        vec![Event::Adjudicated { reason: reason.into() }, Event::Finished { outcome, verdict: None }];
    Plan { events, guard: settled(game) }
}

/// Programs agree to a rematch by themselves.
pub(super) fn request_rematch(game: &Game, by: Color, id: GameId) -> Result<Plan, Refusal> {
    let rematch = game.rematch().unwrap_or_default();
    if let Some(game) = rematch.game {
        return Err(Refusal::RematchAgreed { game });
    }
    if rematch.requested[by.index()] {
        return Err(Refusal::AlreadySo);
    }
    let other = by.opposite();
    let both = rematch.requested[other.index()] || game.seats().get(other).bot;
    let mut events = vec![Event::RematchRequested { color: by }];
    events.extend(both.then(|| Event::RematchAgreed { game: rematch_id(id) }));
    Ok(Plan { events, guard: settled(game) })
}
