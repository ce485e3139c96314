//! All play in a small closed part of the board, where a search does not come to a clear answer: races in which nobody can afford to take, and cycles.
//!
//! Every position that can come up is listed, with simple ko, passes and all; then the positions in which the attacker succeeds are found from the
//! ends backwards. What goes on for ever is no success, so stones that can only be attacked in a cycle stay.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::playout::World;
use super::tactics::is_killing_shape;
use crate::grid::{Cell, EMPTY, Grid};

/// Stones of the smallest chain that makes two eyes where it was taken, unless its shape is one that kills.
const LARGE: usize = 4;
/// Empty points of the largest part in which this is tried.
const MOST_EMPTY: usize = 10;
/// Positions that one part may have, and that may be looked at on a board.
const MOST: usize = 24_000;
const ALL: usize = 40_000;

/// Where the stones are that the attacker wants.
pub(super) struct Answer {
    /// Whether they are taken although their owner moves first.
    pub(super) dies: bool,
    /// Whether they are taken when the attacker moves first.
    pub(super) may_die: bool,
}

/// A position: the stones of both sides as sets of cells, the cell that a ko forbids, whose turn it is, and whether the last move was a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    stones: [u64; 2],
    ko: u64,
    turn: usize,
    passed: bool,
}

/// What a move leads to.
#[derive(Clone, Copy)]
enum Next {
    State(usize),
    /// Both have passed.
    End,
    /// A large chain was taken by that side.
    Won(usize),
}

/// The parts of a board: what is left of the work, and the last part with all that can happen there, as the groups of a fight ask about the same one.
pub(super) struct AllPlay {
    left: usize,
    last: Option<Known>,
}

struct Known {
    part: Part,
    states: Vec<State>,
    /// None where there are too many.
    moves: Option<Vec<Vec<Next>>>,
}

/// The part: what is beside each cell, and which cells are beside stones that stand.
#[derive(PartialEq, Eq)]
struct Part {
    cells: Vec<Cell>,
    near: [u64; 64],
    walls: [u64; 2],
    /// The large chains.
    large: [u64; 2],
    start: [u64; 2],
}

impl AllPlay {
    pub(super) const fn new() -> Self {
        Self { left: ALL, last: None }
    }

    pub(super) const fn is_done(&self) -> bool {
        self.left == 0 && self.last.is_none()
    }

    /// Whether the stones of `target`, of that colour (1 or 2), are taken in a part, by all play in it. `None` when it has too many positions.
    pub(super) fn ask<const S: usize, const N: usize>(
        &mut self,
        world: &World<S, N>,
        target: &[Cell],
        color: u8,
    ) -> Option<Answer> {
        let part = Part::of(world)?;
        if self.last.as_ref().is_none_or(|known| known.part != part) {
            let (states, moves) = part.all(MOST.min(self.left));
            self.left = self.left.saturating_sub(states.len());
            self.last = Some(Known { part, states, moves });
        }
        let Known { part, states, moves } = self.last.as_ref()?;
        let owner = usize::from(color == 2);
        let target = target.iter().fold(0, |set, &cell| set | part.bit(cell));
        let taken = part.taken(states, moves.as_ref()?, target, owner);
        let first = |turn: usize| taken.get(turn).copied().unwrap_or(false);
        Some(Answer { dies: first(owner), may_die: first(1 - owner) })
    }
}

fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

impl Part {
    fn of<const S: usize, const N: usize>(world: &World<S, N>) -> Option<Self> {
        let grid = &world.grid;
        let mut cells = world.open().to_vec();
        cells.sort_unstable();
        let empty = cells.iter().filter(|&&cell| grid.color(cell) == EMPTY).count();
        if cells.len() > 64 || empty > MOST_EMPTY {
            return None;
        }
        let mut part =
            Self { cells: cells.clone(), near: [0; 64], walls: [0; 2], large: [0; 2], start: [0; 2] };
        for (i, &cell) in cells.iter().enumerate() {
            for n in Grid::<S, N>::around(cell) {
                if world.is_open(n) {
                    part.near[i] |= part.bit(n);
                } else {
                    // An empty point outside is a liberty that nobody fills.
                    let side = grid.color(n);
                    part.walls[0] |= u64::from(matches!(side, EMPTY | 1)) << i;
                    part.walls[1] |= u64::from(matches!(side, EMPTY | 2)) << i;
                }
            }
            if let Some(stones) = part.start.get_mut(usize::from(grid.color(cell)).wrapping_sub(1)) {
                *stones |= 1 << i;
            }
        }
        for side in 0..2 {
            let mut rest = part.start[side];
            while rest != 0 {
                let chain = part.flood(rest, rest & rest.wrapping_neg());
                rest &= !chain;
                let stones: Vec<Cell> = bits(chain).map(|b| cells[b.trailing_zeros() as usize]).collect();
                if stones.len() >= LARGE && !is_killing_shape(grid, &stones) {
                    part.large[side] |= chain;
                }
            }
        }
        Some(part)
    }

    fn bit(&self, cell: Cell) -> u64 {
        self.cells.binary_search(&cell).map_or(0, |i| 1 << i)
    }

    fn near_of(&self, bit: u64) -> u64 {
        self.near[bit.trailing_zeros() as usize & 63]
    }

