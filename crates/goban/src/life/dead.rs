//! Which chains of a colour the opponent, moving second, certainly takes.
//!
//! What is claimed is claimed together: the parts of the board in which chains are taken have no point in common, or else their chains
//! are shown to be taken in one search, since a move that threatens to save two chains at once may save one of them.

use super::alive::{Alive, Keep, reach};
use super::frame::{Frame, NONE};
use super::solver::{Goal, Solver};
use super::zone::{Cut, Zone};

/// Positions looked at for one chain in a zone that walls close, and in one that is open.
const CLOSED_NODES: u32 = 2_500;
const OPEN_NODES: u32 = 400;

/// Chains that are taken by answers in one part of the board.
pub(super) struct Claim {
    /// The chains.
    pub(super) chains: Vec<usize>,
    /// The part, ascending.
    pub(super) places: Vec<usize>,
    /// The keeper's chains that it relies on as walls, and those that may be lost in it.
    walls: Vec<usize>,
    given_up: Vec<usize>,
}

impl Claim {
    /// Whether some of those places, ascending, are in the part.
    pub(super) fn meets(&self, places: &[usize]) -> bool {
        places.iter().any(|place| self.places.binary_search(place).is_ok())
    }
}

/// The chains that the owner of `keeper` certainly takes, as far as is proved, `skip` left out.
pub(super) fn dead(
    frame: &Frame,
    keeper: &Alive,
    skip: &[bool],
    solver: &mut Solver,
    suicide: bool,
) -> Vec<Claim> {
    let mut order: Vec<usize> = frame.chains_of(keeper.color.opposite()).filter(|&c| !skip[c]).collect();
    order.sort_by_key(|&c| (frame.chains[c].liberties.len(), c));
    let mut keep_at = vec![None; frame.stones.len()];
    for keep in keeper.keeps.iter().rev() {
        keep.places.iter().for_each(|&place| keep_at[place] = Some(keep));
    }
    let mut reader = Reader { frame, keeper, suicide, keep_at, claims: Vec::new() };
    for chain in order {
        if !reader.claims.iter().any(|claim| claim.chains.contains(&chain)) {
            reader.take(chain, solver);
        }
    }
    reader.claims
}

struct Reader<'a> {
    frame: &'a Frame,
    keeper: &'a Alive,
    suicide: bool,
    /// The zone that keeps groups alive and that a point is in.
    keep_at: Vec<Option<&'a Keep>>,
    claims: Vec<Claim>,
}

/// Points to read in, and the zones among them that keep groups alive.
type Scope<'a> = (Vec<usize>, Vec<&'a Keep>);

impl<'a> Reader<'a> {
    /// Claims the chain when it is taken in some zone around it. Zones that keep groups alive and that it touches become
    /// part of it, and still keep them alive; and so do the parts of claims that it meets.
    fn take(&mut self, chain: usize, solver: &mut Solver) {
        let mut before = Vec::new();
        for far in [1, 2, 3, 6] {
            let Some((chains, (places, keeps))) = self.together(chain, far) else { return };
            if places == before {
                return;
            }
            let given_up: Vec<&Keep> = keeps.iter().copied().filter(|keep| self.may_give_up(keep)).collect();
            let kept: Vec<&Keep> =
                keeps.iter().copied().filter(|k| !given_up.iter().any(|g| std::ptr::eq(*k, *g))).collect();
            let claim = self.claim(&chains, &places, (&kept, &given_up), solver).or_else(|| {
                if given_up.is_empty() { None } else { self.claim(&chains, &places, (&keeps, &[]), solver) }
            });
            if let Some(claim) = claim {
                self.claims.retain(|old| !old.chains.iter().any(|c| claim.chains.contains(c)));
                self.claims.push(claim);
                return;
            }
            before = places;
        }
    }

    /// The claim that those chains are taken there, if it is proved and no other claim stands against it.
    fn claim(
        &self,
        chains: &[usize],
        places: &[usize],
        (kept, given_up): (&[&Keep], &[&Keep]),
        solver: &mut Solver,
    ) -> Option<Claim> {
        let given_up: Vec<usize> = given_up.iter().flat_map(|k| k.served.iter().copied()).collect();
        let (zone, goal) = self.zone(chains, places, kept, &given_up)?;
        // Without a wall nothing can be shut in.
        if zone.local.friend == 0 && zone.guard == 0 {
            return None;
        }
        let meet = |some: &[usize], others: &[usize]| some.iter().any(|c| others.contains(c));
        let contrary = |c: &Claim| meet(&c.walls, &given_up) || meet(&c.given_up, &zone.walls);
        let nodes = if zone.local.foe == 0 { CLOSED_NODES } else { OPEN_NODES };
        if self.claims.iter().any(contrary) || !solver.proves(&zone, goal, nodes) {
            return None;
        }
        Some(Claim { chains: chains.to_vec(), places: places.to_vec(), walls: zone.walls, given_up })
    }

