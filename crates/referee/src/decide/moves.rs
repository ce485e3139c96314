use goban::{Color, Illegal, Move, Point, Position};

use super::{Plan, agreement, check_no_score, check_ply, in_time};
use crate::{
    DeadStones, EndReason, Event, Game, Outcome, Refusal,
    count::{counted, final_method},
    game::make,
};

pub(super) fn play(game: &Game, by: Color, ply: u32, point: Point) -> Result<Plan, Refusal> {
    check_turn(game, by, ply)?;
    let mut after = game.position.clone();
    let captured = make(&mut after, by, Move::Play(point)).map_err(|reason| match reason {
        Illegal::OffBoard => Refusal::OffBoard { point, size: game.settings().size },
        reason => Refusal::Illegal { point, reason },
    })?;
    Ok(moved(game, by, Event::MovePlayed { color: by, point, captured }, &after))
}

pub(super) fn pass(game: &Game, by: Color, ply: u32) -> Result<Plan, Refusal> {
    check_turn(game, by, ply)?;
    let mut after = game.position.clone();
    // A pass is never illegal and takes nothing.
    let _nothing = make(&mut after, by, Move::Pass);
    Ok(moved(game, by, Event::Passed { color: by }, &after))
}

fn check_turn(game: &Game, player: Color, ply: u32) -> Result<(), Refusal> {
    check_no_score(game)?;
    check_ply(game, ply)?;
    let turn = game.to_move();
    if player == turn { Ok(()) } else { Err(Refusal::NotYourTurn { turn }) }
}

/// The entry of a move after which the position is `after`, with what it brings about.
fn moved(game: &Game, by: Color, event: Event, after: &Position) -> Plan {
    let mut events = vec![event];
    events.extend(consequences(game, after));
    Plan { events, guard: in_time(game, by) }
}

/// What a move brings about, if anything: two passes, a repetition, the move limit; the first of these where several do.
fn consequences(game: &Game, after: &Position) -> Vec<Event> {
    let settings = game.settings();
    let asks = settings.dead == DeadStones::Agreement && !game.was_disputed();
    if game.passes_after(after) >= 2 {
        if asks { agreement::propose(game, after) } else { vec![count(game, after, EndReason::Score)] }
    } else if after.repetition() {
        vec![Event::Finished { outcome: Outcome::void(EndReason::Repetition), verdict: None }]
    } else if settings.move_limit.is_some_and(|limit| after.ply() >= limit) {
        // No play could follow on a dispute, so nobody is asked.
        vec![count(game, after, EndReason::MoveLimit)]
    } else {
        Vec::new()
    }
}

fn count(game: &Game, position: &Position, reason: EndReason) -> Event {
    let method = final_method(game.settings(), game.was_disputed());
    let verdict = counted(game.settings(), position, method);
    let outcome = Outcome::of_verdict(reason, &verdict);
    Event::Finished { outcome, verdict: Some(Box::new(verdict)) }
}
