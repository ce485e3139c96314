//! The matchmaking service over real gRPC, on a ledger in memory, with stand-ins for the session, game and rating services.
//! Time is paused but in one test: the ledger's clock and the timers are one, and run as fast as nothing happens.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod ai;
mod bots;
mod challenges;
mod failures;
mod fakes;
mod inputs;
mod meeting;
mod wishes;
mod world;
