//! A search for the fate of some stones within a part of the board.
//!
//! Monte-Carlo tree search (R. Coulom, 2006; L. Kocsis and C. Szepesvári, 2006) with all-moves-as-first values (S. Gelly and D. Silver,
//! 2007). Both sides play for the points of the part, of which those of the stones in question count more.

use super::playout::{Playout, World};
use crate::grid::{Cell, EMPTY, NOWHERE};
use crate::rng::Rng;

/// What is asked: whether stones survive, in a world with few open cells.
pub(super) struct Question<'w, const S: usize, const N: usize> {
    pub(super) world: &'w World<S, N>,
    /// The stones.
    pub(super) target: Vec<Cell>,
    /// Cells that count, without the target.
    pub(super) judged: Vec<Cell>,
    /// Black's points less White's that are expected of them.
    pub(super) expected: f64,
}

struct Node {
    /// [`NOWHERE`] is a pass.
    cell: Cell,
    children: std::ops::Range<usize>,
    visits: u32,
    reward: f64,
    amaf_visits: u32,
    amaf_reward: f64,
    /// Sum over visits of the target's owners: 1 for Black, -1 for White, for each stone.
    owner: i64,
}

impl Node {
    const fn new(cell: Cell, amaf_visits: u32, amaf_reward: f64) -> Self {
        Self { cell, children: 0..0, visits: 0, reward: 0.0, amaf_visits, amaf_reward, owner: 0 }
    }
}

/// Visits after which all-moves-as-first counts for half, however often it was seen.
const AMAF: f64 = 50.0;
/// How much more a stone in question counts than another point.
const STAKE: f64 = 4.0;
const EXPLORE: f64 = 0.15;
/// A node gets children at its second visit.
const GROWS_AT: u32 = 2;
/// Games after which a search looks at what it has found.
const CHECK: u32 = 300;
/// What it must say, in thousandths, at two checks on end to stop before its time.
const CLEAR: i32 = 920;

pub(super) struct Search<'q, const S: usize, const N: usize> {
    question: &'q Question<'q, S, N>,
    nodes: Vec<Node>,
    first_turn: u8,
    /// The boards since the last pass, with what had been taken.
    line: Vec<(u64, i32)>,
    /// Points that are a clear success.
    scale: f64,
}

impl<'q, const S: usize, const N: usize> Search<'q, S, N> {
    pub(super) fn new(question: &'q Question<'q, S, N>, turn: u8) -> Self {
        let stones = u32::try_from(question.target.len()).unwrap_or(1);
        let scale = STAKE * f64::from(stones) + 6.0;
        Self { question, nodes: vec![Node::new(NOWHERE, 1, 0.0)], first_turn: turn, line: Vec::new(), scale }
    }

    /// Plays up to that many games, then tells whose the target is in the line that both prefer: from -1000 (White's) to 1000. A clear answer ends it
    /// early, and so does the end of the budget; 0 when that comes too early. Takes the moves that were played off what is left of a budget.
    pub(super) fn run(&mut self, count: u32, budget: &mut usize, rng: &mut Rng) -> i32 {
        let mut playout = Playout::new(self.question.world);
        let mut path = Vec::new();
        let mut before = 0;
        for game in 1..=count {
            playout.restart();
            let moves = self.simulate(&mut playout, &mut path, rng);
            *budget = budget.saturating_sub(moves);
            if *budget == 0 {
                return if game < CHECK { 0 } else { self.verdict(game) };
            }
            if game.is_multiple_of(CHECK) {
                let said = self.verdict(game);
                if said.min(before) >= CLEAR || said.max(before) <= -CLEAR {
                    return said;
                }
                before = said;
            }
        }
        self.verdict(count)
    }

