//! Counting a board: the one place where the judge is asked, for the end of a game and for its preview alike.

use goban::{Board, Color, Dead, Doubt, Komi, Move, Point, Position, Rules, Scoring, Verdict, judge};
use kernel::PlayerId;

use crate::{Command, DeadStones, EndReason, Game, Settings, game::make};

/// Which stones of a board are dead, as it is asked when a game is counted. It is what takes time about a count: up to some hundred milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The board.
    pub board: Board,
    /// The rules.
    pub rules: Rules,
    /// How the dead stones are found.
    pub found: DeadStones,
}

/// The dead stones of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The dead stones, sorted.
    pub dead: Vec<Point>,
    /// What an estimate is unsure of.
    pub doubt: Option<Doubt>,
}

impl Question {
    /// Finds the dead stones. The same question has the same answer on every machine.
    #[must_use]
    pub fn answer(&self) -> Found {
        let position = Position::from_board(self.board.clone(), self.rules, Color::Black);
        let Verdict { dead, doubt, .. } = judge(&position, Komi::ZERO, 0, way(self.found));
        Found { dead, doubt }
    }
}

fn way(found: DeadStones) -> Dead<'static> {
    match found {
        DeadStones::None => Dead::None,
        DeadStones::Clear => Dead::Clear,
        DeadStones::Estimate | DeadStones::Agreement => Dead::Estimate,
    }
}

/// The verdict on a position whose dead stones are found in that way. `known` is what was found on its board, for a caller who has it.
pub(crate) fn counted(
    settings: &Settings,
    position: &Position,
    found: DeadStones,
    known: Option<&Found>,
) -> Verdict {
    match known {
        Some(Found { dead, doubt }) if found != DeadStones::None => {
            Verdict { doubt: doubt.clone(), ..counted_with(settings, position, dead) }
        }
        _ => verdict(settings, position, way(found)),
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

/// What has to be asked to decide a command, if something has. A caller who may not wait so long has it answered elsewhere, and decides by
/// [`crate::decide_knowing`].
pub fn question(game: &Game, actor: Option<PlayerId>, command: Command<'_>) -> Option<Question> {
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
    asked(&after, method)
}

/// The score if the game ended now: of a game that is over, or whose score is being agreed on, the score that stands. `known` is the answer to
/// [`question_of_preview`], for a caller who has it.
pub fn preview(game: &Game, known: Option<&Found>) -> Verdict {
    standing(game).cloned().unwrap_or_else(|| {
        let method = final_method(game.settings(), game.was_disputed());
        counted(game.settings(), &game.position, method, known)
    })
}

/// What has to be asked for [`preview`], if something has.
pub fn question_of_preview(game: &Game) -> Option<Question> {
    let method = final_method(game.settings(), game.was_disputed());
    standing(game).is_none().then(|| asked(&game.position, method))?
}

fn standing(game: &Game) -> Option<&Verdict> {
    game.verdict().or_else(|| game.agreement().map(crate::Agreement::verdict))
}

fn asked(position: &Position, found: DeadStones) -> Option<Question> {
    let question = || Question { board: position.board().clone(), rules: position.rules(), found };
    (found != DeadStones::None).then(question)
}
