//! Streams that break, replicas that die, services that are away.

use std::time::Duration;

use ledger::{Append, Deadline, Guard, Ledger, LogName};
use nigiri_proto::{
    events::v1::{QueueEntry, queue_fact::Fact},
    matchmaking::v1::{AiLevel, EndedReason, FindMatchRequest, find_match_response::Message},
};
use platform::{convert::from_proto_duration, status::reason_of};
use prost::Message as _;
use tokio::time::Instant;
use tonic::Code;
use tonic_types::StatusExt;

use crate::{
    fakes::{Fakes, Mode},
    world::{World, quick, quick_or_ai, stop},
};

const SECOND: Duration = Duration::from_secs(1);

/// A second stream is refused by every replica while the first lives. When that breaks, its ticket goes on at any replica, within 10 s, with
/// its waiting time; after that there is a new one.
#[tokio::test]
async fn a_broken_stream_keeps_its_ticket_for_a_while() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let (search, first) = world.person(&nodes[0], "Ann").queue(quick()).await;
    tokio::time::sleep(7 * SECOND).await;
    for node in &nodes {
        let begin = Instant::now();
        let refused = world.person(node, "Ann").find(quick()).await.map(drop).unwrap_err();
        assert_eq!(
            (refused.code(), reason_of(&refused).as_deref()),
            (Code::AlreadyExists, Some("TICKET_EXISTS"))
        );
        assert!(begin.elapsed() < 2 * SECOND, "a sign of life of the other replica was enough");
    }
    drop(search);
    tokio::time::sleep(8 * SECOND).await;
    let (mut search, second) = world.person(&nodes[1], "Ann").queue(quick()).await;
    assert_eq!(second.ticket_id, first.ticket_id);
    let waited = from_proto_duration(search.progress().await.waited.unwrap());
    assert!(waited > 15 * SECOND, "{waited:?}");

    // Another wish is another ticket, that has waited as long.
    drop(search);
    let (mut search, third) = world.person(&nodes[0], "Ann").queue(quick_or_ai()).await;
    assert_ne!(third.ticket_id, second.ticket_id);
    let waited = from_proto_duration(search.progress().await.waited.unwrap());
    assert!(waited > 15 * SECOND, "{waited:?}");

    drop(search);
    tokio::time::sleep(11 * SECOND).await;
    let (mut search, fourth) = world.person(&nodes[0], "Ann").queue(quick_or_ai()).await;
    assert_ne!(fourth.ticket_id, third.ticket_id);
    assert_eq!(from_proto_duration(search.progress().await.waited.unwrap()).as_secs(), 1);
}

/// Nobody is matched with somebody who is not there: a ticket without a stream is paired when its player is back.
#[tokio::test]
async fn a_player_who_is_away_is_not_matched_until_they_are_back() {
    let world = World::paused().await;
    let node = world.node().await;
    drop(world.person(&node, "Ann").queue(quick()).await);
    tokio::time::sleep(SECOND).await;
    let (mut bob, _) = world.person(&node, "Bob").queue(quick()).await;
    for _ in 0..5 {
        bob.progress().await;
    }
    let (ann, _) = world.person(&node, "Ann").queue(quick()).await;
    assert_eq!(ann.matched().await.game_id, bob.matched().await.game_id);
}

/// A replica that drains says so, and takes no new stream; the ticket goes on at another, and is not lost when the first is gone.
#[tokio::test]
async fn a_replica_that_drains_hands_its_tickets_over() {
    let world = World::paused().await;
    let (first, second) = (world.node().await, world.node().await);
    let mut ann = world.person(&first, "Ann");
    let (search, before) = ann.queue(quick()).await;
    tokio::time::sleep(5 * SECOND).await;
    first.context().shutdown.drain();
    let refused = world.person(&first, "Bob").find(quick()).await.map(drop).unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_deref()), (Code::Unavailable, Some("DRAINING")));
    let (last, ()) = tokio::join!(search.last(), stop(&first));
    assert!(matches!(last, Message::Draining(_)), "{last:?}");
    let begin = Instant::now();
    let (mut search, after) = world.person(&second, "Ann").queue(quick()).await;
    assert_eq!(after.ticket_id, before.ticket_id);
    assert!(begin.elapsed() < SECOND, "it was released: nobody waits for the lease to end");
    assert!(from_proto_duration(search.progress().await.waited.unwrap()) >= 5 * SECOND);
}

