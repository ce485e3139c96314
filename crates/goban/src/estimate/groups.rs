//! Stones that share a fate, and the part of the board that decides it.

use super::playout::World;
use super::tactics::liberties;
use crate::grid::{Cell, EMPTY, Grid};

/// A chain, and what playouts say about it.
pub(super) struct Chain {
    pub(super) color: u8,
    pub(super) stones: Vec<Cell>,
    /// How sure it is that it lives, from -1000 (dead) to 1000.
    pub(super) life: i32,
    /// One bit for each playout: whether it lived.
    pub(super) fates: Vec<u64>,
}

impl Chain {
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

/// How far from the stones in question, in steps over open ground, a part reaches.
const REACH: usize = 8;
/// The most empty cells of a part, about.
const MOST: usize = 40;
/// Chains above this are taken as alive; empty cells beyond it as settled.
const SURE: i32 = 900;

/// The cells that can matter for the chains in question: around them, through empty points and stones that are not surely alive, and the
/// liberties of chains short of them.
pub(super) fn surroundings<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    chains: &Chains<N>,
    target: &[usize],
    playable: &World<S, N>,
    lean: impl Fn(Cell) -> i32,
) -> Vec<Cell> {
    let mut distance = [usize::MAX; N];
    let mut rings: Vec<Vec<Cell>> = vec![Vec::new(); REACH + 1];
    for &stone in target.iter().flat_map(|&c| &chains.list[c].stones) {
        distance[usize::from(stone)] = 0;
        rings[0].push(stone);
    }
    let mut part = Vec::new();
    let mut empties = 0;
    for here in 0..=REACH {
        let mut i = 0;
        while let Some(&cell) = rings[here].get(i) {
            i += 1;
            if distance[usize::from(cell)] < here {
                continue;
            }
            part.push(cell);
            empties += usize::from(grid.color(cell) == EMPTY);
            if empties > MOST {
                return part;
            }
            for n in Grid::<S, N>::around(cell) {
                if !playable.is_open(n) {
                    continue;
                }
                let (added, step) = match chains.at(n).map(|c| &chains.list[c]) {
                    None if grid.color(n) == EMPTY => (vec![n], if lean(n).abs() < SURE || here == 0 { 2 } else { 3 }),
                    None => continue,
                    Some(chain) if chain.life < SURE => (chain.stones.clone(), 0),
                    Some(chain) => {
                        let few = liberties(grid, n, 5);
                        if few.len() > 4 {
                            continue;
                        }
                        let mut cells = few.as_slice().to_vec();
                        if few.len() < 3 {
                            cells.extend(&chain.stones);
                        }
                        (cells, 2)
                    }
                };
                for cell in added {
                    let at = &mut distance[usize::from(cell)];
                    if here + step < *at && here + step <= REACH {
                        *at = here + step;
                        rings[here + step].push(cell);
                    }
                }
            }
        }
    }
    part
}
