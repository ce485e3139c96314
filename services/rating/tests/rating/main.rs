//! The rating service from outside: the store on SQLite and on Postgres, the plans of its statements, the replay of the archive, and the RPCs over
//! gRPC.
#![expect(clippy::unwrap_used, reason = "a test fails by its panic")]

mod board;
mod plans;
mod replay;
mod rpc;
mod store;
mod world;