/// A replica dies between the match and its game. Another one makes the game; the player whose stream died with it calls the other, and
/// gets the same game. This one runs by the machine's clock: the first replica has a thread of its own, which is cut off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_dies_in_mid_match_loses_nothing() {
    let world = World::running().await;
    let survivor = world.node().await;
    let (ann, _) = world.person(&survivor, "Ann").queue(quick()).await;

    let cut_off = Fakes::new();
    *cut_off.mode.lock() = Mode::Away;
    let mut asked = cut_off.asked.subscribe();
    let plan = world.plan(cut_off);
    let doomed = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (node, mut bob) = doomed
        .spawn(async move {
            let node = plan.start().await;
            let channel = node.channel();
            (node, channel)
        })
        .await
        .map(|(node, channel)| (node, world.with_role(channel, "Bob", platform::auth::Role::Player, true)))
        .unwrap();
    let ticket = doomed.spawn(async move { bob.queue(quick()).await }).await.unwrap();
    // It has proposed the match and asks for the game in vain.
    asked.wait_for(|asked| *asked > 0).await.unwrap();
    doomed.shutdown_background();
    drop((node, ticket));

    let game = ann.matched().await.game_id;
    assert!(*world.fakes.asked.borrow() > 0, "the survivor asked for it");
    assert!(world.fakes.games.lock().contains_key(&game));
    let (bob, _) = world.person(&survivor, "Bob").queue(quick()).await;
    assert_eq!(bob.matched().await.game_id, game);
}

/// The only replica is gone for longer than a match should take, and starts again on the same ledger: the match becomes its game.
#[tokio::test]
async fn a_match_survives_the_restart_of_the_only_replica() {
    let world = World::paused().await;
    *world.fakes.mode.lock() = Mode::Away;
    let node = world.node().await;
    let searches =
        (world.person(&node, "Ann").queue(quick()).await, world.person(&node, "Bob").queue(quick()).await);
    world.fakes.asked.subscribe().wait_for(|asked| *asked > 0).await.unwrap();
    let refused = world.person(&node, "Ann").cancel().await.unwrap_err();
    assert_eq!(
        (refused.code(), reason_of(&refused).as_deref()),
        (Code::FailedPrecondition, Some("TICKET_MATCHED"))
    );
    drop(searches);
    stop(&node).await;
    tokio::time::sleep(40 * SECOND).await;
    *world.fakes.mode.lock() = Mode::Makes;
    let node = world.node().await;
    let (ann, _) = world.person(&node, "Ann").queue(quick()).await;
    let (bob, _) = world.person(&node, "Bob").queue(quick()).await;
    assert_eq!(ann.matched().await.game_id, bob.matched().await.game_id);
    assert_eq!(world.fakes.games.lock().len(), 1);
}

/// The news of a game that was lost on the way comes again, to a client that says what it has seen, and to one that does not if no stream
/// took it off our hands. News that was seen does not: as long as the game goes on, however long, its player is told that it does, and may look for
/// another one when it is over.
#[tokio::test]
async fn lost_news_comes_again_and_whoever_plays_looks_for_no_other_game() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let saying = |seen: &str| FindMatchRequest { seen_game_id: Some(seen.to_owned()), ..quick() };
    let (ann, _) = world.person(&nodes[0], "Ann").queue(quick()).await;
    let (bob, _) = world.person(&nodes[1], "Bob").queue(quick()).await;
    let game = ann.matched().await.game_id;
    bob.matched().await;

    let (again, _) = world.person(&nodes[0], "Ann").queue(saying("")).await;
    assert_eq!(again.matched().await.game_id, game, "it says that it has seen nothing");
    let (again, _) = world.person(&nodes[1], "Ann").queue(quick()).await;
    assert_eq!(again.matched().await.game_id, game, "this replica has told her nothing yet");
    for wait in [Duration::ZERO, 100 * SECOND] {
        tokio::time::sleep(wait).await;
        for (node, wish) in [(0, saying(&game)), (1, saying(&game)), (0, quick()), (1, quick())] {
            let refused = world.person(&nodes[node], "Ann").find(wish).await.map(drop).unwrap_err();
            assert_eq!(reason_of(&refused).as_deref(), Some("ALREADY_PLAYING"));
            let info = refused.get_details_error_info().unwrap();
            assert_eq!(info.metadata.get("game_id"), Some(&game));
        }
    }
    world.fakes.over.lock().insert(game);
    for (name, wish) in [("Ann", quick()), ("Bob", saying(""))] {
        let (mut new, _) = world.person(&nodes[0], name).queue(wish).await;
        new.progress().await;
        world.person(&nodes[0], name).cancel().await.unwrap();
    }
}

