//! Stones that share a fate, and the part of the board that decides it.

use super::playout::World;
use super::sample::Sample;
use super::tactics::liberties;
use crate::grid::{Cell, EMPTY, Grid};

/// A chain, and what playouts say about it.
pub(super) struct Chain {
    pub(super) color: u8,
    pub(super) stones: Vec<Cell>,
    /// How sure it is that it lives, from -1000 (dead) to 1000.
    pub(super) life: i32,
    /// One bit for each playout: whether it lived.
    fates: Vec<u64>,
}

impl Chain {
    /// 1 for Black's, -1 for White's.
    pub(super) const fn sign(&self) -> i32 {
        if self.color == 1 { 1 } else { -1 }
    }

    /// Notes who owned it at the end of a playout.
    pub(super) fn note(&mut self, playout: u32, owner: i32) {
        if playout.is_multiple_of(u64::BITS) {
            self.fates.push(0);
        }
        let lived = u64::from(owner == self.sign());
        if let Some(fates) = self.fates.last_mut() {
            *fates |= lived << (playout % u64::BITS);
        }
    }

    /// The share of playouts, in thousandths, that ended alike for both.
    pub(super) fn agrees(&self, other: &Self, playouts: u32) -> u32 {
        let differ: u32 = self.fates.iter().zip(&other.fates).map(|(a, b)| (a ^ b).count_ones()).sum();
        1000 - differ * 1000 / playouts.max(1)
    }
}

/// All chains of the board, and which one each cell belongs to.
pub(super) struct Chains<const N: usize> {
    pub(super) list: Vec<Chain>,
    of: [usize; N],
}

impl<const N: usize> Chains<N> {
    pub(super) fn new<const S: usize>(grid: &Grid<S, N>, cells: impl IntoIterator<Item = Cell>) -> Self {
        let mut this = Self { list: Vec::new(), of: [usize::MAX; N] };
        for cell in cells {
            if matches!(grid.color(cell), 1 | 2) && this.at(cell).is_none() {
                let mut stones = vec![cell];
                let mut next = grid.next(cell);
                while next != cell {
                    stones.push(next);
                    next = grid.next(next);
                }
                for &stone in &stones {
                    this.of[usize::from(stone)] = this.list.len();
                }
                this.list.push(Chain { color: grid.color(cell), stones, life: 0, fates: Vec::new() });
            }
        }
        this
    }

    /// The number of the chain of a cell.
    pub(super) fn at(&self, cell: Cell) -> Option<usize> {
        self.of.get(usize::from(cell)).copied().filter(|&i| i != usize::MAX)
    }
}

/// The most empty cells of a part that a search can exhaust.
const MOST: usize = 20;
/// A living chain with more liberties than this is taken as a wall: nothing in the part takes it.
pub(super) const SHORT: usize = 4;
/// What a wall is at least.
const LIVING: i32 = 500;
/// Empty cells that lean this much to one side are its territory.
const SETTLED: i32 = 900;

/// The part of the board that decides about some chains, if it is closed and small: their liberties, the empty points connected to
/// these, and the same for all chains that touch any of it and are weak or have no more than `short` liberties; what lives unconditionally is a wall. Behind the liberties of the chains in
/// question, territory with room in it is filled at its border, so that its owner's walls are as strong there as they are.
pub(super) fn closed_part<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    sample: &Sample<N>,
    target: &[usize],
    short: usize,
) -> Option<World<S, N>> {
    let (chains, lean) = (&sample.chains, &sample.lean);
    let mut inside = target.to_vec();
    let mut empties: Vec<Cell> = Vec::new();
    let mut border: Vec<Cell> = Vec::new();
    let (mut chains_done, mut empties_done) = (0, 0);
    loop {
        let (from, is_target) = if let Some(&chain) = inside.get(chains_done) {
            chains_done += 1;
            (chains.list[chain].stones.clone(), chains_done <= target.len())
        } else if let Some(&empty) = empties.get(empties_done) {
            empties_done += 1;
            (vec![empty], false)
        } else {
            break;
        };
        for n in from.into_iter().flat_map(Grid::<S, N>::around) {
            if grid.color(n) == EMPTY {
                let settled = !is_target && lean[usize::from(n)].abs() >= SETTLED;
                let list = if settled { &mut border } else { &mut empties };
                if !list.contains(&n) {
                    list.push(n);
                }
            } else if let Some(chain) = chains.at(n)
                && !inside.contains(&chain)
                && !sample.is_decided(n)
                && (chains.list[chain].life < LIVING || liberties(grid, n, short + 1).len() <= short)
            {
                inside.push(chain);
            }
        }
        if empties.len() > MOST {
            return None;
        }
    }
    border.retain(|b| !empties.contains(b));
    let has_room = |b: Cell| {
        Grid::<S, N>::around(b)
            .into_iter()
            .any(|n| grid.color(n) == EMPTY && !empties.contains(&n) && !border.contains(&n))
    };
    let mut filled = grid.clone();
    let mut open = empties.clone();
    for &b in &border {
        if has_room(b) {
            filled.play(b, if lean[usize::from(b)] > 0 { 1 } else { 2 });
        } else {
            open.push(b);
        }
    }
    if open.len() > MOST {
        return None;
    }
    open.extend(inside.iter().flat_map(|&c| &chains.list[c].stones));
    Some(World::new(&filled, open))
}
