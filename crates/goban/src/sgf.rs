//! The Smart Game Format, FF[4] and the older files that are still about: reading and writing.
//!
//! [`Collection`] is a file: its game trees with all variations and properties, known and unknown. [`Record`] is one game of it, as played
//! along the main line: set-up stones, moves, clocks and the result. Files are read without recursion, so that depth is no matter, and what is
//! wrong is told with its line and column.
//!
//! **Limits**: [`MAX_BYTES`] for a file, [`MAX_NODES`] nodes in it, and boards up to [`crate::MAX_SIDE`] lines a side.
//!
//! **Oddities** that are understood: anything before the first `(;` and between games; lower case in names (`GaMe`, `AddBlack`); a pass
//! as `tt` on boards up to 19x19; rows of points as `aa:cc`; several moves in one node; a value that is given twice; komi with a comma, in
//! hundredths (`KM[650]`) or in stones (`KM[3.75]`); handicap games whose stones are not set up.
//!
//! Source: A. Hollosi, "SGF FF\[4\]", red-bean.com/sgf.

mod charset;
mod error;
mod parse;
mod record;
mod result;
mod rules;
mod text;
mod tree;
mod value;
mod write;

pub use error::{Error, Reason};
pub use record::{Player, Record, Setup, Step, TimeLeft, Unplayable};
pub use result::{GameResult, UnknownResult, Won};
pub use rules::{preset_from_name, preset_to_name, rules_from_name, rules_to_name};
pub use tree::{Collection, Node, Property};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 32 << 20;

/// The most nodes that are read from one file.
pub const MAX_NODES: usize = 2_000_000;
