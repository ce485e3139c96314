//! Looks for eyes in small windows of the board.

use super::alive::{Builder, Keep, reach};
use super::frame::NONE;
use super::solver::{Goal, SERVED};
use super::zone::Zone;
use crate::set::Set;

/// Positions looked at for the eyes in one window.
const EYE_NODES: u32 = 120;

/// Of a chain that may be taken, and of the zone around it.
const MOST_STONES: usize = 10;
const MOST_POINTS: usize = 18;

/// Columns and rows of the windows.
const WINDOWS: [(usize, usize); 7] = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)];

/// Points of the largest of them.
const LARGEST: usize = 9;

impl Builder<'_> {
    /// Zones with an eye for chains that need some, small ones and those without stones in them first, where something is new
    /// since the last time.
    pub(super) fn find_eyes(&mut self) {
        for with_stones in [false, true] {
            if with_stones {
                self.find_eyes_by_capture();
            }
            for window in WINDOWS {
                let needy: Vec<usize> = self.chains().filter(|&c| self.needs_eyes(c)).collect();
                for corner in self.corners(&needy, window).iter() {
                    if let Some(places) = self.window(corner, window, with_stones)
                        && let Some(keep) = self.eye(&places)
                    {
                        self.keep(keep);
                    }
                }
            }
        }
        self.news.fill(false);
    }

    /// Zones around chains of the owner's, whose capture may give an eye.
    fn find_eyes_by_capture(&mut self) {
        for target in self.frame.chains_of(self.alive.color.opposite()) {
            let stones = &self.frame.chains[target].stones;
            let near = stones.iter().flat_map(|&p| &self.frame.near[p]);
            if stones.len() > MOST_STONES || !near.into_iter().any(|&p| self.news[p]) {
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
                if let Some(keep) = self.eye(&places) {
                    self.keep(keep);
                    break;
                }
            }
        }
    }

    /// The first places of the windows of one shape that hold a liberty of those chains.
    fn corners(&self, chains: &[usize], (wide, high): (usize, usize)) -> Set {
        let (columns, rows) = (self.frame.columns, self.frame.rows);
        let mut corners = Set::default();
        if wide > columns || high > rows {
            return corners;
        }
        for &liberty in chains.iter().flat_map(|&c| &self.frame.chains[c].liberties) {
            let (column, row) = (liberty % columns, liberty / columns);
            for r in (row + 1).saturating_sub(high)..=row.min(rows - high) {
                for c in (column + 1).saturating_sub(wide)..=column.min(columns - wide) {
                    corners.insert(r * columns + c);
                }
            }
        }
        corners
    }

    /// The points of a window without living chains; `None` when some are in use, nothing is new, there are stones or not, otherwise than
    /// asked for, or the owner can leave no point that is shut off from outside, without which there is no eye.
    fn window(&self, corner: usize, (wide, high): (usize, usize), with_stones: bool) -> Option<Vec<usize>> {
        let mut all = [0; LARGEST];
        let (mut count, mut stones, mut is_new) = (0, false, false);
        for row in 0..high {
            let first = corner + row * self.frame.columns;
            for place in first..first + wide {
                if self.alive.used[place] {
                    return None;
                }
                is_new |= self.news[place];
                stones |= self.frame.chain[place] != NONE && !self.is_safe(place);
                all[count] = place;
                count += 1;
            }
        }
        if !is_new || stones != with_stones {
            return None;
        }
        let all = &all[..count];
        let is_inner = |p: usize| self.frame.near[p].iter().all(|n| all.contains(n) || self.is_safe(*n));
        let mut places = Vec::with_capacity(count);
        let open = || all.iter().copied().filter(|&p| !self.is_safe(p));
        places.extend(open().filter(|&p| is_inner(p)));
        let inner = places.len();
        if inner == 0 {
            return None;
        }
        for place in open() {
            if !places[..inner].contains(&place) {
                places.push(place);
            }
        }
        // A stone of the owner's at the border stays there, and what is beside it is no eye.
        let (inner, border) = places.split_at(inner);
        let spoils = |b: usize| inner.iter().all(|p| self.frame.near[b].contains(p));
        let spoiled = border.iter().any(|&b| self.frame.chain[b] == NONE && spoils(b));
        (!spoiled).then_some(places)
    }

    /// Whether a living chain is there.
    fn is_safe(&self, place: usize) -> bool {
        let chain = self.frame.chain[place];
        chain != NONE && self.alive.safe[chain]
    }

    /// A zone of those points that gives an eye to all the groups beside it that need one, or to the first.
    fn eye(&mut self, places: &[usize]) -> Option<Keep> {
        let around = places.iter().flat_map(|&p| &self.frame.near[p]).map(|&n| self.frame.chain[n]);
        let mut near: Vec<usize> = around.filter(|c| *c != NONE && self.needs_eyes(*c)).collect();
        if near.is_empty() {
            return None;
        }
        near.sort_unstable();
        near.dedup();
        let zone = self.cut(&[]).zone(places)?;
        let empty = zone.local.empty(zone.state);
        // The first chain of each group, with its liberties there.
        let mut served: Vec<(usize, u64)> = Vec::new();
        for chain in near {
            let known = served.iter().any(|&(c, _)| self.alive.group[c] == self.alive.group[chain]);
            let beside = if known { 0 } else { self.beside(&zone, chain) };
            if beside & empty != 0 {
                served.push((chain, beside));
            }
        }
        // Those with the most liberties there first.
        served.sort_by_key(|&(chain, beside)| (u32::MAX - beside.count_ones(), chain));
        served.truncate(SERVED);
        // What gives no eye to the first gives none to all of them.
        let mut proved = 0;
        for count in [1, served.len()] {
            let mut goal = Goal::default();
            for (eye, &(_, beside)) in goal.eyes.iter_mut().zip(served.iter().take(count)) {
                *eye = beside;
            }
            if proved == served.len() || !self.solver.proves(&zone, goal, EYE_NODES) {
                break;
            }
            proved = count;
        }
        served.truncate(proved);
        let Zone { places, walls, .. } = zone;
        let served: Vec<usize> = served.into_iter().map(|(chain, _)| chain).collect();
        (proved > 0).then_some(Keep { places, walls, served, alone: false })
    }

    /// The nodes of a zone beside the group of that chain.
    fn beside(&self, zone: &Zone, chain: usize) -> u64 {
        let group = &self.alive.group;
        zone.beside(self.frame, |c| group[c] == group[chain])
    }
}
