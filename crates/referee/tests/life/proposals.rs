use goban::{Color, Preset};
use referee::{
    Command, Control, EndReason, Event, ProposalKind, Refusal, Ruling, Settings, Takeback, rematch_id,
};

use crate::store::{Answer, BLACK, Store, WHITE, against_a_program, ms, quick, seats, usual};

fn offer(store: &mut Store, player: kernel::PlayerId) -> Result<Answer, Refusal> {
    let ply = store.game.ply();
    store.command(Some(player), Command::OfferDraw { ply })
}

fn answer(id: u32, version: u32, accept: bool) -> Command<'static> {
    Command::Answer { id, version, accept }
}

fn take_back(store: &mut Store, player: kernel::PlayerId) -> Result<Answer, Refusal> {
    let ply = store.game.ply();
    store.command(Some(player), Command::RequestTakeback { ply })
}

fn practice() -> Store {
    Store::with(Settings { control: Control::None, ..quick(9) }, against_a_program())
}

/// A draw offer stands over its own player's move, until it is answered or the opponent moves; accepted, the game is a draw that counts.
#[test]
fn a_draw_offer_stands_until_it_is_answered_or_the_opponent_moves() {
    let mut store = Store::create(quick(9));
    assert_eq!(offer(&mut store, BLACK), Err(Refusal::TooSoon { ply: 2 }));
    store.moves("E5 D5");
    assert_eq!(offer(&mut store, BLACK), Ok(Answer::Accepted));
    assert_eq!(offer(&mut store, BLACK), Err(Refusal::ProposalPending { id: 1 }));
    store.moves("C3");
    let proposal = *store.game.proposal(Color::Black).unwrap();
    assert_eq!((proposal.id, proposal.version, proposal.kind), (1, 2, ProposalKind::Draw));
    let mut moved = store.clone();
    store.must(Some(WHITE), answer(1, 2, true));
    let outcome = store.game.outcome().unwrap();
    assert_eq!((store.result().as_str(), outcome.reason), ("Draw", EndReason::DrawAgreed));
    assert!(outcome.counts_for_rating() && store.deadline.is_none());
    moved.moves("C7");
    assert_eq!(moved.game.proposal(Color::Black), None);
    assert_eq!(moved.command(Some(WHITE), answer(1, 2, true)), Err(Refusal::StaleProposal));
}

/// After a decline, by word or by a move, the next offer waits for 10 moves; the other side may offer at once; an offer against an offer is a draw.
#[test]
fn a_declined_offer_is_not_repeated_for_10_moves() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    assert_eq!(offer(&mut store, BLACK), Ok(Answer::Accepted));
    store.must(Some(WHITE), answer(1, 2, false));
    assert_eq!(store.game.draw_offer_from(Color::Black), Some(12));
    for _ in 2..12 {
        assert_eq!(offer(&mut store, BLACK), Err(Refusal::TooSoon { ply: 12 }));
        assert_eq!(store.play_anywhere(), Ok(Answer::Accepted));
    }
    assert_eq!(offer(&mut store, BLACK), Ok(Answer::Accepted));
    assert_eq!(offer(&mut store, WHITE), Ok(Answer::Accepted));
    assert_eq!(store.result(), "Draw");
    let mut territory = Store::create(usual(Preset::Territory, 9));
    territory.moves("E5 D5");
    assert_eq!(offer(&mut territory, BLACK), Err(Refusal::NotInThisGame { what: "draw offers" }));
}

/// Against a program that one chose, one's last move and the reply to it are gone at once, stone or pass; while the program thinks, only the move is.
#[test]
fn a_take_back_against_a_chosen_program_is_immediate() {
    let mut store = practice();
    assert_eq!(take_back(&mut store, BLACK), Err(Refusal::NothingToTakeBack));
    store.moves("E5 D5 pass C3");
    let before = store.clone();
    assert_eq!(store.game.takeback(Color::Black), Some(Takeback::Immediate { moves: 2 }));
    assert_eq!(store.game.takeback(Color::White), None, "a program takes nothing back");
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    assert_eq!((store.game.move_number(), store.game.ply(), store.game.turn()), (2, 5, Some(Color::Black)));
    store.moves("A1");
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    assert_eq!((store.game.move_number(), store.game.turn()), (2, Some(Color::Black)));
    // The reply crossed the request: what is meant is the same.
    let mut crossed = before;
    crossed.must(Some(BLACK), Command::RequestTakeback { ply: 3 });
    assert_eq!(crossed.game.move_number(), 2);
    assert_eq!(crossed.replayed(), crossed.game);
    // A repetition is none, though it is one ply behind as well.
    for ply in [3, 4] {
        let again = crossed.command(Some(BLACK), Command::RequestTakeback { ply });
        assert_eq!(again, Err(Refusal::StalePly { ply: 5 }));
    }
}

