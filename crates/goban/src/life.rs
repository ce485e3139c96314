//! Stones that are alive whatever happens, and stones that are dead whatever their owner does.

use crate::{Board, Color, Point};

mod alive;
mod benson;
mod dead;
mod eyes;
mod frame;
mod hope;
mod local;
mod solver;
mod zone;

use benson::Regions;
use dead::Claim;
use frame::{Chain, Frame};
use solver::Solver;

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

/// What is proved about the chains of a board. No chain is both alive and dead; most chains of an unfinished game are neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// Stones that their owner keeps, moving second: whatever the opponent plays, an answer in the same part of the
    /// board saves them. Sorted.
    pub alive: Vec<Point>,
    /// Stones that cannot be saved. Sorted.
    pub dead: Vec<Point>,
}

/// Positions that are looked at on a board of so many points, at most: the fixed bound of all work here. Large boards have more to read,
/// and each part of them takes longer to be found.
const fn nodes(area: u32) -> u32 {
    5_000 + area * area / 2
}

/// Which chains are proved to be alive, and which to be dead.
///
/// A chain is *dead* when its owner, moving first, passing at will and winning every ko, cannot keep it from being taken by an opponent
/// who answers each move in the same part of the board, and loses none of the stones that this needs. What counts as the part is in
/// `life/local.rs`; the opponent's walls around it are alive in the sense of [`Life::alive`]. Everything that was not
/// proved within a fixed number of positions is left out. A stone in a seki is never dead, since the opponent cannot take it.
///
/// The same stones give the same answer on every machine, and so do their turns, mirror images and colour swaps, in their places.
#[must_use]
pub fn life(board: &Board, multi_stone_suicide: bool) -> Life {
    let stable = pass_alive(board, multi_stone_suicide);
    let frames = Frame::of(board);
    let Some(frame) = frames.first() else { return Life { alive: Vec::new(), dead: stable.dead } };
    let (alive, dead) = read(frame, &frame.seen(board.size(), &stable.owner), multi_stone_suicide);
    // All canonical forms hold the same stones, so one reading is that of all; a board that is its own mirror image keeps what both show.
    let common = |places: &[usize]| {
        let mut seen = frames.iter().map(|frame| frame.points(places.iter().copied()));
        let first = seen.next().unwrap_or_default();
        seen.fold(first, |both, more| both.into_iter().filter(|p| more.binary_search(p).is_ok()).collect())
    };
    let mut found = Life { alive: common(&alive), dead: common(&dead) };
    found.dead.extend(stable.dead);
    found.dead.sort_unstable();
    found.dead.dedup();
    found
}

/// The places that are alive and that are dead in a canonical form, of which it is known who owns what is pass-alive.
fn read(frame: &Frame, owner: &[Option<Color>], suicide: bool) -> (Vec<usize>, Vec<usize>) {
    let area = u32::try_from(frame.stones.len()).unwrap_or(u32::MAX);
    let nodes = nodes(area);
    let mut solver = Solver::new(nodes);
    let groups = Color::BOTH.map(|color| {
        solver.allow(nodes / 4);
        alive::alive(frame, color, owner, &mut solver, suicide)
    });
    let lives = |chain: usize| groups.iter().any(|alive| alive.safe[chain]);
    // What is alive need not be looked at, nor what lies dead in a pass-alive region.
    let buried = |c: &Chain| owner[c.stones[0]] == Some(c.color.opposite());
    let skip: Vec<bool> =
        frame.chains.iter().enumerate().map(|(c, chain)| lives(c) || buried(chain)).collect();
    solver.allow(nodes / 2);
    let claims = groups.each_ref().map(|keeper| dead::dead(frame, keeper, &skip, &mut solver, suicide));
    let clash = |claim: &Claim, others: &[Claim]| others.iter().any(|other| other.meets(&claim.places));
    let [ours, theirs] = &claims;
    // Where each side seems to take the other's stones nothing is settled.
    let sure = ours.iter().filter(|c| !clash(c, theirs)).chain(theirs.iter().filter(|c| !clash(c, ours)));
    let stones = |chain: usize| frame.chains[chain].stones.iter().copied();
    let dead = sure.flat_map(|claim| &claim.chains).flat_map(|&chain| stones(chain)).collect();
    let alive = (0..frame.chains.len()).filter(|&c| lives(c)).flat_map(stones).collect();
    (alive, dead)
}

/// Stones that their owner cannot save: [`Life::dead`], with suicide forbidden. In row order from the bottom left.
#[must_use]
pub fn clearly_dead(board: &Board) -> Vec<Point> {
    life(board, false).dead
}
