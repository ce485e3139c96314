//! The size of a board.

use std::fmt;

use crate::point::{Point, PointError};

/// The longest side of a board: columns are named A to Z without I.
pub const MAX_SIDE: u8 = 25;

/// Columns and rows of a board, each from 1 to [`MAX_SIDE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Size {
    columns: u8,
    rows: u8,
}

/// A board that is too small or too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a board of {columns}x{rows} is not possible: each side has 1 to {MAX_SIDE} lines")]
pub struct SizeError {
    /// The columns that were asked for.
    pub columns: u8,
    /// The rows that were asked for.
    pub rows: u8,
}

impl Size {
    /// 9x9, the small board.
    pub const NINE: Self = Self { columns: 9, rows: 9 };
    /// 13x13.
    pub const THIRTEEN: Self = Self { columns: 13, rows: 13 };
    /// 19x19, the full board.
    pub const NINETEEN: Self = Self { columns: 19, rows: 19 };

    /// A board of so many columns and rows.
    ///
    /// # Errors
    /// When a side is 0 or longer than [`MAX_SIDE`].
    pub const fn new(columns: u8, rows: u8) -> Result<Self, SizeError> {
        if columns == 0 || rows == 0 || columns > MAX_SIDE || rows > MAX_SIDE {
            Err(SizeError { columns, rows })
        } else {
            Ok(Self { columns, rows })
        }
    }

    /// A square board with `side` lines.
    ///
    /// # Errors
    /// When `side` is 0 or longer than [`MAX_SIDE`].
    pub const fn square(side: u8) -> Result<Self, SizeError> {
        Self::new(side, side)
    }

    /// Number of columns, 1 to 25.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Number of rows, 1 to 25.
    #[must_use]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Number of points, 1 to 625.
    #[must_use]
    pub const fn area(self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Whether the board has that point.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        point.column() < self.columns && point.row() < self.rows
    }

    /// The place of a point of this board in row order from the bottom left, 0 to `area() - 1`.
    #[must_use]
    pub const fn index(self, point: Point) -> usize {
        point.row() as usize * self.columns as usize + point.column() as usize
    }

    /// All points, row by row from the bottom left.
    pub fn points(self) -> impl ExactSizeIterator<Item = Point> + Clone + use<> {
        let columns = u16::from(self.columns);
        let area = columns * u16::from(self.rows);
        #[expect(clippy::cast_possible_truncation, reason = "both are below 25")]
        (0..area).map(move |i| Point::new((i % columns) as u8, (i / columns) as u8))
    }

    /// The up to four points beside one.
    pub fn neighbours(self, point: Point) -> impl Iterator<Item = Point> + Clone + use<> {
        let (c, r) = (point.column(), point.row());
        [
            (r > 0).then(|| Point::new(c, r.wrapping_sub(1))),
            (c > 0).then(|| Point::new(c.wrapping_sub(1), r)),
            (c + 1 < self.columns).then(|| Point::new(c + 1, r)),
            (r + 1 < self.rows).then(|| Point::new(c, r + 1)),
        ]
        .into_iter()
        .flatten()
    }

    /// Reads a point such as `D5` and checks that this board has it.
    ///
    /// # Errors
    /// When the text is no point, or one off this board.
    pub fn parse_point(self, text: &str) -> Result<Point, PointError> {
        let point: Point = text.parse()?;
        if self.contains(point) { Ok(point) } else { Err(PointError::OffBoard { point, size: self }) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}
