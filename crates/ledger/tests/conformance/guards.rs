//! Guards, outages, deadlines and sweeps.

use std::time::Duration;

use kernel::Timestamp;
use ledger::{Append, Deadline, Guard, Outage, Refused};

use crate::world::{World, append, entry, log, refused};

const SECOND: Duration = Duration::from_secs(1);

fn guarded(expected: u64, guard: Guard) -> Append {
    Append { guard, ..entry("game", expected, "guarded") }
}

fn due(expected: u64, name: &str, deadline: Deadline) -> Append {
    Append { deadline, ..entry(name, expected, "with a deadline") }
}

/// A move is measured by the store's clock: in time up to the limit, too late after it, and nothing is written then.
pub async fn a_late_move_is_refused_and_one_in_time_is_not(world: World) {
    let start = append(&world.ledger, "game", 0, "start").await.stamp;
    let in_time = Guard { not_after: Some(start + 60 * SECOND), ..Guard::default() };
    world.ledger.append(guarded(1, in_time)).await.unwrap();
    world.pass(Duration::from_millis(20)).await;
    let late = Guard { not_after: Some(start + Duration::from_millis(5)), ..Guard::default() };
    match refused(world.other.append(guarded(2, late)).await) {
        Refused::TooLate { now } => assert!(now.since(start) >= Duration::from_millis(19)),
        other => panic!("{other:?}"),
    }
    assert_eq!(world.ledger.read(&log("game"), 0, 10).await.unwrap().len(), 2);
    // The place is looked at before the clock.
    assert_eq!(refused(world.ledger.append(guarded(1, late)).await), Refused::Conflict { last: 2 });
}

/// A claim that a deadline has passed is not believed before it has.
pub async fn a_claim_is_refused_while_it_is_early(world: World) {
    world.sweep().await;
    let start = append(&world.ledger, "game", 0, "start").await.stamp;
    let claim = Guard { not_before: Some(start + Duration::from_millis(200)), ..Guard::default() };
    match refused(world.other.append(guarded(1, claim)).await) {
        Refused::TooEarly { now } => assert!(now >= start),
        other => panic!("{other:?}"),
    }
    world.pass(Duration::from_millis(250)).await;
    let flag = world.ledger.append(guarded(1, claim)).await.unwrap();
    assert!(flag.stamp >= start + Duration::from_millis(200));
}

/// While nobody swept, and after that until an entry has credited it, neither a flag nor a refusal for being late is possible; a
/// move in time always is. What is settled does not count again, and the first sweep of a fresh store is no outage.
pub async fn nobody_loses_by_an_outage_until_it_is_settled(world: World) {
    world.sweep().await;
    let start = append(&world.ledger, "game", 0, "start").await.stamp;
    let claim = Guard { not_before: Some(start), ..Guard::default() };
    world.ledger.append(guarded(1, claim)).await.expect("no outage yet");

    world.pass(Duration::from_millis(1_200)).await;
    let running = match refused(world.ledger.append(guarded(2, claim)).await) {
        Refused::Outage { now, outages } => {
            let [outage] = outages[..] else { panic!("{outages:?}") };
            assert_eq!(outage.to, now);
            outage
        }
        other => panic!("{other:?}"),
    };
    assert!(running.to.since(running.from) > ledger::OUTAGE_AFTER);

    world.sweep().await;
    let late = Guard { not_after: Some(start), ..Guard::default() };
    let mut recorded: Vec<Outage> = Vec::new();
    for guard in [claim, late] {
        match refused(world.other.append(guarded(2, guard)).await) {
            Refused::Outage { outages, .. } => recorded = outages,
            other => panic!("{other:?}"),
        }
    }
    let [outage] = recorded[..] else { panic!("{recorded:?}") };
    assert_eq!(outage.from, running.from);
    assert!(outage.to >= running.to);
    let in_time = Guard { not_after: Some(outage.to + 60 * SECOND), ..Guard::default() };
    world.ledger.append(guarded(2, in_time)).await.expect("a move in time is never refused");

    let partly = Guard { settled_until: outage.to - Duration::from_millis(1), ..claim };
    assert!(matches!(refused(world.ledger.append(guarded(3, partly)).await), Refused::Outage { .. }));
    let settled = Guard { settled_until: outage.to, ..late };
    assert!(matches!(refused(world.ledger.append(guarded(3, settled)).await), Refused::TooLate { .. }));
    world.ledger.append(guarded(3, Guard { settled_until: outage.to, ..claim })).await.unwrap();
}

/// A log has one deadline: `Keep` leaves it, `At` and `After` move it, `Clear` removes it; a refused append changes nothing.
pub async fn deadlines_are_set_kept_moved_and_cleared(world: World) {
    let ledger = &world.ledger;
    let set = ledger.append(due(0, "game", Deadline::After(Duration::from_millis(100)))).await.unwrap();
    assert_eq!(ledger.sweep(10).await.unwrap().due, [], "not due yet");
    append(ledger, "game", 1, "keeps it").await;
    assert_eq!(world.sweep().await, [(log("game"), set.stamp + Duration::from_millis(100))]);
    let moved = Timestamp::from_millis(77);
    refused(ledger.append(due(0, "game", Deadline::Clear)).await);
    assert_eq!(world.sweep().await.len(), 1, "due until an append says otherwise");
    ledger.append(due(2, "game", Deadline::At(moved))).await.unwrap();
    assert_eq!(world.sweep().await, [(log("game"), moved)]);
    ledger.append(due(3, "game", Deadline::After(Duration::MAX))).await.unwrap();
    assert_eq!(world.sweep().await, []);
    ledger.append(due(4, "game", Deadline::At(moved))).await.unwrap();
    ledger.append(due(5, "game", Deadline::Clear)).await.unwrap();
    assert_eq!(world.sweep().await, []);
}

/// The most overdue come first, a limit cuts the others, and of two sweeps in a row only the first does the work.
pub async fn due_logs_come_most_overdue_first_and_a_swept_partition_is_skipped(world: World) {
    let names: Vec<String> = (0..12).map(|game| format!("game-{game}")).collect();
    for (at, name) in names.iter().enumerate() {
        let deadline = Timestamp::from_millis(1_000 - 10 * at as u64);
        world.ledger.append(due(0, name, Deadline::At(deadline))).await.unwrap();
    }
    world.ledger.append(due(0, "later", Deadline::After(60 * SECOND))).await.unwrap();
    let expected: Vec<_> = (0..12).rev().map(|game| log(&format!("game-{game}"))).collect();
    let found: Vec<_> = world.sweep().await.into_iter().map(|(log, _)| log).collect();
    assert_eq!(found, expected);
    assert_eq!(world.other.sweep(10).await.unwrap().due, [], "somebody has just swept");
    world.pass(Duration::from_millis(160)).await;
    let first: Vec<_> = world.other.sweep(3).await.unwrap().due.into_iter().map(|(log, _)| log).collect();
    assert_eq!(first, expected[..3]);
}
