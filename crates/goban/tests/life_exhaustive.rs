//! What is claimed about life and death, held against exhaustive play on small boards by rules of its own.

#![expect(clippy::unwrap_used, reason = "small boards are always possible")]

use std::collections::HashMap;

use goban::{Board, Life, Point, Rng, Size, life};

/// Stones of the owner of the chain in question and of the taker, as bits of places in row order.
type Stones = [u16; 2];

const OWNER: usize = 0;
const TAKER: usize = 1;

/// A whole board of up to 16 points, on which one side wants to take a chain.
///
/// The owner moves first; both may pass; no suicide. The taker wins when the stones of `target` that
/// stood at the start have been taken. The owner wins when that never happens. Ko and repetition are decided for the owner: the
/// taker may not bring back any earlier position of the line, the owner may, and does not lose by it.
///
/// So the taker wins from exactly the positions from which a stated number of moves suffices, and no move of the taker's that brings a
/// position back can be among the best: in a won position fewer moves are left than the last time.
struct Taking {
    near: Vec<u16>,
    all: u16,
}

impl Taking {
    fn new(size: Size) -> Self {
        let near =
            size.points().map(|p| size.neighbours(p).fold(0, |set, n| set | 1 << size.index(n))).collect();
        Self { near, all: ((1_u32 << size.area()) - 1) as u16 }
    }

    fn flood(&self, set: u16, seed: u16) -> u16 {
        let mut found = seed;
        loop {
            let beside = (0..16).filter(|i| found >> i & 1 == 1).fold(0, |s, i| s | self.near[i]);
            let more = found | beside & set;
            if more == found {
                return found;
            }
            found = more;
        }
    }

    fn has_liberty(&self, stones: Stones, chain: u16) -> bool {
        let beside = (0..self.near.len()).filter(|i| chain >> i & 1 == 1).fold(0, |s, i| s | self.near[i]);
        beside & self.all & !(stones[0] | stones[1]) != 0
    }

    fn play(&self, mut stones: Stones, side: usize, point: u16) -> Option<Stones> {
        stones[side] |= point;
        for i in 0..self.near.len() {
            let seed = 1_u16 << i;
            if stones[1 - side] & seed != 0 && self.near[i] & point != 0 {
                let chain = self.flood(stones[1 - side], seed);
                if !self.has_liberty(stones, chain) {
                    stones[1 - side] &= !chain;
                }
            }
        }
        let chain = self.flood(stones[side], point);
        self.has_liberty(stones, chain).then_some(stones)
    }

    fn moves(&self, stones: Stones, side: usize) -> Vec<Stones> {
        let empty = self.all & !(stones[0] | stones[1]);
        let points = (0..self.near.len()).map(|i| 1_u16 << i).filter(|p| empty & p != 0);
        let mut after: Vec<Stones> = points.filter_map(|p| self.play(stones, side, p)).collect();
        after.push(stones);
        after
    }

    /// Whether the taker wins when `first` is to move: retrograde, over all positions that can be reached while the chain stands.
    fn takes(&self, start: Stones, target: u16, first: usize) -> bool {
        // Positions as (stones, side to move), what they lead to, and a count of the owner's moves not yet known to lose.
        let mut number: HashMap<(Stones, usize), usize> = HashMap::from([((start, first), 0)]);
        let mut list = vec![(start, first)];
        let mut from: Vec<Vec<usize>> = vec![Vec::new()];
        let mut left: Vec<usize> = vec![0];
        let mut lost: Vec<usize> = Vec::new();
        let mut known = vec![false];
        let mut done = 0;
        while let Some(&(stones, side)) = list.get(done) {
            let mut after = self.moves(stones, side);
            after.sort_unstable();
            after.dedup();
            left[done] = after.len();
            for next in after {
                if next[OWNER] & target != target {
                    // The chain is taken whole, by the taker: the owner's own moves take nothing of the owner's.
                    if !known[done] {
                        known[done] = true;
                        lost.push(done);
                    }
                    continue;
                }
                let key = (next, 1 - side);
                let at = *number.entry(key).or_insert_with(|| {
                    list.push(key);
                    from.push(Vec::new());
                    left.push(0);
                    known.push(false);
                    list.len() - 1
                });
                from[at].push(done);
            }
            done += 1;
        }
        while let Some(at) = lost.pop() {
            for &before in &from[at] {
                left[before] -= 1;
                let owner_moves = list[before].1 == OWNER;
                if !known[before] && (!owner_moves || left[before] == 0) {
                    known[before] = true;
                    lost.push(before);
                }
            }
        }
        known[0]
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

/// Checks each chain that is claimed to be dead; returns how many there were.
fn all_dead_can_be_taken(board: &Board, taking: &Taking) -> usize {
    let size = board.size();
    let Life { alive, dead } = life(board, false);
    let mut checked = Vec::new();
    for &stone in &dead {
        let head = board.chain_head(stone).unwrap();
        if checked.contains(&head) {
            continue;
        }
        checked.push(head);
        let owner = board.stone(stone).unwrap();
        let start = [owner, owner.opposite()].map(|c| bits(size, board.stones(c)));
        let target = bits(size, board.chain(stone));
        assert!(taking.takes(start, target, OWNER), "{stone} can be saved\n{board}");
    }
    for &stone in &alive {
        let owner = board.stone(stone).unwrap();
        assert!(!dead.contains(&stone));
        let start = [owner, owner.opposite()].map(|c| bits(size, board.stones(c)));
        let target = bits(size, board.chain(stone));
        assert!(!taking.takes(start, target, TAKER), "{stone} lives and can be taken\n{board}");
    }
    checked.len()
}

/// On all positions of 3x3: whatever is removed, its owner cannot save by any play.
#[test]
fn what_is_clearly_dead_on_3x3_cannot_be_saved() {
    let size = Size::square(3).unwrap();
    let taking = Taking::new(size);
    let chains: usize =
        (0..3_u64.pow(9)).filter_map(|n| numbered(size, n)).map(|b| all_dead_can_be_taken(&b, &taking)).sum();
    println!("{chains} chains are clearly dead");
    assert!(chains > 0);
}

/// The same on a sample of 4x4, of full and of half empty boards.
#[test]
fn what_is_clearly_dead_on_4x4_cannot_be_saved() {
    let size = Size::square(4).unwrap();
    let taking = Taking::new(size);
    let mut rng = Rng::new(4);
    let mut chains = 0;
    for _ in 0..1_500 {
        let mut number = 0_u64;
        for _ in 0..16 {
            number = number * 3 + [0_u64, 0, 1, 1, 1, 2, 2, 2][rng.below(8) as usize];
        }
        if let Some(board) = numbered(size, number) {
            if !life(&board, false).dead.is_empty() {
                chains += all_dead_can_be_taken(&board, &taking);
            }
        }
    }
    println!("{chains} chains are clearly dead");
    assert!(chains > 0);
}
