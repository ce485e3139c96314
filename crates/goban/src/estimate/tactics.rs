//! What playouts want to know about a move at once: liberties after it, and whether it throws stones away.

use crate::grid::{BORDER, Cell, EMPTY, Grid};

/// A few cells, each once.
#[derive(Clone, Default)]
pub struct Few {
    cells: [Cell; Self::ROOM],
    len: usize,
}

impl Few {
    const ROOM: usize = 8;

    /// None of them.
    #[must_use]
    pub const fn new() -> Self {
        Self { cells: [0; Self::ROOM], len: 0 }
    }

    /// Adds a cell that is not there yet and for which there is room.
    pub fn add(&mut self, cell: Cell) {
        // A loop over all of the few places is faster than a search in a slice.
        let mut known = false;
        for (i, &other) in self.cells.iter().enumerate() {
            known |= other == cell && i < self.len;
        }
        if !known && let Some(free) = self.cells.get_mut(self.len) {
            *free = cell;
            self.len += 1;
        }
    }

    /// The cells in the order in which they came.
    #[must_use]
    pub fn as_slice(&self) -> &[Cell] {
        self.cells.get(..self.len).unwrap_or(&[])
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many there are: at most 8.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }
}

/// Adds liberties of the chain of `stone`, other than `but`, until there are `limit` cells.
fn add_liberties<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    stone: Cell,
    but: Cell,
    limit: usize,
    found: &mut Few,
) {
    let mut s = stone;
    loop {
        for n in Grid::<S, N>::around(s) {
            if n != but && grid.color(n) == EMPTY {
                found.add(n);
                if found.len() >= limit {
                    return;
                }
            }
        }
        s = grid.next(s);
        if s == stone {
            return;
        }
    }
}

/// Up to `limit` (at most 8) liberties of the chain of a stone.
#[must_use]
pub fn liberties<const S: usize, const N: usize>(grid: &Grid<S, N>, stone: Cell, limit: usize) -> Few {
    let mut found = Few::new();
    add_liberties(grid, stone, stone, limit, &mut found);
    found
}

/// Up to `limit` (at most 8) liberties that a stone on an empty cell would have with its friends. A stone that it takes counts as
/// one; that it takes more liberties from friends of the victim is left out.
#[must_use]
pub fn liberties_after<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    cell: Cell,
    color: u8,
    limit: usize,
) -> Few {
    let mut found = Few::new();
    let around = Grid::<S, N>::around(cell);
    for n in around {
        let own = grid.color(n);
        if own == EMPTY || own == 3 - color && grid.last_liberty(n).is_some() {
            found.add(n);
        }
    }
    for n in around {
        if found.len() >= limit {
            break;
        }
        if grid.color(n) == color {
            add_liberties(grid, n, cell, limit, &mut found);
        }
    }
    found
}

/// Whether a legal move leaves its chain a single liberty for nothing: it is neither a throw-in of a single stone nor
/// fills an eye with a shape that cannot become two.
#[must_use]
pub fn is_foolish<const S: usize, const N: usize>(grid: &Grid<S, N>, cell: Cell, color: u8) -> bool {
    let around = Grid::<S, N>::around(cell);
    if around.into_iter().filter(|&n| grid.color(n) == EMPTY).count() >= 2 {
        return false;
    }
    let left = liberties_after(grid, cell, color, 2);
    if left.len() >= 2 {
        return false;
    }
    let mut stones = Few::new();
    stones.add(cell);
    for n in around.into_iter().filter(|&n| grid.color(n) == color) {
        if usize::from(grid.chain_len(n)) > LARGEST_SHAPE {
            return true;
        }
        let mut s = n;
        loop {
            stones.add(s);
            s = grid.next(s);
            if s == n {
                break;
            }
        }
    }
    // A chain with an eye has more to lose than to kill.
    let has_eye = left.as_slice().iter().any(|&l| grid.color(l) == EMPTY && grid.is_eye(l, color));
    stones.len() > 1 && (has_eye || !is_killing_shape(grid, stones.as_slice()))
}

/// Stones of the largest shape that kills inside an eye.
const LARGEST_SHAPE: usize = 5;