    /// Whether nothing else needs the chains that this zone keeps alive, so that they may be sacrificed: then no stone of the
    /// owner's may come to live where they stood.
    fn may_give_up(&self, keep: &Keep) -> bool {
        let group = &self.keeper.group;
        let alone =
            |c: usize| self.frame.chains_of(self.keeper.color).all(|o| o == c || group[o] != group[c]);
        let needed = |c: &usize| self.keeper.keeps.iter().any(|k| k.walls.contains(c));
        keep.alone && keep.served.iter().all(|c| alone(*c) && !needed(c))
    }

    /// The points so far from a chain at most, with the chains of all claims that they meet.
    fn together(&self, chain: usize, far: usize) -> Option<(Vec<usize>, Scope<'a>)> {
        let mut chains = vec![chain];
        let mut places = Vec::new();
        loop {
            let scope = self.around(&chains, &places, far)?;
            let (old, new): (Vec<&Claim>, Vec<&Claim>) = self
                .claims
                .iter()
                .filter(|claim| claim.meets(&scope.0))
                .partition(|claim| claim.chains.iter().all(|c| chains.contains(c)));
            debug_assert!(old.iter().all(|claim| claim.places.iter().all(|p| scope.0.contains(p))));
            if new.is_empty() {
                return Some((chains, scope));
            }
            for claim in new {
                chains.extend(&claim.chains);
                places.extend(&claim.places);
            }
        }
    }

    /// Those points and the ones so far from the first of the chains at most, with all of the zones among them that keep different groups
    /// alive; nothing when one of those points is in a zone that must be left out.
    fn around(&self, chains: &[usize], base: &[usize], far: usize) -> Option<Scope<'a>> {
        let stones: Vec<usize> =
            chains.iter().flat_map(|&c| self.frame.chains[c].stones.iter().copied()).collect();
        let first = &self.frame.chains[chains[0]].stones;
        let mut keeps: Vec<&Keep> = Vec::new();
        let may_join = |keep: &Keep, keeps: &[&Keep]| {
            let group = |c: &usize| self.keeper.group[*c];
            let groups: Vec<usize> = keeps.iter().flat_map(|k| &k.served).map(group).collect();
            !keep.served.iter().any(|c| groups.contains(&group(c)))
        };
        // First those that the chains stand in, then the nearest.
        let near =
            base.iter().chain(&stones).copied().chain(reach(self.frame, first, far, |p| self.is_open(p)));
        for place in near {
            if let Some(keep) = self.keep_at[place]
                && !keeps.iter().any(|k| std::ptr::eq(*k, keep))
                && may_join(keep, &keeps)
            {
                keeps.push(keep);
            }
        }
        let joined = |p: usize| self.keep_at[p].is_some_and(|at| keeps.iter().any(|k| std::ptr::eq(*k, at)));
        let open = |p: usize| self.is_open(p) && (!self.keeper.used[p] || joined(p));
        if !base.iter().all(|&p| open(p)) {
            return None;
        }
        let mut places = reach(self.frame, first, far, open);
        places.extend(stones.iter().copied().filter(|&p| open(p)));
        places.extend(keeps.iter().flat_map(|k| &k.places));
        places.extend(base);
        places.sort_unstable();
        places.dedup();
        Some((places, keeps))
    }

    /// Whether no living chain of the keeper's is there.
    fn is_open(&self, place: usize) -> bool {
        let there = self.frame.chain[place];
        there == NONE || !self.keeper.safe[there]
    }

    fn zone(
        &self,
        chains: &[usize],
        places: &[usize],
        keeps: &[&Keep],
        given_up: &[usize],
    ) -> Option<(Zone, Goal)> {
        let (frame, keeper, suicide) = (self.frame, self.keeper.color, self.suicide);
        let guard: Vec<usize> =
            keeps.iter().filter(|k| k.alone).flat_map(|k| k.served.iter().copied()).collect();
        // A group that is kept by this zone alone is no wall of it.
        let mut safe = self.keeper.safe.clone();
        guard.iter().chain(given_up).for_each(|&c| safe[c] = false);
        let stones = |chains: &[usize]| -> Vec<usize> {
            chains.iter().flat_map(|&c| frame.chains[c].stones.iter().copied()).collect()
        };
        let target = stones(&[chains, given_up].concat());
        let all = [places, &stones(given_up)].concat();
        let zone = Cut { frame, keeper, safe: &safe, guard: &guard, suicide }.zone(&all)?;
        let mut goal = Goal { target: zone.nodes(&target), guard: zone.guard, ..Goal::default() };
        let served: Vec<usize> =
            keeps.iter().filter(|k| !k.alone).flat_map(|k| k.served.iter().copied()).collect();
        if served.len() > goal.eyes.len() || goal.target.count_ones() as usize != target.len() {
            return None;
        }
        for (eye, chain) in goal.eyes.iter_mut().zip(served) {
            *eye = zone.beside(frame, |c| self.keeper.group[c] == self.keeper.group[chain]);
        }
        Some((zone, goal))
    }
}
