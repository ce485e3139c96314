//! Playouts that know a little: they take and save stones in atari, throw none away, play in the middle of an eye, and answer
//! nearby. Part of the board can be closed to them.

use super::tactics::{is_foolish, middle, save};
use crate::grid::{Cell, EMPTY, Grid, NOWHERE};
use crate::rng::Rng;

/// Chances in 256 of the several kinds of moves.
const TAKE: u64 = 240;
const SAVE: u64 = 240;
const MIDDLE: u64 = 240;
const NEARBY: u64 = 128;

/// Where playouts start, and where they may play.
#[derive(Clone)]
pub(super) struct World<const S: usize, const N: usize> {
    pub(super) grid: Grid<S, N>,
    is_open: [bool; N],
    open: Vec<Cell>,
}

impl<const S: usize, const N: usize> World<S, N> {
    pub(super) fn new(grid: &Grid<S, N>, open: impl IntoIterator<Item = Cell>) -> Self {
        let mut world = Self { grid: grid.clone(), is_open: [false; N], open: Vec::new() };
        for cell in open {
            if let Some(flag @ false) = world.is_open.get_mut(usize::from(cell)) {
                *flag = true;
                world.open.push(cell);
            }
        }
        world.grid.lift_ko();
        world
    }

    pub(super) fn is_open(&self, cell: Cell) -> bool {
        self.is_open.get(usize::from(cell)).is_some_and(|&open| open)
    }

    pub(super) fn open(&self) -> &[Cell] {
        &self.open
    }
}

/// One playout under way.
pub(super) struct Playout<'w, const S: usize, const N: usize> {
    world: &'w World<S, N>,
    pub(super) grid: Grid<S, N>,
    /// The open cells, the empty ones first, in an order that changes as they are drawn.
    cells: Vec<Cell>,
    /// Where each open cell stands in `cells`.
    place: [u16; N],
    /// How many open cells are empty.
    free: usize,
    last: Cell,
    /// Who played first on each cell.
    firsts: [u8; N],
    /// Stones that Black took less those that White took.
    balance: i32,
}

impl<'w, const S: usize, const N: usize> Playout<'w, S, N> {
    pub(super) fn new(world: &'w World<S, N>) -> Self {
        let mut cells = world.open.clone();
        cells.sort_by_key(|&cell| world.grid.color(cell) != EMPTY);
        let mut this = Self {
            world,
            grid: world.grid.clone(),
            place: [0; N],
            free: 0,
            last: NOWHERE,
            firsts: [EMPTY; N],
            balance: 0,
            cells,
        };
        for (place, &cell) in (0..).zip(&this.cells) {
            this.place[usize::from(cell)] = place;
        }
        this.free = this.cells.iter().filter(|&&cell| world.grid.color(cell) == EMPTY).count();
        this
    }

    /// Back to the start. The order of the free cells does not matter and stays.
    pub(super) fn restart(&mut self) {
        self.grid.clone_from(&self.world.grid);
        self.last = NOWHERE;
        self.firsts.fill(EMPTY);
        self.balance = 0;
        self.free = 0;
        for i in 0..self.cells.len() {
            if self.grid.color(self.cells[i]) == EMPTY {
                self.swap(i, self.free);
                self.free += 1;
            }
        }
    }

    /// Swaps two of the open cells.
    fn swap(&mut self, i: usize, j: usize) {
        self.cells.swap(i, j);
        for at in [i, j] {
            self.place[usize::from(self.cells[at])] = u16::try_from(at).unwrap_or(0);
        }
    }

    /// Puts a stone down, and keeps the free cells apart from the others.
    fn put(&mut self, cell: Cell, color: u8) {
        let (taken, own) = self.grid.play(cell, color);
        let gain = i32::from(taken) - i32::from(own);
        self.balance += if color == 1 { gain } else { -gain };
        if self.world.is_open(cell) {
            self.free -= 1;
            self.swap(usize::from(self.place[usize::from(cell)]), self.free);
        }
        // Stones that were taken have just been added to the list of empty cells.
        let empties = self.grid.empty_cells().len();
        for i in empties - usize::from(taken + own)..empties {
            let freed = self.grid.empty_cells()[i];
            if self.world.is_open(freed) {
                self.swap(usize::from(self.place[usize::from(freed)]), self.free);
                self.free += 1;
            }
        }
    }

    /// A move, or a pass.
    pub(super) fn play(&mut self, cell: Option<Cell>, color: u8) {
        match cell {
            Some(cell) => {
                self.put(cell, color);
                self.last = cell;
                if let Some(first @ &mut EMPTY) = self.firsts.get_mut(usize::from(cell)) {
                    *first = color;
                }
            }
            None => {
                self.grid.lift_ko();
                self.last = NOWHERE;
            }
        }
    }

