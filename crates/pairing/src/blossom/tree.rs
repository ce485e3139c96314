//! One vertex more: the tree that grows from it, and the prices that move with it.

use std::cmp::Reverse;

use super::{Arc, Label, NONE, Solver};

/// What stops prices from moving on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// This even vertex's price is zero: it can be left alone.
    Free(u32),
    /// The edge from this even vertex to that one is tight.
    Tight(u32, u32),
    /// This odd blossom's charge is zero: it falls apart.
    Open(u32),
}

impl Solver {
    /// Adds a vertex to the graph, and matches it if that is worth anything.
    pub(super) fn add(&mut self, vertex: u32, limit: usize) {
        self.added[vertex as usize] = true;
        let least = |place: usize| {
            let arc = self.arcs[place];
            if self.added[arc.to as usize] { arc.doubled - self.prices[arc.to as usize] } else { 0 }
        };
        self.prices[vertex as usize] = self.arcs(vertex).map(least).max().unwrap_or(0).max(0);
        self.retry(vertex, limit);
    }

    /// Grows a tree from a vertex that is alone at a price.
    pub(super) fn retry(&mut self, vertex: u32, limit: usize) {
        if limit == 0 || self.mate(vertex) != NONE || self.prices[vertex as usize] == 0 {
            return;
        }
        self.moved = 0;
        self.size = 0;
        self.enter(self.top(vertex), Label::Even);
        self.grow(limit);
        for node in std::mem::take(&mut self.grown) {
            self.settle(node);
            self.labels[node as usize] = Label::Outside;
        }
        self.fresh.clear();
        self.stops.clear();
    }

    /// Takes a node into the tree.
    pub(super) fn enter(&mut self, node: u32, label: Label) {
        self.labels[node as usize] = label;
        self.since[node as usize] = self.moved;
        self.grown.push(node);
        self.size += self.members(node).len();
        if label == Label::Even {
            self.freshen(node);
        } else if node >= self.vertices {
            let charge = self.rings[(node - self.vertices) as usize].charge;
            self.stops.push(Reverse((self.moved + charge / 2, Stop::Open(node))));
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

    /// Brings the prices of a node's vertices, and its charge, up to date.
    pub(super) fn settle(&mut self, node: u32) {
        let moved = self.moved - self.since[node as usize];
        let fall = match self.label(node) {
            Label::Outside => return,
            Label::Even => moved,
            Label::Odd(..) => -moved,
        };
        self.since[node as usize] = self.moved;
        if node < self.vertices {
            self.prices[node as usize] -= fall;
        } else {
            let ring = &mut self.rings[(node - self.vertices) as usize];
            ring.charge += 2 * fall;
            for vertex in &ring.members {
                self.prices[*vertex as usize] -= fall;
            }
        }
    }

    /// A vertex's price as far as prices have moved.
    fn price(&self, vertex: u32) -> i64 {
        let (top, price) = (self.top(vertex), self.prices[vertex as usize]);
        let moved = self.moved - self.since[top as usize];
        match self.label(top) {
            Label::Outside => price,
            Label::Even => price - moved,
            Label::Odd(..) => price + moved,
        }
    }

    /// How much less an edge is worth than its ends' prices, doubled.
    fn slack(&self, from: u32, arc: Arc) -> i64 {
        self.price(from) + self.price(arc.to) - arc.doubled
    }

    fn grow(&mut self, limit: usize) {
        loop {
            if self.size >= limit {
                return self.flip(self.cheapest(), NONE);
            }
            if let Some(vertex) = self.fresh.pop() {
                if self.look(vertex) {
                    return;
                }
                continue;
            }
            // There is always a vertex that could be left alone.
            let Some(Reverse((moved, stop))) = self.stops.pop() else { return };
            self.moved = moved;
            if self.holds(stop) {
                match stop {
                    Stop::Free(vertex) => return self.flip(vertex, NONE),
                    Stop::Open(blossom) => self.open(blossom),
                    Stop::Tight(from, to) => {
                        if self.take(from, to) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Whether what was to stop the prices still does.
    fn holds(&self, stop: Stop) -> bool {
        match stop {
            Stop::Free(_) => true,
            Stop::Open(blossom) => matches!(self.label(blossom), Label::Odd(..)),
            Stop::Tight(from, to) => {
                // The other end may have been an odd vertex for a while, whose price has risen.
                let tight = || self.price(from) + self.price(to) == self.value(from, to);
                self.top(from) != self.top(to)
                    && !matches!(self.label(self.top(to)), Label::Odd(..))
                    && tight()
            }
        }
    }

    fn value(&self, from: u32, to: u32) -> i64 {
        self.arcs[self.arcs(from)].iter().find(|arc| arc.to == to).map_or(0, |arc| arc.doubled)
    }

    /// The even vertex that is left alone at the least price.
    fn cheapest(&self) -> u32 {
        let even = self.grown.iter().filter(|node| self.label(**node) == Label::Even);
        even.flat_map(|node| self.members(*node))
            .copied()
            .min_by_key(|vertex| self.price(*vertex))
            .unwrap_or(NONE)
    }

    /// Looks at the edges of an even vertex. True when somebody alone was reached, and all are matched anew.
    fn look(&mut self, vertex: u32) -> bool {
        let price = self.price(vertex);
        self.stops.push(Reverse((self.moved + price, Stop::Free(vertex))));
        for place in self.arcs(vertex) {
            let arc = self.arcs[place];
            let to = self.top(arc.to);
            if to == self.top(vertex) || !self.added[arc.to as usize] {
                continue;
            }
            let slack = self.slack(vertex, arc);
            let distance = match self.label(to) {
                Label::Odd(..) => continue,
                Label::Outside => slack,
                // Both ends move.
                Label::Even => slack / 2,
            };
            if distance == 0 {
                if self.take(vertex, arc.to) {
                    return true;
                }
            } else {
                self.stops.push(Reverse((self.moved + distance, Stop::Tight(vertex, arc.to))));
            }
        }
        false
    }

    /// Edges from the tree to a node that has left it.
    pub(super) fn offer_outside(&mut self, node: u32) {
        for number in 0..self.members(node).len() {
            let vertex = self.members(node)[number];
            for place in self.arcs(vertex) {
                let arc = self.arcs[place];
                if self.added[arc.to as usize] && self.label(self.top(arc.to)) == Label::Even {
                    let distance = self.slack(vertex, arc);
                    self.stops.push(Reverse((self.moved + distance, Stop::Tight(arc.to, vertex))));
                }
            }
        }
    }

    /// Follows a tight edge. True when somebody alone was reached, and all are matched anew.
    fn take(&mut self, from: u32, to: u32) -> bool {
        let node = self.top(to);
        match self.label(node) {
            Label::Odd(..) => {}
            Label::Even => self.close(from, to),
            Label::Outside => {
                let mate = self.mate(self.base(node));
                if mate == NONE {
                    self.turn(node, to);
                    self.mates[to as usize] = from;
                    self.flip(from, to);
                    return true;
                }
                self.enter(node, Label::Odd(from, to));
                self.enter(self.top(mate), Label::Even);
            }
        }
        false
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
