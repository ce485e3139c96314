//! The tree: UCT with all-moves-as-first (RAVE), knowledge for moves that nobody has tried, and on large boards a window on the most
//! promising of them that widens.
//!
//! Sources: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", 2006; S. Gelly and D. Silver, "Monte-Carlo tree search and
//! rapid action value estimation in computer Go", 2011; G. Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008.

mod node;
mod prior;

use goban::grid::{Cell, Grid, NOWHERE, OnGrid, code};
use goban::{Move, Position, Rng};

use crate::candidates::{Settled, candidates};
use crate::counting::{Counting, value_of};
use crate::playout::Playout;
use node::Node;
use prior::Priors;

/// Visits after which a leaf gets children.
const RIPE: u32 = 6;
/// One playout in so many goes to a pass, when the game may be about to end.
const PASS_EVERY: u32 = 8;
/// What a pass begins with.
const PASS_PRIOR: (f32, f32) = (10.0, 1.5);
/// Boards of more points are looked at through a window: so many moves, and more as visits grow.
const SMALL_BOARD: usize = 100;
const WINDOW: f32 = 16.0;

/// What the tree knows of a move at its root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub chosen: Move,
    pub visits: u32,
    /// The sum of the values for the player to move, each 0 to 1.
    pub sum: f32,
    /// What it looked like before it was tried, 0 to 1.
    pub prior: f32,
    /// The moves that seem best after it, this one first.
    pub line: Vec<Move>,
}

impl Found {
    /// The mean for the player to move: 0 to 1.
    pub fn value(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { self.sum / self.visits as f32 }
    }
}

/// What a tree is made for.
#[derive(Debug, Clone)]
pub(crate) struct Root<'a> {
    pub position: &'a Position,
    pub counting: Counting,
    pub settled: Settled,
    /// The value for Black of ending the game now by a pass, where the opponent has just passed.
    pub ended: Option<f32>,
    /// Whether a pass is tried again and again: the game may be about to end.
    pub with_pass: bool,
    /// How many moves the tree may hold: 36 bytes each.
    pub nodes: usize,
}

/// A tree on a board of whatever size.
pub(crate) trait Grow: Send {
    /// Adds so many playouts.
    fn grow(&mut self, playouts: u32, rng: &mut Rng);
    /// The moves at the root, in an order that depends on the root alone.
    fn found(&self) -> Vec<Found>;
    /// Whether the most visited move stays so whatever so many more playouts say.
    fn is_decided(&self, left: u32) -> bool;
    /// Playouts so far.
    fn playouts(&self) -> u32;
    /// For each point, in how many more playouts Black had it at the end than White.
    fn owners(&self) -> Vec<i32>;
    /// The sum of Black's leads at the ends of playouts, in half points.
    fn leads(&self) -> i64;
}

/// Plants a tree.
pub(crate) fn plant<'a>(root: &'a Root<'a>) -> Box<dyn Grow + 'a> {
    struct Plant<'a>(&'a Root<'a>);
    impl<'a> OnGrid for Plant<'a> {
        type Output = Box<dyn Grow + 'a>;
        fn run<const S: usize, const N: usize>(self, grid: &Grid<S, N>) -> Self::Output {
            Box::new(Tree::new(self.0, grid))
        }
    }
    root.position.board().on_grid(Plant(root))
}

struct Tree<'a, const S: usize, const N: usize> {
    root: &'a Root<'a>,
    grid: Grid<S, N>,
    /// All cells of the board, in the order of its points.
    cells: Vec<Cell>,
    turn: u8,
    last: Cell,
    nodes: Vec<Node>,
    playout: Playout<S, N>,
    path: Vec<usize>,
    owners: Vec<i32>,
    leads: i64,
}

impl<'a, const S: usize, const N: usize> Tree<'a, S, N> {
    fn new(root: &'a Root<'a>, grid: &Grid<S, N>) -> Self {
        let position = root.position;
        let cells: Vec<Cell> = position.size().points().map(|point| grid.locate(point)).collect();
        let mut tree = Self {
            root,
            grid: grid.clone(),
            turn: code(position.turn()),
            last: position.last_move().and_then(Move::point).map_or(NOWHERE, |point| grid.locate(point)),
            nodes: vec![Node::new(NOWHERE, (0.0, 0.0))],
            playout: Playout::new(grid),
            path: Vec::new(),
            owners: vec![0; cells.len()],
            leads: 0,
            cells,
        };
        tree.path.push(0);
        tree.playout.restart(&tree.grid, tree.last);
        tree.expand(0);
        tree
    }

    fn simulate(&mut self, pass_first: bool, rng: &mut Rng) {
        self.playout.restart(&self.grid, self.last);
        self.path.clear();
        self.path.push(0);
        let (mut at, mut color, mut stones) = (0, self.turn, 0);
        let mut passes = self.root.position.passes();
        while self.nodes[at].is_expanded() && passes < 2 {
            at = if pass_first && at == 0 { self.pass_at_root() } else { self.select(at) };
            self.path.push(at);
            let cell = self.nodes[at].chosen;
            self.playout.play(cell, color);
            if cell == NOWHERE {
                passes += 1;
            } else {
                passes = 0;
                stones += 3 - 2 * i32::from(color);
            }
            color = 3 - color;
            let node = &self.nodes[at];
            if !node.is_expanded()
                && !node.is_void
                && node.visits >= RIPE
                && self.nodes.len() < self.root.nodes
            {
                self.expand(at);
            }
        }
        let known = match self.root.ended {
            Some(black) if passes >= 2 && self.path.len() == 2 => Some(black),
            _ => self.nodes[at].is_void.then_some(0.5),
        };
        let black = known.unwrap_or_else(|| {
            let end = self.playout.run(color, rng);
            let lead = self.root.counting.lead(end.lead, stones + end.stones);
            for (owner, &cell) in self.owners.iter_mut().zip(&self.cells) {
                *owner += self.playout.grid.holder(cell);
            }
            self.leads += i64::from(lead);
            value_of(lead)
        });
        self.learn(black);
    }

