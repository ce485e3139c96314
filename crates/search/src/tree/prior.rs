//! What a move looks like before it is tried: knowledge that stands in for playouts.

use goban::Point;
use goban::estimate::tactics::{is_foolish, liberties};
use goban::grid::{BORDER, Cell, EMPTY, Grid, NOWHERE};

use super::SMALL_BOARD;
use crate::playout::pattern::{is_shape, table};
use crate::reading::Reader;

/// Playouts, half of them won, that every move begins with.
const EVEN: f32 = 10.0;
/// Playouts that one kind of knowledge is worth.
const FOOLISH: f32 = 10.0;
const SHAPE: f32 = 10.0;
const ONE_STONE: f32 = 15.0;
const MORE_STONES: f32 = 30.0;
const ATARI: f32 = 3.0;
const LINE: f32 = 10.0;
/// The same for moves at distance 1, 2 and 3 from the last one.
const NEAR: [f32; 3] = [24.0, 22.0, 8.0];

/// Knowledge about all empty cells of a board, for one player.
pub(crate) struct Priors<const N: usize> {
    visits: [f32; N],
    sum: [f32; N],
}

impl<const N: usize> Priors<N> {
    pub fn of<const S: usize>(grid: &Grid<S, N>, cells: &[Cell], color: u8, last: Cell) -> Self {
        let mut this = Self { visits: [EVEN; N], sum: [EVEN / 2.0; N] };
        this.shapes(grid, color);
        this.nearness(grid, last);
        this.lines(grid, cells);
        for &cell in cells {
            if grid.color(cell) != EMPTY && grid.head(cell) == cell {
                this.chain(grid, cell, color);
            }
        }
        this
    }

    /// Playouts, and how many of them are won.
    pub fn get(&self, cell: Cell) -> (f32, f32) {
        let at = usize::from(cell) & (N - 1);
        (self.visits[at], self.sum[at])
    }

    fn add(&mut self, cell: Cell, playouts: f32, value: f32) {
        let at = usize::from(cell) & (N - 1);
        self.visits[at] += playouts;
        self.sum[at] += playouts * value;
    }

    fn shapes<const S: usize>(&mut self, grid: &Grid<S, N>, color: u8) {
        let shapes = table();
        for &cell in grid.empty_cells() {
            if is_foolish(grid, cell, color) {
                self.add(cell, FOOLISH, 0.0);
            } else if is_shape(shapes, grid.surroundings(cell)) {
                self.add(cell, SHAPE, 1.0);
            }
        }
    }

    /// Along chains a step costs nothing.
    fn nearness<const S: usize>(&mut self, grid: &Grid<S, N>, last: Cell) {
        if last == NOWHERE {
            return;
        }
        let mut seen = [false; N];
        let mut ring = vec![last];
        seen[usize::from(last)] = true;
        for weight in [0.0].into_iter().chain(NEAR) {
            let (mut next, mut at) = (Vec::new(), 0);
            while let Some(&cell) = ring.get(at) {
                at += 1;
                if grid.color(cell) == EMPTY {
                    self.add(cell, weight, 1.0);
                }
                for n in Grid::<S, N>::around(cell) {
                    let (color, known) = (grid.color(n), &mut seen[usize::from(n) & (N - 1)]);
                    if color == BORDER || *known {
                        continue;
                    }
                    *known = true;
                    let list =
                        if color != EMPTY && color == grid.color(cell) { &mut ring } else { &mut next };
                    list.push(n);
                }
            }
            ring = next;
        }
    }

    /// Where no stone is near, the third line attracts and the first two do not; on a large board that is still open they do not anywhere.
    fn lines<const S: usize>(&mut self, grid: &Grid<S, N>, cells: &[Cell]) {
        let size = grid.size();
        let opening = cells.len() > SMALL_BOARD && usize::from(grid.empties()) * 4 > cells.len() * 3;
        let mut crowded = [false; N];
        for &stone in cells.iter().filter(|&&cell| grid.color(cell) != EMPTY) {
            let point = grid.name(stone);
            for (dx, dy) in AROUND_3 {
                let (column, row) =
                    (point.column().checked_add_signed(dx), point.row().checked_add_signed(dy));
                let (Some(column), Some(row)) = (column, row) else { continue };
                let near = Point::new(column, row);
                if size.contains(near) {
                    crowded[usize::from(grid.locate(near)) & (N - 1)] = true;
                }
            }
        }
        for &cell in grid.empty_cells() {
            let point = grid.name(cell);
            let far = |at: u8, all: u8| at.min(all.saturating_sub(1).saturating_sub(at));
            let line = far(point.column(), size.columns()).min(far(point.row(), size.rows()));
            match (line, crowded[usize::from(cell) & (N - 1)]) {
                (0 | 1, false) => self.add(cell, LINE, 0.0),
                (2, false) => self.add(cell, LINE, 1.0),
                (0, true) if opening => self.add(cell, LINE, 0.0),
                (1, true) if opening => self.add(cell, LINE / 2.0, 0.0),
                _ => {}
            }
        }
    }

    /// Chains with one or two liberties.
    fn chain<const S: usize>(&mut self, grid: &Grid<S, N>, chain: Cell, color: u8) {
        let free = liberties(grid, chain, 3);
        let is_own = grid.color(chain) == color;
        let worth = if grid.chain_len(chain) == 1 { ONE_STONE } else { MORE_STONES };
        match (free.as_slice(), is_own) {
            (&[last], true) => {
                let ways = Reader::ways_out(grid, chain);
                for by in ways {
                    if Reader::new().escapes_by(grid, chain, by) {
                        self.add(by, worth, 1.0);
                    } else if by == last {
                        self.add(by, worth, 0.0);
                    }
                }
            }
            (&[last], false) => {
                let runs = Reader::ways_out(grid, chain)
                    .into_iter()
                    .any(|by| Reader::new().escapes_by(grid, chain, by));
                self.add(last, if runs { worth } else { worth / 3.0 }, 1.0);
            }
            (&[_, _], true) if Reader::new().catch(grid, chain).is_some() => {
                for &cell in free.as_slice() {
                    if Reader::new().escapes_by(grid, chain, cell) {
                        self.add(cell, worth, 1.0);
                    }
                }
            }
            (&[_, _], false) => {
                if let Some(cell) = Reader::new().catch(grid, chain) {
                    self.add(cell, worth, 1.0);
                } else {
                    for &cell in free.as_slice() {
                        if !is_foolish(grid, cell, color) {
                            self.add(cell, ATARI, 1.0);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// Steps of at most three lines in all.
const AROUND_3: [(i8, i8); 25] = {
    let mut steps = [(0, 0); 25];
    let (mut at, mut dx) = (0, -3_i8);
    while dx <= 3 {
        let mut dy = -3_i8;
        while dy <= 3 {
            if dx.abs() + dy.abs() <= 3 {
                steps[at] = (dx, dy);
                at += 1;
            }
            dy += 1;
        }
        dx += 1;
    }
    steps
};
