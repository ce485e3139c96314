//! What every Nigiri process needs, so that a service is only its own words.
//!
//! - [`node`]: one process; [`config`]: clap groups that processes share; [`Context`]: what a service is given
//! - [`server`]: one port for everything; [`network`]: how services reach each other; [`health`]; [`shutdown`]
//! - [`tls`]; [`connections`]: who may be connected, and for how long without doing anything
//! - [`auth`]: who is calling; [`limits`]: how much; [`origins`]: whose pages; [`status`]: refusals on the wire
//! - [`db`]: the SQL store; [`telemetry`]: logs and metrics; [`clock`]; [`convert`]; [`signal`]; [`tower`]: what operators ask of every process;
//!   [`together`]: one look-up for many who ask

pub mod auth;
pub mod clock;
mod compression;
pub mod config;
pub mod connections;
mod context;
pub mod convert;
pub mod db;
mod deadlines;
mod ending;
mod front_door;
pub mod health;
pub mod limits;
pub mod network;
pub mod node;
pub mod origins;
pub mod server;
pub mod shutdown;
pub mod signal;
pub mod status;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tls;
pub mod together;
pub mod tower;

pub use context::Context;
