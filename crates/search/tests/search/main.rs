//! What the levels do, and which is stronger.

mod arena;
mod endings;
mod sense;
mod strength;
mod tactics;
