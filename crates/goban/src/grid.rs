//! The fast board behind [`crate::Board`]: one padded array for each fact about a cell, with a fixed size for
//! each class of boards so that every index is a masked one and needs no bounds check.
//!
//! **Chains** are circular lists of cells (`next`) that know their head (`head`). An empty cell and a cell of the
//! border is its own head.
//!
//! **Liberties** are kept incrementally, for each chain, as the number, the sum and the sum of squares of its
//! *pseudo-liberties* (a liberty counts once for each stone of the chain beside it), packed into one integer, so
//! that a stone that comes or goes costs one subtraction or addition for each neighbour and no branch. The number
//! says whether there is a liberty at all; all pseudo-liberties are one and the same cell exactly when the
//! integer is the number times the weight of that cell, and some cell does that exactly when number times sum
//! of squares equals the square of the sum (Cauchy-Schwarz). The idea of pseudo-liberties is R. Coulom's and Ł. Lew's
//! (libego); that of the sums is D. Fotland's and others' on the computer-go list, 2007. Empty cells keep the same sums over their
//! empty neighbours, so a new stone has its liberties at once.

use crate::zobrist;
use crate::{Color, Point, Size};

mod engine;
mod moves;
mod walks;

pub use engine::OnGrid;

/// A cell: an index into the padded arrays.
pub type Cell = u16;

/// The colour code of a cell without a stone; 1 is Black and 2 is White.
pub const EMPTY: u8 = 0;
/// The colour code of a cell around the board.
pub const BORDER: u8 = 3;
/// No cell: the corner of the border.
pub const NOWHERE: Cell = 0;

/// Bits 0 to 11 of the packed liberties: their number. Above: 20 bits of sum, 32 bits of sum of squares.
const COUNT: u64 = 0xFFF;
const SUM_SHIFT: u32 = 12;
const SUM: u64 = 0xF_FFFF;
const SQUARES_SHIFT: u32 = 32;

/// In the sets of [`Grid::sides`]: the four cells beside, and the four diagonal ones.
const BESIDE: u16 = 0x0055;
const DIAGONAL: u16 = 0x5500;

/// 1 for Black and 2 for White, so that the border is both and an empty cell is neither.
#[inline]
pub const fn code(color: Color) -> u8 {
    1 + color.index() as u8
}

/// The colour of a code; none for an empty cell and the border.
#[inline]
pub const fn decode(code: u8) -> Option<Color> {
    match code {
        1 => Some(Color::Black),
        2 => Some(Color::White),
        _ => None,
    }
}

#[inline]
const fn weight(cell: Cell) -> u64 {
    let cell = cell as u64;
    (cell * ((cell << SQUARES_SHIFT) | (1 << SUM_SHIFT))) | 1
}

/// The place, 0 to 3, of the first cell in a set of cells beside one.
#[inline]
const fn first(set: u16) -> usize {
    (set.trailing_zeros() as usize / 2) & 3
}

/// A board of up to `STRIDE - 1` columns and rows; `N`, a power of two, is the length of the arrays.
#[derive(Clone)]
pub struct Grid<const STRIDE: usize, const N: usize> {
    /// Packed pseudo-liberties of the chain with this head; of an empty cell, its empty neighbours.
    liberties: [u64; N],
    head: [Cell; N],
    next: [Cell; N],
    /// Stones of the chain with this head.
    stones: [u16; N],
    /// Where an empty cell stands in `empty`.
    place: [u16; N],
    /// The empty cells, in no order: the first `empties`.
    empty: [Cell; N],
    /// The colours of the eight cells around each, two bits each: those beside it from bit 0 in the order of
    /// [`Self::around`], the diagonal ones from bit 8 in the order of [`Self::diagonals`].
    near: [u16; N],
    color: [u8; N],
    empties: u16,
    /// The cell that simple ko forbids, and to whom.
    ko: Cell,
    ko_for: u8,
    size: Size,
    hash: u64,
}

impl<const STRIDE: usize, const N: usize> Grid<STRIDE, N> {
    const MASK: usize = {
        assert!(N.is_power_of_two() && (STRIDE + 1) * STRIDE < N);
        N - 1
    };
    const KEYS: &'static [[u64; N]; 2] = &Self::keys();
    const UP: Cell = STRIDE as Cell;

    const fn keys() -> [[u64; N]; 2] {
        let mut keys = [[0; N]; 2];
        let mut row = 0;
        while row < STRIDE - 1 {
            let mut column = 0;
            while column < STRIDE - 1 {
                let point = Point::new(column as u8, row as u8);
                let cell = (row + 1) * STRIDE + column + 1;
                keys[0][cell] = zobrist::stone(Color::Black, point);
                keys[1][cell] = zobrist::stone(Color::White, point);
                column += 1;
            }
            row += 1;
        }
        keys
    }

