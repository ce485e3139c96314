//! Best estimate: the dead stones that two good players would agree on at the end of a game.
//!
//! First what lives and dies unconditionally ([`crate::life`]). Then playouts that know a little about tactics, half of them with either
//! side moving first, say for each chain how often it lives. Where that leaves a doubt, and the doubt lies in a small closed
//! part of the board, a search reads it out: stones are dead when they die although their owner moves first, since a
//! good player would not have passed otherwise. So a seki stays, and so does what a ko or the next move decides.
//!
//! Everything is done with a fixed seed and a fixed amount of work on one of the sixteen images of the position, so neither the
//! machine nor a turn, a mirror or a swap of colours changes anything.

use crate::board::{Board, with};
use crate::grid::{Cell, EMPTY, Grid};
use crate::rng::Rng;
use crate::{Point, life};

mod all_play;
mod borders;
mod canonical;
mod groups;
mod playout;
mod sample;
pub mod tactics;
mod tree;

use all_play::AllPlay;
use groups::{SHORT, closed_part};
use sample::Sample;
use tree::{Question, Search};

/// What the estimate says about a board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Estimate {
    /// The dead stones, in row order from the bottom left.
    pub dead: Vec<Point>,
    /// Stones whose fate the next move may decide. Those that are not among the dead count as alive.
    pub unsettled: Vec<Point>,
    /// Empty points of borders that are still open: they belong to nobody yet.
    pub open: Vec<Point>,
    /// For each point in row order from the bottom left, whose it was in the playouts: from -1000 (always White's) to 1000.
    pub leaning: Vec<i32>,
    /// How sure the least sure chain is, in thousandths.
    pub sure: u16,
}

/// The dead stones as two good players would see them. The same stones give the same answer on every machine, and their turns, mirror images
/// and colour swaps the same in their places. Takes a few hundredths of a second on 9x9, a few tenths at most on 19x19.
#[must_use]
pub fn estimate(board: &Board) -> Estimate {
    seeded(board, SEED)
}

/// The same with another seed: how much of an answer is luck.
#[doc(hidden)]
#[must_use]
pub fn seeded(board: &Board, seed: u64) -> Estimate {
    let size = board.size();
    let Some((image, views)) = canonical::canonical(board) else { return Estimate::default() };
    let found = with!(&image.0, g => assess(&image, g, seed));
    // A symmetric board has several views: what is dead must be so in each.
    let in_all =
        |point: Point, list: &[Point]| views.iter().all(|v| list.binary_search(&v.point(point)).is_ok());
    let in_any =
        |point: Point, list: &[Point]| views.iter().any(|v| list.binary_search(&v.point(point)).is_ok());
    let lean = |point: Point| -> i32 {
        let sum: i32 =
            views.iter().map(|v| v.sign() * found.leaning[image.size().index(v.point(point))]).sum();
        sum / i32::try_from(views.len()).unwrap_or(1).max(1)
    };
    let dead: Vec<Point> = size.points().filter(|&p| in_all(p, &found.dead)).collect();
    let open = borders::open(board, &dead);
    Estimate {
        unsettled: size.points().filter(|&p| in_any(p, &found.unsettled)).collect(),
        open,
        leaning: size.points().map(lean).collect(),
        sure: found.sure,
        dead,
    }
}

const SEED: u64 = 1;
/// Chains that playouts are less sure of, and that were not read out, may depend on the next move.
const DOUBT: i32 = 500;
/// Games of a search.
const GAMES: u32 = 3000;
/// Moves that all searches of a board may take, for each of its points. The greatest doubts are read first.
const MOVES_PER_POINT: usize = 1000;
/// A board with fewer points than this has as many moves as if it had so many: one fight can take them all.
const LEAST_POINTS: usize = 81;
/// What a search must say, in thousandths, to be believed.
const CONVINCING: i32 = 600;

/// What is said about a chain.
#[derive(Clone, Copy)]
struct Fate {
    dead: bool,
    unsettled: bool,
    sure: i32,
}

