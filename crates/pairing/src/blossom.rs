//! The matching of greatest value in any graph: Edmonds' algorithm with prices (J. Edmonds, *Maximum matching and a polyhedron
//! with 0,1-vertices*, 1965), in the form that adds one vertex after another.
//!
//! Every vertex has a *price*, and every blossom (an odd ring of vertices or of smaller blossoms) a *charge*, such that no
//! edge is worth more than both its ends' prices and the charges around it; edges with equality are *tight*. The matching uses tight
//! edges only, and whoever is alone has price zero: that proves that no matching is worth more. A new vertex gets the least price that
//! keeps the first rule. Then a tree of alternating tight edges grows from it, prices along it fall and rise in step, until it reaches
//! somebody who is alone, or somebody in the tree can be left alone at price zero.
//!
//! A tree may be limited: when it has so many vertices, the vertex in it with the least price is left alone at that price. Nothing else is touched, so the matching
//! is short of the best by no more than half the (doubled) prices of those who are alone. Vertices that come in order along a line find such a
//! neighbour alone soon afterwards; who is still alone at a price in the end gets a second tree, with another limit.
//!
//! All numbers are doubled values, so they stay whole: prices in one tree differ by even amounts.

mod ring;
mod tree;

use std::{cmp::Reverse, collections::BinaryHeap};

use ring::Ring;
use tree::Stop;

/// Nobody.
const NONE: u32 = u32::MAX;

/// Two who may be matched, and what that is worth: more than nothing, and less than 2^60.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// One.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// The value.
    pub value: i64,
}

/// The best matching, and the proof of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// Everybody's partner.
    pub partners: Vec<Option<u32>>,
    /// Everybody's price, doubled: of two who are not matched it says how much an edge between them would have to be worth.
    pub prices: Vec<i64>,
    /// The blossoms with a charge: their vertices and that charge, doubled.
    pub blossoms: Vec<(Vec<u32>, i64)>,
}

/// Vertices that a tree may have: the first one of a vertex, and the second one of those who are alone at a price after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// When the vertex is added.
    pub first: usize,
    /// When all have been added; zero for no second tree.
    pub second: usize,
}

impl Effort {
    /// No limit: the matching is the best.
    pub const EXACT: Self = Self { first: 24, second: usize::MAX };
}

/// The matching of greatest value among vertices `0..vertices`, which best come in order along a line. Edges of no value, loops and edges
/// that lead out of the graph are left aside.
pub fn best(vertices: u32, edges: &[Edge], effort: Effort) -> Matching {
    let mut solver = Solver::new(vertices, edges);
    for vertex in 0..vertices {
        solver.add(vertex, effort.first);
    }
    for vertex in 0..vertices {
        solver.retry(vertex, effort.second);
    }
    solver.finish()
}

/// Where a node stands in the tree that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// Outside.
    Outside,
    /// At an even distance from the root: it may be matched along any tight edge.
    Even,
    /// At an odd distance: it is reached by this edge, from a vertex of the even node before to a vertex of its own.
    Odd(u32, u32),
}

/// An edge from its one end.
#[derive(Clone, Copy)]
struct Arc {
    to: u32,
    doubled: i64,
}

/// Nodes are vertices (below the number of vertices) and blossoms (above).
struct Solver {
    vertices: u32,
    starts: Vec<u32>,
    arcs: Vec<Arc>,
    added: Vec<bool>,
    prices: Vec<i64>,
    mates: Vec<u32>,
    /// The outermost node around each vertex.
    tops: Vec<u32>,
    /// By node: the blossom right around it, the vertex by which it is matched outwards, its place in the tree.
    parents: Vec<u32>,
    bases: Vec<u32>,
    labels: Vec<Label>,
    marks: Vec<u32>,
    mark: u32,
    rings: Vec<Ring>,
    unused: Vec<u32>,
    /// How far the prices of this tree have moved, and where they were when a node entered it: its vertices' prices and its own charge
    /// are those of that time.
    moved: i64,
    since: Vec<i64>,
    /// What will stop the prices, by how far they will have moved then. Some of it will not hold any more at that time.
    stops: BinaryHeap<Reverse<(i64, Stop)>>,
    /// Vertices that have entered the tree.
    size: usize,
    /// Nodes that have been in the tree.
    grown: Vec<u32>,
    /// Even vertices whose edges have to be looked at.
    fresh: Vec<u32>,
}

impl Solver {
    fn new(vertices: u32, edges: &[Edge]) -> Self {
        let count = vertices as usize;
        let fits = |edge: &&Edge| edge.a != edge.b && edge.a.max(edge.b) < vertices && edge.value > 0;
        let mut starts = vec![0_u32; count + 1];
        for edge in edges.iter().filter(fits) {
            starts[edge.a as usize + 1] += 1;
            starts[edge.b as usize + 1] += 1;
        }
        for place in 0..count {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut arcs = vec![Arc { to: 0, doubled: 0 }; starts[count] as usize];
        for edge in edges.iter().filter(fits) {
            for (from, to) in [(edge.a, edge.b), (edge.b, edge.a)] {
                arcs[next[from as usize] as usize] = Arc { to, doubled: 2 * edge.value };
                next[from as usize] += 1;
            }
        }
        Self {
            vertices,
            starts,
            arcs,
            added: vec![false; count],
            prices: vec![0; count],
            mates: vec![NONE; count],
            tops: (0..vertices).collect(),
            parents: vec![NONE; count],
            bases: (0..vertices).collect(),
            labels: vec![Label::Outside; count],
            marks: vec![0; count],
            mark: 0,
            rings: Vec::new(),
            unused: Vec::new(),
            moved: 0,
            since: vec![0; count],
            stops: BinaryHeap::new(),
            size: 0,
            grown: Vec::new(),
            fresh: Vec::new(),
        }
    }

    fn arcs(&self, vertex: u32) -> std::ops::Range<usize> {
        self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize
    }

    fn top(&self, vertex: u32) -> u32 {
        self.tops[vertex as usize]
    }

    fn base(&self, node: u32) -> u32 {
        self.bases[node as usize]
    }

    fn mate(&self, vertex: u32) -> u32 {
        self.mates[vertex as usize]
    }

    fn label(&self, node: u32) -> Label {
        self.labels[node as usize]
    }

    fn finish(self) -> Matching {
        let alive = self.rings.into_iter().filter(|ring| ring.charge > 0);
        Matching {
            partners: self.mates.into_iter().map(|mate| (mate != NONE).then_some(mate)).collect(),
            prices: self.prices,
            blossoms: alive.map(|ring| (ring.members, ring.charge)).collect(),
        }
    }
}