    /// Plays on until both have passed, or for too long. Returns how many moves it took.
    pub(super) fn run(&mut self, mut color: u8, rng: &mut Rng) -> usize {
        let (mut passes, mut moves) = (0, 0);
        while passes < 2 && moves < 3 * self.cells.len() + 20 {
            let chosen = self.choose(color, rng);
            passes = if chosen.is_some() { 0 } else { passes + 1 };
            self.play(chosen, color);
            color = 3 - color;
            moves += 1;
        }
        moves
    }

    /// Whose a cell is at the end: 1 Black's, -1 White's.
    pub(super) fn owner(&self, cell: Cell) -> i32 {
        let all = match self.grid.color(cell) {
            EMPTY => Grid::<S, N>::around(cell).into_iter().fold(3, |all, n| all & self.grid.color(n)),
            color => color,
        };
        i32::from(all == 1) - i32::from(all == 2)
    }

    /// What tells this board, with the stones that either side has taken so far, from others.
    pub(super) const fn key(&self) -> (u64, i32) {
        (self.grid.hash(), self.balance)
    }

    /// The colour of whoever played first on a cell, or [`EMPTY`].
    pub(super) fn first(&self, cell: Cell) -> u8 {
        self.firsts.get(usize::from(cell)).copied().unwrap_or(EMPTY)
    }

    pub(super) fn open(&self) -> &'w [Cell] {
        &self.world.open
    }

    /// How good a legal move looks, from -1 to 1.
    pub(super) fn promise(&self, cell: Cell, color: u8) -> f64 {
        if is_foolish(&self.grid, cell, color) {
            return -0.2;
        }
        let around = Grid::<S, N>::around(cell);
        let atari = around
            .into_iter()
            .any(|n| matches!(self.grid.color(n), 1 | 2) && self.grid.last_liberty(n).is_some());
        let near = self.last != NOWHERE
            && (around.contains(&self.last) || Grid::<S, N>::diagonals(cell).contains(&self.last));
        f64::from(u8::from(atari)) * 0.15 + f64::from(u8::from(near)) * 0.1
    }

    fn is_legal(&self, cell: Cell, color: u8) -> bool {
        self.world.is_open(cell)
            && self.grid.color(cell) == EMPTY
            && self.grid.lives(cell, color)
            && !self.grid.is_ko(cell, color)
    }

    fn is_good(&self, cell: Cell, color: u8) -> bool {
        !self.grid.is_eye(cell, color) && self.is_legal(cell, color) && !is_foolish(&self.grid, cell, color)
    }

    fn choose(&mut self, color: u8, rng: &mut Rng) -> Option<Cell> {
        if self.last != NOWHERE {
            let dice = rng.next_u64();
            let lucky = |shift: u32, chance: u64| (dice >> shift) & 255 < chance;
            let legal = |cell| self.is_legal(cell, color);
            let answer = None
                .or_else(|| if lucky(0, TAKE) { self.take(color) } else { None })
                .or_else(|| if lucky(8, SAVE) { save(&self.grid, self.last, color, legal) } else { None })
                .or_else(|| if lucky(16, MIDDLE) { middle(&self.grid, self.last, legal) } else { None })
                .or_else(|| if lucky(24, NEARBY) { self.nearby(color, dice >> 32) } else { None });
            if answer.is_some() {
                return answer;
            }
        }
        self.draw(color, rng)
    }

    /// Takes the stones that the opponent has just left in atari.
    fn take(&self, color: u8) -> Option<Cell> {
        if self.grid.color(self.last) != 3 - color {
            return None;
        }
        self.grid.last_liberty(self.last).filter(|&cell| self.is_legal(cell, color))
    }

    /// A move beside the last one, where both colours meet.
    fn nearby(&self, color: u8, dice: u64) -> Option<Cell> {
        let beside = Grid::<S, N>::around(self.last);
        let diagonal = Grid::<S, N>::diagonals(self.last);
        let at = |i: u64| {
            let i = ((i + dice) & 7) as usize;
            if i < 4 { beside[i] } else { diagonal[i & 3] }
        };
        (0..8).map(at).find(|&cell| {
            self.world.is_open(cell)
                && self.grid.color(cell) == EMPTY
                && Grid::<S, N>::around(cell).into_iter().fold(0, |all, n| all | mask(self.grid.color(n)))
                    == 3
                && self.is_good(cell, color)
        })
    }

    /// A random good move.
    fn draw(&mut self, color: u8, rng: &mut Rng) -> Option<Cell> {
        let mut left = self.free;
        while left > 0 {
            let bound = u32::try_from(left).unwrap_or(u32::MAX);
            let index = rng.below(bound) as usize;
            let cell = self.cells[index];
            if self.is_good(cell, color) {
                return Some(cell);
            }
            left -= 1;
            self.swap(index, left);
        }
        None
    }
}

/// The colour as a bit; nothing for the border.
const fn mask(color: u8) -> u8 {
    if color == 3 { 0 } else { color }
}
