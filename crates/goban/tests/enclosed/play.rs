//! All play in a small part of a board: a wall of one colour around a few points, the other colour outside, where nothing can be taken.

use std::collections::HashMap;

use goban::{Board, Color, Point};

/// Who wins the kos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kos {
    /// Whoever takes last: a stone cannot be taken back at once, and a pass lifts that.
    Simple,
    /// The wall's owner, as the other side never takes any.
    Inside,
    /// The other side.
    Outside,
}

/// The stones on the open points: the wall's owner's, and the other side's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Stones {
    inside: u16,
    outside: u16,
}

/// A wall, and the open points beside it or within.
pub struct Part {
    pub points: Vec<Point>,
    /// The open points beside each.
    near: Vec<u16>,
    /// Open points beside the wall, and beside what stands outside.
    wall: u16,
    rest: u16,
    color: Color,
    start: Stones,
}

/// What a move does: the point of a stone that it takes in a ko is `ko`.
struct Played {
    after: Stones,
    taken: u16,
    took_wall: bool,
    ko: u16,
}

/// A move: where it leads, what it took of the open points, and whether it took the wall.
struct Step {
    to: usize,
    taken: u16,
    took_wall: bool,
}

/// What a step is to the side that wants something.
enum Mark {
    Success,
    Failure,
    GoesOn,
}

/// A set of positions, by number.
type Won = Vec<bool>;

/// All positions that can come up, each with a side to move, and what leads where.
pub struct Game {
    steps: Vec<Vec<Step>>,
    /// Whether the outside is to move.
    is_outside: Vec<bool>,
    /// The number of each position: its stones, the point that a ko forbids, and whether the outside is to move.
    known: HashMap<(Stones, u16, bool), usize>,
}

/// The numbers of the first two positions.
const INSIDE_FIRST: usize = 0;
const OUTSIDE_FIRST: usize = 1;

impl Part {
    /// The part of a board: a wall that is one chain of `color`, and open points. All else is the other side's and stands.
    pub fn new(board: &Board, color: Color, wall: &[Point], points: &[Point]) -> Self {
        let size = board.size();
        let bits = |of: &dyn Fn(Point) -> bool| {
            points.iter().enumerate().filter(|(_, p)| of(**p)).fold(0, |set, (i, _)| set | 1_u16 << i)
        };
        let beside = |of: &dyn Fn(Point) -> bool| bits(&|p| size.neighbours(p).any(of));
        let mut part = Self {
            near: points.iter().map(|&p| bits(&|q| size.neighbours(p).any(|n| n == q))).collect(),
            wall: beside(&|n| wall.contains(&n)),
            rest: beside(&|n| !wall.contains(&n) && !points.contains(&n)),
            color,
            start: Stones { inside: 0, outside: 0 },
            points: points.to_vec(),
        };
        part.start = part.stones(board);
        part
    }

    /// The stones on the open points of such a board.
    fn stones(&self, board: &Board) -> Stones {
        let of = |color: Color| {
            let own = self.points.iter().enumerate().filter(|(_, p)| board.stone(**p) == Some(color));
            own.fold(0, |set, (i, _)| set | 1_u16 << i)
        };
        Stones { inside: of(self.color), outside: of(self.color.opposite()) }
    }

