use std::time::Duration;

use goban::{Color, Point, Verdict};

use super::{Plan, in_time};
use crate::{
    Agreement, EndReason, Event, Game, Outcome, Refusal,
    agreement::{EXTENSION, EXTENSIONS, TIME},
    count::counted_with,
};

/// What follows on two passes where the players have to agree: this verdict as the server's proposal, and the end if nobody is there to dispute it.
pub(super) fn propose(game: &Game, verdict: Verdict) -> Vec<Event> {
    let accepted = programs(game);
    let end = (accepted == [true; 2]).then(|| agreed(&verdict));
    let proposed = Event::ScoreProposed { version: 1, verdict: Box::new(verdict), accepted, time: TIME };
    std::iter::once(proposed).chain(end).collect()
}

/// Programs accept what the server proposes, unless they say otherwise.
fn programs(game: &Game) -> [bool; 2] {
    Color::BOTH.map(|color| game.seats().get(color).bot)
}

/// The end of a game with this score.
pub(super) fn agreed(verdict: &Verdict) -> Event {
    let outcome = Outcome::of_verdict(EndReason::Score, verdict);
    Event::Finished { outcome, verdict: Some(Box::new(verdict.clone())) }
}

fn answered(game: &Game, version: u32) -> Result<&Agreement, Refusal> {
    let agreement = game.agreement().ok_or(Refusal::NoScore)?;
    if agreement.version() == version {
        Ok(agreement)
    } else {
        Err(Refusal::StaleScore { version: agreement.version() })
    }
}

pub(super) fn accept(game: &Game, by: Color, version: u32) -> Result<Plan, Refusal> {
    let agreement = answered(game, version)?;
    if agreement.has_accepted(by) {
        return Err(Refusal::AlreadySo);
    }
    let both = agreement.has_accepted(by.opposite());
    let mut events = vec![Event::ScoreAccepted { color: by, version }];
    events.extend(both.then(|| agreed(agreement.verdict())));
    Ok(Plan { events, guard: in_time(game, by) })
}

pub(super) fn dispute(game: &Game, by: Color, version: u32) -> Result<Plan, Refusal> {
    answered(game, version)?;
    // After two passes it is the turn of the player who passed first.
    let events = vec![Event::ScoreDisputed { color: by, version, turn: game.to_move() }];
    Ok(Plan { events, guard: in_time(game, by) })
}

pub(super) fn mark(game: &Game, by: Color, version: u32, point: Point, dead: bool) -> Result<Plan, Refusal> {
    let agreement = answered(game, version)?;
    let (settings, board) = (game.settings(), game.position.board());
    if settings.rules.scoring == goban::Scoring::Area {
        // Whoever does not agree plays it out, which costs nothing.
        return Err(Refusal::NotInThisGame { what: "marks" });
    }
    if !settings.size.contains(point) {
        return Err(Refusal::OffBoard { point, size: settings.size });
    }
    let chain: Vec<Point> = board.chain(point).collect();
    if chain.is_empty() {
        return Err(Refusal::NoStone { point });
    }
    let stones = agreement.marked(&chain, dead).ok_or(Refusal::AlreadySo)?;
    let as_proposed = stones == agreement.own.dead;
    let verdict =
        if as_proposed { agreement.own.clone() } else { counted_with(settings, &game.position, &stones) };
    let longer = agreement.extensions < EXTENSIONS;
    let event = Event::ChainMarked {
        color: by,
        point,
        dead,
        version: version.saturating_add(1),
        verdict: Box::new(verdict),
        accepted: if as_proposed { programs(game) } else { [false; 2] },
        extension: if longer { EXTENSION } else { Duration::ZERO },
    };
    Ok(Plan { events: vec![event], guard: in_time(game, by) })
}
