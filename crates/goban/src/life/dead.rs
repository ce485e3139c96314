//! Which chains of a colour the opponent, moving second, certainly takes.

use super::alive::{Alive, reach};
use super::frame::{Frame, NONE};
use super::solver::{Goal, Solver};
use super::zone::Cut;

/// Positions looked at for one chain in one zone.
const CHAIN_NODES: u32 = 2_000;
/// For a chain in the zone that keeps a group of the opponent's alive.
const JOINT_NODES: u32 = 2_000;

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
    order.retain(|&chain| reader.is_taken(chain, solver) || reader.is_taken_in_a_keep(chain, solver));
    order
}

struct Reader<'a> {
    frame: &'a Frame,
    keeper: &'a Alive,
    suicide: bool,
}

impl Reader<'_> {
    fn cut<'b>(&'b self, guard: &'b [usize]) -> Cut<'b> {
        let (frame, keeper) = (self.frame, self.keeper);
        Cut { frame, keeper: keeper.color, safe: &keeper.safe, guard, suicide: self.suicide }
    }

    /// Whether the chain is taken in some zone around it that keeps no group alive.
    fn is_taken(&self, chain: usize, solver: &mut Solver) -> bool {
        let stones = &self.frame.chains[chain].stones;
        let mut size = 0;
        for far in 1..=6 {
            let open = |p: usize| {
                let there = self.frame.chain[p];
                !self.keeper.used[p] && (there == NONE || !self.keeper.safe[there])
            };
            let mut places = reach(self.frame, stones, far, open);
            if places.len() == size {
                return false;
            }
            size = places.len();
            places.extend(stones);
            let Some(zone) = self.cut(&[]).zone(&places) else { return false };
            let target = zone.nodes(stones);
            if target & zone.local.foe != 0 {
                return false;
            }
            let goal = Goal { target, ..Goal::default() };
            if solver.proves(&zone.local, goal, zone.state, CHAIN_NODES) {
                return true;
            }
        }
        false
    }

    /// Whether the chain lies in a zone that keeps a group alive, and is taken there while the group stays alive.
    fn is_taken_in_a_keep(&self, chain: usize, solver: &mut Solver) -> bool {
        let stones = &self.frame.chains[chain].stones;
        let Some(keep) = self.keeper.keeps.iter().find(|k| stones.iter().all(|s| k.places.contains(s)))
        else {
            return false;
        };
        let guard = if keep.alone { &keep.served[..] } else { &[] };
        // A group that is kept by this zone is no wall of it.
        let mut safe = self.keeper.safe.clone();
        guard.iter().for_each(|&c| safe[c] = false);
        let cut = Cut { safe: &safe, ..self.cut(guard) };
        let Some(zone) = cut.zone(&keep.places) else { return false };
        let target = zone.nodes(stones);
        let mut goal = Goal { target, guard: zone.guard, ..Goal::default() };
        if !keep.alone {
            for (eye, &chain) in goal.eyes.iter_mut().zip(&keep.served) {
                *eye = zone.beside(self.frame, |c| self.keeper.group[c] == self.keeper.group[chain]);
            }
        }
        solver.proves(&zone.local, goal, zone.state, JOINT_NODES)
    }
}
