//! Points of the board and how they are written.

use std::fmt;
use std::str::FromStr;

use crate::size::Size;

/// The column letters, left to right: I is left out.
const LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// A point of the board, counted from the bottom left: `A1` is column 0, row 0.
///
/// Points sort row by row from the bottom left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    row: u8,
    column: u8,
}

/// Why a text is not a point. Each says what was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// Nothing was given.
    #[error("a point is missing: write a column letter and a row number, such as D5")]
    Empty,
    /// The first character names no column.
    #[error("{input:?} is not a point: {letter:?} is not a column (A to Z without I)")]
    Column {
        /// What was read, shortened.
        input: String,
        /// The character in the place of the column.
        letter: char,
    },
    /// The row is missing, zero, larger than 25, or no number.
    #[error("{input:?} is not a point: the row after the letter is a number from 1 to 25")]
    Row {
        /// What was read, shortened.
        input: String,
    },
    /// A point, with something behind it.
    #[error("{input:?} is not a point: there is something after the row")]
    Trailing {
        /// What was read, shortened.
        input: String,
    },
    /// A point that this board does not have.
    #[error("{point} is off the {size} board: columns A to {}, rows 1 to {}", last_column(.size), .size.rows())]
    OffBoard {
        /// The point.
        point: Point,
        /// The board.
        size: Size,
    },
}

fn last_column(size: &Size) -> char {
    letter(size.columns() - 1)
}

fn letter(column: u8) -> char {
    LETTERS.get(usize::from(column)).map_or('?', |&l| char::from(l))
}

/// The beginning of a text, so that an error never carries megabytes.
pub(crate) fn shorten(text: &str) -> String {
    const KEPT: usize = 16;
    let mut kept: String = text.chars().take(KEPT).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

impl Point {
    /// The point in that column and row, both counted from 0 at the bottom left. A point can lie off a
    /// board: [`Size::contains`] tells.
    #[must_use]
    pub const fn new(column: u8, row: u8) -> Self {
        Self { row, column }
    }

    /// The column from the left, from 0.
    #[must_use]
    pub const fn column(self) -> u8 {
        self.column
    }

    /// The row from the bottom, from 0.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.row
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", letter(self.column), u16::from(self.row) + 1)
    }
}

impl FromStr for Point {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        let mut rest = text.chars();
        let Some(first) = rest.next() else { return Err(PointError::Empty) };
        let upper = first.to_ascii_uppercase();
        let column = LETTERS
            .iter()
            .position(|&l| char::from(l) == upper)
            .and_then(|column| u8::try_from(column).ok())
            .ok_or_else(|| PointError::Column { input: shorten(text), letter: first })?;
        let rest = rest.as_str();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let row = match rest[..digits].parse::<u8>() {
            Ok(row @ 1..=25) if !rest.starts_with('0') => row - 1,
            _ => return Err(PointError::Row { input: shorten(text) }),
        };
        if digits < rest.len() {
            return Err(PointError::Trailing { input: shorten(text) });
        }
        Ok(Self::new(column, row))
    }
}

/// What a player does in turn: a stone on a point, or a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A stone on that point.
    Play(Point),
    /// No stone.
    Pass,
}

impl Move {
    /// The point of a stone.
    #[must_use]
    pub const fn point(self) -> Option<Point> {
        match self {
            Self::Play(point) => Some(point),
            Self::Pass => None,
        }
    }
}

impl From<Point> for Move {
    fn from(point: Point) -> Self {
        Self::Play(point)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(point) => point.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Move {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        if text.eq_ignore_ascii_case("pass") { Ok(Self::Pass) } else { text.parse().map(Self::Play) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bad point is refused with the reason that a player needs.
    #[test]
    fn a_bad_point_says_why() {
        let nine = Size::NINE;
        for (text, why) in [
            ("", "a point is missing"),
            ("I5", "'I' is not a column"),
            ("i5", "'i' is not a column"),
            ("5D", "'5' is not a column"),
            ("D0", "number from 1 to 25"),
            ("D", "number from 1 to 25"),
            ("D05", "number from 1 to 25"),
            ("D+5", "number from 1 to 25"),
            ("Z99", "number from 1 to 25"),
            ("D5x", "something after the row"),
            ("D5 ", "something after the row"),
            ("K10", "K10 is off the 9x9 board: columns A to J, rows 1 to 9"),
            ("é", "not a column"),
            ("Dé", "number from 1 to 25"),
        ] {
            let error = nine.parse_point(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
        assert_eq!(nine.parse_point("d5"), Ok(Point::new(3, 4)));
        assert!("D".repeat(10_000_000).parse::<Point>().unwrap_err().to_string().len() < 150);
    }
}