    pub(crate) fn new(size: Size) -> Self {
        let mut grid = Self {
            liberties: [0; N],
            head: [0; N],
            next: [0; N],
            stones: [0; N],
            place: [0; N],
            empty: [0; N],
            near: [0; N],
            color: [BORDER; N],
            empties: 0,
            ko: NOWHERE,
            ko_for: EMPTY,
            size,
            hash: 0,
        };
        for (cell, head) in (0..).zip(&mut grid.head) {
            *head = cell;
        }
        for point in size.points() {
            let cell = Self::cell(point);
            grid.color[Self::at(cell)] = EMPTY;
            grid.push_empty::<true>(cell);
        }
        for i in 0..usize::from(grid.empties) {
            let cell = grid.empty[i];
            for n in Self::around(cell) {
                if grid.color(n) == EMPTY {
                    grid.liberties[Self::at(cell)] += weight(n);
                }
            }
            let near = Self::around(cell).into_iter().chain(Self::diagonals(cell));
            for (i, n) in near.enumerate() {
                grid.near[Self::at(cell)] |= u16::from(grid.color(n)) << (2 * i);
            }
        }
        grid
    }

    #[inline]
    const fn at(cell: Cell) -> usize {
        cell as usize & Self::MASK
    }

    /// The cell of a point.
    #[inline]
    pub const fn cell(point: Point) -> Cell {
        (point.row() as Cell + 1) * Self::UP + point.column() as Cell + 1
    }

    /// The point of a cell.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both are at most STRIDE, which is 26 at most")]
    pub const fn point(cell: Cell) -> Point {
        Point::new((cell % Self::UP).wrapping_sub(1) as u8, (cell / Self::UP).wrapping_sub(1) as u8)
    }

    /// [`Self::cell`], for a caller that does not name the type.
    #[inline]
    pub const fn locate(&self, point: Point) -> Cell {
        Self::cell(point)
    }

    /// [`Self::point`], for a caller that does not name the type.
    #[inline]
    pub const fn name(&self, cell: Cell) -> Point {
        Self::point(cell)
    }

    /// The four cells beside one.
    #[inline]
    pub const fn around(cell: Cell) -> [Cell; 4] {
        [cell.wrapping_sub(Self::UP), cell.wrapping_sub(1), cell + 1, cell + Self::UP]
    }

    /// The four cells diagonal to one.
    #[inline]
    pub const fn diagonals(cell: Cell) -> [Cell; 4] {
        let (below, above) = (cell.wrapping_sub(Self::UP), cell + Self::UP);
        [below.wrapping_sub(1), below + 1, above.wrapping_sub(1), above + 1]
    }

    /// The colour code of a cell.
    #[inline]
    pub const fn color(&self, cell: Cell) -> u8 {
        self.color[Self::at(cell)]
    }

    /// The cell that stands for the chain of a stone.
    #[inline]
    pub const fn head(&self, cell: Cell) -> Cell {
        self.head[Self::at(cell)]
    }

    /// The stone after this one in the circle of its chain.
    #[inline]
    pub const fn next(&self, cell: Cell) -> Cell {
        self.next[Self::at(cell)]
    }

    /// Stones of the chain that the cell belongs to.
    #[inline]
    pub const fn chain_len(&self, cell: Cell) -> u16 {
        self.stones[Self::at(self.head(cell))]
    }

    /// The Zobrist hash of the stones.
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    pub(crate) const fn key(color: u8, cell: Cell) -> u64 {
        Self::KEYS[(color == 2) as usize][Self::at(cell)]
    }

    /// The empty cells, in an order of no meaning.
    #[inline]
    pub fn empty_cells(&self) -> &[Cell] {
        self.empty.get(..usize::from(self.empties)).unwrap_or(&[])
    }

    /// The cell that simple ko forbids and the code of the player who must not play there, if any.
    #[inline]
    pub const fn ko(&self) -> (Cell, u8) {
        (self.ko, self.ko_for)
    }

    /// A pass: lifts the ban of simple ko.
    #[inline]
    pub const fn lift_ko(&mut self) {
        self.ko = NOWHERE;
    }

    #[inline]
    fn packed(&self, cell: Cell) -> u64 {
        self.liberties[Self::at(self.head(cell))]
    }

    /// Whether the cell is the only liberty of the chain of `stone`.
    #[inline]
    fn is_last_liberty(&self, stone: Cell, cell: Cell) -> bool {
        let packed = self.packed(stone);
        packed == (packed & COUNT).wrapping_mul(weight(cell))
    }

    /// The only liberty of the chain of `stone`, when it has just one.
    #[inline]
    pub fn last_liberty(&self, stone: Cell) -> Option<Cell> {
        let packed = self.packed(stone);
        let (count, sum) = (packed & COUNT, packed >> SUM_SHIFT & SUM);
        if count * (packed >> SQUARES_SHIFT) == sum * sum && count > 0 {
            Cell::try_from(sum / count).ok()
        } else {
            None
        }
    }

