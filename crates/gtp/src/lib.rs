//! The Go Text Protocol, version 2, both ways.
//!
//! - [`Engine`] answers commands with the player of `search`; [`serve`] connects it to a pair of streams.
//! - [`Client`] runs any engine as a process of its own and asks it, with a limit of time for each answer.
//! - [`play_match`] has two engines play each other, with a third as the referee; [`ratings`] says how strong that makes them.
//!
//! Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002; the commands for analysis are those that
//! graphical boards know from Leela Zero and KataGo.

mod client;
mod command;
mod elo;
mod engine;
mod serve;
mod tournament;

pub use client::{Client, Failure};
pub use command::{Command, Reply, color, name_of, render, vertex};
pub use elo::{Score, Strength, ratings};
pub use engine::{Engine, Options};
pub use serve::serve;
pub use tournament::{Ending, Game, Match, MatchError, Summary, Tally, play_match};
