use std::time::Duration;

use goban::Color;
use ledger::Ledger;
use referee::{EndReason, Event};

use crate::testing::{STEP, World, secs};

fn away(color: Color) -> Event {
    Event::PlayerAway { color, left: false, grace: secs(60) }
}

fn back(color: Color) -> Event {
    Event::PlayerBack { color }
}

/// A break of less than 5 s is no event, also where the player comes back to another replica; a longer one is told once, with its grace, and so is the return.
#[tokio::test]
async fn a_short_break_is_no_event() {
    let world = World::new().await;
    let (one, other) = (world.replica(), world.replica());
    let both = [&one, &other];
    let white = one.stream(&world, "white").await;
    let black = one.stream(&world, "black").await;
    world.pass(secs(20), &both).await;
    drop(black);
    world.pass(Duration::from_millis(4_800), &both).await;
    let black = other.stream(&world, "black").await;
    world.pass(secs(60), &both).await;
    assert_eq!(world.said().await, []);
    drop(black);
    let gone = world.clock.now();
    world.pass(secs(20), &both).await;
    let (_, said) = world.told().await;
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, away(Color::Black));
    assert!((secs(5)..secs(6)).contains(&said[0].1.since(gone)), "{said:?}");
    let black = one.stream(&world, "black").await;
    one.presence.mark_back().await;
    assert_eq!(world.said().await, [away(Color::Black), back(Color::Black)]);
    world.pass(secs(90), &both).await;
    assert_eq!(world.said().await.len(), 2);
    drop((black, white));
}

/// A player is there while one of their devices is, wherever it is connected; when the last ones go at the same moment, it is told once.
#[tokio::test]
async fn one_device_of_several_is_enough() {
    let world = World::new().await;
    let (one, other) = (world.replica(), world.replica());
    let both = [&one, &other];
    let mut white = vec![
        one.stream(&world, "white").await,
        one.stream(&world, "white").await,
        other.stream(&world, "white").await,
    ];
    let black = one.stream(&world, "black").await;
    world.pass(secs(2), &both).await;
    drop(white.remove(0));
    world.pass(secs(20), &both).await;
    drop(white.remove(0));
    world.pass(secs(20), &both).await;
    assert_eq!(world.said().await, []);
    let third = one.stream(&world, "white").await;
    world.pass(secs(2), &both).await;
    drop((white.remove(0), third));
    world.pass(secs(20), &both).await;
    assert_eq!(world.said().await, [away(Color::White)]);
    // One after the other: the last one counts.
    let (first, last) = (one.stream(&world, "white").await, other.stream(&world, "white").await);
    world.pass(secs(2), &both).await;
    drop(first);
    world.pass(secs(3), &both).await;
    drop(last);
    let gone = world.clock.now();
    world.pass(secs(20), &both).await;
    let (_, said) = world.told().await;
    assert_eq!(said.len(), 3);
    assert!(said[2].1.since(gone) >= secs(5), "{said:?}");
    drop(black);
}

/// The players of a replica that dies are not punished: who comes back elsewhere is never seen to go; who does not is awaited, told, and loses in the end.
#[tokio::test]
async fn the_players_of_a_dead_replica_are_awaited_elsewhere() {
    let world = World::new().await;
    let (dead, one, other) = (world.replica(), world.replica(), world.replica());
    let (black, white) = (dead.stream(&world, "black").await, dead.stream(&world, "white").await);
    world.pass(secs(5), &[&dead, &one, &other]).await;
    let died = world.clock.now();
    world.pass(secs(2), &[&one, &other]).await;
    let again = one.stream(&world, "white").await;
    world.pass(secs(30), &[&one, &other]).await;
    let (_, said) = world.told().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].0, away(Color::Black));
    assert!((secs(13)..secs(17)).contains(&said[0].1.since(died)), "{said:?}");
    // The replica that took over dies as well, and nobody takes notice.
    world.pass(secs(60), &[&one]).await;
    let (game, _) = world.told().await;
    assert_eq!(game.outcome().unwrap().reason, EndReason::Abandonment);
    assert_eq!(game.outcome().unwrap().winner, Some(Color::White));
    drop((black, white, again));
}

