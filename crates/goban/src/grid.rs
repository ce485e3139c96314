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

/// A cell: an index into the padded arrays.
pub(crate) type Cell = u16;

pub(crate) const EMPTY: u8 = 0;
pub(crate) const BORDER: u8 = 3;
/// No cell: the corner of the border.
pub(crate) const NOWHERE: Cell = 0;

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
pub(crate) const fn code(color: Color) -> u8 {
    1 + color.index() as u8
}

#[inline]
pub(crate) const fn decode(code: u8) -> Option<Color> {
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
pub(crate) struct Grid<const STRIDE: usize, const N: usize> {
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
            grid.push_empty(cell);
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

    #[inline]
    pub(crate) const fn cell(point: Point) -> Cell {
        (point.row() as Cell + 1) * Self::UP + point.column() as Cell + 1
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both are at most STRIDE, which is 26 at most")]
    pub(crate) const fn point(cell: Cell) -> Point {
        Point::new((cell % Self::UP).wrapping_sub(1) as u8, (cell / Self::UP).wrapping_sub(1) as u8)
    }

    /// [`Self::cell`], for a caller that does not name the type.
    #[inline]
    #[expect(clippy::unused_self, reason = "the grid says of which class it is")]
    pub(crate) const fn locate(&self, point: Point) -> Cell {
        Self::cell(point)
    }

    /// [`Self::point`], for a caller that does not name the type.
    #[inline]
    #[expect(clippy::unused_self, reason = "the grid says of which class it is")]
    pub(crate) const fn name(&self, cell: Cell) -> Point {
        Self::point(cell)
    }

    #[inline]
    pub(crate) const fn around(cell: Cell) -> [Cell; 4] {
        [cell.wrapping_sub(Self::UP), cell.wrapping_sub(1), cell + 1, cell + Self::UP]
    }

    #[inline]
    pub(crate) const fn diagonals(cell: Cell) -> [Cell; 4] {
        let (below, above) = (cell.wrapping_sub(Self::UP), cell + Self::UP);
        [below.wrapping_sub(1), below + 1, above.wrapping_sub(1), above + 1]
    }

    #[inline]
    pub(crate) const fn color(&self, cell: Cell) -> u8 {
        self.color[Self::at(cell)]
    }

    #[inline]
    pub(crate) const fn head(&self, cell: Cell) -> Cell {
        self.head[Self::at(cell)]
    }

    #[inline]
    pub(crate) const fn next(&self, cell: Cell) -> Cell {
        self.next[Self::at(cell)]
    }

    /// Stones of the chain that the cell belongs to.
    #[inline]
    pub(crate) const fn chain_len(&self, cell: Cell) -> u16 {
        self.stones[Self::at(self.head(cell))]
    }

    #[inline]
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    pub(crate) const fn key(color: u8, cell: Cell) -> u64 {
        Self::KEYS[(color == 2) as usize][Self::at(cell)]
    }

    #[inline]
    pub(crate) fn empty_cells(&self) -> &[Cell] {
        self.empty.get(..usize::from(self.empties)).unwrap_or(&[])
    }

    /// The cell that simple ko forbids and the code of the player who must not play there, if any.
    #[inline]
    pub(crate) const fn ko(&self) -> (Cell, u8) {
        (self.ko, self.ko_for)
    }

    #[inline]
    pub(crate) const fn lift_ko(&mut self) {
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
    pub(crate) fn last_liberty(&self, stone: Cell) -> Option<Cell> {
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
    pub(crate) fn lives(&self, cell: Cell, color: u8) -> bool {
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

    #[inline]
    pub(crate) fn is_ko(&self, cell: Cell, color: u8) -> bool {
        cell == self.ko && color == self.ko_for
    }

    /// Whether an empty cell is an eye of that colour: all neighbours are its own, and of the diagonal cells at
    /// most one is the enemy's, none when the cell is on the edge.
    #[inline(always)]
    pub(crate) fn is_eye(&self, cell: Cell, color: u8) -> bool {
        let (own, enemy) = self.sides(cell, color);
        let (enemies, edges) = (enemy & !own & DIAGONAL, enemy & own & DIAGONAL);
        own & BESIDE == BESIDE && enemies & enemies.wrapping_sub(1) == 0 && (enemies == 0 || edges == 0)
    }

    /// What playouts choose from: not suicide, not ko, no own eye.
    #[inline(always)]
    pub(crate) fn is_sensible(&self, cell: Cell, color: u8) -> bool {
        if self.liberties[Self::at(cell)] & COUNT != 0 {
            return true;
        }
        !self.is_eye(cell, color) && self.lives_without_room(cell, color) && !self.is_ko(cell, color)
    }

    /// Moves an entry of the list of empty cells behind the first `kept`, of which it is one.
    #[inline(always)]
    pub(crate) fn set_aside(&mut self, index: u16, kept: u16) {
        let (i, j) = (Self::at(index), Self::at(kept.wrapping_sub(1)));
        self.empty.swap(i, j);
        self.place[Self::at(self.empty[i])] = index;
        self.place[Self::at(self.empty[j])] = kept.wrapping_sub(1);
    }

    #[inline]
    pub(crate) const fn empty_at(&self, index: u16) -> Cell {
        self.empty[Self::at(index)]
    }

    #[inline]
    pub(crate) const fn empties(&self) -> u16 {
        self.empties
    }

    #[inline]
    fn push_empty(&mut self, cell: Cell) {
        self.empty[Self::at(self.empties)] = cell;
        self.place[Self::at(cell)] = self.empties;
        self.empties += 1;
    }

    #[inline]
    fn drop_empty(&mut self, cell: Cell) {
        self.empties = self.empties.wrapping_sub(1);
        let place = self.place[Self::at(cell)];
        let last = self.empty[Self::at(self.empties)];
        self.empty[Self::at(place)] = last;
        self.place[Self::at(last)] = place;
    }

    /// Puts a stone on an empty cell and captures: the enemy's chains first, then, if it still has no liberty, its
    /// own. Returns how many enemy stones and how many own stones were taken.
    #[inline(always)]
    pub(crate) fn play<const HASHED: bool>(&mut self, cell: Cell, color: u8) -> (u16, u16) {
        let at = Self::at(cell);
        self.drop_empty(cell);
        self.color[at] = color;
        self.next[at] = cell;
        self.stones[at] = 1;
        if HASHED {
            self.hash ^= Self::key(color, cell);
        }
        self.paint(at, color);
        let heads = self.heads_around(cell);
        let weight = weight(cell);
        for head in heads {
            self.liberties[head] = self.liberties[head].wrapping_sub(weight);
        }
        // Both sets first, without a branch for each neighbour: most moves have few of either.
        let (own, enemy) = self.sides(cell, color);
        let mut friends = own & !enemy & BESIDE;
        let mut taken = 0;
        for (i, head) in heads.into_iter().enumerate() {
            taken |= u16::from(self.liberties[head] & COUNT == 0) << (2 * i);
        }
        let victims = enemy & !own & taken & BESIDE;
        if friends != 0 {
            self.extend(cell, heads[first(friends)]);
            friends &= friends - 1;
            while friends != 0 {
                let beside = Self::around(cell)[first(friends)];
                self.join(cell, beside);
                friends &= friends - 1;
            }
        }
        self.ko = NOWHERE;
        if victims != 0 {
            return (self.capture::<HASHED>(cell, color ^ BORDER, victims), 0);
        }
        if self.packed(cell) & COUNT == 0 {
            return (0, self.remove::<HASHED>(cell));
        }
        (0, 0)
    }

    /// Adds a colour to, or takes it out of, what the eight cells around a cell know of it.
    #[inline(always)]
    fn paint(&mut self, at: usize, color: u8) {
        let color = u16::from(color);
        let from = at.wrapping_sub(STRIDE + 1) & Self::MASK;
        // One bounds check for all eight.
        if let Some(near) = self.near[from..].get_mut(..2 * STRIDE + 3) {
            near[1] ^= color << 6;
            near[STRIDE] ^= color << 4;
            near[STRIDE + 2] ^= color << 2;
            near[2 * STRIDE + 1] ^= color;
            near[0] ^= color << 14;
            near[2] ^= color << 12;
            near[2 * STRIDE] ^= color << 10;
            near[2 * STRIDE + 2] ^= color << 8;
        }
    }

    /// Takes the chains of those neighbours, given as a set of places in [`Self::around`], and notes a ko.
    fn capture<const HASHED: bool>(&mut self, cell: Cell, enemy: u8, mut victims: u16) -> u16 {
        let around = Self::around(cell);
        let mut taken = 0;
        let mut last = NOWHERE;
        while victims != 0 {
            let n = around[first(victims)];
            victims &= victims - 1;
            // Two neighbours may be of one chain.
            if self.color(n) == enemy {
                taken += self.remove::<HASHED>(n);
                last = n;
            }
        }
        if taken == 1 && self.chain_len(cell) == 1 && self.packed(cell) & COUNT == 1 {
            self.ko = last;
            self.ko_for = enemy;
        }
        taken
    }

    /// Adds a new stone, still alone, to the chain with that head.
    #[inline(always)]
    fn extend(&mut self, cell: Cell, h: usize) {
        let at = Self::at(cell);
        self.head[at] = h as Cell;
        self.liberties[h] = self.liberties[h].wrapping_add(self.liberties[at]);
        self.stones[h] += 1;
        self.next[at] = self.next[h];
        self.next[h] = cell;
    }

    /// Makes one chain of two of the same colour: the smaller takes over the head of the larger.
    #[inline]
    fn join(&mut self, a: Cell, b: Cell) {
        let (a, b) = (self.head(a), self.head(b));
        if a == b {
            return;
        }
        let (large, small) =
            if self.stones[Self::at(a)] >= self.stones[Self::at(b)] { (a, b) } else { (b, a) };
        let (l, s) = (Self::at(large), Self::at(small));
        self.liberties[l] = self.liberties[l].wrapping_add(self.liberties[s]);
        self.stones[l] += self.stones[s];
        let mut stone = small;
        loop {
            self.head[Self::at(stone)] = large;
            stone = self.next(stone);
            if stone == small {
                break;
            }
        }
        self.next.swap(l, s);
    }

    /// Takes the chain of a stone off the board; returns how many stones it had.
    fn remove<const HASHED: bool>(&mut self, stone: Cell) -> u16 {
        let color = self.color(stone);
        let mut removed = 0;
        let mut s = stone;
        loop {
            let at = Self::at(s);
            self.color[at] = EMPTY;
            self.paint(at, color);
            self.head[at] = s;
            self.liberties[at] = 0;
            self.push_empty(s);
            removed += 1;
            if HASHED {
                self.hash ^= Self::key(color, s);
            }
            s = self.next(s);
            if s == stone {
                break;
            }
        }
        loop {
            let weight = weight(s);
            for n in Self::around(s) {
                let head = Self::at(self.head(n));
                self.liberties[head] = self.liberties[head].wrapping_add(weight);
            }
            s = self.next(s);
            if s == stone {
                return removed;
            }
        }
    }

    /// Black's and White's area of a board at the end of a playout: stones, and empty cells whose neighbours are all of one colour.
    pub(crate) fn area(&self) -> (u16, u16) {
        let (mut black, mut white) = (0, 0);
        for &c in &self.color {
            black += u16::from(c == 1);
            white += u16::from(c == 2);
        }
        for &cell in self.empty_cells() {
            let [a, b, c, d] = Self::around(cell);
            let all = self.color(a) & self.color(b) & self.color(c) & self.color(d);
            black += u16::from(all == 1);
            white += u16::from(all == 2);
        }
        (black, white)
    }

    /// Calls `visit` with each liberty of the chain of `stone`, once each.
    pub(crate) fn each_liberty(&self, stone: Cell, mut visit: impl FnMut(Cell)) {
        let mut seen = [0_u64; 16];
        let mut s = stone;
        loop {
            for n in Self::around(s) {
                let (word, bit) = (usize::from(n >> 6) & 15, 1 << (n & 63));
                if self.color(n) == EMPTY && seen[word] & bit == 0 {
                    seen[word] |= bit;
                    visit(n);
                }
            }
            s = self.next(s);
            if s == stone {
                return;
            }
        }
    }

    /// Heads of the chains that a stone there would take: the enemy's, or its own when it is suicide. Unused
    /// places hold [`NOWHERE`].
    pub(crate) fn victims(&self, cell: Cell, color: u8) -> [Cell; 4] {
        let suicide = !self.lives(cell, color);
        let victim = if suicide { color } else { color ^ BORDER };
        let mut heads = [NOWHERE; 4];
        for (i, n) in Self::around(cell).into_iter().enumerate() {
            let head = self.head(n);
            if self.color(n) == victim && self.is_last_liberty(n, cell) && !heads.contains(&head) {
                heads[i] = head;
            }
        }
        heads
    }

    /// The hash of the board after that stone, its captures or its suicide included.
    pub(crate) fn hash_after(&self, cell: Cell, color: u8) -> u64 {
        let lives = self.lives(cell, color);
        let mut hash = if lives { self.hash ^ Self::key(color, cell) } else { self.hash };
        for head in self.victims(cell, color).into_iter().filter(|&head| head != NOWHERE) {
            let mut s = head;
            loop {
                hash ^= Self::key(self.color(head), s);
                s = self.next(s);
                if s == head {
                    break;
                }
            }
        }
        hash
    }

    pub(crate) const fn size(&self) -> Size {
        self.size
    }
}