    fn pass_at_root(&self) -> usize {
        let mut children = self.nodes[0].children();
        children.find(|&i| self.nodes[i].chosen == NOWHERE).unwrap_or(0)
    }

    /// How many of a node's children are looked at.
    fn window(&self, node: &Node) -> usize {
        let all = node.children().len();
        if self.cells.len() <= SMALL_BOARD {
            return all;
        }
        let width = WINDOW + 6.0 * (node.visits.max(1) as f32).log2();
        all.min(width as usize)
    }

    fn select(&self, at: usize) -> usize {
        let parent = &self.nodes[at];
        let range = parent.children();
        let mut best = (f32::NEG_INFINITY, range.start);
        for i in range.start..range.start + self.window(parent) {
            let urgency = self.nodes[i].urgency();
            if urgency > best.0 {
                best = (urgency, i);
            }
        }
        best.1
    }

    /// Gives the last node of the path its children. The position is built anew along the path, so that superko and repetition see all of it.
    fn expand(&mut self, at: usize) {
        let mut position = self.root.position.clone();
        for &i in self.path.iter().skip(1) {
            let cell = self.nodes[i].chosen;
            let chosen = if cell == NOWHERE { Move::Pass } else { Move::Play(self.grid.name(cell)) };
            // A node is reached by one way only, on which its moves were legal.
            if position.play(chosen).is_err() || position.repetition() {
                self.nodes[at].is_void = true;
                return;
            }
        }
        let color = code(position.turn());
        let grid = &self.playout.grid;
        let priors = Priors::of(grid, &self.cells, color, self.playout.last);
        let from = self.nodes.len();
        let moves = candidates(&position, &self.root.settled).into_iter();
        let mut children: Vec<Node> = moves
            .map(|point| {
                let cell = self.grid.locate(point);
                Node::new(cell, priors.get(cell))
            })
            .collect();
        children.push(Node::new(NOWHERE, PASS_PRIOR));
        // The sort is stable, so the order depends on the position alone.
        children.sort_by(|a, b| b.promise().total_cmp(&a.promise()));
        self.nodes.append(&mut children);
        let to = self.nodes.len();
        self.nodes[at].set_children(from..to);
    }

    fn learn(&mut self, black: f32) {
        let root = self.turn;
        let turn_at = |depth: usize| if depth.is_multiple_of(2) { root } else { 3 - root };
        for depth in (0..self.path.len()).rev() {
            let at = self.path[depth];
            // The mover into this node, and who is to move there.
            let (mover, turn) = (turn_at(depth + 1), turn_at(depth));
            let value = |color: u8| if color == 1 { black } else { 1.0 - black };
            let gain = value(turn);
            let children = self.nodes[at].children();
            for node in &mut self.nodes[children] {
                if node.chosen != NOWHERE && self.playout.first(node.chosen) == turn {
                    node.learn_as_first(gain);
                }
            }
            let node = &mut self.nodes[at];
            node.learn(value(mover));
            if depth > 0 && node.chosen != NOWHERE {
                self.playout.earlier(node.chosen, mover);
            }
        }
    }

    /// The move of a node.
    fn name(&self, node: &Node) -> Move {
        if node.chosen == NOWHERE { Move::Pass } else { Move::Play(self.grid.name(node.chosen)) }
    }

    /// The moves that were tried most, from a node on.
    fn line(&self, from: usize) -> Vec<Move> {
        let (mut line, mut at) = (Vec::new(), from);
        loop {
            line.push(self.name(&self.nodes[at]));
            let next = self.nodes[at].children().max_by_key(|&i| self.nodes[i].visits);
            match next.filter(|&i| self.nodes[i].visits > 0) {
                Some(i) => at = i,
                None => return line,
            }
        }
    }
}

impl<const S: usize, const N: usize> Grow for Tree<'_, S, N> {
    fn grow(&mut self, playouts: u32, rng: &mut Rng) {
        for _ in 0..playouts {
            let turn_of_pass = self.root.with_pass && self.playouts() % PASS_EVERY == PASS_EVERY - 1;
            self.simulate(turn_of_pass, rng);
        }
    }

    fn found(&self) -> Vec<Found> {
        let found = |i: usize| {
            let node = &self.nodes[i];
            Found {
                chosen: self.name(node),
                visits: node.visits,
                sum: node.sum(),
                prior: node.prior(),
                line: self.line(i),
            }
        };
        self.nodes[0].children().map(found).collect()
    }

    fn is_decided(&self, left: u32) -> bool {
        let (mut first, mut second) = (0, 0);
        for node in self.nodes[0].children().map(|i| &self.nodes[i]) {
            if node.visits > first {
                (first, second) = (node.visits, first);
            } else {
                second = second.max(node.visits);
            }
        }
        first - second > left
    }

    fn playouts(&self) -> u32 {
        self.nodes[0].visits
    }

    fn owners(&self) -> Vec<i32> {
        self.owners.clone()
    }

    fn leads(&self) -> i64 {
        self.leads
    }
}

/// The move that was tried most, among those that a condition lets through; of several the one with the better mean, then the first.
pub(crate) fn best(found: &[Found], condition: impl Fn(&Found) -> bool) -> Option<&Found> {
    let better = |a: &Found, b: &Found| a.visits.cmp(&b.visits).then(a.sum.total_cmp(&b.sum));
    found.iter().filter(|f| condition(f)).rev().max_by(|a, b| better(a, b))
}
