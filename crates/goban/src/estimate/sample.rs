//! What playouts from the board as it stands say about each point and chain.

use super::groups::{Chain, Chains, SHORT};
use super::playout::{Playout, World};
use super::tactics::liberties;
use crate::grid::{Cell, Grid};
use crate::rng::Rng;
use crate::{Board, Color, PassAlive};

/// Playouts of a board, half of them with either side moving first: fewer when they are long.
const PLAYOUTS: u32 = 640;
const FEWEST: u32 = 128;
const MOVES: usize = 300_000;
/// Chains that live or die in at least so many thousandths of the playouts are not looked at again.
const SURE: i32 = 950;
/// When all chains live or die in so many thousandths of the fewest playouts, there are no more.
const SETTLED: i32 = 980;
/// Chains that fare alike in at least so many thousandths of the playouts are one group.
const ALIKE: u32 = 930;

/// Whose each cell was, and how each chain fared.
pub(super) struct Sample<const N: usize> {
    /// From -1000 (always White's) to 1000.
    pub(super) lean: [i32; N],
    pub(super) chains: Chains<N>,
    playouts: u32,
    /// Cells of what lives or dies unconditionally.
    is_decided: [bool; N],
    /// The cells that are not decided by what lives unconditionally.
    cells: Vec<Cell>,
}

impl<const N: usize> Sample<N> {
    pub(super) fn of<const S: usize>(
        board: &Board,
        grid: &Grid<S, N>,
        sound: &PassAlive,
        rng: &mut Rng,
    ) -> Self {
        let size = board.size();
        let cells: Vec<Cell> = size.points().map(|p| grid.locate(p)).collect();
        let undecided = size.points().filter(|&p| sound.owner[size.index(p)].is_none());
        let world = World::new(grid, undecided.map(|p| grid.locate(p)));
        let mut this = Self {
            lean: [0; N],
            chains: Chains::new(grid, cells.iter().copied()),
            playouts: 0,
            is_decided: [false; N],
            cells: world.open().to_vec(),
        };
        this.play(&world, rng);
        for point in size.points() {
            if let Some(color) = sound.owner[size.index(point)] {
                let cell = usize::from(grid.locate(point));
                this.is_decided[cell] = true;
                this.lean[cell] = if color == Color::Black { 1000 } else { -1000 };
            }
        }
        this.judge_chains();
        this
    }

    /// Whether a cell belongs to what lives unconditionally, or lies dead in it.
    pub(super) fn is_decided(&self, cell: Cell) -> bool {
        self.is_decided.get(usize::from(cell)).is_some_and(|&is| is)
    }

    fn play<const S: usize>(&mut self, world: &World<S, N>, rng: &mut Rng) {
        let mut playout = Playout::new(world);
        let mut moves = 0;
        while self.playouts < PLAYOUTS && (moves < MOVES || self.playouts < FEWEST) {
            if self.playouts == FEWEST && self.is_settled(world) {
                break;
            }
            for turn in [1, 2] {
                playout.restart();
                moves += playout.run(turn, rng);
                for &cell in &self.cells {
                    self.lean[usize::from(cell)] += playout.owner(cell);
                }
                for chain in &mut self.chains.list {
                    chain.note(self.playouts, playout.owner(chain.stones[0]));
                }
                self.playouts += 1;
            }
        }
        let all = i32::try_from(self.playouts).unwrap_or(1).max(1);
        self.lean.iter_mut().for_each(|lean| *lean = *lean * 1000 / all);
    }

    /// Whether all chains have nearly always fared alike so far: more playouts would say the same.
    fn is_settled<const S: usize>(&self, world: &World<S, N>) -> bool {
        let least = i32::try_from(self.playouts).unwrap_or(1) * SETTLED / 1000;
        let mut open = self.chains.list.iter().map(|chain| chain.stones[0]).filter(|&s| world.is_open(s));
        open.all(|stone| self.lean[usize::from(stone)].abs() >= least)
    }

    fn judge_chains(&mut self) {
        for chain in &mut self.chains.list {
            let total: i32 = chain.stones.iter().map(|&s| self.lean[usize::from(s)]).sum();
            let stones = i32::try_from(chain.stones.len()).unwrap_or(1).max(1);
            chain.life = chain.sign() * total / stones;
        }
    }

    /// Whether playouts may be wrong about a chain that they are sure is dead: one that besieges it is short of liberties itself, as in a
    /// seki, in which playouts make mistakes.
    fn may_be_seki<const S: usize>(&self, grid: &Grid<S, N>, chain: &Chain) -> bool {
        chain.life < 0
            && chain.stones.iter().copied().flat_map(Grid::<S, N>::around).any(|n| {
                grid.color(n) == 3 - chain.color
                    && !self.is_decided[usize::from(n)]
                    && liberties(grid, n, SHORT + 1).len() <= SHORT
            })
    }

    /// Chains of one colour whose fate is in doubt and the same in nearly all playouts, as one group each. The greatest doubt comes first.
    pub(super) fn doubtful_groups<const S: usize>(&self, grid: &Grid<S, N>) -> Vec<Vec<usize>> {
        let list = &self.chains.list;
        let doubtful: Vec<usize> = (0..list.len())
            .filter(|&c| {
                !self.is_decided[usize::from(list[c].stones[0])]
                    && (list[c].life.abs() < SURE || self.may_be_seki(grid, &list[c]))
            })
            .collect();
        let mut grouped = vec![false; list.len()];
        let mut groups = Vec::new();
        for &first in &doubtful {
            if grouped[first] {
                continue;
            }
            grouped[first] = true;
            let mut group = vec![first];
            let mut done = 0;
            while let Some(&a) = group.get(done) {
                done += 1;
                for &b in &doubtful {
                    if !grouped[b]
                        && list[a].color == list[b].color
                        && list[a].agrees(&list[b], self.playouts) >= ALIKE
                    {
                        grouped[b] = true;
                        group.push(b);
                    }
                }
            }
            groups.push(group);
        }
        groups.sort_by_key(|group| group.iter().map(|&c| list[c].life.abs()).min());
        groups
    }
}
