//! A game's position: the board, whose turn it is, captures, and the history that ko and superko look back on.

use crate::board::{Board, SetupError};
use crate::point::Move;
use crate::rules::{KoRule, Rules};
use crate::zobrist;
use crate::{Color, Point, Size};

mod history;
use history::History;

/// A position with all that the rules need to know of the game before it. Small, and cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    board: Board,
    rules: Rules,
    turn: Color,
    ply: u32,
    /// Stones that Black and White took.
    captures: [u32; 2],
    passes: u8,
    last_move: Option<Move>,
    repetition: bool,
    history: History,
}

/// Why a stone may not be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Illegal {
    /// A stone stands there.
    #[error("the point is occupied")]
    Occupied,
    /// The chain would be left without a liberty.
    #[error("the move is suicide")]
    Suicide,
    /// It would take back a ko at once.
    #[error("the move takes back a ko at once")]
    Ko,
    /// It would repeat an earlier position of the game.
    #[error("the move repeats an earlier position")]
    Superko,
    /// The board does not have that point.
    #[error("the point is off the board")]
    OffBoard,
}

/// What a move did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Played {
    /// The opponent's stones that were taken.
    pub captured: Vec<Point>,
    /// Own stones that a suicide lost, the new one included.
    pub lost: Vec<Point>,
}

impl Position {
    /// The start of a game on an empty board, Black to move.
    #[must_use]
    pub fn new(size: Size, rules: Rules) -> Self {
        Self::from_board(Board::new(size), rules, Color::Black)
    }

    /// The start of a game with stones on the board, as with a handicap or a problem. The history that superko
    /// looks back on starts with this position.
    ///
    /// # Errors
    /// When a point is off the board or named twice, or a chain would have no liberty.
    pub fn setup(
        size: Size,
        rules: Rules,
        black: &[Point],
        white: &[Point],
        to_move: Color,
    ) -> Result<Self, SetupError> {
        Ok(Self::from_board(Board::with_stones(size, black, white)?, rules, to_move))
    }

    /// The start of a game from a board as it stands; a ko on it is forgotten.
    #[must_use]
    pub fn from_board(mut board: Board, rules: Rules, to_move: Color) -> Self {
        board.pass();
        let mut history = History::new(board.size());
        history.push(situation(&board, rules.ko, to_move));
        Self {
            board,
            rules,
            turn: to_move,
            ply: 0,
            captures: [0; 2],
            passes: 0,
            last_move: None,
            repetition: false,
            history,
        }
    }

    /// The stones are changed from outside, as an editor does it: captures and the number of moves stay, and the history that ko and
    /// superko look back on starts anew with the new board.
    pub fn change_board(&mut self, board: Board, to_move: Color) {
        let fresh = Self::from_board(board, self.rules, to_move);
        *self = Self { captures: self.captures, ply: self.ply, ..fresh };
    }

    /// The player to move plays a stone or passes.
    ///
    /// # Errors
    /// When the rules forbid the stone; the position stays as it was. A pass is never illegal.
    pub fn play(&mut self, chosen: Move) -> Result<Played, Illegal> {
        self.play_as(self.turn, chosen)
    }

    /// A player plays a stone or passes, whoever's turn it is; then it is the other's turn.
    ///
    /// # Errors
    /// As [`Position::play`].
    pub fn play_as(&mut self, color: Color, chosen: Move) -> Result<Played, Illegal> {
        let played = match chosen {
            Move::Play(point) => self.put(color, point)?,
            Move::Pass => {
                self.board.pass();
                self.passes = self.passes.saturating_add(1);
                Played::default()
            }
        };
        self.turn = color.opposite();
        self.ply += 1;
        self.last_move = Some(chosen);
        self.remember(chosen);
        Ok(played)
    }

    fn put(&mut self, color: Color, point: Point) -> Result<Played, Illegal> {
        self.check_as(color, point)?;
        let victims = self.board.victims(color, point);
        let suicide = !victims.is_empty() && self.board.is_suicide(color, point);
        self.board.play_unchecked(color, point);
        self.passes = 0;
        let (mut captured, mut lost) = (victims, Vec::new());
        if suicide {
            std::mem::swap(&mut captured, &mut lost);
            lost.push(point);
        }
        let count = |stones: &[Point]| u32::try_from(stones.len()).unwrap_or(u32::MAX);
        self.captures[color.index()] += count(&captured);
        self.captures[color.opposite().index()] += count(&lost);
        Ok(Played { captured, lost })
    }

