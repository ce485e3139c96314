//! The board: stones, chains and their liberties, simple ko, and a hash; no turn and no history.

use std::fmt;

use crate::grid::{self, Cell, Grid, code, decode};
use crate::rng::Rng;
use crate::{Color, Point, Size};

/// Stones on a board, with chains and liberties kept incrementally (see `grid.rs`), and the point that simple
/// ko forbids. Made for playouts and reading: everything but [`Board::liberties`] and [`Board::chain`] takes
/// constant time, amortised over the stones that come and go.
///
/// Points off the board are neither legal nor occupied; nothing here panics.
#[derive(Clone)]
pub struct Board(pub(crate) Class);

/// The arrays of a board have one of four fixed sizes, so that a 9x9 board takes 2 KiB and the compiler knows
/// all lengths.
#[derive(Clone)]
pub(crate) enum Class {
    Nine(Box<Grid<10, 128>>),
    Thirteen(Box<Grid<14, 256>>),
    Nineteen(Box<Grid<20, 512>>),
    TwentyFive(Box<Grid<26, 1024>>),
}

/// Evaluates an expression with the grid of whatever class.
macro_rules! with {
    ($board:expr, $grid:ident => $body:expr) => {
        match $board {
            $crate::board::Class::Nine($grid) => $body,
            $crate::board::Class::Thirteen($grid) => $body,
            $crate::board::Class::Nineteen($grid) => $body,
            $crate::board::Class::TwentyFive($grid) => $body,
        }
    };
}
pub(crate) use with;

/// Why stones cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A point that the board does not have.
    #[error("{point} is off the {size} board")]
    OffBoard {
        /// The point.
        point: Point,
        /// The board.
        size: Size,
    },
    /// A point that is named twice.
    #[error("two stones on {0}")]
    Occupied(Point),
    /// The stone there would, or would make another chain, stand without a liberty.
    #[error("with a stone on {0}, a chain has no liberty")]
    NoLiberty(Point),
}

