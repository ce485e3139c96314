//! Logs: numbers, stamps, reading, trimming, the end.

use std::{sync::Arc, time::Duration};

use ledger::{AppendError, LogName, MAX_PAYLOAD, Refused};

use crate::world::{World, append, entry, log, notice, refused, texts};

/// 32 writers on two handles race for 10 numbers: each number is won exactly once, there is no gap, and the losers are told the end.
pub async fn of_many_writers_exactly_one_wins_each_number(world: World) {
    let writers: Vec<_> = (0..32)
        .map(|writer: u64| {
            let ledger = Arc::clone(if writer < 16 { &world.ledger } else { &world.other });
            tokio::spawn(async move {
                let mut won = Vec::new();
                let mut expected = 0;
                while expected < 10 {
                    match ledger.append(entry("race", expected, writer.to_string())).await {
                        Ok(appended) => {
                            assert_eq!(appended.sequence, expected + 1);
                            won.push((appended.sequence, writer.to_string()));
                            expected = appended.sequence;
                        }
                        Err(AppendError::Refused(Refused::Conflict { last })) => {
                            assert!(last > expected, "a conflict is with something new");
                            expected = last;
                        }
                        Err(other) => panic!("{other:?}"),
                    }
                }
                won
            })
        })
        .collect();
    let mut won = Vec::new();
    for writer in writers {
        won.extend(writer.await.unwrap());
    }
    won.sort();
    let entries = world.other.read(&log("race"), 0, 100).await.unwrap();
    let there: Vec<_> = entries.iter().map(|entry| entry.sequence).zip(texts(&entries)).collect();
    assert_eq!(there, won, "what was acknowledged is what is there");
    assert_eq!(entries.len(), 10);
}

/// Who does not know whether an append went through repeats it, and finds its own entry in its place.
pub async fn a_retry_is_refused_by_its_own_entry(world: World) {
    append(&world.ledger, "game", 0, "first").await;
    assert_eq!(refused(world.other.append(entry("game", 0, "first")).await), Refused::Conflict { last: 1 });
    assert_eq!(texts(&world.other.read(&log("game"), 0, 10).await.unwrap()), ["first"]);
    assert_eq!(
        refused(world.ledger.append(entry("game", 5, "too far")).await),
        Refused::Conflict { last: 1 }
    );
    let end = u64::MAX;
    assert_eq!(refused(world.ledger.append(entry("game", end, "?")).await), Refused::Conflict { last: 1 });
    assert_eq!(refused(world.ledger.append(entry("none", 1, "?")).await), Refused::Conflict { last: 0 });
    assert!(world.ledger.read(&log("none"), 0, 10).await.unwrap().is_empty());
}

/// Stamps of a log rise with the store's clock, whichever handle appends, and the answer has the stamp that is read later.
pub async fn stamps_never_run_backwards_and_follow_the_clock_of_the_store(world: World) {
    let before = world.ledger.now();
    let mut answered = Vec::new();
    for expected in 0..20 {
        let ledger = if expected % 3 == 0 { &world.other } else { &world.ledger };
        answered.push(append(ledger, "stamps", expected, "entry").await.stamp);
        world.pass(Duration::from_millis(3)).await;
    }
    let read: Vec<_> =
        world.other.read(&log("stamps"), 0, 100).await.unwrap().iter().map(|entry| entry.stamp).collect();
    assert_eq!(read, answered);
    assert!(read.is_sorted());
    assert!(read[19].since(read[0]) >= Duration::from_millis(19 * 3 - 1));
    assert!(read[0] >= before - Duration::from_secs(1), "now is about the store's clock");
    assert!(world.ledger.now() >= before);
}

/// A follower that reads after what it has gets the rest, in order; a limit cuts, and nothing else does.
pub async fn a_log_is_read_in_pieces_without_a_gap(world: World) {
    for expected in 0..25 {
        append(&world.ledger, "pieces", expected, &format!("entry {}", expected + 1)).await;
    }
    let mut seen = Vec::new();
    loop {
        let after = seen.len() as u64;
        let piece = world.other.read(&log("pieces"), after, 7).await.unwrap();
        if piece.is_empty() {
            break;
        }
        assert!(piece.len() <= 7);
        seen.extend(piece);
    }
    let numbers: Vec<_> = seen.iter().map(|entry| entry.sequence).collect();
    assert_eq!(numbers, (1..=25).collect::<Vec<_>>());
    assert_eq!(texts(&seen)[24], "entry 25");
    assert_eq!(world.ledger.read(&log("pieces"), 0, usize::MAX).await.unwrap().len(), 25);
    assert!(world.ledger.read(&log("pieces"), u64::MAX, 7).await.unwrap().is_empty());
    assert!(world.ledger.read(&log("pieces"), 0, 0).await.unwrap().is_empty());
}

