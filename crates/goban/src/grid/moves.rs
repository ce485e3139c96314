//! How stones come and go.

use super::{BESIDE, BORDER, COUNT, Cell, EMPTY, Grid, NOWHERE, first, weight};

impl<const STRIDE: usize, const N: usize> Grid<STRIDE, N> {
    /// Puts a stone on an empty cell and captures: the enemy's chains first, then, if it still has no liberty, its
    /// own. Returns how many enemy stones and how many own stones were taken.
    #[inline]
    pub fn play(&mut self, cell: Cell, color: u8) -> (u16, u16) {
        self.put::<true>(cell, self.place[Self::at(cell)], color)
    }

    /// The same for a cell that stands at `index` in the list of empty cells. A playout (`FULL` is false) plays no
    /// suicide, and needs neither the hash nor the places of cells in that list.
    #[inline(always)]
    pub(crate) fn put<const FULL: bool>(&mut self, cell: Cell, index: u16, color: u8) -> (u16, u16) {
        let at = Self::at(cell);
        self.drop_empty::<FULL>(index);
        self.color[at] = color;
        if FULL {
            self.hash ^= Self::key(color, cell);
        }
        self.paint(at, color);
        let weight = weight(cell);
        let heads = self.heads_around(cell);
        // Which neighbours have just lost their chain's last liberty: both sets without a branch for each neighbour, since most moves
        // have few of either.
        let mut taken = 0;
        for (i, &head) in heads.iter().enumerate() {
            let left = self.liberties[head].wrapping_sub(weight);
            self.liberties[head] = left;
            taken |= u16::from(left == 0) << (2 * i);
        }
        let (own, enemy) = self.sides(cell, color);
        let mut friends = own & !enemy & BESIDE;
        let victims = enemy & !own & taken & BESIDE;
        if friends == 0 {
            self.next[at] = cell;
            self.stones[at] = 1;
        } else {
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
            return (self.capture::<FULL>(cell, color ^ BORDER, victims), 0);
        }
        if FULL && self.packed(cell) == 0 {
            return (0, self.remove::<FULL>(cell));
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
    fn capture<const FULL: bool>(&mut self, cell: Cell, enemy: u8, mut victims: u16) -> u16 {
        let around = Self::around(cell);
        let mut taken = 0;
        let mut last = NOWHERE;
        while victims != 0 {
            let n = around[first(victims)];
            victims &= victims - 1;
            // Two neighbours may be of one chain.
            if self.color(n) == enemy {
                taken += self.remove::<FULL>(n);
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
    fn remove<const FULL: bool>(&mut self, stone: Cell) -> u16 {
        let color = self.color(stone);
        let mut removed = 0;
        let mut s = stone;
        loop {
            let at = Self::at(s);
            self.color[at] = EMPTY;
            self.paint(at, color);
            self.head[at] = s;
            self.liberties[at] = 0;
            self.push_empty::<FULL>(s);
            removed += 1;
            if FULL {
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
}
