//! The keys that positions are hashed with: fixed, so that a hash means the same on every machine.
//!
//! A. Zobrist, "A new hashing method with application for game playing", 1970: the hash of a board is the
//! exclusive or of one key for each stone, so that a move changes it by a key for each stone that comes or goes.

use crate::color::Color;
use crate::point::Point;
use crate::rng::{GOLDEN, splitmix};

/// The key of a stone.
#[must_use]
pub const fn stone(color: Color, point: Point) -> u64 {
    key(1 + color.index() as u64 * 1024 + point.row() as u64 * 32 + point.column() as u64)
}

/// What distinguishes a position with White to move from the same one with Black to move.
pub const WHITE_TO_MOVE: u64 = key(4096);

const fn key(number: u64) -> u64 {
    splitmix(number.wrapping_mul(GOLDEN) ^ 0x6E69_6769_7269_2121)
}
