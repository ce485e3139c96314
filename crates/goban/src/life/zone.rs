//! Cuts a [`Local`] set out of the board.

use super::frame::{Frame, NONE};
use super::local::{Local, MOST, State};
use crate::set::Set;
use crate::{Color, MAX_SIDE};

/// A set of points of the board with what stands there.
pub(super) struct Zone {
    /// How it is played in.
    pub(super) local: Local,
    /// The stones in it.
    pub(super) state: State,
    /// The points, by node.
    pub(super) places: Vec<usize>,
    /// The nodes of the keeper's chains that were shrunk.
    pub(super) guard: u64,
    /// The uncapturable chains beside it.
    pub(super) walls: Vec<usize>,
}

/// What to cut out, and how.
pub(super) struct Cut<'a> {
    pub(super) frame: &'a Frame,
    pub(super) keeper: Color,
    /// For each chain, whether it is an uncapturable one of the keeper's.
    pub(super) safe: &'a [bool],
    /// Chains of the keeper's that become one node each.
    pub(super) guard: &'a [usize],
    pub(super) suicide: bool,
}

const FAR: u8 = u8::MAX;
/// Points of the largest board.
const AREA: usize = MAX_SIDE as usize * MAX_SIDE as usize;

impl Cut<'_> {
    /// The zone of those points; points of chains that become a node, or stand outside in part, are left out. `None`
    /// when it is too large.
    pub(super) fn zone(&self, places: &[usize]) -> Option<Zone> {
        let frame = self.frame;
        let free: Set = places.iter().copied().filter(|&p| self.is_free(p)).collect();
        let is_whole = |place: usize| match frame.chain[place] {
            NONE => true,
            chain if frame.chains[chain].color == self.keeper => {
                frame.chains[chain].stones.iter().all(|&s| free.contains(s))
            }
            _ => true,
        };
        let mut kept = free.to_vec();
        kept.retain(|&p| is_whole(p));
        if kept.len() + self.guard.len() > MOST || kept.is_empty() {
            return None;
        }
        let mut node_of = [FAR; AREA];
        for (node, &place) in (0..).zip(&kept) {
            node_of[place] = node;
        }
        for (node, &chain) in (kept.len()..).zip(self.guard) {
            let node = u8::try_from(node).ok()?;
            frame.chains[chain].stones.iter().for_each(|&stone| node_of[stone] = node);
        }
        Some(self.connect(kept, &node_of))
    }

    /// Whether a point can be in a zone on its own.
    fn is_free(&self, place: usize) -> bool {
        let chain = self.frame.chain[place];
        chain == NONE || !(self.safe[chain] || self.guard.contains(&chain))
    }

    fn connect(&self, places: Vec<usize>, node_of: &[u8; AREA]) -> Zone {
        let frame = self.frame;
        let nodes = places.len() + self.guard.len();
        let guard = (places.len()..nodes).fold(0, |set, node| set | 1_u64 << node);
        let mut local = Local { near: [0; 64], nodes, friend: 0, foe: 0, suicide: self.suicide };
        let mut state = State { keeper: guard, owner: 0 };
        let mut walls = Set::default();
        let shrunk = self.guard.iter().flat_map(|&c| &frame.chains[c].stones);
        for &place in places.iter().chain(shrunk) {
            let node = usize::from(node_of[place]);
            let bit = 1_u64 << node;
            match frame.stones[place] {
                Some(color) if color == self.keeper => state.keeper |= bit,
                Some(_) => state.owner |= bit,
                None => {}
            }
            for &n in &frame.near[place] {
                let chain = frame.chain[n];
                if node_of[n] != FAR {
                    local.near[node] |= 1 << node_of[n];
                } else if chain != NONE && self.safe[chain] {
                    local.friend |= bit;
                    walls.insert(chain);
                } else {
                    local.foe |= bit;
                }
            }
            local.near[node] &= !bit;
        }
        Zone { local, state, places, guard, walls: walls.to_vec() }
    }
}

impl Zone {
    /// The nodes of those points.
    pub(super) fn nodes(&self, points: &[usize]) -> u64 {
        let points: Set = points.iter().copied().collect();
        let mut nodes = 0;
        for (node, &place) in self.places.iter().enumerate() {
            nodes |= u64::from(points.contains(place)) << node;
        }
        nodes
    }

    /// The nodes beside one of those chains.
    pub(super) fn beside(&self, frame: &Frame, is_one: impl Fn(usize) -> bool) -> u64 {
        let touches = |place: usize| {
            frame.near[place].iter().any(|&n| frame.chain[n] != NONE && is_one(frame.chain[n]))
        };
        let mut nodes = 0;
        for (node, &place) in self.places.iter().enumerate() {
            nodes |= u64::from(touches(place)) << node;
        }
        nodes
    }
}