/// Whether stones that are taken in this shape leave an eye in which one more stone prevents two: all shapes of up to three, those of
/// four to six that have a centre, and four that are bent in the corner, where the ko is the attacker's.
#[must_use]
pub fn is_killing_shape<const S: usize, const N: usize>(grid: &Grid<S, N>, stones: &[Cell]) -> bool {
    let degree = |stone: Cell| Grid::<S, N>::around(stone).iter().filter(|n| stones.contains(n)).count();
    let with = |wanted: usize| stones.iter().filter(|&&s| degree(s) == wanted).count();
    match stones.len() {
        0..=3 => true,
        4 => with(2) == 4 || with(3) == 1 || stones.iter().any(|&s| is_bend_in_corner(grid, s, stones)),
        5 => with(4) == 1 || with(3) == 1 && with(2) == 3,
        6 => with(4) == 1 && with(2) == 3,
        _ => false,
    }
}

/// Whether a cell is a corner of the board and both cells beside it belong to the shape.
fn is_bend_in_corner<const S: usize, const N: usize>(grid: &Grid<S, N>, cell: Cell, shape: &[Cell]) -> bool {
    Grid::<S, N>::around(cell).into_iter().all(|n| grid.color(n) == BORDER || shape.contains(&n))
        && Grid::<S, N>::around(cell).into_iter().filter(|&n| grid.color(n) == BORDER).count() == 2
}

/// The cell in the middle of an empty shape of three to six cells, if one stone there prevents two eyes, or leaves a ko for the second.
#[must_use]
pub fn vital<const S: usize, const N: usize>(grid: &Grid<S, N>, shape: &[Cell]) -> Option<Cell> {
    if shape.len() < 3 || !is_killing_shape(grid, shape) {
        return None;
    }
    let degree = |cell: Cell| Grid::<S, N>::around(cell).iter().filter(|n| shape.contains(n)).count();
    let is_corner = |cell: Cell| shape.len() == 4 && is_bend_in_corner(grid, cell, shape);
    let most = shape.iter().copied().max_by_key(|&cell| (degree(cell), !is_corner(cell)))?;
    // A square of four is one eye as it stands.
    let square = shape.len() == 4 && shape.iter().all(|&cell| degree(cell) == 2);
    (!square).then_some(most)
}

/// A move that saves stones of `color` that the last move put into atari: it takes a chain in atari beside them, or leaves them two liberties. `is_legal` says
/// where `color` may play.
#[must_use]
pub fn save<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    last: Cell,
    color: u8,
    is_legal: impl Fn(Cell) -> bool,
) -> Option<Cell> {
    Grid::<S, N>::around(last).into_iter().filter(|&n| grid.color(n) == color).find_map(|chain| {
        let liberty = grid.last_liberty(chain)?;
        counter(grid, chain, color, &is_legal).or_else(|| {
            (is_legal(liberty) && liberties_after(grid, liberty, color, 2).len() >= 2).then_some(liberty)
        })
    })
}

/// Takes a chain in atari beside one.
fn counter<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    chain: Cell,
    color: u8,
    is_legal: impl Fn(Cell) -> bool,
) -> Option<Cell> {
    let mut stone = chain;
    loop {
        for n in Grid::<S, N>::around(stone) {
            if grid.color(n) == 3 - color
                && let Some(cell) = grid.last_liberty(n)
                && is_legal(cell)
            {
                return Some(cell);
            }
        }
        stone = grid.next(stone);
        if stone == chain {
            return None;
        }
    }
}

/// The middle of a small eye beside the last move: see [`vital`]. `is_legal` says where the player may play.
#[must_use]
pub fn middle<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    last: Cell,
    is_legal: impl Fn(Cell) -> bool,
) -> Option<Cell> {
    Grid::<S, N>::around(last).into_iter().filter(|&n| grid.color(n) == EMPTY).find_map(|n| {
        let shape = eye(grid, n)?;
        vital(grid, shape.as_slice()).filter(|&cell| is_legal(cell))
    })
}

/// The empty cells connected to one, when they are three to six with stones of one colour around.
fn eye<const S: usize, const N: usize>(grid: &Grid<S, N>, from: Cell) -> Option<Few> {
    let mut shape = Few::new();
    shape.add(from);
    let (mut done, mut around) = (0, 3);
    while let Some(&cell) = shape.as_slice().get(done) {
        done += 1;
        for n in Grid::<S, N>::around(cell) {
            match grid.color(n) {
                EMPTY => shape.add(n),
                stone => around &= stone,
            }
        }
        if shape.len() > 6 || around == 0 {
            return None;
        }
    }
    (shape.len() >= 3).then_some(shape)
}
