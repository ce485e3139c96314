//! Reading: does a chain get away?

use goban::estimate::tactics::liberties;
use goban::grid::{Cell, EMPTY, Grid, OnGrid};
use goban::{Board, Point};

/// Boards that one question may look at: more than any ladder across the board needs.
const EFFORT: u32 = 120;

/// Whether the chain on that point, with its owner to move and one liberty left, can be saved by a move there: by running out, or by taking one
/// of the chains that besiege it. Looks along ladders only.
pub(crate) fn escapes(board: &Board, chain: Point, by: Point) -> bool {
    struct Ask(Point, Point);
    impl OnGrid for Ask {
        type Output = bool;
        fn run<const S: usize, const N: usize>(self, grid: &Grid<S, N>) -> bool {
            grid.size().contains(self.0)
                && grid.size().contains(self.1)
                && Reader::new().escapes_by(grid, grid.locate(self.0), grid.locate(self.1))
        }
    }
    board.on_grid(Ask(chain, by))
}

/// Reads ladders, as far as its effort goes.
pub(crate) struct Reader {
    left: u32,
}

impl Reader {
    /// A reader for one question.
    pub const fn new() -> Self {
        Self { left: EFFORT }
    }

    /// As [`escapes`]. In doubt a chain that is short of liberties does not.
    pub fn escapes_by<const S: usize, const N: usize>(
        &mut self,
        grid: &Grid<S, N>,
        chain: Cell,
        by: Cell,
    ) -> bool {
        let color = grid.color(chain);
        let Some(after) = self.play(grid, by, color) else { return false };
        match liberties(&after, chain, 3).len() {
            0 | 1 => false,
            2 => self.left > 0 && self.catch(&after, chain).is_none(),
            _ => true,
        }
    }

    /// The moves with which the owner of a chain in atari could save it: its last liberty, and those that take a besieger.
    pub fn ways_out<const S: usize, const N: usize>(grid: &Grid<S, N>, chain: Cell) -> Vec<Cell> {
        let mut ways: Vec<Cell> = grid.last_liberty(chain).into_iter().collect();
        let enemy = 3 - grid.color(chain);
        let mut stone = chain;
        loop {
            for n in Grid::<S, N>::around(stone) {
                if grid.color(n) == enemy
                    && let Some(cell) = grid.last_liberty(n)
                    && !ways.contains(&cell)
                {
                    ways.push(cell);
                }
            }
            stone = grid.next(stone);
            if stone == chain {
                return ways;
            }
        }
    }

    /// With the attacker to move on a chain with two liberties: the move that drives it to its end, if there is one.
    pub fn catch<const S: usize, const N: usize>(&mut self, grid: &Grid<S, N>, chain: Cell) -> Option<Cell> {
        let attacker = 3 - grid.color(chain);
        liberties(grid, chain, 2).as_slice().iter().copied().find(|&cell| {
            let Some(after) = self.play(grid, cell, attacker) else { return false };
            if after.last_liberty(chain).is_none() {
                return false;
            }
            // Taking the stones that give atari is a way out as well as running.
            !Self::ways_out(&after, chain).into_iter().any(|by| self.escapes_by(&after, chain, by))
        })
    }

    /// The board after a move that is legal by simple ko; none otherwise, or when the effort is used up.
    fn play<const S: usize, const N: usize>(
        &mut self,
        grid: &Grid<S, N>,
        cell: Cell,
        color: u8,
    ) -> Option<Grid<S, N>> {
        self.left = self.left.checked_sub(1)?;
        if grid.color(cell) != EMPTY || !grid.lives(cell, color) || grid.is_ko(cell, color) {
            return None;
        }
        let mut after = grid.clone();
        after.play(cell, color);
        Some(after)
    }
}

#[cfg(test)]
mod tests {
    use goban::Color;

    use super::*;

    /// A stone in a ladder is lost on an empty board and saved by a stone in the ladder's way; a chain whose besieger can be taken is saved by
    /// taking it.
    #[test]
    fn ladders_are_followed_to_their_end() {
        let drawing = "
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . O . . . . . .
            . O X . . . . . .
            . . O O . . . . .";
        let board = Board::parse(drawing).unwrap();
        let point = |text: &str| text.parse::<Point>().unwrap();
        assert_eq!(board.atari(point("C2")), Some(point("D2")));
        assert!(!escapes(&board, point("C2"), point("D2")));
        let mut broken = board;
        for breaker in ["E4", "F5"] {
            broken.play_unchecked(Color::Black, point(breaker));
        }
        assert!(escapes(&broken, point("C2"), point("D2")));

        // Nowhere to run for C1, but E1 takes a besieger.
        let capture = Board::parse(
            "
            . . . . . . .
            . . . . . . .
            . . O O O . .
            . O . X O X .
            . O X O . X .",
        )
        .unwrap();
        assert_eq!(capture.atari(point("C1")), Some(point("C2")));
        assert!(!escapes(&capture, point("C1"), point("C2")));
        assert!(escapes(&capture, point("C1"), point("E1")));
    }
}