    /// What of a set is connected with `seed`.
    fn flood(&self, set: u64, seed: u64) -> u64 {
        let (mut found, mut open) = (seed, seed);
        while open != 0 {
            let bit = open & open.wrapping_neg();
            let new = self.near_of(bit) & set & !found;
            open = (open ^ bit) | new;
            found |= new;
        }
        found
    }

    /// Whether a chain has a liberty, or hangs together with what stands.
    fn lives(&self, chain: u64, side: usize, empty: u64) -> bool {
        chain & self.walls[side] != 0 || bits(chain).any(|b| self.near_of(b) & empty != 0)
    }

    fn empty(&self, stones: [u64; 2]) -> u64 {
        let all = u64::MAX.checked_shr(64 - u32::try_from(self.cells.len()).unwrap_or(64)).unwrap_or(0);
        all & !(stones[0] | stones[1])
    }

    /// What a move on an empty cell leads to, or whose it is after a large chain was taken; `None` when it is suicide, or fills an eye of a single chain.
    fn play(&self, state: &State, bit: u64) -> Option<Result<State, usize>> {
        let (own, foe) = (state.turn, 1 - state.turn);
        let mut stones = state.stones;
        let near = self.near_of(bit);
        let is_shut = near != 0 && near & !stones[own] == 0 && bit & (self.walls[0] | self.walls[1]) == 0;
        if is_shut && near & !self.flood(stones[own], near & near.wrapping_neg()) == 0 {
            return None;
        }
        stones[own] |= bit;
        let empty = self.empty(stones);
        let (mut rest, mut taken) = (self.near_of(bit) & stones[foe], 0);
        while rest != 0 {
            let chain = self.flood(stones[foe], rest & rest.wrapping_neg());
            rest &= !chain;
            if !self.lives(chain, foe, empty) {
                taken |= chain;
            }
        }
        if taken & self.large[foe] != 0 {
            return Some(Err(own));
        }
        stones[foe] &= !taken;
        let chain = self.flood(stones[own], bit);
        let empty = self.empty(stones);
        if !self.lives(chain, own, empty) {
            return None;
        }
        let is_ko = taken.count_ones() == 1
            && chain == bit
            && bit & self.walls[own] == 0
            && self.near_of(bit) & empty == taken;
        Some(Ok(State { stones, ko: if is_ko { taken } else { 0 }, turn: foe, passed: false }))
    }

    /// All positions, those at the start with either side to move first, and where the moves of each lead; no moves when there are too many.
    fn all(&self, most: usize) -> (Vec<State>, Option<Vec<Vec<Next>>>) {
        let start = |turn| State { stones: self.start, ko: 0, turn, passed: false };
        let mut states = vec![start(0), start(1)];
        let mut known: HashMap<State, usize, BuildHasherDefault<DefaultHasher>> = HashMap::default();
        known.extend(states.iter().copied().zip(0..));
        let mut moves = Vec::new();
        while let Some(&state) = states.get(moves.len()) {
            if states.len() > most {
                return (states, None);
            }
            let mut find = |state: State| {
                Next::State(*known.entry(state).or_insert_with(|| {
                    states.push(state);
                    states.len() - 1
                }))
            };
            let passed = State { ko: 0, turn: 1 - state.turn, passed: true, ..state };
            let mut next = vec![if state.passed { Next::End } else { find(passed) }];
            for bit in bits(self.empty(state.stones) & !state.ko) {
                match self.play(&state, bit) {
                    Some(Ok(after)) => next.push(find(after)),
                    Some(Err(side)) => next.push(Next::Won(side)),
                    None => {}
                }
            }
            moves.push(next);
        }
        (states, Some(moves))
    }

    /// The points of a side less those of the other one: stones, and empty points that only one side reaches.
    fn lead(&self, stones: [u64; 2], side: usize) -> i32 {
        let points = |side: usize| -> u32 {
            let mut all = stones[side].count_ones();
            let mut rest = self.empty(stones);
            while rest != 0 {
                let region = self.flood(rest, rest & rest.wrapping_neg());
                rest &= !region;
                let foreign = region & self.walls[1 - side] != 0
                    || bits(region).any(|b| self.near_of(b) & stones[1 - side] != 0);
                all += if foreign { 0 } else { region.count_ones() };
            }
            all
        };
        points(side).cast_signed() - points(1 - side).cast_signed()
    }

    /// For each position, whether the attacker takes the stones of `target` for good: a large chain of the owner's, or all of them when both have passed, and has
    /// more points then than before; and loses no large chain.
    fn taken(&self, states: &[State], moves: &[Vec<Next>], target: u64, owner: usize) -> Vec<bool> {
        let attacker = 1 - owner;
        let before = self.lead(self.start, attacker);
        let ends =
            |state: &State| state.stones[owner] & target == 0 && self.lead(state.stones, attacker) > before;
        let mut taken = vec![false; states.len()];
        loop {
            let mut is_new = false;
            for at in (0..states.len()).rev().filter(|&at| !taken[at]).collect::<Vec<_>>() {
                let good = |next: &Next| match next {
                    Next::State(to) => taken[*to],
                    Next::End => ends(&states[at]),
                    Next::Won(side) => *side == attacker,
                };
                let all = if states[at].turn == attacker {
                    moves[at].iter().any(good)
                } else {
                    moves[at].iter().all(good)
                };
                taken[at] = all;
                is_new |= all;
            }
            if !is_new {
                return taken;
            }
        }
    }
}
