//! Uniformly random games to the end: what an engine simulates, and the measure of the board's speed.

use crate::board::{Board, with};
use crate::grid::{Cell, Grid, decode};
use crate::rng::Rng;
use crate::{Color, Point, Size};

/// How a playout ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Black's stones and eyes.
    pub black: u16,
    /// White's stones and eyes.
    pub white: u16,
    /// Moves that were played, passes included.
    pub moves: u32,
}

/// Plays moves that are uniformly random among the legal ones (simple ko, no suicide) that fill no own eye, until
/// both players have passed in a row. A player passes when no such move is left. Stops after six moves for each
/// point of the board, since simple ko does not exclude long cycles. The board itself stays as it is.
#[must_use]
pub fn run(board: &Board, to_move: Color, rng: &mut Rng) -> Ending {
    with!(&board.0, g => Grid::clone(g).play_out(to_move, rng))
}

/// A playout as [`run`], which tells of each stone as it is played, and at the end of each point that somebody
/// owns: what a search with all-moves-as-first needs.
pub fn watch(
    board: &Board,
    to_move: Color,
    rng: &mut Rng,
    mut played: impl FnMut(Color, Point),
    mut owned: impl FnMut(Color, Point),
) -> Ending {
    with!(&board.0, g => {
        let mut end = Grid::clone(g);
        let ending = end.play_out_with(to_move, rng, |color, cell| {
            if let Some(color) = decode(color) {
                played(color, g.name(cell));
            }
        });
        for point in board.size().points() {
            match end.holder(end.locate(point)) {
                1 => owned(Color::Black, point),
                -1 => owned(Color::White, point),
                _ => {}
            }
        }
        ending
    })
}

/// Runs `count` playouts and adds, for each point in row order from the bottom left, how many more of them ended with
/// the point in Black's hands than in White's. Returns the endings' sum of Black's less White's points.
pub fn ownership(board: &Board, to_move: Color, count: u32, rng: &mut Rng, owners: &mut [i32]) -> i64 {
    let size = board.size();
    let mut lead = 0;
    for _ in 0..count {
        with!(&board.0, g => {
            let mut end = Grid::clone(g);
            let ending = end.play_out(to_move, rng);
            lead += i64::from(ending.black) - i64::from(ending.white);
            for (owner, point) in owners.iter_mut().zip(size.points()) {
                *owner += end.holder(end.locate(point));
            }
        });
    }
    lead
}

impl<const STRIDE: usize, const N: usize> Grid<STRIDE, N> {
    /// A uniformly random sensible move, as its index in the list of empty cells: draws from it without replacement.
    #[inline(always)]
    pub(crate) fn choose<const FULL: bool>(&mut self, color: u8, rng: &mut Rng) -> Option<u16> {
        let mut left = self.empties();
        loop {
            // Two draws come out of one random number, so that the second need not wait for another.
            let random = rng.next_u64();
            for half in [random >> 32, random & 0xFFFF_FFFF] {
                if left == 0 {
                    return None;
                }
                #[expect(clippy::cast_possible_truncation, reason = "below `left`")]
                let index = ((half * u64::from(left)) >> 32) as u16;
                if self.is_sensible(self.empty_at(index), color) {
                    return Some(index);
                }
                self.set_aside::<FULL>(index, left);
                left -= 1;
            }
        }
    }

    pub(crate) fn play_out(&mut self, to_move: Color, rng: &mut Rng) -> Ending {
        self.play_out_with(to_move, rng, |_, _| {})
    }

    /// Plays to the end and tells of each stone.
    #[inline(always)]
    pub(crate) fn play_out_with(
        &mut self,
        to_move: Color,
        rng: &mut Rng,
        mut played: impl FnMut(u8, Cell),
    ) -> Ending {
        let limit = 6 * u32::try_from(self.size().area()).unwrap_or(u32::MAX);
        let (mut moves, mut passed) = (0, false);
        if to_move == Color::White {
            passed = !self.step(2, rng, &mut played);
            moves = 1;
        }
        // The compiler makes one copy of a move for each colour, with the colour's constants.
        while moves < limit {
            moves += 1;
            let black = self.step(1, rng, &mut played);
            if passed && !black {
                break;
            }
            moves += 1;
            passed = !self.step(2, rng, &mut played);
            if passed && !black {
                break;
            }
        }
        let (black, white) = self.area();
        Ending { black, white, moves }
    }

    /// One move of a playout; whether it was a stone.
    #[inline(always)]
    fn step(&mut self, color: u8, rng: &mut Rng, played: &mut impl FnMut(u8, Cell)) -> bool {
        match self.choose::<false>(color, rng) {
            Some(index) => {
                let cell = self.empty_at(index);
                self.put::<false>(cell, index, color);
                played(color, cell);
                true
            }
            None => {
                self.lift_ko();
                false
            }
        }
    }
}

/// A whole random game, move by move: for tests and benches that want to see the moves.
#[must_use]
pub fn moves(board: &Board, to_move: Color, rng: &mut Rng) -> Vec<Option<Point>> {
    let mut board = board.clone();
    let mut played = Vec::new();
    let mut color = to_move;
    while played.len() < 6 * board.size().area() && !played.ends_with(&[None, None]) {
        let chosen = board.random_move(color, rng);
        match chosen {
            Some(point) => _ = board.play_unchecked(color, point),
            None => board.pass(),
        }
        played.push(chosen);
        color = color.opposite();
    }
    played
}

/// The stones after that many moves of a random game from the empty board, Black first: for tests and benches that want half-settled boards.
#[must_use]
pub fn stopped(size: Size, moves: usize, rng: &mut Rng) -> Board {
    let mut board = Board::new(size);
    let mut color = Color::Black;
    for played in self::moves(&board, color, rng).into_iter().take(moves) {
        if let Some(point) = played {
            board.play_unchecked(color, point);
        }
        color = color.opposite();
    }
    board
}
