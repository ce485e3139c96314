//! The machine's clock, for tokens and waits. Deadlines of games are decided by the ledger's clock, never by this one.

pub use ledger::{Clock, ManualClock};
