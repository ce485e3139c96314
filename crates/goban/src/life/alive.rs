//! Which groups of a colour live when the opponent moves first and each move is answered.
//!
//! The board is divided into zones, no two of which share a point. Whatever the opponent plays in a zone is answered in that
//! zone, by what a search found; whatever is played elsewhere needs no answer. A group lives by two zones in each of which
//! it has a liberty whenever the opponent is to move: one move takes one of them at most. Or it lives by one zone in which it
//! is never taken. That all these groups live is shown together, move by move, so each may count on the others' chains as walls.
//! (M. Müller, "Playing it safe: recognizing secure territories in computer Go by using static rules and search", 1997, for a plan
//! of this kind.)

use super::frame::{Frame, NONE};
use super::groups::Groups;
use super::solver::{Goal, Solver};
use super::zone::{Cut, Zone};
use crate::Color;

/// Positions looked at for an eye in one zone, and for the life of a group in one.
const EYE_NODES: u32 = 250;
const LIFE_NODES: u32 = 1_500;
/// All zones of one group together.
const GROUP_NODES: u32 = 4_000;

/// A zone that keeps a group alive.
pub(super) struct Keep {
    /// Its points.
    pub(super) places: Vec<usize>,
    /// The chains that it relies on as walls.
    walls: Vec<usize>,
    /// The group that it keeps, and whether it does so alone.
    pub(super) group: usize,
    pub(super) alone: bool,
}

/// The living groups of one colour.
pub(super) struct Alive {
    pub(super) color: Color,
    /// For each chain, whether it lives.
    pub(super) safe: Vec<bool>,
    /// Points that some zone or pair needs.
    pub(super) used: Vec<bool>,
    pub(super) groups: Groups,
    pub(super) keeps: Vec<Keep>,
}

/// Columns and rows of the windows in which an eye is looked for.
const WINDOWS: [(usize, usize); 11] =
    [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2)];

struct Builder<'a> {
    frame: &'a Frame,
    solver: &'a mut Solver,
    suicide: bool,
    alive: Alive,
    /// Whether each group is a pass-alive one.
    pass_alive: Vec<bool>,
    /// Stones of each group.
    weight: Vec<usize>,
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
    let mut groups = Groups::of(frame, color, &stands);
    // What holds a pass-alive chain is left as it is.
    for (place, held) in groups.links.iter_mut().enumerate() {
        *held |= pass_alive[place] == Some(color) && frame.stones[place] != Some(color);
    }
    let used = groups.links.clone();
    let pass_alive = groups.chains.iter().map(|g| g.iter().any(|&c| stands[c])).collect();
    let weight =
        groups.chains.iter().map(|g| g.iter().map(|&c| frame.chains[c].stones.len()).sum()).collect();
    let alive = Alive { color, safe: stands, used, groups, keeps: Vec::new() };
    let mut builder = Builder { frame, solver, suicide, alive, pass_alive, weight };
    builder.together();
    builder.one_by_one();
    builder.alive
}

