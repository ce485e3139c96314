use goban::Color;
use kernel::Timestamp;

use super::{Plan, in_time, just};
use crate::{Event, Game, Presence, Refusal};

/// What [`Event::TimeCredited`] gives as its reason.
pub const CREDIT_REASON: &str = "the server was away";

pub(super) fn mark_away(game: &Game, color: Color) -> Result<Plan, Refusal> {
    match game.presence(color) {
        Presence::Away { .. } => Err(Refusal::AlreadySo),
        Presence::Connected => {
            let grace = game.grace(color, false);
            Ok(just(game, Event::PlayerAway { color, left: false, grace }))
        }
    }
}

/// A return counts until the last moment of grace: the store decides between it and a claim.
pub(super) fn mark_back(game: &Game, color: Color) -> Result<Plan, Refusal> {
    match game.presence(color) {
        Presence::Connected => Err(Refusal::AlreadySo),
        Presence::Away { .. } => {
            let due = game.due_for_grace(color);
            let guard = crate::Guard { not_after: due.map(|due| due - super::TICK), ..super::settled(game) };
            Ok(Plan { events: vec![Event::PlayerBack { color }], guard })
        }
    }
}

/// Whoever leaves after having been away for a while gains no time by it.
pub(super) fn leave(game: &Game, by: Color, now: Timestamp) -> Result<Plan, Refusal> {
    let grace = game.grace(by, true);
    let grace = match game.presence(by) {
        Presence::Away { left: true, .. } => return Err(Refusal::AlreadySo),
        Presence::Away { deadline: Some(deadline), .. } => grace.min(deadline.since(now)),
        Presence::Away { .. } | Presence::Connected => grace,
    };
    let events = vec![Event::PlayerAway { color: by, left: true, grace }];
    Ok(Plan { events, guard: in_time(game, by) })
}

pub(super) fn credit(game: &Game, outages: &[(Timestamp, Timestamp)]) -> Result<Plan, Refusal> {
    if game.next_over().is_none() {
        return Err(Refusal::NoClock);
    }
    let (credit, grace, settled_until) = game.owed(outages).ok_or(Refusal::NothingToCredit)?;
    Ok(just(game, Event::TimeCredited { credit, grace, settled_until, reason: CREDIT_REASON.into() }))
}
