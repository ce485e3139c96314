//! What players of other servers have reported, as tests of the fold and the wave.

use std::{collections::BTreeSet, time::Duration};

use kernel::PlayerId;
use matchmaking::{
    queue::{Change, Place},
    ticket::Match,
    wave::{self, Patience, Seen, View},
};
use nigiri_proto::{
    events::v1::{MatchRefused, TicketRerated, queue_fact::Fact},
    matchmaking::v1::AiLevel,
};

use crate::oracle::{Facts, Log, at, game, player, ticket};

fn view(millis: u64) -> View {
    let patience = Patience { usual: Duration::from_secs(20), soonest: Duration::from_secs(5) };
    View { now: at(millis), patience, gone_after: Duration::from_secs(3) }
}

fn plan(log: &Log, millis: u64) -> Vec<Match> {
    wave::plan(&log.queue, view(millis), &Seen::default())
}

fn players(made: &Match) -> BTreeSet<PlayerId> {
    made.players().collect()
}

/// "My ticket was accepted and I was never matched": as long as its stream lives a ticket is in every wave, however often its matches are refused, and keeps
/// its waiting time; a player who does come is met in the next wave.
#[test]
fn a_ticket_that_was_accepted_is_in_every_wave() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000));
    for second in 1..=60 {
        let millis = second * 1_000;
        let id = u32::try_from(second).unwrap() + 1;
        log.append(millis, Facts::new().renew(0, millis + 10_000).open(id, id, 0, millis + 10_000));
        let made = plan(&log, millis);
        assert_eq!(made.len(), 1, "second {second}");
        assert!(players(&made[0]).contains(&player(1)), "who has waited longest is in it");
        log.append(millis, Facts::new().made(&[1, id]));
        let refused = log.append(millis + 1, Facts::new().refused(&[1, id], &[id]));
        assert!(refused.contains(&Change::Reopened(ticket(1))));
        assert_eq!(log.queue.ticket(ticket(1)).unwrap().open_time, at(0));
    }
}

/// "The dead tickets grew until the service fell over": whatever ends tickets, nothing of them is left, in the queue or in its snapshot.
#[test]
fn nothing_is_left_of_the_dead() {
    let mut log = Log::default();
    for round in 0..1_000_u32 {
        let (millis, id) = (u64::from(round) * 1_000, round * 4);
        let until = millis + 5_000;
        let opened = Facts::new()
            .open(id + 1, id + 1, round, until)
            .open(id + 2, id + 2, round, until)
            .open(id + 3, id + 3, round, until)
            .open(id + 4, id + 4, round, until);
        log.append(millis, opened.offer(500_000 + round, AiLevel::Easy, until));
        // One is cancelled, one released, two play; one replica in ten says no more.
        let mut facts = Facts::new().close(id + 1).release(id + 2, round, until).made(&[id + 3, id + 4]);
        if round % 10 != 0 {
            facts = facts.started(&[id + 3, id + 4]);
        }
        log.append(millis + 1, facts);
        if round % 10 == 0 {
            log.append(millis + 2, Facts::new().refused(&[id + 3, id + 4], &[]));
        }
        assert!(log.queue.open().len() < 40, "{}", log.queue.open().len());
    }
    log.append(2_000_000, Facts::new());
    assert_eq!((log.queue.open().len(), log.queue.pending().len(), log.queue.bots().len()), (0, 0, 0));
    let snapshot = log.queue.snapshot();
    assert_eq!(snapshot, Default::default(), "not even a memory");
}

/// "I was matched with somebody whom I had blocked, again and again": a match that is refused because its two are to be kept apart is not proposed
/// again, and both are matched with the next who comes.
#[test]
fn two_who_are_kept_apart_are_not_proposed_again() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000).open(2, 2, 0, 10_000));
    assert_eq!(plan(&log, 1).len(), 1);
    log.append(1, Facts::new().made(&[1, 2]));
    let game_id = game(&[1, 2]).to_string();
    let apart = Fact::MatchRefused(MatchRefused { game_id, apart: true, ..MatchRefused::default() });
    log.append(2, Facts(vec![apart]));
    assert_eq!((log.queue.open().len(), plan(&log, 2).len()), (2, 0));
    log.append(3, Facts::new().open(3, 3, 0, 10_000));
    assert_eq!(plan(&log, 3).len(), 1);
}

/// "The match counted although our ratings had moved apart": a match that is refused for that takes the new ratings with it, and its two
/// do not meet again by the old ones.
#[test]
fn ratings_that_changed_count_from_then_on() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 10_000).open(2, 2, 0, 10_000));
    log.append(1, Facts::new().made(&[1, 2]));
    let rerated = TicketRerated {
        ticket_id: ticket(2).to_string(),
        board_ratings: vec![1_500_000_000, 1_200_000_000, 1_200_000_000],
    };
    let game_id = game(&[1, 2]).to_string();
    let refused = MatchRefused { game_id, rerated: vec![rerated], ..MatchRefused::default() };
    log.append(2, Facts(vec![Fact::MatchRefused(refused)]));
    assert_eq!(log.queue.ticket(ticket(2)).unwrap().rating().whole(), 1_500);
    assert_eq!(plan(&log, 2), []);
}

/// "It said that I was still queued after my game had begun": in a game, or in a match that becomes one, nobody has an open ticket; whoever wants
/// to be called out of a game against an AI is set aside for its time, and in no wave.
#[test]
fn nobody_in_a_game_is_queued() {
    let mut log = Log::default();
    log.append(0, Facts::new().open(1, 1, 0, 90_000).open(2, 2, 0, 90_000).made(&[1, 2]));
    assert_eq!(
        (log.queue.open().len(), log.queue.place(player(1))),
        (0, Some(Place::Matched(game(&[1, 2]))))
    );
    log.append(1, Facts::new().started(&[1, 2]));
    assert_eq!((log.queue.open().len(), log.queue.place(player(1))), (0, None));

    log.append(2, Facts::new().open(3, 3, 0, 90_000).keep_looking().offer(99, AiLevel::Normal, 80_000));
    log.append(3, Facts::new().made(&[3]));
    let changes = log.append(4, Facts::new().started(&[3]).open(4, 4, 0, 90_000));
    assert!(
        matches!(
            &changes[..],
            [Change::Started(_), Change::SetAside(..), Change::Renewed(_), Change::Opened(_)]
        ),
        "{changes:?}"
    );
    assert_eq!((log.queue.open().len(), plan(&log, 2_000)), (2, vec![]), "the one plays, the other is alone");
    assert!(log.append(5, Facts::new().resume(3, game(&[1, 2]))).is_empty(), "another game");
    assert_eq!(log.append(6, Facts::new().resume(3, game(&[3]))), [Change::Resumed(ticket(3))]);
    assert_eq!(plan(&log, 2_000).len(), 1);
}
