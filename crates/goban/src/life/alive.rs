//! Which groups of a colour live when the opponent moves first and each move is answered.
//!
//! The board is divided into zones, no two of which share a point. Whatever the opponent plays in a zone is answered in that
//! zone, by what a search found; whatever is played elsewhere needs no answer. A group lives by two zones in each of which
//! it has a liberty whenever the opponent is to move: one move takes one of them at most. Or it lives by one zone in which it
//! is never taken. That all these groups live is shown together, move by move, so each may count on the others' chains as walls.
//! (M. Müller, "Playing it safe: recognizing secure territories in computer Go by using static rules and search", 1997, for a plan
//! of this kind.)
//!
//! The chains of a group are linked by pairs of points that are liberties of both: when the opponent plays on one, the answer
//! is the other. The links of a group form a tree, so each part of it that is not yet joined to the rest has two liberties at such a pair, and
//! an eye of one chain is an eye of the group.

use super::frame::{Frame, NONE};
use super::solver::{Goal, Solver};
use super::zone::{Cut, Zone};
use crate::Color;
use crate::set::Set;

/// Positions looked at for the life of a group in one zone.
const LIFE_NODES: u32 = 500;
/// Points of a region in which the life of all chains around it is looked for.
const REGION: usize = 14;

/// A zone that keeps groups alive.
pub(super) struct Keep {
    /// Its points.
    pub(super) places: Vec<usize>,
    /// The chains that it relies on as walls.
    pub(super) walls: Vec<usize>,
    /// Whether it keeps one group alone, whose chains are `served`; otherwise it gives an eye to the group of each
    /// of these.
    pub(super) alone: bool,
    pub(super) served: Vec<usize>,
}

/// Two chains that cannot be cut.
struct Link {
    chains: [usize; 2],
    points: [usize; 2],
}

/// The living groups of one colour.
pub(super) struct Alive {
    pub(super) color: Color,
    /// For each chain, whether it lives.
    pub(super) safe: Vec<bool>,
    /// Points that some zone or pair needs.
    pub(super) used: Vec<bool>,
    /// For each chain, a number that its group has in common.
    pub(super) group: Vec<usize>,
    pub(super) keeps: Vec<Keep>,
}

/// What is at work to find them.
pub(super) struct Builder<'a> {
    pub(super) frame: &'a Frame,
    pub(super) solver: &'a mut Solver,
    suicide: bool,
    pub(super) alive: Alive,
    /// Whether each chain is a pass-alive one.
    stands: Vec<bool>,
    /// Points that hold pass-alive chains.
    held: Vec<bool>,
    links: Vec<Link>,
    /// Eyes of each group; two are enough.
    eyes: Vec<usize>,
    /// Points where something has changed since eyes were looked for.
    pub(super) news: Vec<bool>,
    /// Pairs of chains with the liberties that they share, two or more.
    shared: Vec<([usize; 2], Vec<usize>)>,
}

/// The groups of that colour that live, beginning with what is pass-alive.
pub(super) fn alive(
    frame: &Frame,
    color: Color,
    pass_alive: &[Option<Color>],
    solver: &mut Solver,
    suicide: bool,
) -> Alive {
    let stands: Vec<bool> =
        frame.chains.iter().map(|c| c.color == color && pass_alive[c.stones[0]] == Some(color)).collect();
    // What holds a pass-alive chain is left as it is.
    let is_held = |place: usize| pass_alive[place] == Some(color) && frame.stones[place] != Some(color);
    let held: Vec<bool> = (0..frame.stones.len()).map(is_held).collect();
    let group = (0..frame.chains.len()).collect();
    let alive = Alive { color, safe: stands.clone(), used: held.clone(), group, keeps: Vec::new() };
    let shared = frame.shared_liberties(color);
    let news = vec![true; frame.stones.len()];
    let eyes = Vec::new();
    let mut builder =
        Builder { frame, solver, suicide, alive, stands, held, links: Vec::new(), eyes, news, shared };
    builder.count_eyes();
    builder.by_regions();
    builder.together();
    builder.one_by_one();
    builder.alive
}

