//! The tree: UCT with all-moves-as-first (RAVE) and a first look for moves that nobody has tried.
//!
//! Sources: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", 2006; S. Gelly and D. Silver, "Combining online and offline
//! knowledge in UCT", 2007.

mod node;

use goban::{Color, Dead, Komi, Move, Position, Rng, judge};

use crate::Budget;
use crate::candidates::{Settled, candidates};
use crate::counting::{Counting, value_of};
use crate::instinct::Instinct;
use crate::playout::{self, Firsts};
use node::Node;

/// Visits after which a leaf gets children.
const RIPE: u32 = 3;
/// One playout in so many goes to a pass, when the game may be about to end.
const PASS_EVERY: u32 = 8;
/// Playouts between two looks at whether the choice is made.
const LOOK_EVERY: u32 = 64;

/// What the tree knows of a move at its root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub chosen: Move,
    pub visits: u32,
    /// For the player to move: 0 to 1.
    pub value: f32,
}

pub(crate) struct Tree<'a> {
    root: &'a Position,
    komi: Komi,
    counting: Counting,
    settled: Settled,
    nodes: Vec<Node>,
    firsts: Firsts,
}

impl<'a> Tree<'a> {
    pub fn new(root: &'a Position, komi: Komi, counting: Counting, settled: Settled) -> Self {
        let firsts = Firsts::new(root.size().area());
        let mut tree =
            Self { root, komi, counting, settled, nodes: vec![Node::new(Move::Pass, 0.5)], firsts };
        tree.expand(0, root);
        tree
    }

    /// Adds playouts until the budget is used up or can change nothing.
    pub fn grow(&mut self, budget: &Budget, with_pass: bool, rng: &mut Rng) {
        for done in 1..=budget.playouts {
            self.simulate(with_pass && done % PASS_EVERY == 0, rng);
            if done % LOOK_EVERY == 0 && (budget.is_stopped() || self.is_decided(budget.playouts - done)) {
                break;
            }
        }
    }

    /// The best stone at the root: the one that was tried most.
    pub fn best(&self) -> Option<Found> {
        let stones = self.children().filter(|node| node.chosen != Move::Pass);
        stones
            .max_by(|a, b| {
                (a.visits, a.value()).partial_cmp(&(b.visits, b.value())).unwrap_or(std::cmp::Ordering::Equal)
            })
            .map(found)
    }

    /// A pass at the root.
    pub fn pass(&self) -> Found {
        let pass = self.children().find(|node| node.chosen == Move::Pass);
        pass.map_or(Found { chosen: Move::Pass, visits: 0, value: 0.0 }, found)
    }

    fn children(&self) -> impl Iterator<Item = &Node> {
        self.nodes.first().map_or(0..0, Node::children).filter_map(|i| self.nodes.get(i))
    }

    /// Whether the most visited move stays so whatever the rest of the playouts say.
    fn is_decided(&self, left: u32) -> bool {
        let (mut first, mut second) = (0, 0);
        for node in self.children() {
            if node.visits > first {
                (first, second) = (node.visits, first);
            } else {
                second = second.max(node.visits);
            }
        }
        first - second > left
    }

    fn simulate(&mut self, pass_first: bool, rng: &mut Rng) {
        let mut position = self.root.clone();
        let mut path = vec![0];
        let mut at = 0;
        let mut exact = None;
        while self.nodes[at].is_expanded() {
            let turn = position.turn();
            at = if pass_first && at == 0 { self.nodes[at].last_child() } else { self.select(at) };
            path.push(at);
            if position.play(self.nodes[at].chosen).is_err() {
                // Cannot be: a node is reached by one way only, on which its moves were legal.
                exact = Some(if turn == Color::Black { 0.0 } else { 1.0 });
                break;
            }
            exact = self.exact(&position);
            if exact.is_some() {
                break;
            }
            if !self.nodes[at].is_expanded() && self.nodes[at].visits >= RIPE {
                self.expand(at, &position);
            }
        }
        self.firsts.clear();
        let black = exact.unwrap_or_else(|| {
            let last = position.last_move().and_then(Move::point);
            let lead =
                playout::run(&mut position.board().clone(), position.turn(), last, rng, &mut self.firsts);
            self.counting.value(lead, Color::Black)
        });
        self.learn(&path, black);
    }

    /// The value for Black of a position in which the game has ended.
    fn exact(&self, position: &Position) -> Option<f32> {
        if position.repetition() {
            return Some(0.5);
        }
        (position.passes() >= 2).then(|| {
            let verdict = judge(position, self.komi, 0, Dead::Clear);
            value_of(verdict.black.half_points() - verdict.white.half_points(), Color::Black)
        })
    }

    fn select(&self, at: usize) -> usize {
        let parent = &self.nodes[at];
        let explore = (parent.visits.max(1) as f32).ln().sqrt();
        let mut best = (f32::NEG_INFINITY, parent.last_child());
        for i in parent.children() {
            let urgency = self.nodes[i].urgency(explore);
            if urgency > best.0 {
                best = (urgency, i);
            }
        }
        best.1
    }

    fn expand(&mut self, at: usize, position: &Position) {
        let from = self.nodes.len();
        let instinct = Instinct::new(position);
        for point in candidates(position, &self.settled) {
            // A quiet move begins at a half, one that should be looked at above.
            let prior = 1.0 / (1.0 + (-instinct.urge(point) / 6.0).exp());
            self.nodes.push(Node::new(Move::Play(point), prior));
        }
        self.nodes.push(Node::new(Move::Pass, 0.1));
        let to = self.nodes.len();
        self.nodes[at].set_children(from..to);
    }

    fn learn(&mut self, path: &[usize], black: f32) {
        let size = self.root.size();
        let turn_at = |depth: usize| {
            if depth.is_multiple_of(2) { self.root.turn() } else { self.root.turn().opposite() }
        };
        for (depth, &at) in path.iter().enumerate().rev() {
            // The mover into this node, and who is to move there.
            let (mover, turn) = (turn_at(depth + 1), turn_at(depth));
            let value = |color| if color == Color::Black { black } else { 1.0 - black };
            for i in self.nodes[at].children() {
                let node = &mut self.nodes[i];
                if let Move::Play(point) = node.chosen
                    && self.firsts.of(size.index(point)) == Some(turn)
                {
                    node.learn_as_first(value(turn));
                }
            }
            let node = &mut self.nodes[at];
            node.learn(value(mover));
            if depth > 0
                && let Move::Play(point) = node.chosen
            {
                self.firsts.earlier(size.index(point), mover);
            }
        }
    }
}

fn found(node: &Node) -> Found {
    Found { chosen: node.chosen, visits: node.visits, value: node.value() }
}