/// A player whose own state makes a game impossible is out of the queue with a reason; the other keeps their place, with their waiting time.
#[tokio::test]
async fn a_refused_game_costs_the_other_player_nothing() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut ann, mut bob) = (world.person(&node, "Ann"), world.person(&node, "Bob"));
    *world.fakes.mode.lock() = Mode::Refuses(Some(bob.id.to_string()));
    let (mut waiting, _) = ann.queue(quick()).await;
    tokio::time::sleep(5 * SECOND).await;
    let (busy, _) = bob.queue(quick()).await;
    let Message::Ended(ended) = busy.last().await else { panic!("Bob plays already") };
    assert_eq!(ended.reason(), EndedReason::Refused);
    while from_proto_duration(waiting.progress().await.waited.unwrap()) < 8 * SECOND {}
    let (cid, _) = world.person(&node, "Cid").queue(quick()).await;
    assert_eq!(waiting.matched().await.game_id, cid.matched().await.game_id);

    // Nobody is named: the match itself is at fault, and ends for both.
    *world.fakes.mode.lock() = Mode::Refuses(None);
    let (dan, _) = world.person(&node, "Dan").queue(quick()).await;
    let (eve, _) = world.person(&node, "Eve").queue(quick()).await;
    assert!(matches!(dan.last().await, Message::Ended(_)) && matches!(eve.last().await, Message::Ended(_)));
}

/// While nobody could write for longer than a ticket stands, everything's time is up; but whose stream lives is where they were.
#[tokio::test]
async fn an_outage_of_the_ledger_delays_and_forgets_nobody() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let (mut ann, _) = world.person(&nodes[0], "Ann").queue(quick()).await;
    tokio::time::sleep(2 * SECOND).await;
    world.leap(60 * SECOND);
    while from_proto_duration(ann.progress().await.waited.unwrap()) < 65 * SECOND {}
    let log = LogName::new(matchmaking::replica::LOG).unwrap();
    let entries = world.ledger.read(&log, 0, 1_000).await.unwrap();
    let facts = entries.into_iter().flat_map(|entry| QueueEntry::decode(entry.payload).unwrap().facts);
    let opened = facts.filter(|fact| matches!(fact.fact, Some(Fact::TicketOpened(_)))).count();
    assert_eq!(opened, 2, "it had to be opened again");
    let (bob, _) = world.person(&nodes[1], "Bob").queue(quick()).await;
    assert_eq!(ann.matched().await.game_id, bob.matched().await.game_id);
}

/// Without the rating service a ticket is opened all the same, with the rating with which everybody begins.
#[tokio::test]
async fn a_missing_rating_keeps_nobody_from_playing() {
    let world = World::paused().await;
    let node = world.node().await;
    *world.fakes.ratings_away.lock() = true;
    let (_search, queued) = world.person(&node, "Ann").queue(quick()).await;
    assert_eq!(queued.rating, 1_200);
}