impl<'a> Builder<'a> {
    /// Takes all chains of some size for alive, and drops those that are not, until the rest bear each other out.
    fn together(&mut self) {
        for chain in self.frame.chains_of(self.alive.color) {
            let there = &self.frame.chains[chain];
            self.alive.safe[chain] |= there.stones.len() >= 4 || there.liberties.len() >= 2;
        }
        loop {
            self.find_eyes();
            self.link_needy();
            let needy: Vec<usize> = self.chains().filter(|&c| self.needs_eyes(c)).collect();
            if needy.is_empty() {
                return;
            }
            let before = self.alive.used.clone();
            for chain in needy {
                self.alive.safe[chain] = false;
                self.frame.chains[chain].stones.iter().for_each(|&p| self.news[p] = true);
            }
            self.release();
            for (place, used) in before.into_iter().enumerate() {
                self.news[place] |= used && !self.alive.used[place];
            }
        }
    }

    /// All chains of the colour.
    pub(super) fn chains(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.frame.chains_of(self.alive.color)
    }

    /// Eyes of the group of that chain; two are enough.
    pub(super) fn eyes(&self, chain: usize) -> usize {
        self.eyes[self.alive.group[chain]]
    }

    fn count_eyes(&mut self) {
        self.eyes = vec![0; self.frame.chains.len()];
        for chain in (0..self.stands.len()).filter(|&c| self.stands[c]) {
            self.eyes[self.alive.group[chain]] = 2;
        }
        for keep in &self.alive.keeps {
            add_eyes(&mut self.eyes, &self.alive.group, keep);
        }
    }

    /// Whether a chain is taken for alive without reason so far.
    pub(super) fn needs_eyes(&self, chain: usize) -> bool {
        self.alive.safe[chain] && self.eyes(chain) < 2
    }

    /// Links groups with too few eyes to others, so that together they have two.
    fn link_needy(&mut self) {
        for index in 0..self.shared.len() {
            let [a, b] = self.shared[index].0;
            let both = self.alive.safe[a] && self.alive.safe[b];
            let (at_a, at_b) = (self.eyes(a), self.eyes(b));
            if both && at_a.min(at_b) < 2 && at_a + at_b >= 2 {
                self.link(index);
            }
        }
    }

    /// Links the two chains, if they are of two groups and two of their common liberties are free.
    fn link(&mut self, index: usize) -> bool {
        let ([a, b], points) = &self.shared[index];
        let mut free = points.iter().copied().filter(|&p| !self.alive.used[p]);
        let (Some(one), Some(other), true) =
            (free.next(), free.next(), self.alive.group[*a] != self.alive.group[*b])
        else {
            return false;
        };
        self.links.push(Link { chains: [*a, *b], points: [one, other] });
        self.regroup();
        true
    }

    /// Numbers the groups by the links, counts their eyes, and marks what is in use.
    fn regroup(&mut self) {
        let alive = &mut self.alive;
        alive.group = (0..self.frame.chains.len()).collect();
        alive.used.clone_from(&self.held);
        for Link { chains: [a, b], points } in &self.links {
            let (from, to) = (alive.group[*b], alive.group[*a]);
            alive.group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            points.iter().for_each(|&p| alive.used[p] = true);
        }
        for &place in alive.keeps.iter().flat_map(|k| &k.places) {
            alive.used[place] = true;
        }
        self.count_eyes();
    }

    /// Gives up links and zones of chains that are not alive, and zones whose eye may be at a chain that is no longer linked.
    fn release(&mut self) {
        let safe = &self.alive.safe;
        self.links.retain(|l| l.chains.iter().all(|&c| safe[c]));
        for keep in &mut self.alive.keeps {
            keep.served.retain(|&c| safe[c]);
        }
        self.alive.keeps.retain(|k| !k.served.is_empty() && k.walls.iter().all(|&c| safe[c]));
        let before = self.alive.group.clone();
        self.regroup();
        let group = &self.alive.group;
        let parted = |a: usize, b: usize| before[a] == before[b] && group[a] != group[b];
        let whole = |k: &Keep| !k.served.iter().any(|&a| k.walls.iter().any(|&b| parted(a, b)));
        self.alive.keeps.retain(|k| k.alone || whole(k));
        self.regroup();
    }

    pub(super) fn keep(&mut self, keep: Keep) {
        for &place in &keep.places {
            self.alive.used[place] = true;
        }
        add_eyes(&mut self.eyes, &self.alive.group, &keep);
        self.alive.keeps.push(keep);
    }

    pub(super) fn cut<'b>(&'b self, guard: &'b [usize]) -> Cut<'b> {
        Cut {
            frame: self.frame,
            keeper: self.alive.color,
            safe: &self.alive.safe,
            guard,
            suicide: self.suicide,
        }
    }

