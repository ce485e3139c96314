//! The suite on the ledger in memory.

use std::sync::Arc;

use kernel::Timestamp;
use ledger::{Ledger, ManualClock, memory::MemoryLedger};

use crate::world::{Time, World, entry};

async fn world() -> World {
    let clock = ManualClock::new(Timestamp::from_millis(1_764_000_000_000));
    let ledger = MemoryLedger::new(clock.clock());
    World {
        other: Arc::new(ledger.clone()),
        ledger: Arc::new(ledger),
        time: Time::Manual(clock),
        _keep: Box::new(()),
    }
}

crate::suite!(world);
crate::suite!(world; model::random_operations_equal_the_model);

/// The test switch does what it says, so that a simulation which uses it proves something.
#[tokio::test]
async fn the_broken_ledger_accepts_an_append_at_an_old_position() {
    let ledger = MemoryLedger::with_broken_compare_and_set(ledger::Clock::system());
    for _ in 0..2 {
        ledger.append(entry("game", 0, "a move")).await.unwrap();
    }
    assert_eq!(ledger.read(&crate::world::log("game"), 0, 10).await.unwrap().len(), 2);
}
