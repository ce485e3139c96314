use std::time::Duration;

use goban::Color;
use referee::{Command, Control, EndReason, Event, Presence};

use crate::{
    error::Error,
    testing::{STEP, World, player, secs},
};

fn absolute() -> Control {
    Control::Absolute { time: secs(60) }
}

fn credits(said: &[Event]) -> Vec<Duration> {
    let credit = |event: &Event| match event {
        Event::TimeCredited { credit, reason, .. } => {
            assert_eq!(&**reason, "the server was away");
            Some(*credit)
        }
        _ => None,
    };
    said.iter().filter_map(credit).collect()
}

/// A time in which the ledger was out of reach goes to whoever's clock ran, by one entry with a reason, as soon as it is back, whichever replica finds it; nobody is
/// seen to go meanwhile, and nobody loses.
#[tokio::test]
async fn time_in_which_the_ledger_was_away_is_given_back() {
    let world = World::with(absolute()).await;
    let (one, other) = (world.replica(), world.replica());
    let both = [&one, &other];
    let (mut black, white) = (one.stream(&world, "black").await, other.stream(&world, "white").await);
    world.pass(secs(10), &both).await;
    world.ledger.set_away(true);
    world.pass(secs(100), &both).await;
    drop(black);
    world.pass(secs(3), &both).await;
    black = other.presence.open(&other.games.get(world.game).await.unwrap(), player("black")).unwrap();
    world.pass(secs(20), &both).await;
    world.ledger.set_away(false);
    world.pass(secs(10), &both).await;
    let (game, said) = world.told().await;
    let said: Vec<_> = said.into_iter().map(|(event, _)| event).collect();
    let given = credits(&said);
    assert_eq!(given.len(), said.len(), "nothing else happened: {said:?}");
    let all: Duration = given.iter().sum();
    assert!((secs(123)..secs(125)).contains(&all), "{given:?}");
    let left = game.deadline().unwrap().since(world.clock.now());
    assert!((Duration::from_secs(39)..=secs(41)).contains(&left), "it had 50 s, and 10 s went by: {left:?}");
    // It is Black's clock, and it still runs out.
    world.pass(secs(45), &both).await;
    let (game, _) = world.told().await;
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.reason, outcome.winner), (EndReason::Time, Some(Color::White)));
    drop((black, white));
}

/// A move that is made in the first moment after an outage does not lose what the outage took either, and the next turn gets nothing of it.
#[tokio::test]
async fn the_first_move_after_an_outage_keeps_its_time() {
    let world = World::with(absolute()).await;
    let one = world.replica();
    let held = (one.stream(&world, "black").await, one.stream(&world, "white").await);
    world.pass(secs(5), &[&one]).await;
    world.ledger.set_away(true);
    world.pass(secs(30), &[&one]).await;
    world.ledger.set_away(false);
    // No sweep yet: only this replica's own calls have failed.
    let play = Command::Play { ply: 2, point: "C3".parse().unwrap() };
    one.games.doubt();
    one.games.command(world.game, player("black"), "third", play, "").await.unwrap();
    let (game, said) = world.told().await;
    assert_eq!(said.len(), 1, "{said:?}");
    let left = game.remaining(Color::Black).unwrap().main;
    assert!((secs(54)..=secs(56)).contains(&left), "{left:?}");
    world.pass(secs(2), &[&one]).await;
    let (game, said) = world.told().await;
    // White's turn began in its last moments, before the first sweep.
    let given: Duration =
        credits(&said.iter().map(|(event, _)| event.clone()).collect::<Vec<_>>()).iter().sum();
    assert!((secs(30)..=secs(30) + STEP).contains(&given), "{said:?}");
    assert_eq!(game.remaining(Color::White).unwrap().main, secs(60));
    drop(held);
}

/// A clock that leaps, as after a failover to another machine, takes no time from either player, and the right side's flag falls in the end.
#[tokio::test]
async fn a_leap_of_the_clock_takes_nothing() {
    let world = World::with(absolute()).await;
    let (old, new) = (world.replica(), world.replica());
    let held = (old.stream(&world, "black").await, old.stream(&world, "white").await);
    world.pass(secs(10), &[&old]).await;
    world.clock.advance(secs(3_600));
    // The deploy: a new replica decides.
    let claimed = new.games.claim_timeout(world.game).await;
    assert!(matches!(claimed, Err(Error::Refused { .. })), "{claimed:?}");
    let again = (new.stream(&world, "black").await, new.stream(&world, "white").await);
    world.pass(secs(20), &[&new]).await;
    let (game, said) = world.told().await;
    assert!(said.iter().all(|(event, _)| matches!(event, Event::TimeCredited { .. })), "{said:?}");
    let left = game.deadline().unwrap().since(world.clock.now());
    assert!((secs(28)..=secs(32)).contains(&left), "{left:?}");
    world.pass(secs(40), &[&new]).await;
    let (game, _) = world.told().await;
    assert_eq!(game.outcome().unwrap().winner, Some(Color::White), "Black was to move");
    drop((held, again));
}

/// Grace stands still in an outage as the clock does, and a player who comes back right after it is in time.
#[tokio::test]
async fn grace_stands_still_in_an_outage() {
    let world = World::new().await;
    let one = world.replica();
    let white = one.stream(&world, "white").await;
    drop(one.stream(&world, "black").await);
    world.pass(secs(15), &[&one]).await;
    let (game, _) = world.told().await;
    let Presence::Away { deadline: Some(before), .. } = game.presence(Color::Black) else { panic!("there") };
    world.pass(secs(500), &[]).await;
    world.pass(secs(3), &[&one]).await;
    let (game, _) = world.told().await;
    let Presence::Away { deadline: Some(after), .. } = game.presence(Color::Black) else { panic!("there") };
    let credit = after.since(before);
    assert!((secs(499)..secs(502)).contains(&credit), "{credit:?}");
    let black = one.stream(&world, "black").await;
    one.presence.mark_back().await;
    let (game, _) = world.told().await;
    assert_eq!((game.presence(Color::Black), game.outcome()), (Presence::Connected, None));
    drop((black, white));
}

/// Where nothing was away nothing is asked: a new replica asks once about a game that began before it did, and writes nothing.
#[tokio::test]
async fn without_an_outage_nothing_is_written() {
    let world = World::with(absolute()).await;
    let old = world.replica();
    let held = (old.stream(&world, "black").await, old.stream(&world, "white").await);
    world.pass(secs(5), &[&old]).await;
    let new = world.replica();
    world.pass(secs(5), &[&old, &new]).await;
    let live = new.games.get(world.game).await.unwrap();
    assert!(!new.games.is_doubtful(&live));
    assert_eq!(world.said().await, []);
    drop(held);
}
