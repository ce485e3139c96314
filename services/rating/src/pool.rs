use std::fmt;

/// A pool of players who are rated together: one for each board size, 5 to 19, for people, and as many for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool {
    size: u8,
    bots: bool,
}

impl Pool {
    /// What the store adds to the board size of a pool of programs.
    const BOTS: i16 = 100;

    /// The people's pool of boards with this many columns and rows; nothing if there is none.
    pub fn new(board_size: u32) -> Option<Self> {
        let size = u8::try_from(board_size).ok().filter(|size| (5..=19).contains(size))?;
        Some(Self { size, bots: false })
    }

    /// The programs' pool of the same board. The games of one never touch the ratings of the other.
    #[must_use]
    pub const fn of_bots(self) -> Self {
        Self { bots: true, ..self }
    }

    /// Columns and rows of its boards.
    pub const fn board_size(self) -> u8 {
        self.size
    }

    /// Whether it is one of programs.
    pub const fn is_of_bots(self) -> bool {
        self.bots
    }

    /// The pool as the store writes it: 5 to 19 for people, 105 to 119 for programs.
    pub const fn number(self) -> i16 {
        self.size as i16 + if self.bots { Self::BOTS } else { 0 }
    }

    /// The pool that the store wrote so.
    pub fn from_number(number: i16) -> Option<Self> {
        let bots = number >= Self::BOTS;
        let size = if bots { number - Self::BOTS } else { number };
        let pool = Self::new(u32::try_from(size).ok()?)?;
        Some(if bots { pool.of_bots() } else { pool })
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots = if self.bots { " of programs" } else { "" };
        write!(f, "{0}x{0}{bots}", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pool comes back from its number, no two share one, and nothing else is a pool's number.
    #[test]
    fn numbers_round_trip() {
        let pools: Vec<_> = (i16::MIN..=i16::MAX).filter_map(Pool::from_number).collect();
        assert_eq!(pools.len(), 30);
        for pool in pools {
            assert_eq!(Pool::from_number(pool.number()), Some(pool));
            assert_eq!(Pool::new(pool.board_size().into()).map(Pool::is_of_bots), Some(false));
        }
    }
}
