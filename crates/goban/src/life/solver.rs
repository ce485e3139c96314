//! A depth-first search, deepened step by step, of what the keeper can enforce in a [`Local`] set when the owner moves first,
//! may pass at any time, and wins every ko.
//!
//! A success is a tree in which every move of the owner's has an answer, and whose depth falls with each answer; so a player who follows
//! remembered successes never comes back to a position, whatever the path on which they were found. A failure only says
//! that nothing was proved.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::hope;
use super::local::{Local, State, bits};
use super::zone::Zone;
use crate::set::Set;

/// What the keeper must reach: all that is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Goal {
    /// Nodes of owner's chains that must be taken, and on which no other stone of the owner's may come to live.
    /// Taking them is not enough, since what takes them may be taken in turn.
    pub(super) target: u64,
    /// The node of a keeper's chain that must not be taken.
    pub(super) guard: u64,
    /// For up to so many uncapturable groups of the keeper's, the nodes beside it: each must have a liberty in the set whenever the
    /// owner is to move.
    pub(super) eyes: [u64; SERVED],
}

/// Groups that one zone can keep an eye for.
pub(super) const SERVED: usize = 4;

/// How a position stands when the owner is to move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Won,
    Lost,
    Open,
}

impl Standing {
    const fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lost, _) | (_, Self::Lost) => Self::Lost,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Won, Self::Won) => Self::Won,
        }
    }
}

/// Both players together never make more moves than this in a line.
const LONGEST: usize = 48;

#[derive(Clone, Copy, Default)]
struct Entry {
    keeper: u64,
    owner: u64,
    /// Which search wrote this.
    search: u32,
    /// Depth to which it failed; [`WON`] when it succeeded.
    depth: u8,
    /// An answer that was good here.
    best: u8,
}

const WON: u8 = u8::MAX;
const NO_MOVE: u8 = u8::MAX;

/// A table that searches share, and the nodes that are left to all of them together.
pub(super) struct Solver {
    table: Vec<Entry>,
    search: u32,
    /// Positions that may still be looked at.
    left: u32,
    /// What came out of earlier searches, by all that they depend on.
    done: HashMap<Question, bool, BuildHasherDefault<Mixer>>,
    /// Searches for an eye of one group that failed, by the points and stones: with less help they fail too.
    failed: HashMap<(Set, State), Vec<Failed>, BuildHasherDefault<Mixer>>,
}

/// What a search for an eye had that failed.
struct Failed {
    friend: u64,
    foe: u64,
    eye: u64,
    nodes: u32,
}

/// All that a search depends on, on one board.
#[derive(PartialEq, Eq, Hash)]
struct Question {
    places: Set,
    friend: u64,
    foe: u64,
    state: State,
    goal: Goal,
    nodes: u32,
    /// The chains that were shrunk, by what is beside them.
    shrunk: Vec<u64>,
}

impl Failed {
    /// Whether a search in the same points with that goal can only fail too.
    fn had_no_less(&self, local: &Local, goal: Goal, nodes: u32) -> bool {
        let walls = local.friend & !self.friend == 0 && self.foe & !local.foe == 0;
        walls && nodes <= self.nodes && goal.eyes.iter().any(|&eye| eye != 0 && eye & !self.eye == 0)
    }
}

/// Hashes questions: they come from no enemy, so a multiplication for each word is enough.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// One search.
struct Search<'a> {
    solver: &'a mut Solver,
    local: &'a Local,
    goal: Goal,
    left: u32,
    path: Vec<State>,
    /// Whether the guard can live by eyes only.
    is_alone: bool,
    /// Whether the depth, rather than the position, made something fail.
    cut: bool,
}

impl Solver {
    /// A solver that looks at no more than `nodes` positions.
    pub(super) fn new(nodes: u32) -> Self {
        let entries = (nodes as usize).next_power_of_two().clamp(1 << 10, 1 << 12);
        Self {
            table: vec![Entry::default(); entries],
            search: 0,
            left: nodes,
            done: HashMap::default(),
            failed: HashMap::default(),
        }
    }

    /// Sets how many positions may be looked at from now on.
    pub(super) const fn allow(&mut self, nodes: u32) {
        self.left = nodes;
    }

