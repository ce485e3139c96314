//! The session service over real gRPC, on SQLite and on Postgres.

mod keys;
mod names;
mod refresh;
mod sign_in;
mod tokens;
mod world;