/// The log does not grow for ever: it begins with a snapshot, and a replica that starts there knows everybody who waits.
#[tokio::test]
async fn a_new_replica_starts_at_the_snapshot() {
    let mut world = World::paused().await;
    world.args.matchmaking_snapshot_after = 10;
    let node = world.node().await;
    world.fakes.ratings.lock().insert(world.person(&node, "Ann").id.to_string(), 2_000);
    let (ann, first) = world.person(&node, "Ann").queue(quick()).await;
    world.bot(&node, "Normal", AiLevel::Normal).await;
    for round in 0..30 {
        let mut other = world.person(&node, &format!("Player {round}"));
        drop(other.queue(quick()).await);
        tokio::time::sleep(SECOND / 2).await;
    }
    let log = LogName::new(matchmaking::replica::LOG).unwrap();
    let entries = world.ledger.read(&log, 0, 1_000).await.unwrap();
    assert!(entries[0].sequence > 20 && entries.len() < 30, "{} from {}", entries.len(), entries[0].sequence);
    let begin = QueueEntry::decode(entries[0].payload.clone()).unwrap();
    assert!(matches!(begin.facts[0].fact, Some(Fact::Snapshot(_))));

    let late = world.node().await;
    drop(ann);
    tokio::time::sleep(SECOND).await;
    let (mut ann, second) = world.person(&late, "Ann").queue(quick()).await;
    assert_eq!(second.ticket_id, first.ticket_id);
    assert!(from_proto_duration(ann.progress().await.waited.unwrap()) > 15 * SECOND);
}

/// "They changed the interval, and nobody was matched any more": who waits at a replica that looks seldom is met by those of one that looks often, and when the replicas are
/// replaced by some with another interval, everybody is met all the same.
#[tokio::test]
async fn another_interval_freezes_nobody() {
    let mut world = World::paused().await;
    world.args.matchmaking_wave = 60 * SECOND;
    let slow = world.node().await;
    world.args.matchmaking_wave = SECOND / 2;
    let fast = world.node().await;
    // 150 points apart they do not suit each other before they have waited for 4 s: no look at a newcomer is enough.
    world.fakes.ratings.lock().insert(world.person(&slow, "Ann").id.to_string(), 1_350);
    let (ann, _) = world.person(&slow, "Ann").queue(quick()).await;
    let (bob, _) = world.person(&fast, "Bob").queue(quick()).await;
    let begin = Instant::now();
    assert_eq!(ann.matched().await.game_id, bob.matched().await.game_id);
    assert!(begin.elapsed() < 6 * SECOND, "{:?}", begin.elapsed());

    world.fakes.ratings.lock().insert(world.person(&slow, "Cem").id.to_string(), 1_350);
    let (cem, before) = world.person(&slow, "Cem").queue(quick()).await;
    stop(&fast).await;
    let (dan, _) = world.person(&slow, "Dan").queue(quick()).await;
    drop((cem, dan));
    stop(&slow).await;
    world.args.matchmaking_wave = 2 * SECOND;
    let new = world.node().await;
    let (cem, after) = world.person(&new, "Cem").queue(quick()).await;
    let (dan, _) = world.person(&new, "Dan").queue(quick()).await;
    assert_eq!(before.ticket_id, after.ticket_id);
    assert_eq!(cem.matched().await.game_id, dan.matched().await.game_id);
}

/// A replica that does not understand what a newer version has written to the queue writes nothing more, refuses whoever comes, and ends: to fold on without it would be to see another
/// queue than the others.
#[tokio::test]
async fn a_replica_that_is_outgrown_ends() {
    let world = World::paused().await;
    let node = world.node().await;
    let (search, _) = world.person(&node, "Ann").queue(quick()).await;
    let log = LogName::new("queue:main").unwrap();
    let last = async || world.ledger.read(&log, 0, 1_000).await.unwrap().last().unwrap().sequence;
    let newer = last().await + 1;
    let append = Append {
        log: log.clone(),
        expected: newer - 1,
        payload: QueueEntry { facts: Vec::new(), format: 1 }.encode_to_vec().into(),
        guard: Guard::default(),
        deadline: Deadline::Keep,
        notices: Vec::new(),
    };
    world.ledger.append(append).await.unwrap();
    let ends = node.context().shutdown.failed().clone();
    tokio::time::timeout(10 * SECOND, ends.cancelled()).await.expect("it ends");
    let refused = world.person(&node, "Bob").find(quick()).await.map(drop).unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    drop(search);
    tokio::time::sleep(30 * SECOND).await;
    assert_eq!(last().await, newer, "nothing more is written");
}
