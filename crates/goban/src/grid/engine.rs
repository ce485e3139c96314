//! What engines outside of this crate ask of a grid in their inner loops.

use super::{Cell, EMPTY, Grid};
use crate::Board;
use crate::board::with;
use crate::rng::Rng;

/// Work that is done on the grid of a board, whatever its class: see [`Board::on_grid`].
pub trait OnGrid {
    /// What comes of it.
    type Output;

    /// Does the work.
    fn run<const STRIDE: usize, const N: usize>(self, grid: &Grid<STRIDE, N>) -> Self::Output;
}

impl Board {
    /// Does work on the grid below this board: one look at the board's class for all of it.
    pub fn on_grid<W: OnGrid>(&self, work: W) -> W::Output {
        with!(&self.0, grid => work.run(grid))
    }
}

impl<const STRIDE: usize, const N: usize> Grid<STRIDE, N> {
    /// A random empty cell among those that are accepted, each with the same chance; none when none is. Reorders the list of empty cells.
    #[inline]
    pub fn draw(&mut self, rng: &mut Rng, mut accept: impl FnMut(&Self, Cell) -> bool) -> Option<Cell> {
        let mut left = self.empties();
        while left > 0 {
            #[expect(clippy::cast_possible_truncation, reason = "below `left`")]
            let index = rng.below(u32::from(left)) as u16;
            let cell = self.empty_at(index);
            if accept(self, cell) {
                return Some(cell);
            }
            self.set_aside::<true>(index, left);
            left -= 1;
        }
        None
    }

    /// The colours of the eight cells around, two bits each: those beside from bit 0 in the order of [`Self::around`], the diagonal ones from
    /// bit 8 in that of [`Self::diagonals`].
    #[inline]
    #[must_use]
    pub const fn surroundings(&self, cell: Cell) -> u16 {
        self.near[Self::at(cell)]
    }

    /// 1 where a stone or an eye is Black's, -1 where it is White's, 0 elsewhere.
    #[inline]
    #[must_use]
    pub fn holder(&self, cell: Cell) -> i32 {
        let all = match self.color(cell) {
            EMPTY => Self::around(cell).into_iter().fold(3, |all, n| all & self.color(n)),
            color => color,
        };
        i32::from(all == 1) - i32::from(all == 2)
    }
}
