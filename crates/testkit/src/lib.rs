//! For tests over the public API.
//!
//! - [`World`]: every service in this process, on the in-memory ledger and a SQLite file, without a port
//! - [`Process`]: the real binary, to be killed and started again
//! - [`Cluster`]: the separate services on a Redis and a Postgres of their own; [`Gate`]: a way to a server that can be cut
//! - [`eventually`]: waiting without sleeping

mod game;
mod gate;
mod process;
mod world;

use std::{future::Future, time::Duration};

pub use game::per_move;
pub use gate::Gate;
pub use process::{Cluster, Process, free_port};
pub use world::World;

/// Asks again and again until there is an answer.
///
/// # Panics
/// When there is none within `limit`; the message says what was awaited.
pub async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    limit: Duration,
    ask: impl Fn() -> F,
) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    match tokio::time::timeout(limit, asking).await {
        Ok(answer) => answer,
        Err(_) => panic!("waited {limit:?} in vain for {what}"),
    }
}
