//! Best estimate: the dead stones that two good players would agree on at the end of a game.

use crate::board::{Board, with};
use crate::grid::{Cell, Grid};
use crate::rng::Rng;
use crate::{Color, Point, life};

mod groups;
mod playout;
mod tactics;
mod tree;

use groups::{Chains, closed_part};
use playout::{Playout, World};
use tree::{Question, Search};

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
pub fn estimate(board: &Board, seed: u64) -> Estimate {
    with!(&board.0, g => run(board, g, seed))
}

const COUNT: u32 = 640;
const CLEAR: i32 = 950;
const ALIKE: u32 = 930;

fn run<const S: usize, const N: usize>(board: &Board, grid: &Grid<S, N>, seed: u64) -> Estimate {
    let debug = std::env::var("EST").is_ok();
    let size = board.size();
    let sound = life::pass_alive(board, false);
    let open = size.points().filter(|&p| sound.owner[size.index(p)].is_none()).map(|p| grid.locate(p));
    let world = World::new(grid, open);
    let mut rng = Rng::new(seed);
    let cells: Vec<Cell> = size.points().map(|p| grid.locate(p)).collect();
    let mut sum = vec![0; size.area()];
    let mut chains = Chains::new(grid, cells.iter().copied());
    let mut playout = Playout::new(&world);
    for i in 0..COUNT {
        playout.restart();
        playout.run(1 + (i & 1) as u8, &mut rng);
        for (sum, &cell) in sum.iter_mut().zip(&cells) {
            *sum += playout.owner(cell);
        }
        for chain in &mut chains.list {
            let sign = if chain.color == 1 { 1 } else { -1 };
            let lived = playout.owner(chain.stones[0]) == sign;
            if i % 64 == 0 {
                chain.fates.push(0);
            }
            if let Some(last) = chain.fates.last_mut() {
                *last |= u64::from(lived) << (i % 64);
            }
        }
    }
    for p in size.points() {
        let i = size.index(p);
        sum[i] = match sound.owner[i] {
            Some(Color::Black) => 1000,
            Some(Color::White) => -1000,
            None => sum[i] * 1000 / COUNT as i32,
        };
    }
    for chain in &mut chains.list {
        let total: i32 = chain.stones.iter().map(|&s| sum[size.index(grid.name(s))]).sum();
        chain.life = total * if chain.color == 1 { 1 } else { -1 } / chain.stones.len() as i32;
    }
    // Groups
    let doubtful: Vec<usize> = (0..chains.list.len()).filter(|&c| chains.list[c].life.abs() < CLEAR).collect();
    let mut grouped = vec![false; chains.list.len()];
    let mut dead = vec![false; chains.list.len()];
    for (i, chain) in chains.list.iter().enumerate() {
        dead[i] = chain.life < 0;
    }
    let mut groups = Vec::new();
    for &c in &doubtful {
        if grouped[c] { continue; }
        grouped[c] = true;
        let mut group = vec![c];
        let mut done = 0;
        while let Some(&a) = group.get(done) {
            done += 1;
            for &b in &doubtful {
                if !grouped[b] && chains.list[a].color == chains.list[b].color && chains.list[a].agrees(&chains.list[b], COUNT) >= ALIKE {
                    grouped[b] = true;
                    group.push(b);
                }
            }
        }
        groups.push(group);
    }
    groups.sort_by_key(|g: &Vec<usize>| g.iter().map(|&c| chains.list[c].life.abs()).min());
    for group in &groups {
        let Some(local) = closed_part(grid, &chains, group, |c| sum[size.index(grid.name(c))]) else { continue };
        let part = local.open();
        let target: Vec<Cell> = group.iter().flat_map(|&c| chains.list[c].stones.iter().copied()).collect();
        let judged: Vec<Cell> = part.iter().copied().filter(|c| !target.contains(c)).collect();
        let black = chains.list[group[0]].color;
        let sign = if black == 1 { 1 } else { -1 };
        let expected = judged.iter().map(|&c| f64::from(sum[size.index(grid.name(c))]) / 1000.0).sum();
        let question = Question { world: &local, target, judged, expected };
        let mut search = Search::new(&question, black);
        let (own, own_share) = search.run(3000, &mut rng);
        let own = sign * own;
            let mut other = Search::new(&question, 3 - black);
            let (second, second_share) = other.run(3000, &mut rng);
            let second = sign * second;
        if debug {
            let empties = part.iter().filter(|&&c| grid.color(c) == 0).count();
            let life = group.iter().map(|&c| chains.list[c].life).sum::<i32>() / group.len() as i32;
            println!("G {} {} {} {empties} {life} {own} {own_share} {second} {second_share}", grid.name(question.target[0]), question.target.len(), part.len());
            println!("   {}\n   {}", search.line(grid), other.line(grid));
        }
        for &c in group {
            if own.abs() >= 600 { dead[c] = own < 0; }
        }
    }
    let mut stones: Vec<Point> = (0..dead.len()).filter(|&c| dead[c]).flat_map(|c| chains.list[c].stones.iter().map(|&s| grid.name(s))).collect();
    stones.sort_unstable();
    Estimate { dead: stones, leaning: sum }
}