/// Every byte of the largest payload comes back; one byte more is refused and nothing is written. The same for a notice.
pub async fn payloads_up_to_a_mebibyte_come_back_and_larger_ones_are_refused(world: World) {
    let largest: Vec<u8> = (0..MAX_PAYLOAD).map(|at| (at % 251) as u8).collect();
    world.ledger.append(entry("large", 0, largest.clone())).await.unwrap();
    let too_large = entry("large", 1, vec![0; MAX_PAYLOAD + 1]);
    assert!(matches!(refused(world.ledger.append(too_large).await), Refused::Malformed(_)));
    let mut with_notice = entry("large", 1, "small");
    with_notice.notices.push(notice("topic", vec![0; MAX_PAYLOAD + 1]));
    assert!(matches!(refused(world.ledger.append(with_notice).await), Refused::Malformed(_)));
    world.ledger.append(entry("large", 1, "")).await.unwrap();
    let entries = world.other.read(&log("large"), 0, 10).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries[0].payload == largest && entries[1].payload.is_empty());
}

/// Trimming takes from the beginning only, never the last entry, and the numbers go on.
pub async fn a_trimmed_log_keeps_its_end_and_goes_on(world: World) {
    for expected in 0..5 {
        append(&world.ledger, "queue", expected, "entry").await;
    }
    let numbers = async |after| -> Vec<u64> {
        let entries = world.other.read(&log("queue"), after, 10).await.unwrap();
        entries.iter().map(|entry| entry.sequence).collect()
    };
    world.ledger.trim(&log("queue"), 3).await.unwrap();
    assert_eq!(numbers(0).await, [3, 4, 5]);
    assert_eq!(numbers(1).await, [3, 4, 5]);
    world.ledger.trim(&log("queue"), 1).await.unwrap();
    assert_eq!(numbers(0).await, [3, 4, 5]);
    world.ledger.trim(&log("queue"), u64::MAX).await.unwrap();
    assert_eq!(numbers(0).await, [5]);
    append(&world.ledger, "queue", 5, "entry").await;
    assert_eq!(numbers(0).await, [5, 6]);
    world.ledger.trim(&log("no-such-log"), 1).await.unwrap();
}

/// A retired log is there until its time has come, has no deadline any more and takes no new one, and is gone afterwards.
pub async fn a_retired_log_expires_and_can_begin_anew(world: World) {
    let past = kernel::Timestamp::from_millis(1);
    let due_at_once = |expected| {
        let mut append = entry("retired", expected, "entry");
        append.deadline = ledger::Deadline::At(past);
        append
    };
    world.ledger.append(due_at_once(0)).await.unwrap();
    assert_eq!(world.sweep().await, [(log("retired"), past)]);
    world.ledger.retire(&log("retired"), Duration::from_millis(400)).await.unwrap();
    assert_eq!(world.sweep().await, []);
    world.ledger.append(due_at_once(1)).await.unwrap();
    assert_eq!(world.other.read(&log("retired"), 0, 10).await.unwrap().len(), 2);
    world.pass(Duration::from_millis(500)).await;
    assert!(world.other.read(&log("retired"), 0, 10).await.unwrap().is_empty());
    assert_eq!(world.sweep().await, []);
    world.ledger.append(due_at_once(0)).await.unwrap();
    world.pass(Duration::from_millis(500)).await;
    assert_eq!(world.sweep().await, [(log("retired"), past)], "the new log is a log like any other");
    assert_eq!(world.other.read(&log("retired"), 0, 10).await.unwrap().len(), 1);
}

/// Names from outside cannot reach the store.
pub async fn malformed_names_are_refused(world: World) {
    for name in ["", "UPPER", "with space", "new\nline", "{p1}", "ü", &"x".repeat(65)] {
        assert!(LogName::new(name).is_err(), "{name:?}");
        let mut append = entry("fine", 0, "entry");
        append.notices = vec![notice("fine", "message"), notice(name, "message")];
        assert!(matches!(refused(world.ledger.append(append).await), Refused::Malformed(_)), "{name:?}");
        assert!(world.ledger.publish("key", notice(name, "message")).await.is_err());
        assert!(world.ledger.join("fine", name).await.is_err());
        assert!(world.ledger.join(name, "fine").await.is_err());
    }
    assert!(world.ledger.read(&log("fine"), 0, 1).await.unwrap().is_empty());
    let longest = "x".repeat(64);
    append(&world.ledger, &longest, 0, "entry").await;
    assert_eq!(world.ledger.read(&log(&longest), 0, 1).await.unwrap().len(), 1);
}
