//! What is claimed about life and death, held against exhaustive play on small boards by rules of its own.

#![expect(clippy::unwrap_used, reason = "small boards are always possible")]

use std::collections::HashMap;

use goban::{Board, Color, Life, Point, Rng, Size, life};

/// The stones of the owner of the chain in question and of the taker, as bits of places in row order.
type Stones = [u16; 2];

const OWNER: usize = 0;
const TAKER: usize = 1;

/// A whole board of up to 16 points, on which one side, the taker, wants to take chains of the other's, the owner's, all of them.
///
/// The board is all there is, so "locally" is everywhere. Both sides may pass; there is no suicide. The taker wins a position when some
/// number of moves is enough to take each stone of the targets once, whatever the owner does; so the owner wins whatever goes on for ever,
/// and with it each ko and each cycle, which the owner may repeat. A taker who wins needs no repetition: on the best line fewer
/// moves are left after each, so none of its positions is an earlier one, and no ko rule can be in the way.
struct Taking {
    near: Vec<u16>,
    /// For each position with the stones still to be taken and the side to move: moves within which the taker wins, and within which it
    /// is known not to.
    known: HashMap<(Stones, u16, usize), (u8, u8)>,
}

const NEVER: u8 = u8::MAX;

impl Taking {
    fn new(size: Size) -> Self {
        let near =
            size.points().map(|p| size.neighbours(p).fold(0, |set, n| set | 1 << size.index(n))).collect();
        Self { near, known: HashMap::new() }
    }

    fn beside(&self, set: u16) -> u16 {
        self.near.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).fold(0, |all, (_, near)| all | near)
    }

    fn is_taken(&self, stones: Stones, side: usize, seed: u16) -> Option<u16> {
        let mut chain = seed;
        loop {
            let more = chain | self.beside(chain) & stones[side];
            if more == chain {
                let liberties = self.beside(chain) & !(stones[0] | stones[1]);
                return (liberties == 0).then_some(chain);
            }
            chain = more;
        }
    }

    /// All positions that a side can make, the pass last.
    fn moves(&self, stones: Stones, side: usize) -> Vec<Stones> {
        let points = (0..self.near.len()).map(|i| 1_u16 << i).filter(|p| (stones[0] | stones[1]) & p == 0);
        let play = |point: u16| {
            let mut after = stones;
            after[side] |= point;
            for i in (0..self.near.len()).filter(|i| self.near[*i] & point != 0) {
                if after[1 - side] >> i & 1 == 1 {
                    after[1 - side] &= !self.is_taken(after, 1 - side, 1 << i).unwrap_or(0);
                }
            }
            self.is_taken(after, side, point).is_none().then_some(after)
        };
        points.filter_map(play).chain([stones]).collect()
    }

    /// Whether the taker wins within so many moves of both.
    fn wins(&mut self, stones: Stones, targets: u16, side: usize, moves: u8) -> bool {
        let left = targets & stones[OWNER];
        if left == 0 {
            return true;
        }
        if moves == 0 {
            return false;
        }
        let (won, not) = self.known.get(&(stones, left, side)).copied().unwrap_or((NEVER, 0));
        if won <= moves || not >= moves {
            return won <= moves;
        }
        let after = self.moves(stones, side);
        let wins = if side == TAKER {
            after.into_iter().any(|next| self.wins(next, left, OWNER, moves - 1))
        } else {
            after.into_iter().rev().all(|next| self.wins(next, left, TAKER, moves - 1))
        };
        let now = if wins { (moves, not) } else { (won, moves) };
        self.known.insert((stones, left, side), now);
        wins
    }

    /// Whether the taker wins at all, within `most` moves.
    fn takes(&mut self, stones: Stones, targets: u16, first: usize, most: u8) -> bool {
        (1..=most).any(|moves| self.wins(stones, targets, first, moves))
    }
}

fn bits(size: Size, points: impl IntoIterator<Item = Point>) -> u16 {
    points.into_iter().fold(0, |set, p| set | 1 << size.index(p))
}

/// The board of that number in base 3, when all its chains have liberties.
fn numbered(size: Size, mut number: u64) -> Option<Board> {
    let mut stones = [Vec::new(), Vec::new()];
    for point in size.points() {
        if let digit @ 1..=2 = number % 3 {
            stones[digit as usize - 1].push(point);
        }
        number /= 3;
    }
    Board::with_stones(size, &stones[0], &stones[1]).ok()
}

