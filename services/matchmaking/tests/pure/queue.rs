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

/// A bot with a limit has its last place once: by the order of the log, whether it is given by name or by a match; a refused match gives it back, a game that is over makes
/// room, and a bot that lowers its limit is given nothing more.
#[test]
fn the_last_place_of_a_bot_is_given_once() {
    let mut log = Log::default();
    let games = [1, 2, 3].map(|number| game(&[90, number]));
    log.append(0, Facts::new().offer(99, AiLevel::Normal, 80_000).limit(2).open(1, 1, 0, 90_000));
    let changes = log.append(1, Facts::new().seat(99, games[0]).made(&[1]).seat(99, games[1]));
    assert_eq!(changes, [Change::Seated(player(99), games[0]), Change::Matched(game(&[1]))]);
    assert_eq!(log.append(2, Facts::new().seat(99, games[0])).len(), 1, "the same game again");
    assert_eq!(log.append(3, Facts::new().seat(98, games[1])), [], "no such bot");
    let bot = log.queue.bot(player(99)).unwrap().clone();
    assert_eq!((log.queue.free_places(&bot), log.queue.bots_with_room()), (Some(0), 0));
    log.append(4, Facts::new().refused(&[1], &[]).seat(99, games[1]));
    assert_eq!(log.queue.games_of_bot(player(99)).len(), 2);
    assert_eq!(log.append(5, Facts::new().made(&[1])), [], "it has no room for the ticket");
    log.append(6, Facts::new().free(99, games[0]).free(99, games[0]).seat(99, games[2]));
    assert!(log.queue.is_seated(player(99), games[2]) && !log.queue.is_seated(player(99), games[0]));
    log.append(7, Facts::new().offer(99, AiLevel::Normal, 90_000).limit(1).free(99, games[1]));
    assert!(!log.queue.has_room(player(99), games[0]));
    log.append(8, Facts::new().offer(99, AiLevel::Normal, 90_000));
    assert!(log.queue.has_room(player(99), games[0]), "without a limit nothing counts");
}

/// What the game service lists is taken for what a bot plays, but for the games of the last 10 s, which may not be listed yet, and those that are being made; a bot that comes back
/// within a minute has its games still.
#[test]
fn a_bots_games_are_put_right_by_its_offers() {
    let mut log = Log::default();
    let games = [1, 2].map(|number| game(&[90, number]));
    let offer = |until| Facts::new().offer(99, AiLevel::Normal, until).limit(3);
    let plays = |log: &Log| log.queue.games_of_bot(player(99));
    log.append(0, offer(30_000).open(1, 1, 0, 90_000).made(&[1]).seat(99, games[0]));
    log.append(9_999, offer(30_000).listed(&[]));
    assert_eq!(plays(&log).len(), 2);
    log.append(10_000, offer(40_000).listed(&[]));
    assert_eq!(plays(&log), [game(&[1])], "one was never made, one is being made");
    log.append(10_001, Facts::new().started(&[1]));
    log.append(10_002, offer(40_000).listed(&[games[1], game(&[1])]));
    assert_eq!(plays(&log).len(), 2);
    log.append(10_003, offer(40_000));
    assert_eq!(plays(&log).len(), 2, "nobody has looked");
    log.append(99_999, Facts::new());
    assert_eq!((log.queue.bots().len(), plays(&log).len()), (0, 2));
    log.append(100_000, Facts::new());
    assert!(plays(&log).is_empty());
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
