//! What breaks from time to time: one thing after another, with a pause in between.
//!
//! What is between a player and the servers, and no fault of the servers (a stalled network), ends soon enough for the player to come back in
//! time by another way. What is the servers' own fault may last longer: its time must be given back.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{dice::Dice, line::Shared, world::World};

/// Breaks things until it is told to stop, and then mends everything.
pub async fn blow(world: Arc<World>, slots: usize, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(world.dice.millis(1_000, 15_000))).await.is_some() {
        Box::pin(strike(&world, slots)).await;
    }
    world.trace.note(format_args!("all is mended"));
    world.calm();
    *world.shared.lock() = Shared { ledger: true, store: true };
    for slot in 0..slots {
        if world.line(slot).is_none() {
            world.start(slot).await;
        }
    }
}

async fn strike(world: &World, slots: usize) {
    let dice: &Dice = &world.dice;
    let slot = dice.below(u32::try_from(slots).unwrap_or(1)) as usize;
    match dice.below(12) {
        0..=2 => {
            world.kill(slot);
            tokio::time::sleep(dice.millis(100, 8_000)).await;
            world.start(slot).await;
        }
        3 => {
            world.drain(slot).await;
            world.start(slot).await;
        }
        4 => {
            for slot in 0..slots {
                world.kill(slot);
            }
            tokio::time::sleep(dice.millis(500, 40_000)).await;
            for slot in 0..slots {
                world.start(slot).await;
            }
        }
        5 => with(world, slot, |standing, holds| standing.ledger = holds, dice.millis(500, 45_000)).await,
        6 => with(world, slot, |standing, holds| standing.network = holds, dice.millis(500, 6_000)).await,
        7 => with(world, slot, |standing, holds| standing.store = holds, dice.millis(500, 10_000)).await,
        8 => {
            world.trace.note(format_args!("the ledger is away"));
            world.shared.lock().ledger = false;
            tokio::time::sleep(dice.millis(200, 30_000)).await;
            world.shared.lock().ledger = true;
            world.trace.note(format_args!("the ledger is back"));
        }
        9 => {
            world.trace.note(format_args!("the store is away"));
            world.shared.lock().store = false;
            tokio::time::sleep(dice.millis(200, 30_000)).await;
            world.shared.lock().store = true;
        }
        10 => step(world, i64::from(dice.below(40_000))),
        _ => step(world, -i64::from(dice.below(5_000))),
    }
}

fn step(world: &World, millis: i64) {
    world.trace.note(format_args!("the store's clock steps by {millis} ms"));
    world.sky.step(millis);
}

async fn with(
    world: &World,
    slot: usize,
    set: impl Fn(&mut crate::line::Standing, bool),
    time: std::time::Duration,
) {
    let Some(line) = world.line(slot) else { return };
    line.change(|standing| set(standing, false));
    world.trace.note(format_args!("{:?}: {:?} for {time:?}", line.name, line.standing()));
    tokio::time::sleep(time).await;
    line.change(|standing| set(standing, true));
}
