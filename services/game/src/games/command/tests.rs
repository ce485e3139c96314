use goban::{Preset, Size};
use ledger::{Clock, SharedLedger, memory::MemoryLedger};
use referee::Seat;

use super::*;
use crate::store::Store;

/// A game, its players, Black first, and what they play.
fn table() -> (GameId, [PlayerId; 2], Settings, Seats) {
    let players = ["black", "white"].map(|name| PlayerId::from_uuid(GameId::derive(name).as_uuid()));
    let seat = |player| Seat { player, name: "Shusaku".into(), bot: false, guest: true };
    let seats = Seats { black: seat(players[0]), white: seat(players[1]) };
    (GameId::derive("a game"), players, Settings::of_preset(Preset::Quick, Size::NINE), seats)
}

/// A replica that has not heard that time was given back does not refuse a move for lack of it.
#[tokio::test]
async fn a_replica_that_missed_a_credit_does_not_take_the_time_away() {
    let (db, _folder) = platform::testing::sqlite().await.unwrap();
    let clock = ledger::ManualClock::new(Timestamp::from_millis(1_000_000));
    let ledger: SharedLedger = Arc::new(MemoryLedger::new(clock.clock()));
    let beat = async |seconds: u64| {
        for _ in 0..2 * seconds {
            clock.advance(Duration::from_millis(500));
            ledger.sweep(1).await.unwrap();
        }
    };
    let [one, other] = [(); 2].map(|()| Games::new(ledger.clone(), Store::new(db.clone())));
    let (id, [black, white], settings, seats) = table();
    beat(1).await;
    assert!(one.create(id, settings, seats, "").await.unwrap());
    let play = |ply, point: &str| Command::Play { ply, point: point.parse().unwrap() };
    one.command(id, black, "first", play(0, "D5"), "").await.unwrap();
    other.get(id).await.unwrap();
    // Nobody can move for longer than a move may take; one replica gives the time back.
    clock.advance(Duration::from_secs(60));
    beat(1).await;
    let claimed = one.claim_timeout(id).await;
    assert!(matches!(claimed, Err(Error::Refused { refusal: Refusal::NotDue { .. }, .. })), "{claimed:?}");
    other.command(id, white, "second", play(1, "E5"), "").await.unwrap();
}

/// A replica that has not heard of the opponent's move takes the answer to it all the same, and still refuses an answer to a position that is gone.
#[tokio::test]
async fn a_command_that_knows_more_than_the_replica_is_taken() {
    let (db, _folder) = platform::testing::sqlite().await.unwrap();
    let ledger: SharedLedger = Arc::new(MemoryLedger::new(Clock::system()));
    // Neither of them listens to what the other writes.
    let [one, other] = [(); 2].map(|()| Games::new(ledger.clone(), Store::new(db.clone())));
    let (id, [black, white], settings, seats) = table();
    assert!(one.create(id, settings, seats, "").await.unwrap());
    other.get(id).await.unwrap();
    let play = |ply, point: &str| Command::Play { ply, point: point.parse().unwrap() };
    one.command(id, black, "first", play(0, "D5"), "").await.unwrap();
    other.command(id, white, "second", play(1, "E5"), "").await.unwrap();
    let late = other.command(id, black, "third", play(0, "F5"), "").await;
    assert!(matches!(late, Err(Error::Refused { refusal: Refusal::StalePly { ply: 2 }, .. })), "{late:?}");
}