/// The chains of some stones, as one stone of each.
fn heads(board: &Board, stones: &[Point]) -> Vec<Point> {
    let mut heads: Vec<Point> = stones.iter().filter_map(|&p| board.chain_head(p)).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// Checks that all dead chains of a colour can be taken though their owner moves first, and that no living chain can be
/// by who moves first, as far as `depth` moves show; returns how many chains were dead and alive.
fn check(board: &Board, found: &Life, depth: u8) -> [usize; 2] {
    let size = board.size();
    let mut taking = Taking::new(size);
    for owner in Color::BOTH {
        let dead = bits(size, found.dead.iter().copied().filter(|&p| board.stone(p) == Some(owner)));
        let start = [owner, owner.opposite()].map(|c| bits(size, board.stones(c)));
        assert!(taking.takes(start, dead, OWNER, 30), "{:?}: some can be saved\n{board}", found.dead);
        for stone in heads(board, &found.alive).into_iter().filter(|&p| board.stone(p) == Some(owner)) {
            let chain = bits(size, board.chain(stone));
            assert!(!taking.takes(start, chain, TAKER, depth), "{stone} can be taken\n{board}");
        }
    }
    assert!(found.dead.iter().all(|stone| !found.alive.contains(stone)), "alive and dead\n{board}");
    [&found.dead, &found.alive].map(|stones| heads(board, stones).len())
}

/// Places of a square board after a turn or mirror.
fn turned(size: Size, turn: u8, p: Point) -> Point {
    let last = size.columns() - 1;
    let (c, r) = if turn & 4 == 0 { (p.column(), p.row()) } else { (p.row(), p.column()) };
    Point::new(if turn & 1 == 0 { c } else { last - c }, if turn & 2 == 0 { r } else { last - r })
}

/// The board turned, and with colours swapped if so.
fn image(board: &Board, turn: u8, swap: bool) -> Board {
    let size = board.size();
    let mut stones = Color::BOTH.map(|c| board.stones(c).map(|p| turned(size, turn, p)).collect::<Vec<_>>());
    if swap {
        stones.swap(0, 1);
    }
    Board::with_stones(size, &stones[0], &stones[1]).unwrap()
}

fn images() -> impl Iterator<Item = (u8, bool)> {
    (0..16).map(|i| (i & 7, i & 8 != 0))
}

/// Checks that the answer for each image of a board is the image of the answer.
fn answers_turn_with_the_board(board: &Board, found: &Life) {
    let size = board.size();
    for (turn, swap) in images().skip(1) {
        let there = life(&image(board, turn, swap), false);
        for (here, there) in [(&found.dead, &there.dead), (&found.alive, &there.alive)] {
            let mut moved: Vec<Point> = here.iter().map(|&p| turned(size, turn, p)).collect();
            moved.sort_unstable();
            assert_eq!(&moved, there, "turn {turn}, swap {swap}\n{board}");
        }
    }
}

/// On all positions of 3x3: the answer turns with the board, and of each set of images one is held against all play.
#[test]
fn claims_on_3x3_hold_against_all_play() {
    let size = Size::square(3).unwrap();
    let (mut positions, mut chains) = (0, [0, 0]);
    for board in (0..3_u64.pow(9)).filter_map(|n| numbered(size, n)) {
        positions += 1;
        let rows = board.to_rows();
        if images().any(|(turn, swap)| image(&board, turn, swap).to_rows() < rows) {
            continue;
        }
        let found = life(&board, false);
        answers_turn_with_the_board(&board, &found);
        let [dead, alive] = check(&board, &found, 8);
        chains = [chains[0] + dead, chains[1] + alive];
    }
    println!("{chains:?} chains of different positions are dead and alive");
    assert!(positions == 12_675 && chains[0] > 100 && chains[1] > 100);
}

/// The same on samples of 4x4 and 5x3 with few empty points, where much is decided.
#[test]
fn claims_on_larger_boards_hold_against_all_play() {
    for (columns, rows) in [(4, 4), (5, 3)] {
        let size = Size::new(columns, rows).unwrap();
        let mut rng = Rng::new(4);
        let (mut positions, mut chains) = (0, [0, 0]);
        while positions < 500 {
            let number = (0..size.area()).fold(0_u64, |n, _| n * 3 + u64::from(rng.below(8) * 3 / 8 + 1) % 3);
            let Some(board) = numbered(size, number).filter(|b| b.empties() <= 7) else { continue };
            let found = life(&board, false);
            if found.dead.len() + found.alive.len() > 0 {
                positions += 1;
                let [dead, alive] = check(&board, &found, 5);
                chains = [chains[0] + dead, chains[1] + alive];
            }
        }
        println!("{size}: {chains:?} chains are dead and alive");
        assert!(chains[0] > 100 && chains[1] > 100);
    }
}