fn assess<const S: usize, const N: usize>(board: &Board, grid: &Grid<S, N>, seed: u64) -> Estimate {
    let size = board.size();
    let mut rng = Rng::new(seed);
    let sound = life::pass_alive(board, false);
    let sample = Sample::of(board, grid, &sound, &mut rng);
    let list = &sample.chains.list;
    let by_playouts = |life: i32| Fate { dead: life < 0, unsettled: life.abs() < DOUBT, sure: life.abs() };
    let life = life::life(board, false);
    let proved: Vec<Option<Fate>> =
        list.iter().map(|chain| proof(&life, grid.name(chain.stones[0]))).collect();
    let mut fates: Vec<Fate> = list
        .iter()
        .zip(&proved)
        .map(|(chain, known)| known.unwrap_or_else(|| by_playouts(chain.life)))
        .collect();
    let mut budget = MOVES_PER_POINT * size.area().max(LEAST_POINTS);
    let mut all_play = AllPlay::new();
    for group in sample.doubtful_groups(grid) {
        if budget == 0 && all_play.is_done() {
            break;
        }
        // What is proved needs no search.
        if group.iter().all(|&c| proved[c].is_some()) {
            continue;
        }
        let fate = read(grid, &sample, &group, (&mut budget, &mut all_play), &mut rng);
        if let Some(fate) = fate {
            let unproved = group.iter().filter(|&&c| proved[c].is_none());
            unproved.for_each(|&c| fates[c] = Fate { sure: fate.sure.max(fates[c].sure), ..fate });
        }
    }
    spare_kos(grid, &sample, &mut fates);
    let stones = |which: &dyn Fn(&Fate) -> bool| {
        let chosen = list.iter().zip(&fates).filter(|(_, fate)| which(fate));
        let mut stones: Vec<Point> =
            chosen.flat_map(|(chain, _)| chain.stones.iter().map(|&s| grid.name(s))).collect();
        stones.sort_unstable();
        stones
    };
    let least = fates.iter().map(|fate| if fate.unsettled { 0 } else { fate.sure }).min().unwrap_or(1000);
    Estimate {
        dead: stones(&|fate| fate.dead),
        unsettled: stones(&|fate| fate.unsettled),
        open: Vec::new(),
        leaning: size.points().map(|p| sample.lean[usize::from(grid.locate(p))]).collect(),
        sure: u16::try_from(least).unwrap_or(0),
    }
}

/// What is proved about the chain of a stone.
fn proof(life: &life::Life, stone: Point) -> Option<Fate> {
    let is_in = |list: &[Point]| list.binary_search(&stone).is_ok();
    let dead = is_in(&life.dead);
    (dead || is_in(&life.alive)).then_some(Fate { dead, unsettled: false, sure: 1000 })
}

/// Reads a group out, if the part of the board around it is closed and small, and the search finds a clear answer. In a part that only walls with few
/// liberties close the answer can be life, not death.
fn read<const S: usize, const N: usize>(
    grid: &Grid<S, N>,
    sample: &Sample<N>,
    group: &[usize],
    (budget, all_play): (&mut usize, &mut AllPlay),
    rng: &mut Rng,
) -> Option<Fate> {
    let list = &sample.chains.list;
    // Where all that is short of liberties is too much, the shortest is read alone.
    let (world, short) =
        (0..=SHORT).rev().find_map(|short| Some((closed_part(grid, sample, group, short)?, short)))?;
    let first = list.get(*group.first()?)?;
    let target: Vec<Cell> = group.iter().flat_map(|&c| list[c].stones.iter().copied()).collect();
    let judged: Vec<Cell> = world.open().iter().copied().filter(|c| !target.contains(c)).collect();
    let expected = judged.iter().map(|&c| f64::from(sample.lean[usize::from(c)]) / 1000.0).sum();
    let question = Question { world: &world, target, judged, expected };
    // A third is kept for the second question.
    let (most, rest) = (*budget - *budget / 3, *budget / 3);
    let mut ask = |turn: u8, most: usize| {
        let mut left = most;
        let said = first.sign() * Search::new(&question, turn).run(GAMES, &mut left, rng);
        *budget -= most - left;
        said
    };
    let own = if most > 0 { ask(first.color, most) } else { 0 };
    if own.abs() < CONVINCING {
        let said = all_play.ask(&world, &question.target, first.color)?;
        // A wall with few liberties may be taken after all, and with it what it holds may live.
        let is_known = !said.dies || short == SHORT;
        return is_known.then_some(Fate {
            dead: said.dies,
            unsettled: said.may_die && !said.dies,
            sure: 1000,
        });
    }
    if own <= -CONVINCING {
        return (short == SHORT).then_some(Fate { dead: true, unsettled: false, sure: -own });
    }
    let other = ask(3 - first.color, rest);
    Some(Fate { dead: false, unsettled: other <= -CONVINCING, sure: own.min(other).max(0) })
}

/// A single stone that can only be taken in a ko, by a stone that could be taken back, from chains that live: a ko that is left
/// over at the end is nobody's loss.
fn spare_kos<const S: usize, const N: usize>(grid: &Grid<S, N>, sample: &Sample<N>, fates: &mut [Fate]) {
    for (c, chain) in sample.chains.list.iter().enumerate() {
        let &[stone] = chain.stones.as_slice() else { continue };
        let Some(last) = grid.last_liberty(stone).filter(|_| fates[c].dead) else { continue };
        let holds = |n: Cell| match grid.color(n) {
            EMPTY => false,
            color if color == chain.color => {
                n == stone || sample.chains.at(n).is_some_and(|h| !fates[h].dead)
            }
            color => color == crate::grid::BORDER,
        };
        if Grid::<S, N>::around(last).into_iter().all(holds) {
            fates[c].dead = false;
            fates[c].unsettled = true;
        }
    }
}
