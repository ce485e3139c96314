use goban::{Color, Illegal, Move, Point, Position};

use super::{Plan, agreement, check_no_score, check_ply, in_time};
use crate::{
    DeadStones, EndReason, Event, Found, Game, Outcome, Refusal,
    count::{count_due, counted},
    game::make,
};

/// What was found on the board, for who has it.
pub(super) type Known<'a> = Option<&'a Found>;

pub(super) fn play(
    game: &Game,
    by: Color,
    ply: u32,
    point: Point,
    known: Known<'_>,
) -> Result<Plan, Refusal> {
    check_turn(game, by, ply)?;
    let mut after = game.position.clone();
    let captured = make(&mut after, by, Move::Play(point)).map_err(|reason| match reason {
        Illegal::OffBoard => Refusal::OffBoard { point, size: game.settings().size },
        reason => Refusal::Illegal { point, reason },
    })?;
    Ok(moved(game, by, Event::MovePlayed { color: by, point, captured }, &after, known))
}

pub(super) fn pass(game: &Game, by: Color, ply: u32, known: Known<'_>) -> Result<Plan, Refusal> {
    check_turn(game, by, ply)?;
    let mut after = game.position.clone();
    // A pass is never illegal and takes nothing.
    let _nothing = make(&mut after, by, Move::Pass);
    Ok(moved(game, by, Event::Passed { color: by }, &after, known))
}

fn check_turn(game: &Game, player: Color, ply: u32) -> Result<(), Refusal> {
    check_no_score(game)?;
    check_ply(game, ply)?;
    let turn = game.to_move();
    if player == turn { Ok(()) } else { Err(Refusal::NotYourTurn { turn }) }
}

/// The entry of a move after which the position is `after`, with what it brings about.
fn moved(game: &Game, by: Color, event: Event, after: &Position, known: Known<'_>) -> Plan {
    let mut events = vec![event];
    events.extend(consequences(game, after, known));
    Plan { events, guard: in_time(game, by) }
}

/// What a move brings about, if anything: two passes, a repetition, the move limit; the first of these where several do.
fn consequences(game: &Game, after: &Position, known: Known<'_>) -> Vec<Event> {
    if let Some((reason, method)) = count_due(game, after) {
        let verdict = counted(game.settings(), after, method, known);
        if method == DeadStones::Agreement {
            return agreement::propose(game, verdict);
        }
        let outcome = Outcome::of_verdict(reason, &verdict);
        return vec![Event::Finished { outcome, verdict: Some(Box::new(verdict)) }];
    }
    if after.repetition() {
        return vec![Event::Finished { outcome: Outcome::void(EndReason::Repetition), verdict: None }];
    }
    Vec::new()
}
