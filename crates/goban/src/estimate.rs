//! Best estimate: the dead stones that two good players would agree on at the end of a game.

use crate::board::{Board, with};
use crate::grid::Grid;
use crate::rng::Rng;
use crate::{Color, Point, life};

mod playout;
mod tactics;

use playout::{Playout, World};

/// What the estimate says about a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// The dead stones, in row order from the bottom left.
    pub dead: Vec<Point>,
    /// For each point in row order from the bottom left, how sure it is Black's: from -1000 (White's) to 1000.
    pub leaning: Vec<i32>,
}

/// The dead stones as two good players would see them, whoever moves first.
#[must_use]
pub fn estimate(board: &Board) -> Estimate {
    with!(&board.0, g => run(board, g))
}

fn run<const S: usize, const N: usize>(board: &Board, grid: &Grid<S, N>) -> Estimate {
    let size = board.size();
    let sound = life::pass_alive(board, false);
    let open = size.points().filter(|&p| sound.owner[size.index(p)].is_none()).map(|p| grid.locate(p));
    let world = World::new(grid, open);
    let mut rng = Rng::new(1);
    let mut sum = vec![0; size.area()];
    const COUNT: i32 = 1000;
    let mut playout = Playout::new(&world);
    for i in 0..COUNT {
        playout.restart();
        playout.run(1 + (i & 1) as u8, &mut rng);
        for p in size.points() {
            sum[size.index(p)] += playout.owner(grid.locate(p));
        }
    }
    for p in size.points() {
        let i = size.index(p);
        sum[i] = match sound.owner[i] {
            Some(Color::Black) => 1000,
            Some(Color::White) => -1000,
            None => sum[i] * 1000 / COUNT,
        };
    }
    let mut dead = Vec::new();
    for p in size.points() {
        if board.chain_head(p) == Some(p) {
            let total: i32 = board.chain(p).map(|s| sum[size.index(s)]).sum();
            let sign = if board.stone(p) == Some(Color::Black) { 1 } else { -1 };
            if total * sign < 0 {
                dead.extend(board.chain(p));
            }
        }
    }
    dead.sort_unstable();
    Estimate { dead, leaning: sum }
}
