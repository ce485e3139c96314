//! One vertex more: the tree that grows from it, and the prices that move with it.

use super::{Label, NONE, Solver};

/// What stops prices from moving on.
#[derive(Clone, Copy)]
enum Stop {
    /// An edge of this even vertex becomes tight.
    Tight(u32),
    /// This even vertex's price becomes zero: it can be left alone.
    Free(u32),
    /// This odd blossom's charge becomes zero: it falls apart.
    Open(u32),
}

impl Solver {
    /// Adds a vertex to the graph, and finds the best matching with it.
    pub(super) fn add(&mut self, vertex: u32) {
        self.added[vertex as usize] = true;
        let least = |place: usize| {
            let arc = self.arcs[place];
            if self.added[arc.to as usize] { arc.doubled - self.prices[arc.to as usize] } else { 0 }
        };
        let price = self.arcs(vertex).map(least).max().unwrap_or(0).max(0);
        self.prices[vertex as usize] = price;
        if price > 0 {
            self.enter(vertex, Label::Even);
            self.grow();
            for node in std::mem::take(&mut self.grown) {
                self.labels[node as usize] = Label::Outside;
            }
            self.fresh.clear();
        }
    }

    /// Takes a node into the tree.
    pub(super) fn enter(&mut self, node: u32, label: Label) {
        self.labels[node as usize] = label;
        self.grown.push(node);
        if label == Label::Even {
            self.freshen(node);
        }
    }

    /// The edges of a node's vertices have to be looked at.
    pub(super) fn freshen(&mut self, node: u32) {
        if node < self.vertices {
            self.fresh.push(node);
        } else {
            let ring = (node - self.vertices) as usize;
            self.fresh.extend_from_slice(&self.rings[ring].members);
        }
    }

    fn grow(&mut self) {
        loop {
            while let Some(vertex) = self.fresh.pop() {
                if self.look(vertex) {
                    return;
                }
            }
            let (amount, stop) = self.slowest();
            if amount > 0 {
                self.move_prices(amount);
            }
            match stop {
                Stop::Tight(vertex) => self.fresh.push(vertex),
                Stop::Free(vertex) => return self.flip(vertex, NONE),
                Stop::Open(blossom) => self.open(blossom),
            }
        }
    }

    /// Follows the tight edges of an even vertex. True when somebody alone was reached, and all are matched anew.
    fn look(&mut self, vertex: u32) -> bool {
        for place in self.arcs(vertex) {
            let arc = self.arcs[place];
            let (from, to) = (self.top(vertex), self.top(arc.to));
            if from == to || !self.added[arc.to as usize] || self.slack(vertex, arc) != 0 {
                continue;
            }
            match self.label(to) {
                Label::Odd(..) => {}
                Label::Even => self.close(vertex, arc.to),
                Label::Outside => {
                    let mate = self.mate(self.base(to));
                    if mate == NONE {
                        self.turn(to, arc.to);
                        self.mates[arc.to as usize] = vertex;
                        self.flip(vertex, arc.to);
                        return true;
                    }
                    self.enter(to, Label::Odd(vertex, arc.to));
                    self.enter(self.top(mate), Label::Even);
                }
            }
        }
        false
    }

    /// How far prices can move, and what stops them.
    fn slowest(&self) -> (i64, Stop) {
        let mut least = (i64::MAX, Stop::Free(NONE));
        let mut offer = |amount: i64, stop: Stop| {
            if amount < least.0 {
                least = (amount, stop);
            }
        };
        for node in self.grown.iter().copied() {
            match self.label(node) {
                Label::Outside => {}
                Label::Odd(..) => {
                    if node >= self.vertices {
                        offer(self.rings[(node - self.vertices) as usize].charge / 2, Stop::Open(node));
                    }
                }
                Label::Even => {
                    for vertex in self.members(node).iter().copied() {
                        offer(self.prices[vertex as usize], Stop::Free(vertex));
                        offer(self.nearest(node, vertex), Stop::Tight(vertex));
                    }
                }
            }
        }
        least
    }

    /// How far prices can move until an edge of this even vertex becomes tight.
    fn nearest(&self, node: u32, vertex: u32) -> i64 {
        let mut least = i64::MAX;
        for arc in &self.arcs[self.arcs(vertex)] {
            let to = self.top(arc.to);
            if to == node || !self.added[arc.to as usize] {
                continue;
            }
            let amount = match self.label(to) {
                Label::Odd(..) => continue,
                Label::Outside => self.slack(vertex, *arc),
                // Both ends move.
                Label::Even => self.slack(vertex, *arc) / 2,
            };
            least = least.min(amount);
        }
        least
    }

    fn move_prices(&mut self, amount: i64) {
        for place in 0..self.grown.len() {
            let node = self.grown[place];
            let sign = match self.label(node) {
                Label::Outside => continue,
                Label::Even => 1,
                Label::Odd(..) => -1,
            };
            if node < self.vertices {
                self.prices[node as usize] -= sign * amount;
            } else {
                let ring = &mut self.rings[(node - self.vertices) as usize];
                ring.charge += 2 * sign * amount;
                for vertex in &ring.members {
                    self.prices[*vertex as usize] -= sign * amount;
                }
            }
        }
    }

    /// Matches an even vertex with a partner, or leaves it alone, and everybody from there to the root with the one next to them.
    fn flip(&mut self, mut vertex: u32, mut partner: u32) {
        loop {
            let node = self.top(vertex);
            let before = self.mate(self.base(node));
            self.turn(node, vertex);
            self.mates[vertex as usize] = partner;
            if before == NONE {
                return;
            }
            let odd = self.top(before);
            let Label::Odd(from, entry) = self.label(odd) else { return };
            self.turn(odd, entry);
            self.mates[entry as usize] = from;
            (vertex, partner) = (from, entry);
        }
    }
}