    /// Whether the keeper, moving second, certainly reaches the goal in the zone; `false` when that was not proved in `nodes`
    /// positions.
    pub(super) fn proves(&mut self, zone: &Zone, goal: Goal, nodes: u32) -> bool {
        let Zone { local, state, places, .. } = zone;
        let shrunk = local.near.iter().take(local.nodes).skip(places.len()).copied().collect();
        let places = places.iter().copied().collect();
        let question =
            Question { places, friend: local.friend, foe: local.foe, state: *state, goal, nodes, shrunk };
        if let Some(&proved) = self.done.get(&question) {
            return proved;
        }
        let is_for_eyes = goal.guard == 0 && goal.target == 0;
        let known = if is_for_eyes { self.failed.get(&(question.places, *state)) } else { None };
        if known.is_some_and(|failed| failed.iter().any(|f| f.had_no_less(local, goal, nodes))) {
            return false;
        }
        let proved = self.search(local, goal, *state, nodes);
        if let Goal { target: 0, guard: 0, eyes: [eye, 0, ..] } = goal
            && !proved
        {
            let failed = Failed { friend: local.friend, foe: local.foe, eye, nodes };
            self.failed.entry((question.places, *state)).or_default().push(failed);
        }
        self.done.insert(question, proved);
        proved
    }

    fn search(&mut self, local: &Local, goal: Goal, state: State, nodes: u32) -> bool {
        let is_alone = goal.guard != 0 && hope::is_alone(local, goal.guard);
        self.search += 1;
        let budget = nodes.min(self.left);
        let mut search = Search {
            left: budget,
            solver: self,
            local,
            goal,
            path: Vec::with_capacity(LONGEST),
            is_alone,
            cut: false,
        };
        let mut proved = false;
        for depth in 0..20 {
            search.cut = false;
            search.path.clear();
            search.path.push(state);
            proved = search.owner_moves(state, depth);
            if proved || !search.cut || search.left == 0 {
                break;
            }
        }
        let left = search.left;
        self.left -= budget - left;
        proved
    }
}

