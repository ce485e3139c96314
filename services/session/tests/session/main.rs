//! The session service over real gRPC, on SQLite and on Postgres.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod issuer;
mod keys;
mod members;
mod names;
mod people;
mod refresh;
mod sign_in;
mod tokens;
mod world;
