//! Blossoms: odd rings of nodes that act as one.

use super::{Label, NONE, Solver};

/// A blossom. Its first child holds the base; the second and third are matched with each other, and so on.
#[derive(Default)]
pub(super) struct Ring {
    children: Vec<u32>,
    /// The edge from each child to the next: a vertex of each.
    links: Vec<(u32, u32)>,
    /// All vertices in it.
    pub members: Vec<u32>,
    /// Doubled.
    pub charge: i64,
}

impl Solver {
    /// All vertices in a node.
    pub(super) fn members(&self, node: u32) -> &[u32] {
        if node < self.vertices {
            // A vertex is the base of itself.
            std::slice::from_ref(&self.bases[node as usize])
        } else {
            &self.rings[(node - self.vertices) as usize].members
        }
    }

    /// The node before this one on the way to the root, and the edge that leads there.
    fn before(&self, node: u32) -> Option<(u32, (u32, u32))> {
        match self.label(node) {
            Label::Odd(from, entry) => Some((self.top(from), (entry, from))),
            Label::Even => {
                let base = self.base(node);
                let mate = self.mate(base);
                (mate != NONE).then(|| (self.top(mate), (base, mate)))
            }
            Label::Outside => None,
        }
    }

    /// Where the ways of two nodes of the tree to its root meet.
    fn meeting(&mut self, a: u32, b: u32) -> u32 {
        self.mark += 1;
        let mut node = a;
        loop {
            self.marks[node as usize] = self.mark;
            match self.before(node) {
                Some((next, _)) => node = next,
                None => break,
            }
        }
        node = b;
        while self.marks[node as usize] != self.mark
            && let Some((next, _)) = self.before(node)
        {
            node = next;
        }
        node
    }

    /// The nodes from one of the tree to one before it, the last left out, each with the edge towards the next.
    fn way(&self, mut node: u32, end: u32) -> Vec<(u32, (u32, u32))> {
        let mut way = Vec::new();
        while node != end
            && let Some((next, link)) = self.before(node)
        {
            way.push((node, link));
            node = next;
        }
        way
    }

    /// A tight edge between two even nodes closes a ring, which becomes one even node.
    pub(super) fn close(&mut self, u: u32, v: u32) {
        let (left, right) = (self.top(u), self.top(v));
        let top = self.meeting(left, right);
        let (down, up) = (self.way(left, top), self.way(right, top));
        let mut ring = Ring::default();
        ring.children.push(top);
        for (node, (lower, upper)) in down.into_iter().rev() {
            ring.children.push(node);
            ring.links.push((upper, lower));
        }
        ring.links.push((u, v));
        for (node, link) in up {
            ring.children.push(node);
            ring.links.push(link);
        }
        let blossom = self.blossom();
        for child in &ring.children {
            ring.members.extend_from_slice(self.members(*child));
            self.settle(*child);
            self.parents[*child as usize] = blossom;
            if matches!(self.label(*child), Label::Odd(..)) {
                self.freshen(*child);
            }
            self.labels[*child as usize] = Label::Outside;
        }
        for vertex in &ring.members {
            self.tops[*vertex as usize] = blossom;
        }
        self.bases[blossom as usize] = self.base(top);
        self.labels[blossom as usize] = Label::Even;
        self.since[blossom as usize] = self.moved;
        self.grown.push(blossom);
        self.rings[(blossom - self.vertices) as usize] = ring;
    }

    /// A number for a new blossom.
    fn blossom(&mut self) -> u32 {
        if let Some(node) = self.unused.pop() {
            return node;
        }
        let node = self.vertices + u32::try_from(self.rings.len()).unwrap_or(NONE - self.vertices);
        self.rings.push(Ring::default());
        self.parents.push(NONE);
        self.bases.push(NONE);
        self.labels.push(Label::Outside);
        self.marks.push(0);
        self.since.push(0);
        node
    }

    /// The child of a blossom in which a vertex lies.
    fn child_with(&self, blossom: u32, vertex: u32) -> u32 {
        let mut node = vertex;
        while self.parents[node as usize] != blossom {
            node = self.parents[node as usize];
        }
        node
    }

    /// Makes a vertex the base of its node: all others in it are matched among themselves.
    pub(super) fn turn(&mut self, node: u32, vertex: u32) {
        if node < self.vertices || self.base(node) == vertex {
            return;
        }
        let child = self.child_with(node, vertex);
        self.turn(child, vertex);
        let number = (node - self.vertices) as usize;
        let ring = &mut self.rings[number];
        let place = ring.children.iter().position(|other| *other == child).unwrap_or(0);
        ring.children.rotate_left(place);
        ring.links.rotate_left(place);
        for first in (1..ring.children.len()).step_by(2) {
            let ring = &self.rings[number];
            let (a, b) = ring.links[first];
            let (left, right) = (ring.children[first], ring.children[first + 1]);
            if self.mate(a) != b {
                self.turn(left, a);
                self.turn(right, b);
                self.mates[a as usize] = b;
                self.mates[b as usize] = a;
            }
        }
        self.bases[node as usize] = vertex;
    }

    /// An odd blossom without a charge falls apart: the children on the way that the tree takes through it stay in the tree.
    pub(super) fn open(&mut self, blossom: u32) {
        let Label::Odd(from, entry) = self.label(blossom) else { return };
        self.settle(blossom);
        let first = self.child_with(blossom, entry);
        let Ring { children, links, .. } =
            std::mem::take(&mut self.rings[(blossom - self.vertices) as usize]);
        self.labels[blossom as usize] = Label::Outside;
        self.grown.retain(|node| *node != blossom);
        self.unused.push(blossom);
        for child in &children {
            self.parents[*child as usize] = NONE;
            for place in 0..self.members(*child).len() {
                let vertex = self.members(*child)[place];
                self.tops[vertex as usize] = *child;
            }
        }
        self.follow(&children, &links, first, (from, entry));
        for child in children {
            if self.label(child) == Label::Outside {
                self.offer_outside(child);
            }
        }
    }

    /// Takes into the tree the children of an opened blossom that lie between its entry and its base, an even number of steps.
    fn follow(&mut self, children: &[u32], links: &[(u32, u32)], first: u32, (from, entry): (u32, u32)) {
        let count = children.len();
        let start = children.iter().position(|child| *child == first).unwrap_or(0);
        let backwards = start % 2 == 0;
        let (mut place, mut reached) = (start, Label::Odd(from, entry));
        loop {
            self.enter(children[place], reached);
            if place == 0 {
                return;
            }
            let next = if backwards { place - 1 } else { (place + 1) % count };
            let after = if backwards { next - 1 } else { (next + 1) % count };
            self.enter(children[next], Label::Even);
            let link = if backwards { links[after] } else { links[next] };
            reached = if backwards { Label::Odd(link.1, link.0) } else { Label::Odd(link.0, link.1) };
            place = after;
        }
    }
}
