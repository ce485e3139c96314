//! A random game with reflexes: what is in atari is taken or saved before anything else is played.

use goban::{Board, Color, Point, Rng, playout};

/// How often, of 16, a reflex is followed.
const REFLEX: u64 = 14;

/// Who first played on each point of the board, in a playout and on the way to it.
#[derive(Debug, Clone)]
pub(crate) struct Firsts(Vec<Option<Color>>);

impl Firsts {
    pub fn new(area: usize) -> Self {
        Self(vec![None; area])
    }

    pub fn clear(&mut self) {
        self.0.fill(None);
    }

    /// Somebody played there, later than what is known.
    pub fn later(&mut self, index: usize, color: Color) {
        if let Some(first @ None) = self.0.get_mut(index) {
            *first = Some(color);
        }
    }

    /// Somebody played there, earlier than what is known.
    pub fn earlier(&mut self, index: usize, color: Color) {
        if let Some(first) = self.0.get_mut(index) {
            *first = Some(color);
        }
    }

    pub fn of(&self, index: usize) -> Option<Color> {
        self.0.get(index).copied().flatten()
    }
}

/// Plays to the end, on the board that is given. Returns Black's points less White's, by area. Reflexes after A. Bouzy's and
/// S. Gelly's: capture what was left in atari, save what was put into it.
pub(crate) fn run(
    board: &mut Board,
    mut turn: Color,
    mut last: Option<Point>,
    rng: &mut Rng,
    firsts: &mut Firsts,
) -> i32 {
    let size = board.size();
    let mut passes = 0;
    for _ in 0..3 * size.area() {
        let reflex = last.and_then(|last| reflex(board, turn, last, rng));
        let chosen = reflex.or_else(|| board.random_move(turn, rng));
        match chosen {
            Some(point) => {
                board.play_unchecked(turn, point);
                firsts.later(size.index(point), turn);
                passes = 0;
            }
            None => {
                board.pass();
                passes += 1;
                if passes == 2 {
                    break;
                }
            }
        }
        last = chosen;
        turn = turn.opposite();
    }
    // Nothing sensible is left, so this counts the board; after a long ko fight it first plays on.
    let end = playout::run(board, turn, rng);
    i32::from(end.black) - i32::from(end.white)
}

/// The answer that the last move calls for, if any.
fn reflex(board: &Board, turn: Color, last: Point, rng: &mut Rng) -> Option<Point> {
    let captures = board.atari(last);
    let threatened =
        board.neighbours(last).find(|&n| board.stone(n) == Some(turn) && board.atari(n).is_some());
    if captures.is_none() && threatened.is_none() || rng.next_u64() % 16 >= REFLEX {
        return None;
    }
    let answer = captures.or_else(|| threatened.and_then(|chain| save(board, turn, chain)))?;
    board.is_legal_simple(turn, answer).then_some(answer)
}

/// A move that saves a chain in atari: takes a neighbour, or runs to where there is room.
fn save(board: &Board, turn: Color, chain: Point) -> Option<Point> {
    let besiegers = board.chain(chain).flat_map(|stone| board.neighbours(stone));
    let takes = besiegers.filter(|&n| board.stone(n) == Some(turn.opposite())).find_map(|n| board.atari(n));
    if takes.is_some() {
        return takes;
    }
    let last = board.atari(chain)?;
    let room = board.neighbours(last).filter(|&n| board.is_empty(n)).count();
    let joins = board.neighbours(last).any(|n| {
        board.stone(n) == Some(turn)
            && board.atari(n).is_none()
            && board.chain_head(n) != board.chain_head(chain)
    });
    (room >= 2 || joins).then_some(last)
}