impl Search<'_> {
    fn slot(&self, state: State, owner: bool) -> usize {
        let mixed = state.keeper.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ state.owner.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(29)
            ^ u64::from(owner);
        let mixed = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> 40) as usize & (self.solver.table.len() - 1)
    }

    fn find(&self, slot: usize, state: State) -> Option<Entry> {
        let entry = self.solver.table[slot];
        (entry.search == self.key() && entry.keeper == state.keeper && entry.owner == state.owner)
            .then_some(entry)
    }

    const fn key(&self) -> u32 {
        self.solver.search
    }

    fn store(&mut self, slot: usize, state: State, depth: u8, best: u8) {
        let search = self.key();
        self.solver.table[slot] = Entry { keeper: state.keeper, owner: state.owner, search, depth, best };
    }

    /// How the position stands with the owner to move.
    fn standing(&self, state: State) -> Standing {
        let (goal, local) = (self.goal, self.local);
        if local.is_exposed(state) || hope::survives(local, state, goal.target) {
            return Standing::Lost;
        }
        let wants = if goal.guard != 0 && self.is_alone { 2 } else { u32::from(goal.eyes[0] != 0) };
        if wants > 0 && hope::spoils(local, state, goal.guard, wants) {
            return Standing::Lost;
        }
        let walls = local.safe(state);
        let eyes = goal.eyes.into_iter().filter(|&e| e != 0).map(|e| hope::eye(local, state, e, walls));
        let eye = eyes.fold(Standing::Won, Standing::worse);
        if eye == Standing::Lost {
            return Standing::Lost;
        }
        let guard = if goal.guard == 0 { Standing::Won } else { hope::life(local, state, goal.guard, walls) };
        if guard == Standing::Lost {
            return Standing::Lost;
        }
        let kept = guard == Standing::Won && eye == Standing::Won;
        let done = kept && (goal.target == 0 || hope::none(local, state, goal.target, goal.guard, walls));
        if done { Standing::Won } else { Standing::Open }
    }

    /// Whether the keeper succeeds when the owner moves, with at most `depth` answers.
    fn owner_moves(&mut self, state: State, depth: u8) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let slot = self.slot(state, true);
        let known = self.find(slot, state);
        if let Some(entry) = known {
            if entry.depth == WON {
                return true;
            }
        } else {
            match self.standing(state) {
                Standing::Won => return true,
                Standing::Lost => return false,
                Standing::Open => {}
            }
        }
        // What is remembered is open.
        if depth == 0 || self.path.len() >= LONGEST || known.is_some_and(|entry| entry.depth >= depth) {
            // Another position of this search is worth more than one without an answer.
            if known.is_none() && self.solver.table[slot].search != self.key() {
                self.store(slot, state, 0, NO_MOVE);
            }
            self.cut = true;
            return false;
        }
        let first = known.map_or(NO_MOVE, |entry| entry.best);
        let refuted = self.refutation(state, depth, first);
        self.store(slot, state, refuted.map_or(WON, |_| depth), refuted.unwrap_or(NO_MOVE));
        refuted.is_none()
    }

    /// A move of the owner's that the keeper has no answer to; a pass is [`NO_MOVE`].
    fn refutation(&mut self, state: State, depth: u8, first: u8) -> Option<u8> {
        let empty = self.local.empty(state);
        let first = if first == NO_MOVE { 0 } else { (1_u64 << first) & empty };
        let near = self.urgent(state) & empty & !first;
        let order = [first, near, empty & !first & !near];
        // A pass is a move where the keeper has something to do; elsewhere the keeper passes too and nothing has happened.
        if self.goal.target != 0 && !self.keeper_moves(state, depth, false) {
            return Some(NO_MOVE);
        }
        for node in order.into_iter().flat_map(bits) {
            let Some((after, taken)) = self.local.attack(state, node) else { continue };
            let number = node.trailing_zeros() as u8;
            if taken & (self.goal.guard | self.local.foe) != 0 || self.path.contains(&after) {
                return Some(number);
            }
            self.path.push(after);
            let kept = self.keeper_moves(after, depth, true);
            self.path.pop();
            if !kept {
                return Some(number);
            }
        }
        None
    }

    /// Points where things are decided: liberties of the chains in question, and what is beside these.
    fn urgent(&self, state: State) -> u64 {
        let seed = self.goal.target & state.owner;
        let target = if seed == 0 { 0 } else { self.local.flood(state.owner, seed) };
        self.goal.eyes.into_iter().fold(0, |all, e| all | e) | self.local.beside(self.goal.guard | target)
    }

    /// Whether the keeper, to move, succeeds. `may_pass` when the owner has just played.
    fn keeper_moves(&mut self, state: State, depth: u8, may_pass: bool) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let target = self.goal.target & state.owner;
        if target != 0 && self.local.flood(state.owner, target) & self.local.foe != 0 {
            return false;
        }
        // The same stones with the other side to move are told apart by the complement.
        let key = State { keeper: !state.keeper, owner: state.owner };
        let slot = self.slot(state, false);
        let known = self.find(slot, key);
        let first = match known {
            Some(entry) if entry.depth == WON => return true,
            Some(entry) if entry.depth >= depth => {
                self.cut = true;
                return false;
            }
            Some(entry) => entry.best,
            None => NO_MOVE,
        };
        let answer = self.answer(state, depth, may_pass, first);
        if may_pass || answer.is_some() {
            self.store(slot, key, answer.map_or(depth, |_| WON), answer.unwrap_or(first));
        }
        answer.is_some()
    }

    /// The keeper's answer that succeeds; a pass is [`NO_MOVE`].
    fn answer(&mut self, state: State, depth: u8, may_pass: bool, first: u8) -> Option<u8> {
        if may_pass && self.owner_moves(state, depth - 1) {
            return Some(NO_MOVE);
        }
        let empty = self.local.empty(state);
        let node = |number: u8| if number == NO_MOVE { 0 } else { (1_u64 << number) & empty };
        // Then what the owner would play next: the vital point of one is that of the other.
        let vital = self.find(self.slot(state, true), state).map_or(0, |entry| node(entry.best));
        let first = node(first);
        let vital = vital & !first;
        let near = self.urgent(state) & empty & !first & !vital;
        let rest = empty & !first & !vital & !near;
        for node in [first, vital, near, rest].into_iter().flat_map(bits) {
            let Some(after) = self.local.keep(state, node) else { continue };
            let number = node.trailing_zeros() as u8;
            if self.path.contains(&after) {
                continue;
            }
            self.path.push(after);
            let kept = self.owner_moves(after, depth - 1);
            self.path.pop();
            if kept {
                return Some(number);
            }
        }
        None
    }
}
