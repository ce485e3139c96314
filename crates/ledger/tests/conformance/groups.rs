//! Topics and consumer groups.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use ledger::{Append, Delivery, DeliveryId, Refused, SharedLedger};

use crate::world::{World, append, entry, log, notice, refused, soon};

const NOW: Duration = Duration::ZERO;
const DAY: Duration = Duration::from_secs(86_400);
const TOPIC: &str = "games";

fn said(deliveries: &[Delivery]) -> Vec<String> {
    deliveries.iter().map(|delivery| String::from_utf8_lossy(&delivery.payload).into_owned()).collect()
}

/// Fetches until there is nothing more.
async fn drain(ledger: &SharedLedger, group: &str, consumer: &str) -> Vec<Delivery> {
    let mut all = Vec::new();
    loop {
        let some = ledger.fetch(TOPIC, group, consumer, 3, NOW).await.unwrap();
        assert!(some.len() <= 3, "never more than asked for");
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

async fn publish(world: &World, count: usize) {
    for number in 0..count {
        let message = notice(TOPIC, format!("message {number}"));
        world.ledger.publish(&format!("key {number}"), message).await.unwrap();
    }
}

fn ids(deliveries: &[Delivery]) -> Vec<DeliveryId> {
    deliveries.iter().map(|delivery| delivery.id.clone()).collect()
}

/// An accepted append has written all of its notices, a refused one none.
pub async fn notices_are_written_with_the_entry_or_not_at_all(world: World) {
    world.ledger.join(TOPIC, "group").await.unwrap();
    world.ledger.join("other", "group").await.unwrap();
    let notices = vec![notice(TOPIC, "one"), notice("other", "two"), notice(TOPIC, "three")];
    let with_notices = |expected| Append { notices: notices.clone(), ..entry("game", expected, "entry") };
    world.ledger.append(with_notices(0)).await.unwrap();
    assert_eq!(refused(world.ledger.append(with_notices(0)).await), Refused::Conflict { last: 1 });
    assert_eq!(said(&drain(&world.other, "group", "c").await), ["one", "three"]);
    assert_eq!(said(&world.other.fetch("other", "group", "c", 9, NOW).await.unwrap()), ["two"]);
}

/// Groups are independent, and within one each message goes to one consumer; a group gets what was there before it, and joining
/// again changes nothing.
pub async fn each_group_gets_every_message_and_each_message_one_consumer(world: World) {
    publish(&world, 20).await;
    world.ledger.join(TOPIC, "first").await.unwrap();
    assert_eq!(world.ledger.lag(TOPIC, "first").await.unwrap(), 20);
    let one = world.ledger.fetch(TOPIC, "first", "a", 3, NOW).await.unwrap();
    world.other.join(TOPIC, "first").await.unwrap();
    let rest = drain(&world.other, "first", "b").await;
    let both: Vec<_> = [&one[..], &rest[..]].concat();
    assert!(both.iter().all(|delivery| delivery.attempt == 1));
    assert_eq!(both.len(), 20);
    assert_eq!(said(&both).into_iter().collect::<BTreeSet<_>>().len(), 20);
    assert_eq!(world.ledger.lag(TOPIC, "first").await.unwrap(), 20, "nothing is acknowledged yet");
    world.other.acknowledge(TOPIC, "first", &ids(&both)[..15]).await.unwrap();
    assert_eq!(world.ledger.lag(TOPIC, "first").await.unwrap(), 5);
    world.ledger.join(TOPIC, "second").await.unwrap();
    assert_eq!(drain(&world.ledger, "second", "a").await.len(), 20);
}

/// What one log or one key says is heard in the order in which it was said.
pub async fn messages_of_one_log_stay_in_order(world: World) {
    world.ledger.join(TOPIC, "group").await.unwrap();
    for expected in 0..12 {
        for game in ["a", "b", "c"] {
            let notices = vec![notice(TOPIC, format!("{game} {expected:02}"))];
            world.ledger.append(Append { notices, ..entry(game, expected, "entry") }).await.unwrap();
        }
    }
    let heard = said(&drain(&world.other, "group", "c").await);
    for game in ["a", "b", "c"] {
        let of_game: Vec<_> = heard.iter().filter(|text| text.starts_with(game)).collect();
        assert_eq!(of_game.len(), 12);
        assert!(of_game.is_sorted(), "{of_game:?}");
    }
}

/// A consumer that dies loses nothing: after its lease another gets every message that it had not acknowledged, and sees that it is
/// not the first attempt.
pub async fn what_a_dead_consumer_had_is_claimed_with_a_higher_count(world: World) {
    publish(&world, 10).await;
    let taken = drain(&world.ledger, "group", "dies").await;
    world.ledger.acknowledge(TOPIC, "group", &ids(&taken)[..4]).await.unwrap();
    assert!(drain(&world.other, "group", "lives").await.is_empty(), "all of it is taken");
    assert!(world.other.claim(TOPIC, "group", "lives", DAY, 10).await.unwrap().is_empty());
    world.pass(Duration::from_millis(60)).await;
    let lease = Duration::from_millis(50);
    let mut claimed = world.other.claim(TOPIC, "group", "lives", lease, 2).await.unwrap();
    assert_eq!(claimed.len(), 2, "never more than asked for");
    claimed.extend(world.other.claim(TOPIC, "group", "lives", lease, 10).await.unwrap());
    assert!(claimed.iter().all(|delivery| delivery.attempt == 2));
    let unacknowledged: BTreeSet<_> = said(&taken[4..]).into_iter().collect();
    assert_eq!(said(&claimed).into_iter().collect::<BTreeSet<_>>(), unacknowledged);
    world.other.acknowledge(TOPIC, "group", &ids(&claimed)).await.unwrap();
    assert_eq!(world.other.lag(TOPIC, "group").await.unwrap(), 0);
    assert!(world.other.claim(TOPIC, "group", "lives", NOW, 10).await.unwrap().is_empty());
}

/// A consumer that is slow but alive keeps its message by renewing; one that gives it back lets it go at once; and only the
/// consumer that has a message can do either.
pub async fn a_renewed_lease_is_not_claimed_and_a_released_message_is(world: World) {
    publish(&world, 1).await;
    let [delivery] = &drain(&world.ledger, "group", "slow").await[..] else { panic!() };
    world.pass(Duration::from_millis(400)).await;
    assert!(world.ledger.renew(TOPIC, "group", "slow", &delivery.id).await.unwrap());
    assert!(!world.ledger.renew(TOPIC, "group", "thief", &delivery.id).await.unwrap());
    world.ledger.release(TOPIC, "group", "thief", &delivery.id).await.unwrap();
    let lease = Duration::from_millis(300);
    assert!(world.other.claim(TOPIC, "group", "next", lease, 1).await.unwrap().is_empty());
    world.ledger.release(TOPIC, "group", "slow", &delivery.id).await.unwrap();
    let [again] = &world.other.claim(TOPIC, "group", "next", DAY, 1).await.unwrap()[..] else { panic!() };
    assert_eq!((again.attempt, &again.id), (2, &delivery.id));
    assert!(!world.ledger.renew(TOPIC, "group", "slow", &delivery.id).await.unwrap(), "it has changed hands");
    world.other.acknowledge(TOPIC, "group", std::slice::from_ref(&again.id)).await.unwrap();
    assert!(!world.other.renew(TOPIC, "group", "next", &delivery.id).await.unwrap());
}

/// Dead letters keep the message and the error, appear once however often the step is repeated, and can be sent again or forgotten.
pub async fn a_message_is_buried_once_and_revived(world: World) {
    publish(&world, 4).await;
    let taken = drain(&world.ledger, "group", "c").await;
    for (number, delivery) in taken[..3].iter().enumerate() {
        world.pass(Duration::from_millis(2)).await;
        for _ in 0..2 {
            world.ledger.bury(TOPIC, "group", delivery, &format!("error {number}")).await.unwrap();
        }
    }
    assert_eq!(world.ledger.lag(TOPIC, "group").await.unwrap(), 1);
    let letters = world.other.dead_letters(TOPIC, "group", 10).await.unwrap();
    let errors: Vec<_> = letters.iter().map(|letter| letter.error.as_str()).collect();
    assert_eq!(errors, ["error 0", "error 1", "error 2"]);
    assert_eq!(letters[0].payload, taken[0].payload);
    assert_eq!(world.other.dead_letters(TOPIC, "group", 2).await.unwrap().len(), 2);
    assert!(world.other.dead_letters(TOPIC, "stranger", 10).await.unwrap().is_empty());
    assert!(world.other.revive(TOPIC, "group", &letters[0].id).await.unwrap());
    assert!(!world.other.revive(TOPIC, "group", &letters[0].id).await.unwrap());
    for (partition, id) in [(0, "nonsense"), (0, ""), (u16::MAX, "1-1"), (0, "9-9")] {
        let id = DeliveryId { partition, id: id.to_owned() };
        assert!(!world.other.revive(TOPIC, "group", &id).await.unwrap());
        assert!(!world.other.discard(TOPIC, "group", &id).await.unwrap());
    }
    let [again] = &drain(&world.ledger, "group", "c").await[..] else { panic!() };
    assert_eq!((again.attempt, &again.payload), (1, &taken[0].payload));
    assert_eq!(world.ledger.dead_letters(TOPIC, "group", 10).await.unwrap().len(), 2);
    assert!(!world.other.discard(TOPIC, "stranger", &letters[1].id).await.unwrap());
    assert!(world.other.discard(TOPIC, "group", &letters[1].id).await.unwrap());
    assert!(!world.ledger.discard(TOPIC, "group", &letters[1].id).await.unwrap());
    let left = world.ledger.dead_letters(TOPIC, "group", 10).await.unwrap();
    assert_eq!(left.iter().map(|letter| &letter.id).collect::<Vec<_>>(), [&letters[2].id]);
    assert!(drain(&world.ledger, "group", "c").await.is_empty(), "what is forgotten does not come again");
}

/// Whoever has joined is in the list of groups, once.
pub async fn groups_are_listed(world: World) {
    assert!(world.other.groups().await.unwrap().is_empty());
    for (topic, group) in [("b", "two"), ("b", "one"), ("a", "one"), ("b", "one")] {
        world.ledger.join(topic, group).await.unwrap();
    }
    let groups = world.other.groups().await.unwrap();
    let names: Vec<_> = groups.iter().map(|(topic, group)| format!("{topic} {group}")).collect();
    assert_eq!(names, ["a one", "b one", "b two"]);
}

/// The slowest group decides what may go; a topic without groups loses nothing.
pub async fn only_what_all_groups_have_acknowledged_is_dropped(world: World) {
    publish(&world, 6).await;
    assert_eq!(world.ledger.trim_topic(TOPIC).await.unwrap(), 0);
    world.ledger.join(TOPIC, "fast").await.unwrap();
    world.ledger.join(TOPIC, "slow").await.unwrap();
    let fast = drain(&world.ledger, "fast", "c").await;
    world.ledger.acknowledge(TOPIC, "fast", &ids(&fast)).await.unwrap();
    assert_eq!(world.ledger.trim_topic(TOPIC).await.unwrap(), 0, "the slow group has had nothing");
    let slow = drain(&world.ledger, "slow", "c").await;
    assert_eq!(world.ledger.trim_topic(TOPIC).await.unwrap(), 0, "the slow group has acknowledged nothing");
    world.ledger.acknowledge(TOPIC, "slow", &ids(&slow)).await.unwrap();
    publish(&world, 2).await;
    assert_eq!(world.ledger.trim_topic(TOPIC).await.unwrap(), 6);
    assert_eq!(world.ledger.lag(TOPIC, "slow").await.unwrap(), 2);
    assert_eq!(drain(&world.ledger, "slow", "c").await.len(), 2);
    world.ledger.join(TOPIC, "new").await.unwrap();
    assert_eq!(drain(&world.ledger, "new", "c").await.len(), 2, "a new group gets what is left");
    assert_eq!(world.ledger.trim_topic("never used").await.unwrap_or(0), 0);
}

/// A consumer that waits gets a message when it comes, from an append as from a publication, wherever that happened.
pub async fn a_waiting_fetch_is_woken_by_another_handle(world: World) {
    world.ledger.join(TOPIC, "group").await.unwrap();
    for round in 0..4 {
        let ledger = Arc::clone(&world.other);
        let waiting =
            tokio::spawn(async move { ledger.fetch(TOPIC, "group", "c", 1, Duration::from_secs(15)).await });
        if round == 2 {
            // Sometimes the message is there first, and sometimes the consumer.
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        let message = notice(TOPIC, format!("round {round}"));
        if round % 2 == 0 {
            let game = format!("game-{round}");
            world.ledger.append(Append { notices: vec![message], ..entry(&game, 0, "x") }).await.unwrap();
        } else {
            world.ledger.publish("key", message).await.unwrap();
        }
        assert_eq!(said(&soon(waiting).await.unwrap().unwrap()), [format!("round {round}")]);
    }
    append(&world.ledger, "game", 0, "no notice").await;
    assert_eq!(world.ledger.read(&log("game"), 0, 1).await.unwrap().len(), 1);
}

/// An empty topic gives an empty answer after the wait, and a group that nobody registered is registered by asking.
pub async fn a_fetch_that_finds_nothing_comes_back_in_time(world: World) {
    let start = std::time::Instant::now();
    let wait = Duration::from_millis(120);
    assert!(soon(world.ledger.fetch(TOPIC, "group", "c", 5, wait)).await.unwrap().is_empty());
    assert!(start.elapsed() >= wait);
    publish(&world, 1).await;
    assert!(world.ledger.fetch(TOPIC, "group", "c", 0, NOW).await.unwrap().is_empty());
    assert_eq!(world.ledger.fetch(TOPIC, "group", "c", 5, NOW).await.unwrap().len(), 1);
    assert!(world.ledger.claim(TOPIC, "unheard-of", "c", NOW, 5).await.unwrap().is_empty());
}
