//! The game of Go: board, rules, scoring, life and death. Pure.
//!
//! [`Position`] is a game's state with its rules; [`Board`] the fast board below it, [`grid`] what engines find under that; [`judge`] counts;
//! [`life`] tells which stones are unconditionally alive or dead, [`estimate`] which ones players would call dead; [`Preset`] names
//! the rules; [`playout`] plays random games; [`sgf`] reads and writes games.

mod board;
mod color;
mod diagram;
pub mod estimate;
pub mod grid;
mod handicap;
mod judge;
mod komi;
pub mod life;
#[doc(hidden)]
pub mod naive;
pub mod playout;
mod point;
mod position;
mod preset;
mod rng;
mod rules;
mod set;
pub mod sgf;
mod size;
mod territory;
pub mod zobrist;

pub use board::{Board, Chain, SetupError};
pub use color::Color;
pub use diagram::{DiagramError, draw, draw_rows};
pub use estimate::{Estimate, estimate};
pub use handicap::handicap_points;
pub use judge::{Dead, Doubt, JUDGE_VERSION, Outcome, Score, Verdict, judge};
pub use komi::{Komi, KomiError};
pub use life::{Life, PassAlive, clearly_dead, life, pass_alive};
pub use point::{Move, Point, PointError};
pub use position::{Illegal, Played, Position};
pub use preset::{Preset, PresetError};
pub use rng::Rng;
pub use rules::{HandicapBonus, KoRule, Rules, Scoring, Tax};
pub use size::{MAX_SIDE, Size, SizeError};
