//! The pure half of matchmaking: the queue as a fold over its log.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod oracle;
mod queue;
mod replicas;
mod reports;
