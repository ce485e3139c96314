//! What is wrong with a file, and where.

use crate::{Point, SetupError, Size, SizeError};

/// Where a file is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Error {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a file, or a game in it, cannot be read. Quoted text is shortened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The file is larger than [`super::MAX_BYTES`].
    #[error("the file has {0} bytes: more than {max} are not read", max = super::MAX_BYTES)]
    TooLarge(usize),
    /// There are more nodes than [`super::MAX_NODES`].
    #[error("more than {max} nodes are not read", max = super::MAX_NODES)]
    TooManyNodes,
    /// There is no `(;` in the file.
    #[error("no game: a game starts with (;")]
    NoGame,
    /// The file ends within a tree.
    #[error("the file ends before this ( is closed")]
    Unclosed,
    /// The file ends within a value.
    #[error("the file ends before this [ is closed")]
    UnclosedValue,
    /// A `(` that no `;` follows.
    #[error("a variation starts with ;")]
    NoNode,
    /// A property without a value.
    #[error("the property {0} has no value")]
    NoValue(String),
    /// A name without a capital letter.
    #[error("{0:?} is no property: a name has capital letters")]
    Name(String),
    /// A character that has no place there.
    #[error("{0:?} has no place here")]
    Unexpected(char),
    /// Something behind a variation that belongs before it.
    #[error("{0:?} cannot stand behind a variation")]
    BehindVariation(char),
    /// The game is not Go.
    #[error("GM[{0}] is another game than Go")]
    OtherGame(String),
    /// Not a board size.
    #[error("{0:?} is not a board size, such as 19 or 9:13")]
    Size(String),
    /// A board size that no board has.
    #[error(transparent)]
    SizeOutOfRange(#[from] SizeError),
    /// Not a point.
    #[error("{0:?} is not a point: two letters are, such as dd")]
    Point(String),
    /// A point that the board does not have.
    #[error("{text:?} is off the {size} board")]
    OffBoard {
        /// The point as written.
        text: String,
        /// The board.
        size: Size,
    },
    /// A number was expected.
    #[error("{property}[{text}] is not {expected}")]
    Value {
        /// The property.
        property: String,
        /// Its value.
        text: String,
        /// What it is instead.
        expected: &'static str,
    },
    /// Two stones on one point, within one node.
    #[error("{0} is set up twice")]
    SetUpTwice(Point),
    /// Stones that cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
}