    fn beside(&self, set: u16) -> u16 {
        self.near.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).fold(0, |all, (_, near)| all | near)
    }

    /// What of those stones is connected with `seed`, and whether stones around the part are: `around` are the points beside these.
    fn chain(&self, stones: u16, seed: u16, around: u16) -> (u16, bool) {
        let mut chain = seed;
        let mut joins = false;
        loop {
            joins |= chain & around != 0;
            let more = chain | (self.beside(chain) | if joins { around } else { 0 }) & stones;
            if more == chain {
                return (chain, joins);
            }
            chain = more;
        }
    }

    /// The empty ones of the open points.
    fn empty(&self, stones: Stones) -> u16 {
        ((1_u32 << self.points.len()) - 1) as u16 & !(stones.inside | stones.outside)
    }

    /// The chain of one of a side's stones, or of the wall when there is no seed; whether it is connected with what stands around the part; and whether
    /// it has a liberty.
    fn status(&self, stones: Stones, is_outside: bool, seed: u16) -> (u16, bool, bool) {
        let (own, around) = if is_outside { (stones.outside, self.rest) } else { (stones.inside, self.wall) };
        let (chain, joins) = self.chain(own, seed, around);
        let liberties = self.beside(chain) | if joins || seed == 0 { around } else { 0 };
        (chain, joins, joins && is_outside || liberties & self.empty(stones) != 0)
    }

    /// A move of a side on an empty point, if it is legal but for ko.
    fn play(&self, before: Stones, is_outside: bool, point: u16) -> Option<Played> {
        let mut after = before;
        *(if is_outside { &mut after.outside } else { &mut after.inside }) |= point;
        let (mut taken, mut took_wall) = (0, false);
        let mut left = self.beside(point) & if is_outside { after.inside } else { after.outside };
        while left != 0 {
            let (chain, joins, lives) = self.status(after, !is_outside, left & left.wrapping_neg());
            left &= !chain;
            if !lives {
                taken |= chain;
                took_wall |= joins;
            }
        }
        if is_outside && point & self.wall != 0 && !took_wall {
            let (_, _, lives) = self.status(after, false, after.inside & self.wall);
            took_wall = !lives;
        }
        *(if is_outside { &mut after.inside } else { &mut after.outside }) &= !taken;
        let (chain, joins, lives) = self.status(after, is_outside, point);
        let is_single = taken.count_ones() == 1 && chain == point && !joins;
        let is_ko = is_single && self.beside(point) & self.empty(after) == taken;
        (lives || took_wall).then_some(Played { after, taken, took_wall, ko: if is_ko { taken } else { 0 } })
    }

    /// All that can happen.
    pub fn game(&self, kos: Kos) -> Game {
        let mut known: HashMap<(Stones, u16, bool), usize> = HashMap::new();
        let mut queue = vec![(self.start, 0, false), (self.start, 0, true)];
        known.insert(queue[INSIDE_FIRST], INSIDE_FIRST);
        known.insert(queue[OUTSIDE_FIRST], OUTSIDE_FIRST);
        let mut game = Game { steps: Vec::new(), is_outside: Vec::new(), known: HashMap::new() };
        while let Some(&(stones, ban, is_outside)) = queue.get(game.steps.len()) {
            let mut steps = Vec::new();
            let mut find = |after: Stones, ko: u16| {
                let key = (after, ko, !is_outside);
                *known.entry(key).or_insert_with(|| {
                    queue.push(key);
                    queue.len() - 1
                })
            };
            steps.push(Step { to: find(stones, 0), taken: 0, took_wall: false });
            for point in (0..self.points.len()).map(|i| 1_u16 << i) {
                if (stones.inside | stones.outside | ban) & point != 0 {
                    continue;
                }
                let Some(Played { after, taken, took_wall, ko }) = self.play(stones, is_outside, point)
                else {
                    continue;
                };
                let wins = kos == Kos::Simple || is_outside == (kos == Kos::Outside);
                if took_wall {
                    steps.push(Step { to: INSIDE_FIRST, taken, took_wall });
                } else if ko == 0 || wins {
                    let ban = if kos == Kos::Simple { ko } else { 0 };
                    steps.push(Step { to: find(after, ban), taken, took_wall });
                }
            }
            game.steps.push(steps);
            game.is_outside.push(is_outside);
        }
        game.known = known;
        game
    }
}

impl Game {
    /// The positions in which a side reaches its aim whatever the other one does. What goes on for ever is no success.
    fn won(&self, by_outside: bool, mark: impl Fn(&Step) -> Mark) -> Won {
        let mut won = vec![false; self.steps.len()];
        loop {
            let mut is_new = false;
            for at in 0..self.steps.len() {
                if won[at] {
                    continue;
                }
                let good = |step: &Step| match mark(step) {
                    Mark::Success => true,
                    Mark::Failure => false,
                    Mark::GoesOn => won[step.to],
                };
                won[at] = if self.is_outside[at] == by_outside {
                    self.steps[at].iter().any(good)
                } else {
                    self.steps[at].iter().all(good)
                };
                is_new |= won[at];
            }
            if !is_new {
                return won;
            }
        }
    }

    fn wall_lost(&self) -> Won {
        self.won(true, |step| if step.took_wall { Mark::Success } else { Mark::GoesOn })
    }

    /// Whether the wall is taken when its owner moves first, and when the other side does.
    pub fn takes_wall(&self) -> [bool; 2] {
        let lost = self.wall_lost();
        [lost[INSIDE_FIRST], lost[OUTSIDE_FIRST]]
    }

    /// For each of some boards that can come up, without a ko that was just taken, whether the wall is taken when the side that is given moves first: the
    /// outside, if so. `None` for a board that cannot.
    pub fn takes_wall_on(&self, part: &Part, boards: &[(Board, bool)]) -> Vec<Option<bool>> {
        let lost = self.wall_lost();
        let number =
            |(board, is_outside): &(Board, bool)| self.known.get(&(part.stones(board), 0, *is_outside));
        boards.iter().map(|board| number(board).map(|&at| lost[at])).collect()
    }

    /// Whether the wall's owner takes the stone of the other side on an open point, and keeps the wall, when the other side moves first.
    pub fn takes(&self, point: usize) -> bool {
        let lost = self.wall_lost();
        let won = self.won(false, |step| {
            if step.took_wall {
                Mark::Failure
            } else if step.taken >> point & 1 == 1 && self.is_outside[step.to] {
                if lost[step.to] { Mark::Failure } else { Mark::Success }
            } else {
                Mark::GoesOn
            }
        });
        won[OUTSIDE_FIRST]
    }
}
