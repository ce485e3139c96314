//! Counting a board: the one place where the judge is asked, for the end of a game and for its preview alike.

use goban::{Board, Dead, Doubt, Estimate, Move, Point, Position, Scoring, Verdict, judge};
use kernel::PlayerId;

use crate::{Command, DeadStones, EndReason, Game, Settings, game::make};

/// The verdict on a position whose dead stones are found in that way. `known` is the estimate of its board, for a caller who has it.
pub(crate) fn counted(
    settings: &Settings,
    position: &Position,
    found: DeadStones,
    known: Option<&Estimate>,
) -> Verdict {
    match (found, known) {
        (DeadStones::None, _) => verdict(settings, position, Dead::None),
        (DeadStones::Clear, _) => verdict(settings, position, Dead::Clear),
        (DeadStones::Estimate | DeadStones::Agreement, None) => verdict(settings, position, Dead::Estimate),
        (
            DeadStones::Estimate | DeadStones::Agreement,
            Some(Estimate { dead, unsettled, open, sure, .. }),
        ) => {
            let doubt = Doubt { unsettled: unsettled.clone(), open: open.clone(), sure: *sure };
            Verdict { doubt: Some(doubt), ..counted_with(settings, position, dead) }
        }
    }
}

/// The verdict on a position in which these stones are dead.
pub(crate) fn counted_with(settings: &Settings, position: &Position, dead: &[Point]) -> Verdict {
    verdict(settings, position, Dead::Given(dead))
}

fn verdict(settings: &Settings, position: &Position, dead: Dead<'_>) -> Verdict {
    judge(position, settings.komi, settings.handicap.stones, dead)
}

/// How the dead stones are found when a game ends without asking anybody. After a dispute the players had their chance to take them: under area scoring
/// every stone on the board lives; under territory scoring, where playing it out costs points, the best estimate stands.
fn final_method(settings: &Settings, disputed: bool) -> DeadStones {
    match (settings.dead, settings.rules.scoring) {
        (DeadStones::Agreement, Scoring::Area) if disputed => DeadStones::None,
        (DeadStones::Agreement, _) => DeadStones::Estimate,
        (method, _) => method,
    }
}

/// What is counted when a move leads to this position, and how: after two passes and at the move limit. [`DeadStones::Agreement`] for a proposal to the
/// players; at the move limit no play could follow on a dispute, so nobody is asked.
pub(crate) fn count_due(game: &Game, after: &Position) -> Option<(EndReason, DeadStones)> {
    let settings = game.settings();
    let at_once = final_method(settings, game.was_disputed());
    if game.passes_after(after) >= 2 {
        let asks = settings.dead == DeadStones::Agreement && !game.was_disputed();
        return Some((EndReason::Score, if asks { DeadStones::Agreement } else { at_once }));
    }
    let limited = settings.move_limit.is_some_and(|limit| after.ply() >= limit) && !after.repetition();
    limited.then_some((EndReason::MoveLimit, at_once))
}

/// The board whose dead stones have to be estimated to decide a command, if that is so. An estimate takes up to some hundred milliseconds: a caller who
/// may not wait so long has it made elsewhere, and decides by [`crate::decide_knowing`].
pub fn board_to_estimate(game: &Game, actor: Option<PlayerId>, command: Command<'_>) -> Option<Board> {
    let mover = game.turn().filter(|_| game.agreement().is_none())?;
    let limited = game.settings().move_limit.is_some_and(|limit| game.position.ply() + 1 >= limit);
    let chosen = match command {
        Command::Pass { ply } if ply == game.ply() && (limited || game.position.passes() > 0) => Move::Pass,
        Command::Play { ply, point } if ply == game.ply() && limited => Move::Play(point),
        _ => return None,
    };
    if game.is_corrupt() || actor.and_then(|actor| game.seats().color_of(actor)) != Some(mover) {
        return None;
    }
    let mut after = game.position.clone();
    make(&mut after, mover, chosen).ok()?;
    let (_, method) = count_due(game, &after)?;
    is_estimate(method).then(|| after.board().clone())
}

/// The score if the game ended now: of a game that is over, or whose score is being agreed on, the score that stands. `known` is the estimate of
/// [`board_to_preview`], for a caller who has it.
pub fn preview(game: &Game, known: Option<&Estimate>) -> Verdict {
    standing(game).cloned().unwrap_or_else(|| {
        let method = final_method(game.settings(), game.was_disputed());
        counted(game.settings(), &game.position, method, known)
    })
}

/// The board whose dead stones have to be estimated for [`preview`], if that is so.
pub fn board_to_preview(game: &Game) -> Option<Board> {
    let method = final_method(game.settings(), game.was_disputed());
    (standing(game).is_none() && is_estimate(method)).then(|| game.position.board().clone())
}

fn standing(game: &Game) -> Option<&Verdict> {
    game.verdict().or_else(|| game.agreement().map(crate::Agreement::verdict))
}

fn is_estimate(method: DeadStones) -> bool {
    matches!(method, DeadStones::Estimate | DeadStones::Agreement)
}