/// Between people it is a proposal; it falls with any move, and once declined it waits for one. In rated games and against a program that filled in there is none.
#[test]
fn a_take_back_between_people_needs_consent() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5 C3");
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    let Event::TakebackRequested { id: 1, version: 3, moves: 1, .. } = store.last() else { panic!() };
    let mut moved = store.clone();
    moved.moves("C7");
    assert_eq!(moved.command(Some(WHITE), answer(1, 3, true)), Err(Refusal::StaleProposal));
    store.must(Some(WHITE), answer(1, 3, false));
    assert_eq!(take_back(&mut store, BLACK), Err(Refusal::TooSoon { ply: 4 }));
    store.moves("C7");
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    store.must(Some(WHITE), answer(2, 4, true));
    assert_eq!((store.game.move_number(), store.game.turn()), (2, Some(Color::Black)));
    assert_eq!(store.deadline, store.game.due());
    let none = Err(Refusal::NotInThisGame { what: "takebacks" });
    for (settings, seats) in
        [(Settings { rated: true, ..quick(9) }, seats()), (quick(9), against_a_program())]
    {
        let mut store = Store::with(settings, seats);
        store.moves("E5 D5");
        assert_eq!(take_back(&mut store, BLACK), none);
    }
}

/// Board, captures, ko and the positions that superko looks back on are as they were before; so is the way the passes count.
#[test]
fn a_take_back_restores_ko_captures_and_history() {
    let mut store = practice();
    store.moves("D5 G5 E6 F6 E4 F4 F5");
    let before = store.game.position().clone();
    store.moves("E5 A1");
    assert_eq!(store.game.position().captures(Color::White), 1);
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    assert_eq!(store.game.position().captures(Color::White), 1);
    let mut other = practice();
    other.moves("D5 G5 E6 F6 E4 F4 F5 A9 J9");
    assert_eq!(take_back(&mut other, BLACK), Ok(Answer::Accepted));
    assert_eq!(take_back(&mut other, BLACK), Ok(Answer::Accepted));
    assert_ne!(*other.game.position(), before);
    other.moves("F5");
    assert_eq!(*other.game.position(), before, "whatever was played in between has left no trace");
    store.moves("pass");
    assert_eq!(take_back(&mut store, BLACK), Ok(Answer::Accepted));
    store.moves("A1 pass");
    assert_eq!(store.game.outcome(), None, "the pass that was taken back does not count");
}

/// After the end, when both ask there is one next game, colours swapped, same settings; a program agrees by itself; with a handicap Black stays Black.
#[test]
fn a_rematch_is_agreed_when_both_ask() {
    let id = kernel::GameId::derive("this game");
    let rematch = Command::RequestRematch { game: id };
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    assert_eq!(store.command(Some(BLACK), rematch), Err(Refusal::NotOver));
    store.must(Some(BLACK), Command::Resign);
    store.must(Some(BLACK), rematch);
    assert_eq!(store.game.rematch().unwrap().requested, [true, false]);
    assert_eq!(store.command(Some(BLACK), rematch), Err(Refusal::AlreadySo));
    store.must(Some(WHITE), rematch);
    assert_eq!(store.game.rematch().unwrap().game, Some(rematch_id(id)));
    let (settings, swapped) = store.game.next_game();
    assert_eq!((settings, swapped.black.player, swapped.white.player), (quick(9), WHITE, BLACK));
    assert_eq!(store.replayed(), store.game);
    let mut store = practice();
    store.must(Some(BLACK), Command::Resign);
    store.must(Some(BLACK), rematch);
    assert_eq!(store.game.rematch().unwrap().game, Some(rematch_id(id)));
    let mut settings = usual(Preset::Igo, 9);
    settings.handicap.stones = 2;
    assert_eq!(Store::create(settings).game.next_game(), (settings, seats()));
}

/// An operator gives time to the turn that runs, and to nobody else: the deadline moves by as much, the next turn is as long as ever. Without a
/// clock there is nothing to give, and players cannot do it.
#[test]
fn an_operator_gives_time() {
    let give = Command::GiveTime { time: ms(20_000), reason: "a fire alarm" };
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    assert_eq!(store.command(Some(BLACK), give), Err(Refusal::ServerOnly));
    let before = store.game.deadline().unwrap();
    store.wait(ms(1_000));
    store.must(None, give);
    assert_eq!(store.game.deadline(), Some(before + ms(20_000)));
    assert_eq!(store.deadline, Some(before + ms(20_500)));
    store.wait(ms(40_000));
    store.moves("C3");
    assert_eq!(store.game.deadline(), Some(store.now + ms(30_000)));
    assert_eq!(store.replayed(), store.game);
    let mut store = practice();
    assert_eq!(store.command(None, give), Err(Refusal::NotInThisGame { what: "clocks that run" }));
}

/// An operator decides a game as they say, and whether it counts; the server ends one that cannot go on as void; both with their reason.
#[test]
fn an_operator_decides_with_a_reason() {
    let ruling =
        |winner, counts| Command::Adjudicate { ruling: Ruling { winner, counts }, reason: "a cheat" };
    for (command, result, counts) in [
        (ruling(Some(Color::White), true), "W+F", true),
        (ruling(Some(Color::Black), false), "B+F", false),
        (ruling(None, true), "Draw", true),
        (ruling(None, false), "Void", false),
        (Command::Void { reason: "a cheat" }, "Void", false),
    ] {
        let mut store = Store::create(quick(9));
        store.wait(ms(5));
        assert_eq!(store.command(Some(BLACK), command), Err(Refusal::ServerOnly));
        store.must(None, command);
        let (events, _) = store.log.last().unwrap();
        let [Event::Adjudicated { reason }, Event::Finished { outcome, .. }] = &events[..] else { panic!() };
        assert_eq!((&**reason, store.result().as_str()), ("a cheat", result));
        assert_eq!((outcome.counts_for_rating(), store.deadline), (counts, None));
    }
}