impl Builder<'_> {
    fn count(&self) -> usize {
        self.alive.groups.chains.len()
    }

    fn set(&mut self, group: usize, safe: bool) {
        for &chain in &self.alive.groups.chains[group] {
            self.alive.safe[chain] = safe;
        }
    }

    fn is_safe(&self, group: usize) -> bool {
        self.alive.groups.chains[group].iter().all(|&c| self.alive.safe[c])
    }

    /// Takes all groups of some size for alive, and drops those that are not, until the rest bear each other out.
    fn together(&mut self) {
        let mut order: Vec<usize> = (0..self.count()).collect();
        order.sort_by_key(|&g| (usize::MAX - self.weight[g], g));
        for &group in &order {
            if self.pass_alive[group] || self.weight[group] >= 4 {
                self.set(group, true);
            }
        }
        loop {
            let mut dropped = false;
            for &group in &order {
                let settled = self.pass_alive[group] || !self.is_safe(group) || self.has_keeps(group);
                if !settled && !self.find_eyes(group) {
                    self.set(group, false);
                    dropped = true;
                }
            }
            if !dropped {
                return;
            }
            self.release();
        }
    }

    fn has_keeps(&self, group: usize) -> bool {
        self.alive.keeps.iter().any(|k| k.group == group)
    }

    /// Gives up zones of groups that are not alive, or rely on chains that are not.
    fn release(&mut self) {
        let alive = &mut self.alive;
        let (safe, chains) = (&alive.safe, &alive.groups.chains);
        let broken: Vec<usize> = alive
            .keeps
            .iter()
            .filter(|k| !k.walls.iter().chain(&chains[k.group]).all(|&c| safe[c]))
            .map(|k| k.group)
            .collect();
        alive.keeps.retain(|k| !broken.contains(&k.group));
        alive.used.clone_from(&alive.groups.links);
        for &place in alive.keeps.iter().flat_map(|k| &k.places) {
            alive.used[place] = true;
        }
    }

    /// Two zones with a liberty each for the group; kept when found.
    fn find_eyes(&mut self, group: usize) -> bool {
        let before = self.alive.keeps.len();
        let mut left = GROUP_NODES;
        for with_stones in [false, true] {
            for window in WINDOWS {
                for places in self.windows(group, window) {
                    let stones = places.iter().filter(|&&p| self.frame.chain[p] != NONE);
                    let has_stones = stones.filter(|&&p| !self.alive.safe[self.frame.chain[p]]).count() > 0;
                    if has_stones != with_stones || places.iter().any(|&p| self.alive.used[p]) {
                        continue;
                    }
                    if let Some(keep) = self.eye(group, &places, &mut left) {
                        self.keep(keep);
                        if self.alive.keeps.len() == before + 2 {
                            return true;
                        }
                    }
                }
            }
        }
        for keep in self.alive.keeps.drain(before..) {
            for place in keep.places {
                self.alive.used[place] = false;
            }
        }
        false
    }

    fn keep(&mut self, keep: Keep) {
        for &place in &keep.places {
            self.alive.used[place] = true;
        }
        self.alive.keeps.push(keep);
    }

    /// The windows of one shape that hold a liberty of the group, as their points without living chains.
    fn windows(&self, group: usize, (wide, high): (usize, usize)) -> Vec<Vec<usize>> {
        let (columns, rows) = (self.frame.columns, self.frame.rows);
        let mut corners = Vec::new();
        for &liberty in self.alive.groups.chains[group].iter().flat_map(|&c| &self.frame.chains[c].liberties)
        {
            let (column, row) = (liberty % columns, liberty / columns);
            for r in (row + 1).saturating_sub(high)..=row {
                for c in (column + 1).saturating_sub(wide)..=column {
                    if c + wide <= columns && r + high <= rows {
                        corners.push((r, c));
                    }
                }
            }
        }
        corners.sort_unstable();
        corners.dedup();
        let free = |&p: &usize| self.frame.chain[p] == NONE || !self.alive.safe[self.frame.chain[p]];
        let points = |(r, c): (usize, usize)| {
            (r..r + high).flat_map(|r| (c..c + wide).map(move |c| r * columns + c)).filter(free).collect()
        };
        corners.into_iter().map(points).collect()
    }

    fn cut<'b>(&'b self, guard: &'b [usize]) -> Cut<'b> {
        Cut {
            frame: self.frame,
            keeper: self.alive.color,
            safe: &self.alive.safe,
            guard,
            suicide: self.suicide,
        }
    }

    fn eye(&mut self, group: usize, places: &[usize], left: &mut u32) -> Option<Keep> {
        let zone = self.cut(&[]).zone(places)?;
        let chains = &self.alive.groups.chains[group];
        let eye = zone.beside(self.frame, |c| chains.contains(&c));
        if eye & zone.local.empty(zone.state) == 0 {
            return None;
        }
        let before = self.solver.left;
        let goal = Goal { eye, ..Goal::default() };
        let proved = self.solver.proves(&zone.local, goal, zone.state, EYE_NODES.min(*left));
        *left -= (before - self.solver.left).min(*left);
        let Zone { places, walls, .. } = zone;
        proved.then_some(Keep { places, walls, group, alone: false })
    }

    /// More groups by what is alive now: two eyes, or life in one zone, until no more are found.
    fn one_by_one(&mut self) {
        loop {
            let mut found = false;
            for group in 0..self.count() {
                if !self.is_safe(group) && self.lives(group) {
                    self.set(group, true);
                    found = true;
                }
            }
            if !found {
                return;
            }
        }
    }

    fn lives(&mut self, group: usize) -> bool {
        if self.pass_alive[group] {
            return true;
        }
        for far in 1..=3 {
            let places = self.around(group, far);
            if places.len() > 20 {
                break;
            }
            let guard = self.alive.groups.chains[group].clone();
            let Some(zone) = self.cut(&guard).zone(&places) else { continue };
            let goal = Goal { guard: zone.guard, ..Goal::default() };
            if self.solver.proves(&zone.local, goal, zone.state, LIFE_NODES) {
                let Zone { places, walls, .. } = zone;
                self.keep(Keep { places, walls, group, alone: true });
                return true;
            }
        }
        self.set(group, true);
        let eyes = self.find_eyes(group);
        self.set(group, false);
        eyes
    }

    /// The points that are at most so far from the group, through what is neither alive nor in use.
    fn around(&self, group: usize, far: usize) -> Vec<usize> {
        let frame = self.frame;
        let own = &self.alive.groups.chains[group];
        let from: Vec<usize> = own.iter().flat_map(|&c| frame.chains[c].stones.iter().copied()).collect();
        reach(frame, &from, far, |p| {
            let chain = frame.chain[p];
            !self.alive.used[p] && (chain == NONE || !(self.alive.safe[chain] || own.contains(&chain)))
        })
    }
}

/// The points within so many steps of those, themselves left out, over points that `open` lets through; a chain counts as one step.
pub(super) fn reach(frame: &Frame, from: &[usize], far: usize, open: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen = vec![false; frame.stones.len()];
    from.iter().for_each(|&p| seen[p] = true);
    let mut edge = from.to_vec();
    let mut found = Vec::new();
    for _ in 0..far {
        let mut next = Vec::new();
        for &place in &edge {
            for &n in &frame.near[place] {
                let chain = frame.chain[n];
                let all =
                    if chain == NONE { std::slice::from_ref(&n) } else { &frame.chains[chain].stones[..] };
                for &p in all {
                    if !seen[p] && open(p) {
                        seen[p] = true;
                        next.push(p);
                    }
                }
            }
        }
        found.extend_from_slice(&next);
        edge = next;
    }
    found
}
