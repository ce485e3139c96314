//! Questions that walk over chains or the whole board.

use super::{BORDER, Cell, EMPTY, Grid, NOWHERE};

impl<const STRIDE: usize, const N: usize> Grid<STRIDE, N> {
    /// Black's and White's area of a board at the end of a playout: stones, and empty cells whose neighbours are all of one colour.
    pub fn area(&self) -> (u16, u16) {
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
    pub fn each_liberty(&self, stone: Cell, mut visit: impl FnMut(Cell)) {
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
    pub fn hash_after(&self, cell: Cell, color: u8) -> u64 {
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
}