    /// Chains around one region of not too many points, that live by it.
    fn by_regions(&mut self) {
        let (frame, color) = (self.frame, self.alive.color);
        let mut seen = vec![false; frame.stones.len()];
        for from in 0..frame.stones.len() {
            if seen[from] || frame.stones[from] == Some(color) {
                continue;
            }
            let mut places = reach(frame, &[from], frame.stones.len(), |p| frame.stones[p] != Some(color));
            places.push(from);
            places.iter().for_each(|&p| seen[p] = true);
            let beside = places.iter().flat_map(|&p| &frame.near[p]).map(|&n| frame.chain[n]);
            let mut guard: Vec<usize> = beside
                .filter(|&c| c != NONE && frame.chains[c].color == color && !self.alive.safe[c])
                .collect();
            guard.sort_unstable();
            guard.dedup();
            let fits = (2..=REGION).contains(&places.len()) && (1..=8).contains(&guard.len());
            if fits && !places.iter().any(|&p| self.alive.used[p]) {
                self.guard(guard, &places);
            }
        }
    }

    /// Whether those chains live in the zone of those points; kept if so.
    fn guard(&mut self, served: Vec<usize>, places: &[usize]) -> bool {
        let Some(zone) = self.cut(&served).zone(places) else { return false };
        let goal = Goal { guard: zone.guard, ..Goal::default() };
        let proved = self.solver.proves(&zone, goal, LIFE_NODES);
        if proved {
            served.iter().for_each(|&c| self.alive.safe[c] = true);
            let Zone { places, walls, .. } = zone;
            self.keep(Keep { places, walls, served, alone: true });
        }
        proved
    }

    /// More chains by what is alive now, until no more are found.
    fn one_by_one(&mut self) {
        loop {
            let mut found = false;
            for chain in self.chains() {
                if !self.alive.safe[chain] && self.saves(chain) {
                    self.alive.safe[chain] = true;
                    found = true;
                }
            }
            self.by_regions();
            if !found {
                return;
            }
        }
    }

    /// A link to what is alive, or life in one zone.
    fn saves(&mut self, chain: usize) -> bool {
        for index in 0..self.shared.len() {
            let [a, b] = self.shared[index].0;
            let other = if a == chain { b } else { a };
            if (a == chain || b == chain) && self.alive.safe[other] && self.link(index) {
                return true;
            }
        }
        self.lives(chain)
    }

    fn lives(&mut self, chain: usize) -> bool {
        for far in 1..=3 {
            let places = self.around(chain, far);
            if places.len() > 20 {
                break;
            }
            if self.guard(vec![chain], &places) {
                return true;
            }
        }
        false
    }

    /// The points that are at most so far from the chain, through what is neither alive nor in use.
    fn around(&self, chain: usize, far: usize) -> Vec<usize> {
        let frame = self.frame;
        reach(frame, &frame.chains[chain].stones, far, |p| {
            let there = frame.chain[p];
            !self.alive.used[p] && (there == NONE || !self.alive.safe[there])
        })
    }
}

/// Adds the eyes that a zone gives to the groups of the chains that it serves.
fn add_eyes(eyes: &mut [usize], group: &[usize], keep: &Keep) {
    let groups: Set = keep.served.iter().map(|&chain| group[chain]).collect();
    groups.iter().for_each(|group| eyes[group] += 1 + usize::from(keep.alone));
}

/// The points within so many steps of those, themselves left out, over points that `open` lets through; a chain counts as one step.
pub(super) fn reach(frame: &Frame, from: &[usize], far: usize, open: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen: Set = from.iter().copied().collect();
    let mut found = Vec::with_capacity(from.len() + 16);
    found.extend_from_slice(from);
    let mut start = 0;
    for _ in 0..far {
        let end = found.len();
        for i in start..end {
            for &n in &frame.near[found[i]] {
                if seen.contains(n) {
                    continue;
                }
                let chain = frame.chain[n];
                let all = if chain == NONE { std::slice::from_ref(&n) } else { &frame.chains[chain].stones };
                for &p in all {
                    if !seen.contains(p) && open(p) {
                        seen.insert(p);
                        found.push(p);
                    }
                }
            }
        }
        if end == found.len() {
            break;
        }
        start = end;
    }
    found.drain(..from.len());
    found
}
