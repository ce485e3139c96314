use goban::{Color, Preset};
use referee::{Command, Control, EndReason, Presence, Refusal, Seats, Settings};

use crate::store::{Answer, BLACK, Store, WHITE, against_a_program, ms, quick, seats, usual};

const BLACK_AWAY: Command<'_> = Command::MarkAway { color: Color::Black };
const BLACK_BACK: Command<'_> = Command::MarkBack { color: Color::Black };
const WHITE_AWAY: Command<'_> = Command::MarkAway { color: Color::White };
const WHITE_BACK: Command<'_> = Command::MarkBack { color: Color::White };

fn guest() -> Seats {
    let mut seats = seats();
    seats.white.guest = true;
    seats
}

/// A game in which both have moved, without a clock, so that only grace runs.
fn playing(side: u8, seats: Seats) -> Store {
    let mut store = Store::with(Settings { control: Control::None, ..quick(side) }, seats);
    store.moves("E5 D5");
    store
}

fn grace(store: &Store, color: Color) -> Option<u128> {
    let Presence::Away { deadline, .. } = store.game.presence(color) else { panic!("there") };
    deadline.map(|deadline| deadline.since(store.now).as_millis())
}

/// Grace by board and account, as described.
#[test]
fn grace_is_as_described() {
    for (side, signed_in, as_guest) in [(9, 60, 30), (13, 120, 60), (19, 180, 90), (5, 60, 30)] {
        for (seats, expected) in [(seats(), signed_in), (guest(), as_guest)] {
            let mut store = playing(side, seats);
            store.must(None, WHITE_AWAY);
            assert_eq!(grace(&store, Color::White), Some(expected * 1_000), "{side}");
            store.must(Some(BLACK), Command::Leave);
            assert_eq!(grace(&store, Color::Black), Some(10_000));
            assert_eq!(store.deadline, store.game.due());
        }
    }
}

/// Whoever is away when grace ends has lost, whoever's turn it is; before both have moved it is an abort.
#[test]
fn grace_ends_in_abandonment_whoevers_turn_it_is() {
    for (away, actor, result) in [(WHITE_AWAY, WHITE, "B+F"), (BLACK_AWAY, BLACK, "W+F")] {
        let mut store = playing(9, seats());
        store.must(None, away);
        store.wait(ms(60_000));
        assert_eq!(store.claim(), Ok(Answer::TooEarly));
        store.wait(ms(500));
        assert_eq!(store.deadline, Some(store.now));
        if actor == store.mover() {
            assert_eq!(store.play("A1"), Ok(Answer::TooLate), "a move is no return");
        }
        assert_eq!(store.claim(), Ok(Answer::Accepted));
        assert_eq!(store.result(), result);
        assert_eq!(store.game.outcome().unwrap().reason, EndReason::Abandonment);
        assert!(store.game.outcome().unwrap().counts_for_rating());
    }
    let mut store = Store::create(quick(9));
    store.must(Some(WHITE), Command::Leave);
    store.wait(ms(10_500));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), "Void");
}

/// The clock runs on while a player is away, and what is over first decides; where one comes back, the other's grace still runs.
#[test]
fn what_is_over_first_decides() {
    let mut start = Store::create(quick(9));
    start.moves("E5 D5");
    start.must(None, WHITE_AWAY);
    let mut store = start.clone();
    store.now = store.deadline.unwrap();
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), "W+T", "the turn of 30 s ended before the grace of 60 s");
    // Black thinks for 20 s a turn, White answers at once, and on some unary call: grace runs on.
    for chosen in ["A1", "J9", "B1", "J8"] {
        if start.mover() == BLACK {
            start.wait(ms(20_000));
        }
        assert_eq!(start.play(chosen), Ok(Answer::Accepted));
        assert_eq!(start.deadline, start.game.due());
    }
    assert_eq!(start.game.due(), Some(start.now + ms(20_500)));
    start.must(Some(BLACK), Command::Leave);
    assert_eq!(start.game.due(), Some(start.now + ms(10_500)));
    start.must(None, BLACK_BACK);
    assert_eq!(start.game.due(), Some(start.now + ms(20_500)));
    start.must(None, WHITE_BACK);
    assert_eq!(start.game.due(), Some(start.now + ms(30_500)));
    assert_eq!(start.deadline, start.game.due());
}

