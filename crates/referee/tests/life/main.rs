//! The life of a game, played against a store that accepts, refuses and stamps entries as the ledger does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod agreement;
mod clocks;
mod endings;
mod handicap;
mod presence;
mod proposals;
mod refusals;
mod reports;
mod settings;
mod store;
mod theorems;
mod time;
