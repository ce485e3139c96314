//! The moves that are worth a thought.

use goban::{Color, PassAlive, Point, Position, life};

/// Points that nobody needs to play on: inside of regions that are alive or dead whatever happens. They stay so for the rest of the game, as
/// long as nobody fills their own eyes.
#[derive(Debug, Clone)]
pub(crate) struct Settled(pub Vec<bool>);

impl Settled {
    pub fn of(position: &Position) -> Self {
        let alive: PassAlive = life::pass_alive(position.board(), position.rules().multi_stone_suicide);
        Self(alive.owner.iter().map(Option::is_some).collect())
    }

    pub fn contains(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(false)
    }
}

/// The legal points for the player to move that are neither suicide, nor an own eye, nor settled; in row order from the bottom left.
pub(crate) fn candidates(position: &Position, settled: &Settled) -> Vec<Point> {
    let (board, turn, size) = (position.board(), position.turn(), position.size());
    let is_candidate = |&point: &Point| {
        board.is_empty(point)
            && !settled.contains(size.index(point))
            && !board.is_eye(turn, point)
            && !board.is_suicide(turn, point)
            && position.check(point).is_ok()
    };
    size.points().filter(is_candidate).collect()
}

/// Liberties of the chain that a stone there would make, after captures; 0 for suicide.
pub(crate) fn liberties_after(board: &goban::Board, color: Color, point: Point) -> u32 {
    let mut after = board.clone();
    after.play_unchecked(color, point);
    after.liberties(point)
}