    /// Whether a stone on that empty cell would have, or leave its chain, a liberty.
    #[inline]
    pub fn lives(&self, cell: Cell, color: u8) -> bool {
        self.liberties[Self::at(cell)] & COUNT != 0 || self.lives_without_room(cell, color)
    }

    /// The heads of the four cells beside one, as indices.
    #[inline(always)]
    fn heads_around(&self, cell: Cell) -> [usize; 4] {
        let from = Self::at(cell).wrapping_sub(STRIDE) & Self::MASK;
        // One bounds check for all four.
        match self.head[from..].get(..2 * STRIDE + 1) {
            Some(near) => [near[0], near[STRIDE - 1], near[STRIDE + 1], near[2 * STRIDE]].map(Self::at),
            None => [0; 4],
        }
    }

    /// Which of the cells around are of that colour or border, and which are the enemy's or border, each as a
    /// set of even bits in the order of `near`.
    #[inline(always)]
    fn sides(&self, cell: Cell, color: u8) -> (u16, u16) {
        const EVEN: u16 = 0x5555;
        let near = self.near[Self::at(cell)];
        ((near >> (color - 1)) & EVEN, (near >> (2 - color)) & EVEN)
    }

    /// The same for a cell without an empty neighbour: a friend has another liberty, or an enemy has none.
    #[inline(always)]
    fn lives_without_room(&self, cell: Cell, color: u8) -> bool {
        let (own, enemy) = self.sides(cell, color);
        let weight = weight(cell);
        let mut last = 0;
        for (i, head) in self.heads_around(cell).into_iter().enumerate() {
            let packed = self.liberties[head];
            last |= u16::from(packed == (packed & COUNT).wrapping_mul(weight)) << (2 * i);
        }
        ((own & !enemy & !last) | (enemy & !own & last)) & BESIDE != 0
    }

    /// Whether the stone would join another: suicide there is one of several stones, or none.
    #[inline]
    pub(crate) fn has_friend(&self, cell: Cell, color: u8) -> bool {
        let (own, enemy) = self.sides(cell, color);
        own & !enemy & BESIDE != 0
    }

    /// Whether simple ko forbids that cell to that colour.
    #[inline]
    pub fn is_ko(&self, cell: Cell, color: u8) -> bool {
        cell == self.ko && color == self.ko_for
    }

    /// Whether an empty cell is an eye of that colour: all neighbours are its own, and of the diagonal cells at
    /// most one is the enemy's, none when the cell is on the edge.
    #[inline(always)]
    pub fn is_eye(&self, cell: Cell, color: u8) -> bool {
        let (own, enemy) = self.sides(cell, color);
        let (enemies, edges) = (enemy & !own & DIAGONAL, enemy & own & DIAGONAL);
        let at_edge = if edges == 0 { 0 } else { enemies };
        own & BESIDE == BESIDE && (enemies & enemies.wrapping_sub(1)) | at_edge == 0
    }

    /// What playouts choose from: not suicide, not ko, no own eye. Asks in the order in which a processor guesses best.
    #[inline(always)]
    pub fn is_sensible(&self, cell: Cell, color: u8) -> bool {
        let (own, enemy) = self.sides(cell, color);
        let has_room = (own | enemy) & BESIDE != BESIDE;
        !self.is_eye(cell, color)
            && (has_room || (self.lives_without_room(cell, color) && !self.is_ko(cell, color)))
    }

    /// Moves an entry of the list of empty cells behind the first `kept`, of which it is one.
    #[inline(always)]
    pub(crate) fn set_aside<const FULL: bool>(&mut self, index: u16, kept: u16) {
        let (i, j) = (Self::at(index), Self::at(kept.wrapping_sub(1)));
        self.empty.swap(i, j);
        if FULL {
            self.place[Self::at(self.empty[i])] = index;
            self.place[Self::at(self.empty[j])] = kept.wrapping_sub(1);
        }
    }

    /// The cell at a place of the list of empty cells.
    #[inline]
    pub const fn empty_at(&self, index: u16) -> Cell {
        self.empty[Self::at(index)]
    }

    /// How many cells are empty.
    #[inline]
    pub const fn empties(&self) -> u16 {
        self.empties
    }

    #[inline]
    fn push_empty<const FULL: bool>(&mut self, cell: Cell) {
        self.empty[Self::at(self.empties)] = cell;
        if FULL {
            self.place[Self::at(cell)] = self.empties;
        }
        self.empties += 1;
    }

    /// Takes the entry at that index off the list of empty cells.
    #[inline]
    fn drop_empty<const FULL: bool>(&mut self, index: u16) {
        self.empties = self.empties.wrapping_sub(1);
        let last = self.empty[Self::at(self.empties)];
        self.empty[Self::at(index)] = last;
        if FULL {
            self.place[Self::at(last)] = index;
        }
    }

    /// Columns and rows.
    pub const fn size(&self) -> Size {
        self.size
    }
}
