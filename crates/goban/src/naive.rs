//! The rules once more, written to be read: every question is answered from the stones by flood fill, and the
//! history is a list of whole boards. The fast board is held against this one by the tests, and measured
//! beside it; nothing else uses it.

use std::collections::BTreeSet;

use crate::{Color, Illegal, KoRule, Move, Point, Rng, Rules, Size};

/// The stones, in row order from the bottom left.
pub type Stones = Vec<Option<Color>>;

/// A position without any cleverness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naive {
    size: Size,
    rules: Rules,
    /// The stones.
    pub stones: Stones,
    /// The player to move.
    pub turn: Color,
    /// Stones that Black and White took.
    pub captures: [u32; 2],
    /// The stones before the last move, when it was a stone.
    before: Option<Stones>,
    /// Each situation that has stood: the stones, who was to move, and whether a stone led to it.
    history: Vec<(Stones, Color, bool)>,
}

impl Naive {
    /// The start of a game with those stones.
    #[must_use]
    pub fn new(size: Size, rules: Rules, stones: Stones, to_move: Color) -> Self {
        let history = vec![(stones.clone(), to_move, true)];
        Self { size, rules, stones, turn: to_move, captures: [0; 2], before: None, history }
    }

    /// The stone on a point of the board.
    #[must_use]
    pub fn stone(&self, point: Point) -> Option<Color> {
        self.stones[self.size.index(point)]
    }

    /// The chain of the stone on that point.
    #[must_use]
    pub fn chain(&self, point: Point) -> BTreeSet<Point> {
        let mut chain = BTreeSet::from([point]);
        let mut open = vec![point];
        while let Some(stone) = open.pop() {
            for n in self.size.neighbours(stone) {
                if self.stone(n) == self.stone(point) && chain.insert(n) {
                    open.push(n);
                }
            }
        }
        chain
    }

    /// The empty points beside the chain of the stone on that point.
    #[must_use]
    pub fn liberties(&self, point: Point) -> BTreeSet<Point> {
        let beside = self.chain(point).into_iter().flat_map(|stone| self.size.neighbours(stone));
        beside.filter(|&n| self.stone(n).is_none()).collect()
    }

    /// The stones after a stone on an empty point: first the opponent's chains without a liberty go, then its
    /// own; and how many of each colour went.
    fn after(&self, color: Color, point: Point) -> (Stones, [u32; 2]) {
        let mut next = Self::new(self.size, self.rules, self.stones.clone(), self.turn);
        let mut lost = [0; 2];
        next.stones[self.size.index(point)] = Some(color);
        let beside = self.size.neighbours(point).filter(|&n| next.stone(n) == Some(color.opposite()));
        // The new stone last: it lives if it took something.
        for victim in beside.collect::<Vec<_>>().into_iter().chain([point]) {
            if next.stone(victim).is_some() && next.liberties(victim).is_empty() {
                for stone in next.chain(victim) {
                    let color = next.stones[self.size.index(stone)].take();
                    lost[color.map_or(0, Color::index)] += 1;
                }
            }
        }
        (next.stones, lost)
    }

    /// Whether the player to move may play there.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, point: Point) -> Result<(), Illegal> {
        if !self.size.contains(point) {
            return Err(Illegal::OffBoard);
        }
        if self.stone(point).is_some() {
            return Err(Illegal::Occupied);
        }
        let (after, lost) = self.after(self.turn, point);
        let suicide = lost[self.turn.index()];
        if suicide == 1 || (suicide > 1 && !self.rules.multi_stone_suicide) {
            return Err(Illegal::Suicide);
        }
        let takes_back = self.before.as_ref() == Some(&after);
        let next = self.turn.opposite();
        let stood = match self.rules.ko {
            KoRule::Simple => takes_back,
            KoRule::Positional => self.history.iter().any(|(stones, _, _)| *stones == after),
            KoRule::Situational => self.history.iter().any(|(s, turn, _)| *s == after && *turn == next),
        };
        match (stood, takes_back) {
            (false, _) => Ok(()),
            (true, true) => Err(Illegal::Ko),
            (true, false) => Err(Illegal::Superko),
        }
    }

    /// The player to move plays a stone or passes.
    ///
    /// # Errors
    /// When the rules forbid the stone.
    pub fn play(&mut self, chosen: Move) -> Result<(), Illegal> {
        if let Move::Play(point) = chosen {
            self.check(point)?;
            let (after, [black, white]) = self.after(self.turn, point);
            self.captures[0] += white;
            self.captures[1] += black;
            self.before = Some(std::mem::replace(&mut self.stones, after));
        } else {
            self.before = None;
        }
        self.turn = self.turn.opposite();
        self.history.push((self.stones.clone(), self.turn, chosen != Move::Pass));
        Ok(())
    }

    /// Whether, under simple ko, a stone has led for the third time to the same stones with the same player to move.
    #[must_use]
    pub fn repetition(&self) -> bool {
        let by_stone = || self.history.iter().filter(|(_, _, by_stone)| *by_stone);
        self.rules.ko == KoRule::Simple
            && by_stone().any(|this| by_stone().filter(|&that| this == that).count() >= 3)
    }

    /// Whether all neighbours of an empty point are that colour's, and of its diagonal points at most one is the
    /// opponent's, none at the edge.
    #[must_use]
    pub fn is_eye(&self, color: Color, point: Point) -> bool {
        let (c, r) = (point.column(), point.row());
        let corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|(dc, dr)| {
            let corner = Point::new(c.checked_add_signed(dc)?, r.checked_add_signed(dr)?);
            self.size.contains(corner).then_some(corner)
        });
        let enemies = corners.iter().flatten().filter(|&&p| self.stone(p) == Some(color.opposite())).count();
        let edge = corners.contains(&None);
        self.size.neighbours(point).all(|n| self.stone(n) == Some(color)) && enemies + usize::from(edge) < 2
    }

    /// A uniformly random playout as in [`crate::playout::run`]; returns the number of moves.
    pub fn play_out(&mut self, rng: &mut Rng) -> u32 {
        let (mut moves, mut passes) = (0, 0);
        while passes < 2 {
            let mut points: Vec<Point> = self.size.points().filter(|&p| self.stone(p).is_none()).collect();
            let chosen = loop {
                if points.is_empty() {
                    break Move::Pass;
                }
                let index = rng.below(u32::try_from(points.len()).unwrap_or(0)) as usize;
                let point = points.swap_remove(index);
                if !self.is_eye(self.turn, point) && self.check(point).is_ok() {
                    break Move::Play(point);
                }
            };
            passes = if chosen == Move::Pass { passes + 1 } else { 0 };
            // Legal by the check above.
            _ = self.play(chosen);
            self.history.clear();
            moves += 1;
        }
        moves
    }
}
