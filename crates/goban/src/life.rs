//! Stones that are alive whatever happens, and stones that are dead whatever their owner does.

use crate::{Board, Color, Point};

mod benson;
use benson::Regions;

/// The stones of both colours that live even if their owner only ever passes, and the regions that they enclose.
///
/// D. Benson, "Life in the game of Go", 1976: a set of chains is unconditionally alive when each of them has two
/// regions of the set's that are *vital* to it, that is, whose empty points are all its liberties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassAlive {
    /// In row order from the bottom left: whose pass-alive chain or enclosed region a point belongs to.
    pub owner: Vec<Option<Color>>,
    /// Stones in such regions: they cannot be saved, whoever moves first.
    pub dead: Vec<Point>,
}

/// The pass-alive chains with the regions that they hold. A region counts when only pass-alive chains
/// enclose it, and no opponent can make two eyes in it.
///
/// With suicide of several stones allowed a region is vital to a chain only when also the points under opposing stones are beside
/// it, because a suicide could lay them bare.
#[must_use]
pub fn pass_alive(board: &Board, multi_stone_suicide: bool) -> PassAlive {
    let size = board.size();
    let mut found = PassAlive { owner: vec![None; size.area()], dead: Vec::new() };
    for color in Color::BOTH {
        let regions = Regions::of(board, color);
        let alive = regions.pass_alive(multi_stone_suicide);
        for point in size.points() {
            let index = size.index(point);
            if alive.holds(&regions, index) {
                found.owner[index] = Some(color);
                if board.stone(point) == Some(color.opposite()) {
                    found.dead.push(point);
                }
            }
        }
    }
    found.dead.sort_unstable();
    found
}

/// Stones that lie in a region enclosed by pass-alive chains of the opponent, and that cannot make two eyes there: their owner cannot
/// save them, moving first and answering every move. Sound, with suicide forbidden: everything else lives, and no
/// stone in a seki is among them, since a chain with two eyes can fill every liberty that it shares. In row order from the bottom left.
#[must_use]
pub fn clearly_dead(board: &Board) -> Vec<Point> {
    pass_alive(board, false).dead
}
