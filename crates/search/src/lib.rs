//! Choosing a move: Monte Carlo tree search on `goban`, at three levels. Pure: the same position, budget and seed give the same
//! move on every machine.
//!
//! - [`choose`] is all that a bot needs: a [`Choice`] for the player to move.
//! - [`Level::Easy`] looks one move ahead, as a beginner does (`instinct`); the other levels search a tree (`tree`) whose leaves are
//!   valued by random games with a few reflexes (`playout`), as far as the [`Budget`] goes.
//! - The end of a game (`ending`) is everybody's: when to pass, when to clear the board of dead stones, when to resign.
//!
//! No level fills its own eyes, and none ever chooses what [`goban::Position::check`] forbids.

mod analyse;
mod budget;
mod candidates;
mod choose;
mod counting;
mod easy;
mod ending;
mod instinct;
mod level;
mod outlook;
mod playout;
mod reading;
mod terms;
mod think;
mod tree;

pub use analyse::{Analysis, Candidate, analyse, analyse_until};
pub use budget::Budget;
pub use choose::{Choice, choose, clean_up};
pub use level::{Level, LevelError};
pub use terms::Terms;