/// Leaving never gains time, nor does being away after it; a return ends both, and each is said once.
#[test]
fn leaving_gains_no_time() {
    let mut store = playing(9, seats());
    assert_eq!(store.command(None, WHITE_BACK), Err(Refusal::AlreadySo));
    store.must(None, WHITE_AWAY);
    assert_eq!(store.command(None, WHITE_AWAY), Err(Refusal::AlreadySo));
    store.wait(ms(55_000));
    store.must(Some(WHITE), Command::Leave);
    assert_eq!(grace(&store, Color::White), Some(5_000));
    assert_eq!(store.command(None, WHITE_AWAY), Err(Refusal::AlreadySo));
    assert_eq!(store.command(Some(WHITE), Command::Leave), Err(Refusal::AlreadySo));
    store.must(None, WHITE_BACK);
    assert_eq!((store.game.presence(Color::White), store.deadline), (Presence::Connected, None));
    store.must(Some(WHITE), Command::Leave);
    assert_eq!(grace(&store, Color::White), Some(10_000));
}

/// A game against a program that one chose waits a day, after a leave too; one against a program that filled in does not.
#[test]
fn a_game_against_a_chosen_program_waits_a_day() {
    let mut store = playing(9, against_a_program());
    store.must(Some(BLACK), Command::Leave);
    assert_eq!(grace(&store, Color::Black), Some(86_400_000));
    let mut store = Store::with(quick(9), against_a_program());
    store.must(Some(BLACK), Command::Leave);
    assert_eq!(grace(&store, Color::Black), Some(10_000));
}

/// Time in which the servers were away is given back to the grace of both and to the clock alike, to each what it lost.
#[test]
fn an_outage_is_given_back_to_grace_and_clock() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.must(None, WHITE_AWAY);
    store.wait(ms(5_000));
    store.moves("C3 C7");
    store.must(Some(BLACK), Command::Leave);
    let clock = store.game.deadline().unwrap();
    let (white, black) = (grace(&store, Color::White).unwrap(), grace(&store, Color::Black).unwrap());
    store.away(ms(40_000));
    assert!(matches!(store.claim(), Ok(Answer::Outage(_))));
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    assert_eq!(store.game.deadline(), Some(clock + ms(40_000)));
    assert_eq!(grace(&store, Color::White), Some(white));
    assert_eq!(grace(&store, Color::Black), Some(black));
    assert_eq!(store.deadline, store.game.due());
    assert_eq!(store.credit(), Err(Refusal::NothingToCredit));
    // Without a clock too.
    let mut store = playing(9, seats());
    store.must(None, WHITE_AWAY);
    store.wait(ms(59_000));
    store.away(ms(3_600_000));
    assert!(matches!(store.command(None, WHITE_BACK), Ok(Answer::Outage(_))), "too late but for the outage");
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    store.must(None, WHITE_BACK);
}

/// While a score is proposed, grace stands still: the time for agreeing decides. When play goes on, so does grace.
#[test]
fn grace_stands_still_while_a_score_is_proposed() {
    let mut store = Store::with(usual(Preset::Weiqi, 9), guest());
    store.moves("E5 D5");
    store.must(None, WHITE_AWAY);
    store.wait(ms(20_000));
    store.moves("pass pass");
    assert_eq!(grace(&store, Color::White), None);
    store.wait(ms(40_000));
    assert_eq!(store.claim(), Err(Refusal::NotDue { deadline: store.now + ms(20_000) }));
    let mut agreed = store.clone();
    store.must(Some(BLACK), Command::DisputeScore { version: 1 });
    assert_eq!(grace(&store, Color::White), Some(10_000));
    assert_eq!(store.deadline, store.game.due());
    agreed.now = agreed.deadline.unwrap();
    assert_eq!(agreed.claim(), Ok(Answer::Accepted));
    assert_eq!(agreed.game.outcome().unwrap().reason, EndReason::Score);
}
