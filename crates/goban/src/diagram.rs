//! Boards drawn with characters: `X` Black, `O` White, `.` empty, the top row first, spaces as one likes.

use std::fmt;
use std::str::FromStr;

use crate::board::SetupError;
use crate::{Board, Color, Point, Size, SizeError};

/// Why a drawing is not a board. Rows are counted from the top, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// A character with no meaning.
    #[error("row {row} from the top: {character:?} is neither X, O nor .")]
    Character {
        /// The row.
        row: usize,
        /// The character.
        character: char,
    },
    /// A row that is longer or shorter than the first.
    #[error("row {row} from the top has {points} points instead of {expected}")]
    Ragged {
        /// The row.
        row: usize,
        /// Its points.
        points: usize,
        /// Those of the first row.
        expected: usize,
    },
    /// More rows or columns than a board has, or none.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Stones that cannot stand like this.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Board {
    /// Reads a drawing. Empty lines and spaces are left out; lower case is accepted, and `+`, `,` and
    /// the back tick as empty points: the star points of other programs' drawings.
    ///
    /// # Errors
    /// When the drawing is no rectangle of known characters, too large, or shows a chain without a liberty.
    pub fn parse(drawing: &str) -> Result<Self, DiagramError> {
        let lines: Vec<&str> = drawing.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_point = |c: &char| !c.is_whitespace();
        let columns = lines.first().map_or(0, |line| line.chars().filter(is_point).count());
        let short = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        let size = Size::new(short(columns), short(lines.len()))?;
        let mut stones = [Vec::new(), Vec::new()];
        for (i, line) in lines.iter().enumerate() {
            let (row, from_bottom) = (i + 1, short(lines.len() - 1 - i));
            for (column, character) in line.chars().filter(is_point).enumerate() {
                let point = Point::new(short(column), from_bottom);
                match character {
                    'X' | 'x' => stones[0].push(point),
                    'O' | 'o' => stones[1].push(point),
                    '.' | '+' | ',' | '`' => {}
                    character => return Err(DiagramError::Character { row, character }),
                }
            }
            let points = line.chars().filter(is_point).count();
            if points != columns {
                return Err(DiagramError::Ragged { row, points, expected: columns });
            }
        }
        Ok(Self::with_stones(size, &stones[0], &stones[1])?)
    }

    /// The rows as drawn, the top one first, without spaces.
    #[must_use]
    pub fn to_rows(&self) -> Vec<String> {
        let stones: Vec<Option<Color>> = self.size().points().map(|point| self.stone(point)).collect();
        draw_rows(self.size(), &stones)
    }
}

/// The character for a stone, an owner, or neither.
#[must_use]
pub const fn draw(color: Option<Color>) -> char {
    match color {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    }
}

/// A board's rows, the top one first, of what each point has in row order from the bottom left.
#[must_use]
pub fn draw_rows(size: Size, points: &[Option<Color>]) -> Vec<String> {
    let row = |row: &[Option<Color>]| row.iter().copied().map(draw).collect();
    points.chunks(size.columns().into()).rev().map(row).collect()
}

impl FromStr for Board {
    type Err = DiagramError;

    fn from_str(drawing: &str) -> Result<Self, DiagramError> {
        Self::parse(drawing)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.to_rows() {
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drawing reads back as it was written, and a bad one says where it is wrong.
    #[test]
    fn a_drawing_reads_back_and_a_bad_one_says_where() {
        let board = Board::parse("\n . X O\n X O .\n").unwrap();
        assert_eq!(board.to_string(), ".XO\nXO.\n");
        assert_eq!(Board::parse(&board.to_string()), Ok(board));
        for (drawing, why) in [
            ("", "0x0"),
            ("..\n.", "row 2 from the top has 1 points instead of 2"),
            ("..\n.#", "row 2 from the top: '#'"),
            (&".".repeat(300), "255x1"),
            ("XO\nOX", "a chain has no liberty"),
        ] {
            let error = Board::parse(drawing).unwrap_err().to_string();
            assert!(error.contains(why), "{drawing:?}: {error}");
        }
    }
}
