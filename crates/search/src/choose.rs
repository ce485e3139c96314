use goban::{Komi, Move, Point, Position, Rng};

use crate::candidates::{Settled, candidates};
use crate::counting::Counting;
use crate::ending::{Standing, clear_away, may_resign};
use crate::outlook::Outlook;
use crate::tree::Tree;
use crate::{Budget, Level, easy};

/// What a player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Plays a stone or passes.
    Move(Move),
    /// Gives up.
    Resign,
}

/// A share of wins below which a game is lost.
const HOPELESS: f32 = 0.03;
/// A share of wins above which it is won.
const CERTAIN: f32 = 0.9;
/// Playouts of a first estimate.
const GLANCE: u32 = 150;

/// Chooses for the player to move. The same position, level, number of playouts and seed give the same choice on every machine,
/// unless the budget is stopped. The move is always legal; a position in which the game has ended is answered with a pass.
#[must_use]
pub fn choose(position: &Position, komi: Komi, level: Level, budget: &Budget, seed: u64) -> Choice {
    Thought { position, komi, level, budget, rng: Rng::new(seed) }.choose()
}

struct Thought<'a> {
    position: &'a Position,
    komi: Komi,
    level: Level,
    budget: &'a Budget,
    rng: Rng,
}

impl Thought<'_> {
    fn choose(mut self) -> Choice {
        const PASS: Choice = Choice::Move(Move::Pass);
        let settled = Settled::of(self.position);
        let candidates = candidates(self.position, &settled);
        if candidates.is_empty() || self.position.passes() >= 2 {
            return PASS;
        }
        let standing = Standing::of(self.position, self.komi);
        let asked = self.position.passes() > 0;
        if asked && standing.lead > 0 {
            return PASS;
        }
        let counting = Counting::new(self.position, self.komi);
        if asked || (standing.is_late(self.position) && standing.lead <= 0) {
            let outlook = Outlook::of(self.position, counting, GLANCE, &mut self.rng);
            let won = outlook.won(self.position.turn());
            if asked && won < HOPELESS {
                return PASS;
            }
            if won > CERTAIN
                && let Some(point) = clear_away(self.position, &outlook, &candidates)
            {
                return Choice::Move(Move::Play(point));
            }
        }
        match self.level {
            Level::Easy => self.easy(&candidates, standing, counting),
            Level::Normal | Level::Hard => self.search(settled, standing, counting),
        }
    }

    fn easy(&mut self, candidates: &[Point], standing: Standing, counting: Counting) -> Choice {
        if standing.lead < 0 && may_resign(self.position) {
            let outlook = Outlook::of(self.position, counting, GLANCE, &mut self.rng);
            if outlook.won(self.position.turn()) < HOPELESS {
                return Choice::Resign;
            }
        }
        let picked = easy::pick(self.position, candidates, &mut self.rng);
        Choice::Move(picked.map_or(Move::Pass, Move::Play))
    }

    fn search(&mut self, settled: Settled, standing: Standing, counting: Counting) -> Choice {
        let ending = standing.lead > 0 && standing.is_late(self.position);
        let mut tree = Tree::new(self.position, self.komi, counting, settled);
        tree.grow(self.budget, ending, &mut self.rng);
        let (Some(best), pass) = (tree.best(), tree.pass()) else { return Choice::Move(Move::Pass) };
        if ending && pass.value > CERTAIN && pass.value > best.value - 0.03 {
            return Choice::Move(Move::Pass);
        }
        // A pass that the judge would count as lost has to be much better than any stone, as in a seki.
        if pass.visits > best.visits && (standing.lead > 0 || pass.value > best.value + 0.05) {
            return Choice::Move(Move::Pass);
        }
        if standing.lead < 0 && may_resign(self.position) && best.value < HOPELESS && pass.value < HOPELESS {
            return Choice::Resign;
        }
        Choice::Move(best.chosen)
    }
}
