//! Random games that know a little: they take and save stones in atari, play in the middle of an eye, answer the last move
//! in shape, and throw no stones away.

pub(crate) mod pattern;

use goban::Rng;
use goban::estimate::tactics::{Few, is_foolish, liberties, liberties_after, middle, save};
use goban::grid::{Cell, EMPTY, Grid, NOWHERE};

use pattern::{is_shape, table};

/// Chances in 256 of the several kinds of moves.
const TAKE: u64 = 235;
const SAVE: u64 = 235;
const SQUEEZE: u64 = 90;
const MIDDLE: u64 = 240;
const SHAPE: u64 = 235;
/// Chance in 256 that a random move that throws stones away is not played.
const SPARE: u32 = 240;

/// How a playout ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// Black's points less White's, by area.
    pub lead: i32,
    /// Black's stones less White's that were played before the first pass.
    pub stones: i32,
}

/// One playout under way.
#[derive(Clone)]
pub(crate) struct Playout<const S: usize, const N: usize> {
    pub grid: Grid<S, N>,
    /// The last move; [`NOWHERE`] for a pass, and when there was none.
    pub last: Cell,
    shapes: &'static [bool],
    /// Who played first on each cell since the start.
    firsts: [u8; N],
}

impl<const S: usize, const N: usize> Playout<S, N> {
    pub fn new(grid: &Grid<S, N>) -> Self {
        Self { grid: grid.clone(), last: NOWHERE, shapes: table(), firsts: [EMPTY; N] }
    }

    /// Begins anew.
    pub fn restart(&mut self, grid: &Grid<S, N>, last: Cell) {
        self.grid.clone_from(grid);
        self.last = last;
        self.firsts.fill(EMPTY);
    }

    /// The colour of whoever played first on a cell, or [`EMPTY`].
    #[inline]
    pub fn first(&self, cell: Cell) -> u8 {
        self.firsts[usize::from(cell) & (N - 1)]
    }

    /// Somebody played there earlier than what is known.
    #[inline]
    pub fn earlier(&mut self, cell: Cell, color: u8) {
        self.firsts[usize::from(cell) & (N - 1)] = color;
    }

    /// A move, or a pass.
    #[inline]
    pub fn play(&mut self, cell: Cell, color: u8) {
        if cell == NOWHERE {
            self.grid.lift_ko();
        } else {
            self.grid.play(cell, color);
        }
        self.last = cell;
    }

    /// Plays on until both have passed, or for too long.
    pub fn run(&mut self, mut color: u8, rng: &mut Rng) -> End {
        let limit = 3 * self.grid.size().area();
        let (mut passes, mut stones, mut passed) = (0, 0, false);
        for _ in 0..limit {
            let cell = self.choose(color, rng);
            if cell == NOWHERE {
                passes += 1;
                passed = true;
            } else {
                passes = 0;
                stones += if passed { 0 } else { 3 - 2 * i32::from(color) };
                if let Some(first @ &mut EMPTY) = self.firsts.get_mut(usize::from(cell)) {
                    *first = color;
                }
            }
            self.play(cell, color);
            if passes == 2 {
                break;
            }
            color = 3 - color;
        }
        let (black, white) = self.grid.area();
        End { lead: i32::from(black) - i32::from(white), stones }
    }

    fn choose(&mut self, color: u8, rng: &mut Rng) -> Cell {
        if self.last != NOWHERE {
            let dice = rng.next_u64();
            let lucky = |shift: u32, chance: u64| (dice >> shift) & 255 < chance;
            let legal = |cell| self.is_legal(cell, color);
            let answer = None
                .or_else(|| if lucky(0, TAKE) { self.take(color) } else { None })
                .or_else(|| if lucky(8, SAVE) { save(&self.grid, self.last, color, legal) } else { None })
                .or_else(|| if lucky(16, MIDDLE) { middle(&self.grid, self.last, legal) } else { None })
                .or_else(|| if lucky(24, SQUEEZE) { self.squeeze(color, dice >> 40) } else { None })
                .or_else(|| if lucky(32, SHAPE) { self.shape(color, dice >> 40) } else { None });
            if let Some(cell) = answer {
                return cell;
            }
        }
        let spare = rng.below(256) < SPARE;
        let accept = |grid: &Grid<S, N>, cell| {
            grid.is_sensible(cell, color) && !(spare && is_foolish(grid, cell, color))
        };
        self.grid.draw(rng, accept).unwrap_or(NOWHERE)
    }

    fn is_legal(&self, cell: Cell, color: u8) -> bool {
        self.grid.color(cell) == EMPTY && self.grid.lives(cell, color) && !self.grid.is_ko(cell, color)
    }

    /// Takes the stones that the opponent has just left in atari.
    fn take(&self, color: u8) -> Option<Cell> {
        self.grid
            .last_liberty(self.last)
            .filter(|&cell| self.grid.color(self.last) != EMPTY && self.is_legal(cell, color))
    }

    /// Gives atari to the stones that were just played, or takes their own chain's neighbours out of reach: fights over two liberties.
    fn squeeze(&self, color: u8, dice: u64) -> Option<Cell> {
        if self.grid.color(self.last) != 3 - color {
            return None;
        }
        let around = Grid::<S, N>::around(self.last);
        let own = around.into_iter().filter(|&n| self.grid.color(n) == color);
        let mut chains = own.chain([self.last]).filter(|&n| liberties(&self.grid, n, 3).len() == 2);
        let chain = chains.next()?;
        let two = liberties(&self.grid, chain, 2);
        let (a, b) = (*two.as_slice().first()?, *two.as_slice().get(1)?);
        let order = if dice & 1 == 0 { [a, b] } else { [b, a] };
        let is_own = self.grid.color(chain) == color;
        order.into_iter().find(|&cell| {
            self.is_legal(cell, color) && {
                let after = liberties_after(&self.grid, cell, color, 3).len();
                if is_own { after >= 3 } else { after >= 2 }
            }
        })
    }

    /// A move in shape beside the last one.
    fn shape(&self, color: u8, dice: u64) -> Option<Cell> {
        let (beside, diagonal) = (Grid::<S, N>::around(self.last), Grid::<S, N>::diagonals(self.last));
        let cells = beside.into_iter().chain(diagonal);
        let mut found = Few::new();
        for cell in cells {
            if self.grid.color(cell) == EMPTY && is_shape(self.shapes, self.grid.surroundings(cell)) {
                found.add(cell);
            }
        }
        let mut start = (dice & 0xFFFF) as usize;
        for _ in 0..found.len() {
            start += 1;
            let cell = *found.as_slice().get(start % found.len())?;
            if self.is_legal(cell, color) && !is_foolish(&self.grid, cell, color) {
                return Some(cell);
            }
        }
        None
    }
}
