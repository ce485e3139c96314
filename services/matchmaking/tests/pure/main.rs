//! The pure half of matchmaking: the queue as a fold over its log, and who suits whom.

mod oracle;
mod pairing;
mod queue;
mod replicas;