    fn simulate(&mut self, playout: &mut Playout<'_, S, N>, path: &mut Vec<usize>, rng: &mut Rng) -> usize {
        path.clear();
        path.push(0);
        let (mut at, mut turn, mut passes, mut is_over) = (0, self.first_turn, 0, false);
        self.line.clear();
        loop {
            // Four moves or more that lead back to where they began, and in which neither side has won a stone: a player who had anything better would have
            // played it, so what stands there stays. A ko does not lead back without a pass.
            let key = playout.key();
            is_over |= self.line.iter().rev().skip(1).step_by(2).any(|&before| before == key);
            if is_over {
                break;
            }
            self.line.push(key);
            if self.nodes[at].children.is_empty() {
                if self.nodes[at].visits + 1 < GROWS_AT {
                    break;
                }
                self.grow(at, playout, turn);
            }
            at = self.choose(at, turn);
            path.push(at);
            let cell = self.nodes[at].cell;
            if cell == NOWHERE {
                passes += 1;
                self.line.clear();
            } else {
                passes = 0;
            }
            playout.play((cell != NOWHERE).then_some(cell), turn);
            turn = 3 - turn;
            is_over = passes == 2;
        }
        let moves = if is_over { 0 } else { playout.run(turn, rng) };
        self.learn(playout, path);
        moves + path.len()
    }

    /// Adds the children of a node: all sensible moves, and a pass.
    fn grow(&mut self, at: usize, playout: &Playout<'_, S, N>, turn: u8) {
        let start = self.nodes.len();
        let mean = if self.nodes[at].visits > 0 {
            self.nodes[at].reward / f64::from(self.nodes[at].visits)
        } else {
            0.0
        };
        let sign = if turn == 1 { 1.0 } else { -1.0 };
        let node = |cell, bonus: f64| Node::new(cell, 8, 8.0 * (mean + sign * bonus));
        for &cell in playout.open() {
            if playout.grid.color(cell) == EMPTY
                && playout.grid.lives(cell, turn)
                && !playout.grid.is_ko(cell, turn)
                && !playout.grid.is_eye(cell, turn)
            {
                let bonus = playout.promise(cell, turn);
                self.nodes.push(node(cell, bonus));
            }
        }
        self.nodes.push(node(NOWHERE, -0.1));
        self.nodes[at].children = start..self.nodes.len();
    }

    fn choose(&self, at: usize, turn: u8) -> usize {
        let parent = &self.nodes[at];
        let sign = if turn == 1 { 1.0 } else { -1.0 };
        let spread = EXPLORE * f64::from(parent.visits).sqrt();
        let value = |node: &Node| {
            let visits = f64::from(node.visits);
            let played = if node.visits > 0 { node.reward / visits } else { 0.0 };
            let amaf =
                if node.amaf_visits > 0 { node.amaf_reward / f64::from(node.amaf_visits) } else { 0.0 };
            let hints = f64::from(node.amaf_visits);
            let share = hints / (hints + visits + hints * visits / AMAF);
            sign * ((1.0 - share) * played + share * amaf) + spread / (1.0 + visits)
        };
        let mut best = (parent.children.start, f64::NEG_INFINITY);
        for child in parent.children.clone() {
            let value = value(&self.nodes[child]);
            if value > best.1 {
                best = (child, value);
            }
        }
        best.0
    }

    fn learn(&mut self, playout: &Playout<'_, S, N>, path: &[usize]) {
        let owner: i32 = self.question.target.iter().map(|&c| playout.owner(c)).sum();
        let rest: i32 = self.question.judged.iter().map(|&c| playout.owner(c)).sum();
        let points = STAKE * f64::from(owner) + f64::from(rest) - self.question.expected;
        let points = points / self.scale;
        let reward = points / (1.0 + points.abs());
        let mut turn = self.first_turn;
        for &at in path {
            let node = &mut self.nodes[at];
            node.visits += 1;
            node.reward += reward;
            node.owner += i64::from(owner);
            for child in node.children.clone() {
                let child = &mut self.nodes[child];
                if child.cell != NOWHERE && playout.first(child.cell) == turn {
                    child.amaf_visits += 1;
                    child.amaf_reward += reward;
                }
            }
            turn = 3 - turn;
        }
    }

    /// Follows the most visited moves as long as they are well tried.
    fn verdict(&self, count: u32) -> i32 {
        let mut at = 0;
        loop {
            let best = self.nodes[at].children.clone().max_by_key(|&c| self.nodes[c].visits);
            match best {
                Some(child) if self.nodes[child].visits * 8 >= count && self.nodes[child].visits >= 50 => {
                    at = child
                }
                _ => break,
            }
        }
        let node = &self.nodes[at];
        let all =
            i64::from(node.visits.max(1)) * i64::try_from(self.question.target.len().max(1)).unwrap_or(1);
        i32::try_from(1000 * node.owner / all).unwrap_or(0)
    }
}
