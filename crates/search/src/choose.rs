use goban::{Color, Move, Point, Position, Rng, Scoring, estimate};

use crate::candidates::{Settled, candidates};
use crate::counting::{Counting, value_of};
use crate::ending::{Standing, clear_away, hunt, is_settled, may_resign};
use crate::outlook::Outlook;
use crate::think::{Thoughts, think};
use crate::tree::{Found, Root, best};
use crate::{Budget, Level, Terms, easy};

/// What a player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Plays a stone or passes.
    Move(Move),
    /// Gives up.
    Resign,
}

/// A share of wins below which a game is lost.
const HOPELESS: f32 = 0.05;
/// A share of wins above which it is won.
const CERTAIN: f32 = 0.9;
/// Playouts of a first estimate.
const GLANCE: u32 = 150;

/// Chooses for the player to move. The same position, terms, level, budget and seed give the same choice on every machine,
/// unless the budget has a limit of time or is stopped. The move is always legal; a position in which the game has ended is answered with a pass.
#[must_use]
pub fn choose(position: &Position, terms: &Terms, level: Level, budget: &Budget, seed: u64) -> Choice {
    let counting = Counting::new(position, terms);
    Thought { position, terms, level, budget, counting, rng: Rng::new(seed) }.choose()
}

/// As [`choose`], but goes on until the dead stones of the opponent are off the board: for a controller that counts every stone as alive. Never
/// gives up.
#[must_use]
pub fn clean_up(position: &Position, terms: &Terms, level: Level, budget: &Budget, seed: u64) -> Move {
    let candidates = candidates(position, &Settled(vec![false; position.size().area()]));
    let dead = estimate(position.board()).dead;
    let enemy = position.turn().opposite();
    let is_prey = |point: Point| position.stone(point) == Some(enemy) && dead.binary_search(&point).is_ok();
    if let Some(point) = hunt(position, &candidates, is_prey) {
        return Move::Play(point);
    }
    match choose(position, terms, level, budget, seed) {
        Choice::Move(chosen) => chosen,
        Choice::Resign => Move::Pass,
    }
}

struct Thought<'a> {
    position: &'a Position,
    terms: &'a Terms,
    level: Level,
    budget: &'a Budget,
    counting: Counting,
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
        if self.level == Level::Easy
            && let Some(point) = easy::great_capture(self.position, &candidates)
        {
            return Choice::Move(Move::Play(point));
        }
        let standing = Standing::of(self.position, self.terms);
        let asked = self.position.passes() > 0;
        if asked && standing.lead > 0 {
            return PASS;
        }
        if asked || (standing.is_late(self.position) && standing.lead <= 0) {
            let outlook = Outlook::of(self.position, self.counting, GLANCE, &mut self.rng);
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
        // Every stone on a settled board costs a point, or wins nothing.
        if self.position.rules().scoring == Scoring::Territory
            && standing.is_late(self.position)
            && is_settled(self.position)
        {
            return PASS;
        }
        match self.level {
            Level::Easy => self.easy(&candidates, standing),
            Level::Normal | Level::Hard => self.search(settled, standing),
        }
    }

    fn easy(&mut self, candidates: &[Point], standing: Standing) -> Choice {
        if standing.lead < 0 && may_resign(self.position) {
            let outlook = Outlook::of(self.position, self.counting, GLANCE, &mut self.rng);
            if outlook.won(self.position.turn()) < HOPELESS {
                return Choice::Resign;
            }
        }
        let picked = easy::pick(self.position, candidates, &mut self.rng);
        Choice::Move(picked.map_or(Move::Pass, Move::Play))
    }

    fn search(&mut self, settled: Settled, standing: Standing) -> Choice {
        let late = standing.is_late(self.position);
        let black = |lead: i32| if self.position.turn() == Color::Black { lead } else { -lead };
        let root = Root {
            position: self.position,
            counting: self.counting,
            settled,
            ended: (self.position.passes() == 1).then(|| value_of(black(standing.lead))),
            with_pass: late,
            nodes: (self.budget.nodes / self.budget.threads.max(1)) as usize,
        };
        let thoughts = think(&root, self.budget, self.rng.next_u64(), true);
        self.decide(&thoughts, standing, late)
    }

    /// What the thoughts come to.
    fn decide(&self, thoughts: &Thoughts, standing: Standing, late: bool) -> Choice {
        const PASS: Choice = Choice::Move(Move::Pass);
        let is_pass = |found: &Found| found.chosen == Move::Pass;
        let Some(stone) = best(&thoughts.found, |found| !is_pass(found)) else { return PASS };
        let pass = thoughts.found.iter().find(|found| is_pass(found));
        let (visits, value) = pass.map_or((0, 0.0), |pass| (pass.visits, pass.value()));
        if late && standing.lead > 0 && value > CERTAIN && value > stone.value() - 0.03 {
            return PASS;
        }
        // A pass that the judge would count as lost has to be much better than any stone, as in a seki.
        if visits > stone.visits && (standing.lead > 0 || value > stone.value() + 0.05) {
            return PASS;
        }
        if standing.lead < 0 && may_resign(self.position) && stone.value() < HOPELESS && value < HOPELESS {
            return Choice::Resign;
        }
        Choice::Move(stone.chosen)
    }
}
