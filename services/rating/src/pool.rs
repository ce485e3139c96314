use std::fmt;

/// A pool of players who are rated together: one for each board size, 5 to 19.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool(u8);

impl Pool {
    /// The pool of boards with this many columns and rows; nothing if there is none.
    pub fn new(board_size: u32) -> Option<Self> {
        u8::try_from(board_size).ok().filter(|size| (5..=19).contains(size)).map(Self)
    }

    /// Columns and rows of its boards.
    pub const fn board_size(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.0)
    }
}
