//! Looks for eyes in small windows of the board.

use super::alive::{Builder, Keep, reach};
use super::frame::NONE;
use super::solver::{Goal, SERVED};
use super::zone::Zone;

/// Positions looked at for the eyes in one window.
const EYE_NODES: u32 = 120;

/// Of a chain that may be taken, and of the zone around it.
const MOST_STONES: usize = 10;
const MOST_POINTS: usize = 18;

/// Columns and rows of the windows.
const WINDOWS: [(usize, usize); 11] =
    [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2)];

impl Builder<'_> {
    /// Zones with an eye for chains that need some and are `wanted`, small ones and those without stones in them first.
    pub(super) fn find_eyes(&mut self, wanted: impl Fn(usize) -> bool) {
        for with_stones in [false, true] {
            if with_stones {
                self.find_eyes_by_capture(&wanted);
            }
            for window in WINDOWS {
                let needy: Vec<usize> = self.chains().filter(|&c| wanted(c) && self.needs_eyes(c)).collect();
                for places in self.windows(&needy, window) {
                    let has_stones = places.iter().any(|&p| self.frame.chain[p] != NONE);
                    if has_stones == with_stones && !places.iter().any(|&p| self.alive.used[p]) {
                        if let Some(keep) = self.eye(&places, &needy) {
                            self.keep(keep);
                        }
                    }
                }
            }
        }
    }

    /// Zones around chains of the owner's, whose capture may give an eye.
    fn find_eyes_by_capture(&mut self, wanted: impl Fn(usize) -> bool) {
        let needy: Vec<usize> = self.chains().filter(|&c| wanted(c) && self.needs_eyes(c)).collect();
        for target in self.frame.chains_of(self.alive.color.opposite()) {
            let stones = &self.frame.chains[target].stones;
            if stones.len() > MOST_STONES {
                continue;
            }
            for far in 1..=2 {
                let mut places = reach(self.frame, stones, far, |p| {
                    let there = self.frame.chain[p];
                    !self.alive.used[p] && (there == NONE || !self.alive.safe[there])
                });
                if places.is_empty() || places.len() + stones.len() > MOST_POINTS {
                    break;
                }
                places.extend(stones.iter().filter(|&&p| !self.alive.used[p]));
                if let Some(keep) = self.eye(&places, &needy) {
                    self.keep(keep);
                    break;
                }
            }
        }
    }

    /// The windows of one shape that hold a liberty of those chains, as their points without living chains.
    fn windows(&self, chains: &[usize], (wide, high): (usize, usize)) -> Vec<Vec<usize>> {
        let (columns, rows) = (self.frame.columns, self.frame.rows);
        let mut corners = Vec::new();
        for &liberty in chains.iter().flat_map(|&c| &self.frame.chains[c].liberties) {
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

    /// A zone of those points that gives an eye to all the groups beside it that need one, or to the first.
    fn eye(&mut self, places: &[usize], needy: &[usize]) -> Option<Keep> {
        let open = |&p: &usize| {
            let outside = |n: usize| self.frame.chain[n] == NONE || !self.alive.safe[self.frame.chain[n]];
            self.frame.near[p].iter().all(|&n| places.contains(&n) || !outside(n))
        };
        // Without a point that is shut off from outside there is no eye.
        if !places.iter().any(open) {
            return None;
        }
        let zone = self.cut(&[]).zone(places)?;
        let around = places.iter().flat_map(|&p| &self.frame.near[p]).map(|&n| self.frame.chain[n]);
        let mut near: Vec<usize> = around.filter(|c| *c != NONE && needy.contains(c)).collect();
        near.sort_unstable();
        near.dedup();
        let mut served: Vec<usize> = Vec::new();
        for chain in near {
            let known = served.iter().any(|&c| self.alive.group[c] == self.alive.group[chain]);
            if !known
                && self.needs_eyes(chain)
                && self.beside(&zone, chain) & zone.local.empty(zone.state) != 0
            {
                served.push(chain);
            }
        }
        // Those with the most liberties there first.
        served.sort_by_key(|&c| (u32::MAX - self.beside(&zone, c).count_ones(), c));
        served.truncate(SERVED);
        while !served.is_empty() {
            let mut goal = Goal::default();
            for (eye, &chain) in goal.eyes.iter_mut().zip(&served) {
                *eye = self.beside(&zone, chain);
            }
            if self.solver.proves(&zone.local, goal, zone.state, EYE_NODES) {
                let Zone { places, walls, .. } = zone;
                return Some(Keep { places, walls, served, alone: false });
            }
            served.truncate(if served.len() > 1 { 1 } else { 0 });
        }
        None
    }

    /// The nodes of a zone beside the group of that chain.
    fn beside(&self, zone: &Zone, chain: usize) -> u64 {
        let group = &self.alive.group;
        zone.beside(self.frame, |c| group[c] == group[chain])
    }
}