/// After a time in which every replica was down, however long, players have as long as after the death of one to come back, before anybody is told.
#[tokio::test]
async fn when_every_replica_was_down_players_have_time_to_come_back() {
    let world = World::new().await;
    let (one, other) = (world.replica(), world.replica());
    let before = (one.stream(&world, "black").await, other.stream(&world, "white").await);
    world.pass(secs(5), &[&one, &other]).await;
    world.pass(secs(300), &[]).await;
    let new = world.replica();
    world.pass(secs(8), &[&new]).await;
    let black = new.stream(&world, "black").await;
    world.pass(secs(30), &[&new]).await;
    let said: Vec<_> =
        world.said().await.into_iter().filter(|event| !matches!(event, Event::TimeCredited { .. })).collect();
    assert_eq!(said, [away(Color::White)], "black has come back in time");
    drop((before, black));
}

/// A replica that was cut off for longer than its lease goes on when it is back: its players, who never went, are there.
#[tokio::test]
async fn a_replica_that_was_cut_off_says_again_who_is_there() {
    let world = World::new().await;
    let (cut, other) = (world.replica(), world.replica());
    let held = (cut.stream(&world, "black").await, other.stream(&world, "white").await);
    world.pass(secs(5), &[&cut, &other]).await;
    world.pass(secs(30), &[&other]).await;
    assert_eq!(world.said().await, [away(Color::Black)]);
    held.0.is_back();
    world.pass(secs(30), &[&cut, &other]).await;
    assert_eq!(world.said().await, [away(Color::Black), back(Color::Black)]);
    drop(held.0);
    world.pass(secs(7), &[&cut, &other]).await;
    assert_eq!(world.said().await.len(), 3, "it minds its players as before");
}

/// Who does not come at all is told later than who goes, and loses in the end.
#[tokio::test]
async fn who_never_comes_is_away_in_the_end() {
    let world = World::new().await;
    let one = world.replica();
    let black = one.stream(&world, "black").await;
    let live = one.games.get(world.game).await.unwrap();
    let seats = live.look(|game, _| game.seats().clone()).unwrap();
    one.presence.expect(world.game, &seats);
    world.pass(secs(29), &[&one]).await;
    assert_eq!(world.said().await, []);
    world.pass(secs(3), &[&one]).await;
    assert_eq!(world.said().await, [away(Color::White)]);
    drop(black);
}

/// A log that has grown long is begun anew, and nobody is seen to go because of it, nor minded twice.
#[tokio::test]
async fn a_long_log_is_begun_anew() {
    let world = World::new().await;
    let (one, other) = (world.replica(), world.replica());
    let black = one.stream(&world, "black").await;
    let first = one.presence.0.keeper.lock().await.log.clone();
    for _ in 0..2_100 {
        let white = one.stream(&world, "white").await;
        world.pass(STEP, &[&one, &other]).await;
        drop(white);
    }
    let now = one.presence.0.keeper.lock().await.log.clone();
    assert_ne!(first, now);
    let white = other.stream(&world, "white").await;
    world.pass(secs(100), &[&one, &other]).await;
    assert_eq!(world.said().await, []);
    assert_eq!(world.ledger.read(&first, 0, 1).await.unwrap(), []);
    drop(black);
    world.pass(secs(7), &[&one, &other]).await;
    assert_eq!(world.said().await, [away(Color::Black)]);
    drop(white);
}

/// Where a claim that grace is over meets the return of the player, exactly one of them counts, on either side of the last moment.
#[tokio::test]
async fn a_claim_that_meets_the_return_is_decided_by_the_ledger() {
    for in_time in [true, false] {
        let world = World::new().await;
        let (one, other) = (world.replica(), world.replica());
        let white = one.stream(&world, "white").await;
        let black = other.stream(&world, "black").await;
        world.pass(secs(1), &[&one, &other]).await;
        drop(black);
        world.pass(secs(10), &[&one, &other]).await;
        let due = world.told().await.0.due().unwrap();
        while world.clock.now() + STEP < due {
            world.clock.advance(STEP);
            world.ledger.sweep(0).await.unwrap();
        }
        world.clock.set(if in_time { due - Duration::from_millis(1) } else { due });
        let black = other.stream(&world, "black").await;
        let (claimed, ()) = tokio::join!(one.games.claim_timeout(world.game), other.presence.mark_back());
        let (game, said) = world.told().await;
        assert_eq!(claimed.is_err(), in_time, "{claimed:?}");
        assert_eq!(game.outcome().is_none(), in_time);
        assert_eq!(said.len(), 2, "{said:?}");
        drop((white, black));
    }
}
