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

/// A move whose player is known to have a slow network is in time as late as that after the deadline, and no later; a move of whose way nothing is known has to come
/// before it.
#[tokio::test]
async fn a_late_move_is_in_time_by_the_delay_that_was_measured() {
    let (db, _folder) = platform::testing::sqlite().await.unwrap();
    let clock = ledger::ManualClock::new(Timestamp::from_millis(1_000_000));
    let ledger: SharedLedger = Arc::new(MemoryLedger::new(clock.clock()));
    let games = Games::new(ledger.clone(), Store::new(db));
    let (_, [black, _], settings, seats) = table();
    let millis = Duration::from_millis;
    // What was measured, how late the move comes after a millisecond before the deadline, and whether it is in time.
    for (measured, late, fine) in [
        (0, 0, true),
        (0, 1, false),
        (200, 200, true),
        (200, 201, false),
        (900, 500, true),
        (900, 501, false),
    ] {
        let id = GameId::derive(&format!("{measured} {late}"));
        ledger.sweep(1).await.unwrap();
        games.create(id, settings, seats.clone(), "").await.unwrap();
        let live = games.get(id).await.unwrap();
        let deadline = live.look(|game, _| game.deadline().unwrap()).unwrap();
        let until = Timestamp::from_millis(deadline.as_millis() - 1) + millis(late);
        while clock.now() < until {
            clock.advance(until.since(clock.now()).min(millis(500)));
            // The store lives all the time: nothing is given back.
            ledger.sweep(1).await.unwrap();
        }
        let play = Command::Play { ply: 0, point: "D5".parse().unwrap() };
        let sent = games.sent(id, black, "late", play, "", millis(measured)).await;
        let refused = matches!(sent, Err(Error::Refused { refusal: Refusal::OutOfTime, .. }));
        assert_eq!(
            (sent.is_ok(), refused),
            (fine, !fine),
            "{measured} ms measured, {late} ms late: {sent:?}"
        );
    }
}