    /// Adds the position after a move to the history. A pass makes no new position; it makes a new situation for
    /// situational superko, and no occurrence for the count of repetitions: a cycle needs stones.
    fn remember(&mut self, chosen: Move) {
        let passed = chosen == Move::Pass;
        if passed && self.rules.ko != KoRule::Situational {
            return;
        }
        let situation = situation(&self.board, self.rules.ko, self.turn);
        self.history.push(situation);
        if self.rules.ko == KoRule::Simple && self.history.count(situation) >= 3 {
            self.repetition = true;
        }
    }

    /// Whether the player to move may play there.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, point: Point) -> Result<(), Illegal> {
        self.check_as(self.turn, point)
    }

    /// Whether a player may play there, if it were that player's turn.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check_as(&self, color: Color, point: Point) -> Result<(), Illegal> {
        let board = &self.board;
        if !board.size().contains(point) {
            return Err(Illegal::OffBoard);
        }
        if !board.is_empty(point) {
            return Err(Illegal::Occupied);
        }
        if board.is_suicide(color, point)
            && (!self.rules.multi_stone_suicide || board.is_single_suicide(color, point))
        {
            return Err(Illegal::Suicide);
        }
        let is_ko = board.ko() == Some((color, point));
        let repeats = match self.rules.ko {
            KoRule::Simple => is_ko,
            KoRule::Positional => self.history.contains(board.hash_after(color, point)),
            KoRule::Situational => {
                let after = turned(board.hash_after(color, point), color.opposite());
                self.history.contains(after)
            }
        };
        match (repeats, is_ko) {
            (false, _) => Ok(()),
            (true, true) => Err(Illegal::Ko),
            (true, false) => Err(Illegal::Superko),
        }
    }

    /// The empty points where the player to move may not play, and why, in row order from the bottom left.
    #[must_use]
    pub fn illegal_points(&self) -> Vec<(Point, Illegal)> {
        let why = |p: Point| self.check(p).err().map(|illegal| (p, illegal));
        self.empty_points().filter_map(why).collect()
    }

    /// The points where the player to move may play, in row order from the bottom left.
    #[must_use]
    pub fn legal_points(&self) -> Vec<Point> {
        self.empty_points().filter(|&p| self.check(p).is_ok()).collect()
    }

    fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        self.size().points().filter(|&p| self.board.is_empty(p))
    }

    /// The player to move.
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// How many stones that player took, those that the opponent lost by suicide included.
    #[must_use]
    pub const fn captures(&self, by: Color) -> u32 {
        self.captures[by.index()]
    }

    /// The stone on a point.
    #[must_use]
    pub fn stone(&self, point: Point) -> Option<Color> {
        self.board.stone(point)
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> Size {
        self.board.size()
    }

    /// The rules of the game.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// Moves since the start, passes included.
    #[must_use]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// Passes in a row up to now.
    #[must_use]
    pub const fn passes(&self) -> u8 {
        self.passes
    }

    /// The last move; none at the start.
    #[must_use]
    pub const fn last_move(&self) -> Option<Move> {
        self.last_move
    }

    /// The point that the player to move may not take back now because of ko.
    #[must_use]
    pub fn ko_point(&self) -> Option<Point> {
        let (color, point) = self.board.ko()?;
        (color == self.turn && self.check(point) == Err(Illegal::Ko)).then_some(point)
    }

    /// Whether, under simple ko, a position has stood for the third time with the same player to move: the game
    /// ends without a result. Never under superko.
    #[must_use]
    pub const fn repetition(&self) -> bool {
        self.repetition
    }

    /// The stones.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }
}

/// What the history keeps of a position: the stones, and, except for positional superko, who is to move.
fn situation(board: &Board, ko: KoRule, to_move: Color) -> u64 {
    if ko == KoRule::Positional { board.hash() } else { turned(board.hash(), to_move) }
}

const fn turned(hash: u64, to_move: Color) -> u64 {
    match to_move {
        Color::Black => hash,
        Color::White => hash ^ zobrist::WHITE_TO_MOVE,
    }
}
