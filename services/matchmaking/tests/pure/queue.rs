//! Single rules of the fold, each with the boundary where it turns.

use std::time::Duration;

use kernel::Timestamp;
use matchmaking::{
    queue::{Change, Place, RECENT_FOR, REOPENED_FOR},
    ticket::Hold,
};
use nigiri_proto::matchmaking::v1::{AiLevel, EndedReason};

use crate::oracle::{Facts, Log, at, game, player, replica, ticket};

/// A ticket stands to the millisecond before its replica's lease ends, and not one longer; one renewal is good for all tickets.
#[test]
fn a_lease_holds_all_tickets_of_its_replica_to_the_millisecond() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000).open(2, 2, 0, 10_000).open(3, 3, 1, 10_000));
    log.append(9_999, Facts::new().renew(0, 20_000));
    assert_eq!(log.queue.open().len(), 3);
    let changes = log.append(10_000, Facts::new());
    assert_eq!(changes, [Change::Expired(ticket(3))]);
    assert!(log.append(19_999, Facts::new()).is_empty());
    let changes = log.append(20_000, Facts::new().made(&[1, 2]));
    assert_eq!(changes, [Change::Expired(ticket(1)), Change::Expired(ticket(2))], "and the match is void");
    assert_eq!(log.queue.pending().len(), 0);
}

/// The first of two contradicting matches counts; so do opens; a cancel after a match comes too late, a match after a cancel is void.
#[test]
fn log_order_decides_between_contradictions() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000).open(2, 2, 0, 10_000).open(3, 3, 0, 10_000));
    assert_eq!(log.append(1, Facts::new().open(4, 1, 1, 10_000))[1], Change::NotOpened(ticket(4)));
    let changes = log.append(2, Facts::new().made(&[1, 2]).made(&[2, 3]).close(1));
    assert_eq!(changes, [Change::Matched(game(&[1, 2]))]);
    assert_eq!(log.queue.place(player(1)), Some(Place::Matched(game(&[1, 2]))));
    let changes = log.append(3, Facts::new().close(3).made(&[3]));
    assert_eq!(changes, [Change::Closed(ticket(3), EndedReason::Cancelled)]);
    assert_eq!(log.append(4, Facts::new().made(&[3, 3])), []);
    let changes = log.append(5, Facts::new().started(&[1, 2]).started(&[1, 2]));
    assert_eq!(changes.len(), 1, "a game starts once");
    assert_eq!(log.queue.place(player(1)), None);
}

/// A match holds its tickets for as long as it takes, also when their replica dies; a refusal gives back those that were not at
/// fault, with their waiting time and time enough to come back.
#[test]
fn a_refused_match_gives_back_the_ticket_that_was_not_at_fault() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000).open(2, 2, 1, 10_000));
    log.append(1_000, Facts::new().made(&[1, 2]));
    assert_eq!(
        log.append(50_000, Facts::new().open(4, 1, 0, 60_000)).last(),
        Some(&Change::NotOpened(ticket(4)))
    );
    let changes = log.append(50_001, Facts::new().refused(&[1, 2], &[1]));
    let closed = Change::Closed(ticket(1), EndedReason::Refused);
    assert_eq!(changes, [Change::Refused(game(&[1, 2])), closed, Change::Reopened(ticket(2))]);
    let back = log.queue.ticket(ticket(2)).unwrap();
    assert_eq!(back.waited(at(50_001)), Duration::from_millis(50_001));
    assert_eq!(back.hold, Hold::Until(at(50_001) + REOPENED_FOR));
    assert_eq!(log.append(60_001, Facts::new()), [Change::Expired(ticket(2))]);
}

/// Between two who want a released ticket the first gets it; a release by a replica that no longer holds it counts for nothing.
#[test]
fn a_ticket_changes_hands_once() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000));
    log.append(1, Facts::new().release(1, 0, 10_001));
    log.append(2, Facts::new().hold(1, None, 1, 10_002).hold(1, None, 2, 10_002).release(1, 0, 99_999));
    assert_eq!(log.queue.ticket(ticket(1)).unwrap().hold, Hold::By(replica(1)));
    let changes = log.append(3, Facts::new().hold(1, Some(1), 0, 20_000));
    assert!(changes.contains(&Change::Held(ticket(1), Hold::By(replica(0)))));
    assert_eq!(log.append(10_002, Facts::new()), [], "its old replicas' leases are nothing to it");
    assert_eq!(log.queue.open().len(), 1);
}

/// Offers and recent games end by the stamps of entries, to the millisecond.
#[test]
fn offers_and_recent_games_end_by_the_stamps() {
    let mut log = Log::default();
    log.append(0, Facts::new().offer(9, AiLevel::Easy, 30_000).open(1, 1, 0, 10_000).open(2, 2, 0, 10_000));
    log.append(1, Facts::new().made(&[1, 2]).started(&[1, 2]));
    log.append(29_999, Facts::new());
    assert_eq!(log.queue.bots().len(), 1);
    log.append(30_000, Facts::new());
    assert_eq!(log.queue.bots().len(), 0);
    let end = at(1) + RECENT_FOR;
    log.append(end.as_millis() - 1, Facts::new());
    assert!(log.queue.last_game(player(1)).is_some());
    log.append(end.as_millis(), Facts::new());
    assert!(log.queue.last_game(player(1)).is_none());
}

/// Facts that cannot be read count for nothing, and the rest of their entry counts.
#[test]
fn unreadable_facts_count_for_nothing() {
    let mut log = Log::default();
    let mut facts = Facts::new().open(1, 1, 0, 10_000);
    facts.spoil();
    let changes = log.append(0, facts.open(2, 2, 0, 10_000));
    assert!(changes.contains(&Change::Opened(ticket(2))));
    assert_eq!(log.queue.open().len(), 1);
    assert_eq!(log.queue.now(), Timestamp::from_millis(0));
}
