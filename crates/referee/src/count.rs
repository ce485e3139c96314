//! Counting a board: the one place where the judge is asked.

use goban::{Dead, Point, Position, Scoring, Verdict, judge};

use crate::{DeadStones, Settings};

/// The verdict on a position whose dead stones are found in that way.
pub(crate) fn counted(settings: &Settings, position: &Position, found: DeadStones) -> Verdict {
    let dead = match found {
        DeadStones::None => Dead::None,
        DeadStones::Clear => Dead::Clear,
        DeadStones::Estimate | DeadStones::Agreement => BEST_ESTIMATE,
    };
    verdict(settings, position, dead)
}

/// What the judge takes for the best estimate.
const BEST_ESTIMATE: Dead<'static> = Dead::Clear;

/// The verdict on a position in which these stones are dead.
pub(crate) fn counted_with(settings: &Settings, position: &Position, dead: &[Point]) -> Verdict {
    verdict(settings, position, Dead::Given(dead))
}

fn verdict(settings: &Settings, position: &Position, dead: Dead<'_>) -> Verdict {
    judge(position, settings.komi, settings.handicap.stones, dead)
}

/// How the dead stones are found when a game ends without asking anybody. After a dispute the players had their chance to take them: under area scoring
/// every stone on the board lives; under territory scoring, where playing it out costs points, the best estimate stands.
pub(crate) fn final_method(settings: &Settings, disputed: bool) -> DeadStones {
    match (settings.dead, settings.rules.scoring) {
        (DeadStones::Agreement, Scoring::Area) if disputed => DeadStones::None,
        (DeadStones::Agreement, _) => DeadStones::Estimate,
        (method, _) => method,
    }
}
