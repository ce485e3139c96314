//! What a move looks like at first sight: the whole of an easy player's judgement, and where a search begins.

use goban::{Board, Color, Point, Position, Size};

use crate::candidates::liberties_after;
use crate::reading::escapes;

/// A first look at one position.
pub(crate) struct Instinct<'a> {
    board: &'a Board,
    size: Size,
    color: Color,
    last: Option<Point>,
    /// The board is still open.
    opening: bool,
}

impl<'a> Instinct<'a> {
    pub fn new(position: &'a Position) -> Self {
        let (board, size) = (position.board(), position.size());
        let stones = size.area() as u32 - board.empties();
        Self {
            board,
            size,
            color: position.turn(),
            last: position.last_move().and_then(goban::Move::point),
            opening: stones * 4 < size.area() as u32,
        }
    }

    /// How much a candidate attracts, in points of no unit: around 0 for a quiet move, 5 for one that should be looked at, less than -10 for
    /// one that looks like a mistake.
    pub fn urge(&self, point: Point) -> f32 {
        let taken = self.taken(point);
        let mut urge = self.shape(point) + self.contact(point);
        if taken > 0 {
            urge += 4.0 + 3.0 * taken.min(10) as f32;
        }
        urge += self.rescue(point) + self.attack(point);
        if taken == 0 && self.is_self_atari(point) {
            urge -= 14.0;
        }
        urge
    }

    /// How many stones a move takes.
    pub fn taken(&self, point: Point) -> usize {
        let has_victim = self.neighbours(point, self.color.opposite()).any(|n| self.board.atari(n).is_some());
        if has_victim { self.board.victims(self.color, point).len() } else { 0 }
    }

    fn neighbours(&self, point: Point, color: Color) -> impl Iterator<Item = Point> + use<'_> {
        self.size.neighbours(point).filter(move |&n| self.board.stone(n) == Some(color))
    }

    fn room(&self, point: Point) -> usize {
        self.size.neighbours(point).filter(|&n| self.board.is_empty(n)).count()
    }

    /// Whether the new chain would have a single liberty, and take nothing.
    fn is_self_atari(&self, point: Point) -> bool {
        self.room(point) < 2 && liberties_after(self.board, self.color, point) < 2
    }

    /// Saving own chains that are in atari, if that truly saves them.
    fn rescue(&self, point: Point) -> f32 {
        let mut best: f32 = 0.0;
        // Chains that the move extends, and those that it frees by taking a besieger.
        let extended = self.neighbours(point, self.color);
        let freed = self
            .neighbours(point, self.color.opposite())
            .filter(|&n| self.board.atari(n) == Some(point))
            .flat_map(|n| self.board.chain(n).flat_map(|s| self.neighbours(s, self.color)));
        let mut seen = Vec::new();
        for chain in extended.chain(freed) {
            let Some(head) = self.board.chain_head(chain) else { continue };
            if seen.contains(&head) || self.board.atari(chain).is_none() {
                continue;
            }
            seen.push(head);
            if escapes(self.board, chain, point) {
                best = best.max(4.0 + 2.0 * self.board.chain_len(chain).min(10) as f32);
            } else {
                best = best.min(-4.0);
            }
        }
        best
    }

    /// Giving atari, more so where there is no escape.
    fn attack(&self, point: Point) -> f32 {
        let mut best: f32 = 0.0;
        for enemy in self.neighbours(point, self.color.opposite()) {
            if self.board.liberties(enemy) != 2 {
                continue;
            }
            let mut after = self.board.clone();
            after.play_unchecked(self.color, point);
            let Some(last) = after.atari(enemy) else { continue };
            let size = self.board.chain_len(enemy).min(10) as f32;
            let caught = after.atari(point).is_none() && !escapes(&after, enemy, last);
            best = best.max(if caught { 3.0 + 1.5 * size } else { 1.5 + 0.3 * size });
        }
        best
    }

    /// Lines: the first is for later, the second for later still to be early, the third and fourth are for now.
    fn shape(&self, point: Point) -> f32 {
        let line = self.line(point);
        let (near_own, near_enemy) = self.surroundings(point);
        let lonely = near_own + near_enemy == 0;
        match (self.opening, line) {
            (true, 1) => -12.0,
            (true, 2) => -3.0,
            (true, 3 | 4) => 2.0,
            (true, _) => 1.0,
            (false, 1) if lonely => -6.0,
            (false, 1) => -1.5,
            (false, _) => 0.0,
        }
    }

    /// The line, counted from 1 at the nearest edge.
    pub fn line(&self, point: Point) -> u8 {
        let (c, r) = (point.column(), point.row());
        let far = |at: u8, all: u8| at.min(all.saturating_sub(1).saturating_sub(at));
        1 + far(c, self.size.columns()).min(far(r, self.size.rows()))
    }

    /// Own and opposing stones on the eight points around.
    fn surroundings(&self, point: Point) -> (u32, u32) {
        let mut counts = (0, 0);
        for (dc, dr) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let column = point.column().checked_add_signed(dc);
            let row = point.row().checked_add_signed(dr);
            let (Some(column), Some(row)) = (column, row) else { continue };
            match self.board.stone(Point::new(column, row)) {
                Some(color) if color == self.color => counts.0 += 1,
                Some(_) => counts.1 += 1,
                None => {}
            }
        }
        counts
    }

    /// Moves where both colours meet, and answers to the last move.
    fn contact(&self, point: Point) -> f32 {
        let (own, enemy) = self.surroundings(point);
        let mut contact = match (own, enemy) {
            (0, 0) => 0.0,
            (_, 0) => -0.5 * own.saturating_sub(1) as f32,
            (0, _) => 0.5,
            _ => 2.0,
        };
        if let Some(last) = self.last {
            let far = point.column().abs_diff(last.column()).max(point.row().abs_diff(last.row()));
            contact += [0.0, 2.0, 1.2, 0.4].get(usize::from(far)).copied().unwrap_or(0.0);
        }
        // Between own stones on all sides there is little left to win.
        if self.room(point) == 0 && enemy == 0 { contact - 3.0 } else { contact }
    }
}