impl Board {
    /// An empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self(match size.columns().max(size.rows()) {
            0..=9 => Class::Nine(Box::new(Grid::new(size))),
            10..=13 => Class::Thirteen(Box::new(Grid::new(size))),
            14..=19 => Class::Nineteen(Box::new(Grid::new(size))),
            _ => Class::TwentyFive(Box::new(Grid::new(size))),
        })
    }

    /// A board with those stones.
    ///
    /// # Errors
    /// When a point is off the board or named twice, or a chain would have no liberty.
    pub fn with_stones(size: Size, black: &[Point], white: &[Point]) -> Result<Self, SetupError> {
        let mut board = Self::new(size);
        let stones = black.iter().map(|&p| (Color::Black, p)).chain(white.iter().map(|&p| (Color::White, p)));
        for (color, point) in stones {
            if !size.contains(point) {
                return Err(SetupError::OffBoard { point, size });
            }
            if board.stone(point).is_some() {
                return Err(SetupError::Occupied(point));
            }
            // In a position where every chain has a liberty, no order of stones takes any on the way.
            let taken = with!(&mut board.0, g => { let c = g.locate(point); g.play(c, code(color)) });
            if taken != (0, 0) {
                return Err(SetupError::NoLiberty(point));
            }
        }
        board.pass();
        Ok(board)
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> Size {
        with!(&self.0, g => g.size())
    }

    /// The stone on a point.
    #[inline]
    #[must_use]
    pub fn stone(&self, point: Point) -> Option<Color> {
        if self.size().contains(point) { with!(&self.0, g => decode(g.color(g.locate(point)))) } else { None }
    }

    /// Whether the board has that point and no stone stands there.
    #[inline]
    #[must_use]
    pub fn is_empty(&self, point: Point) -> bool {
        self.size().contains(point) && with!(&self.0, g => g.color(g.locate(point)) == grid::EMPTY)
    }

    /// The stones of a colour, in row order from the bottom left.
    pub fn stones(&self, color: Color) -> impl Iterator<Item = Point> + '_ {
        self.size().points().filter(move |&p| self.stone(p) == Some(color))
    }

    /// How many points are empty.
    #[must_use]
    pub fn empties(&self) -> u32 {
        with!(&self.0, g => u32::from(g.empties()))
    }

    /// The empty points, in an order of no meaning.
    #[must_use]
    pub fn empty_points(&self) -> Vec<Point> {
        with!(&self.0, g => g.empty_cells().iter().map(|&c| g.name(c)).collect())
    }

    /// The Zobrist hash of the stones, whoever is to move: see [`crate::zobrist`].
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        with!(&self.0, g => g.hash())
    }

    /// The point that simple ko forbids, and to whom: the stone just taken there was alone, and so was the taker.
    #[inline]
    #[must_use]
    pub fn ko(&self) -> Option<(Color, Point)> {
        with!(&self.0, g => {
            let (cell, color) = g.ko();
            if cell == grid::NOWHERE { None } else { Some((decode(color)?, g.name(cell))) }
        })
    }

    /// A pass: lifts the ban of simple ko.
    #[inline]
    pub fn pass(&mut self) {
        with!(&mut self.0, g => g.lift_ko());
    }

    /// Puts a stone on an empty point without asking whether it is legal, and captures: the opponent's chains
    /// first, all at once, then, if it still has no liberty, its own chain. Returns the number of opposing
    /// stones taken. On a point that is not empty nothing happens.
    #[inline]
    pub fn play_unchecked(&mut self, color: Color, point: Point) -> u32 {
        if !self.is_empty(point) {
            return 0;
        }
        with!(&mut self.0, g => { let c = g.locate(point); u32::from(g.play(c, code(color)).0) })
    }

    /// Whether the point is empty, no suicide (of however many stones), and not forbidden by simple ko.
    #[inline]
    #[must_use]
    pub fn is_legal_simple(&self, color: Color, point: Point) -> bool {
        self.is_empty(point)
            && with!(&self.0, g => {
                let (cell, c) = (g.locate(point), code(color));
                g.lives(cell, c) && !g.is_ko(cell, c)
            })
    }

    /// Whether a stone there would leave its own chain without a liberty, after captures. The point is empty.
    #[inline]
    #[must_use]
    pub fn is_suicide(&self, color: Color, point: Point) -> bool {
        self.is_empty(point) && with!(&self.0, g => !g.lives(g.locate(point), code(color)))
    }

    /// Whether that suicide takes the new stone alone.
    #[inline]
    pub(crate) fn is_single_suicide(&self, color: Color, point: Point) -> bool {
        self.is_suicide(color, point) && with!(&self.0, g => !g.has_friend(g.locate(point), code(color)))
    }

    /// Whether an empty point is an eye of that colour, as playouts see it: all neighbours are its own stones, and at most
    /// one diagonal point is the opponent's, none at the edge.
    #[inline]
    #[must_use]
    pub fn is_eye(&self, color: Color, point: Point) -> bool {
        self.is_empty(point) && with!(&self.0, g => g.is_eye(g.locate(point), code(color)))
    }

    /// The only liberty of the chain on that point, when it has just one. Constant time.
    #[inline]
    #[must_use]
    pub fn atari(&self, point: Point) -> Option<Point> {
        self.stone(point)?;
        with!(&self.0, g => g.last_liberty(g.locate(point)).map(|c| g.name(c)))
    }

    /// How many liberties the chain on that point has; 0 where there is no stone. Walks the chain.
    #[must_use]
    pub fn liberties(&self, point: Point) -> u32 {
        let mut count = 0;
        self.each_liberty(point, |_| count += 1);
        count
    }

    /// The liberties of the chain on that point, each once, in an order of no meaning.
    #[must_use]
    pub fn liberty_points(&self, point: Point) -> Vec<Point> {
        let mut points = Vec::new();
        self.each_liberty(point, |p| points.push(p));
        points
    }

    fn each_liberty(&self, point: Point, mut visit: impl FnMut(Point)) {
        if self.stone(point).is_some() {
            with!(&self.0, g => g.each_liberty(g.locate(point), |c| visit(g.name(c))));
        }
    }

    /// How many stones the chain on that point has; 0 where there is no stone. Constant time.
    #[inline]
    #[must_use]
    pub fn chain_len(&self, point: Point) -> u32 {
        if self.stone(point).is_some() {
            with!(&self.0, g => u32::from(g.chain_len(g.locate(point))))
        } else {
            0
        }
    }

    /// A point that stands for the chain on that point: the same for all of its stones, until the board changes.
    #[inline]
    #[must_use]
    pub fn chain_head(&self, point: Point) -> Option<Point> {
        self.stone(point)?;
        Some(with!(&self.0, g => g.name(g.head(g.locate(point)))))
    }

    /// The stones of the chain on that point, in an order of no meaning.
    #[must_use]
    pub fn chain(&self, point: Point) -> Chain<'_> {
        let first = self.stone(point).map(|_| with!(&self.0, g => g.locate(point)));
        Chain { board: self, first, next: first }
    }

    /// The up to four points beside one.
    pub fn neighbours(&self, point: Point) -> impl Iterator<Item = Point> + Clone + use<> {
        self.size().neighbours(point)
    }

    /// The stones that a stone there would take: the opponent's, or its own when it is suicide.
    #[must_use]
    pub fn victims(&self, color: Color, point: Point) -> Vec<Point> {
        if !self.is_empty(point) {
            return Vec::new();
        }
        let heads = with!(&self.0, g => g.victims(g.locate(point), code(color)));
        let chains = heads.into_iter().filter(|&head| head != grid::NOWHERE);
        chains.flat_map(|head| Chain { board: self, first: Some(head), next: Some(head) }).collect()
    }

    /// The hash of the board after a stone on that empty point, captures or suicide included.
    #[inline]
    #[must_use]
    pub fn hash_after(&self, color: Color, point: Point) -> u64 {
        if !self.is_empty(point) {
            return self.hash();
        }
        with!(&self.0, g => g.hash_after(g.locate(point), code(color)))
    }

    /// A uniformly random move among those that are legal under simple ko, no suicide, and no own eye; `None`
    /// when there is none. Reorders the list of empty points.
    #[inline]
    pub fn random_move(&mut self, color: Color, rng: &mut Rng) -> Option<Point> {
        with!(&mut self.0, g => g.choose::<true>(code(color), rng).map(|i| g.name(g.empty_at(i))))
    }
}

/// The stones of a chain.
#[derive(Clone)]
pub struct Chain<'a> {
    board: &'a Board,
    first: Option<Cell>,
    next: Option<Cell>,
}

impl Iterator for Chain<'_> {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let cell = self.next?;
        with!(&self.board.0, g => {
            let following = g.next(cell);
            self.next = if Some(following) == self.first { None } else { Some(following) };
            Some(g.name(cell))
        })
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size()
            && self.hash() == other.hash()
            && self.ko() == other.ko()
            && self.size().points().all(|p| self.stone(p) == other.stone(p))
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board {}, ko {:?}\n{self}", self.size(), self.ko())
    }
}
