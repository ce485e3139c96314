//! Which chains of a colour the opponent, moving second, certainly takes.

use super::alive::{Alive, Keep, reach};
use super::frame::{Frame, NONE};
use super::solver::{Goal, Solver};
use super::zone::{Cut, Zone};

/// Positions looked at for one chain in a zone that walls close, and in one that is open.
const CLOSED_NODES: u32 = 3_000;
const OPEN_NODES: u32 = 400;

/// The chains that the owner of `keeper` certainly takes, as far as is proved, `skip` left out.
pub(super) fn dead(
    frame: &Frame,
    keeper: &Alive,
    skip: &[bool],
    solver: &mut Solver,
    suicide: bool,
) -> Vec<usize> {
    let mut order: Vec<usize> = frame.chains_of(keeper.color.opposite()).filter(|&c| !skip[c]).collect();
    order.sort_by_key(|&c| (frame.chains[c].liberties.len(), c));
    let reader = Reader { frame, keeper, suicide };
    order.retain(|&chain| reader.is_taken(chain, solver));
    order
}

struct Reader<'a> {
    frame: &'a Frame,
    keeper: &'a Alive,
    suicide: bool,
}

impl Reader<'_> {
    /// Whether the chain is taken in some zone around it. Zones that keep groups alive and that it touches become part of it,
    /// and still keep them alive.
    fn is_taken(&self, chain: usize, solver: &mut Solver) -> bool {
        let mut before = 0;
        for far in [1, 2, 3, 6] {
            let (places, keeps) = self.around(chain, far);
            if places.len() == before {
                return false;
            }
            before = places.len();
            let stones = &self.frame.chains[chain].stones;
            let (needed, given_up): (Vec<&Keep>, Vec<&Keep>) =
                keeps.iter().copied().partition(|k| !self.may_give_up(k));
            for (needed, given_up) in [(&needed, &given_up[..]), (&keeps, &[])] {
                let Some((zone, goal)) = self.zone(stones, &places, needed, given_up) else { return false };
                let nodes = if zone.local.foe == 0 { CLOSED_NODES } else { OPEN_NODES };
                if solver.proves(&zone, goal, nodes) {
                    return true;
                }
                if given_up.is_empty() {
                    break;
                }
            }
        }
        false
    }

    /// Whether nothing else needs the chains that this zone keeps alive, so that they may be sacrificed.
    fn may_give_up(&self, keep: &Keep) -> bool {
        let group = &self.keeper.group;
        let alone =
            |c: usize| self.frame.chains_of(self.keeper.color).all(|o| o == c || group[o] != group[c]);
        let needed = |c: &usize| self.keeper.keeps.iter().any(|k| k.walls.contains(c));
        keep.alone && keep.served.iter().all(|c| alone(*c) && !needed(c))
    }

    /// The points so far from a chain at most, and itself, with all of the zones among them that keep different groups alive.
    fn around(&self, chain: usize, far: usize) -> (Vec<usize>, Vec<&Keep>) {
        let stones = &self.frame.chains[chain].stones;
        let mut keeps: Vec<&Keep> = Vec::new();
        let keep_of = |p: usize| self.keeper.keeps.iter().find(|k| k.places.contains(&p));
        let may_join = |keep: &Keep, keeps: &[&Keep]| {
            let group = |c: &usize| self.keeper.group[*c];
            let groups: Vec<usize> = keeps.iter().flat_map(|k| &k.served).map(group).collect();
            !keep.served.iter().any(|c| groups.contains(&group(c)))
        };
        // First those that it stands in, then the nearest.
        let near = stones.iter().copied().chain(reach(self.frame, stones, far, |p| self.is_open(p)));
        for place in near {
            if let Some(keep) = keep_of(place)
                && !keeps.iter().any(|k| std::ptr::eq(*k, keep))
                && may_join(keep, &keeps)
            {
                keeps.push(keep);
            }
        }
        let joined = |p: usize| keeps.iter().any(|k| k.places.contains(&p));
        let open = |p: usize| self.is_open(p) && (!self.keeper.used[p] || joined(p));
        let mut places = reach(self.frame, stones, far, open);
        places.extend(stones.iter().copied().filter(|&p| open(p)));
        places.extend(keeps.iter().flat_map(|k| &k.places));
        places.sort_unstable();
        places.dedup();
        (places, keeps)
    }

    /// Whether no living chain of the keeper's is there.
    fn is_open(&self, place: usize) -> bool {
        let there = self.frame.chain[place];
        there == NONE || !self.keeper.safe[there]
    }

    fn zone(
        &self,
        stones: &[usize],
        places: &[usize],
        keeps: &[&Keep],
        given_up: &[&Keep],
    ) -> Option<(Zone, Goal)> {
        let alone = keeps.iter().filter(|k| k.alone);
        let guard: Vec<usize> = alone.flat_map(|k| k.served.iter().copied()).collect();
        // A group that is kept by this zone alone is no wall of it.
        let mut safe = self.keeper.safe.clone();
        guard.iter().for_each(|&c| safe[c] = false);
        let mut places = places.to_vec();
        for &chain in given_up.iter().flat_map(|k| &k.served) {
            safe[chain] = false;
            places.extend(&self.frame.chains[chain].stones);
        }
        let (frame, keeper, suicide) = (self.frame, self.keeper.color, self.suicide);
        let zone = Cut { frame, keeper, safe: &safe, guard: &guard, suicide }.zone(&places)?;
        let mut goal = Goal { target: zone.nodes(stones), guard: zone.guard, ..Goal::default() };
        let served: Vec<usize> =
            keeps.iter().filter(|k| !k.alone).flat_map(|k| k.served.iter().copied()).collect();
        if served.len() > goal.eyes.len() || goal.target.count_ones() as usize != stones.len() {
            return None;
        }
        for (eye, chain) in goal.eyes.iter_mut().zip(served) {
            *eye = zone.beside(frame, |c| self.keeper.group[c] == self.keeper.group[chain]);
        }
        Some((zone, goal))
    }
}
