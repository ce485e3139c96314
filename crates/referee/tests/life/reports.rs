//! What players of other servers report, each as a test with the words of the report. `docs/proofs.md` has the list, with what else holds each of them.

use goban::{Color, Illegal, KoRule, Preset};
use referee::{Command, Control, Event, Presence, Refusal, Settings, rematch_id};

use crate::store::{Answer, BLACK, Store, WHITE, against_a_program, ms, quick, usual};

fn byoyomi() -> Settings {
    let control = Control::Byoyomi { time: ms(10_000), period: ms(5_000), periods: 2 };
    Settings { control, ..quick(9) }
}

/// A replica that has just started claims the timeout: the flag is that of the player to move.
#[test]
fn a_flag_that_falls_for_the_wrong_side_after_a_restart() {
    for (moves, result) in [("E5 D5", "W+T"), ("E5 D5 C3", "B+T"), ("E5 pass C3 pass", "W+T")] {
        let mut store = Store::create(byoyomi());
        store.moves(moves);
        store.game = store.replayed();
        store.now = store.deadline.unwrap();
        assert_eq!(store.claim(), Ok(Answer::Accepted));
        assert_eq!(store.result(), result);
    }
}

/// However late anybody looks, the clock shows zero and the first claim ends the game.
#[test]
fn a_timer_that_goes_below_zero_and_a_game_that_never_ends() {
    let mut store = Store::create(Settings { control: Control::Absolute { time: ms(10_000) }, ..quick(9) });
    store.moves("E5 D5");
    store.wait(ms(30 * 86_400_000));
    assert_eq!(store.play("C3"), Ok(Answer::TooLate));
    assert_eq!(store.command(Some(WHITE), Command::OfferDraw { ply: 2 }), Ok(Answer::Accepted));
    assert_eq!(store.command(Some(BLACK), Command::OfferDraw { ply: 2 }), Ok(Answer::TooLate));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), "W+T");
    let left = |color| store.game.remaining(color).unwrap().main;
    assert_eq!((left(Color::Black), left(Color::White)), (ms(10_000), ms(10_000)));
}

/// A deploy takes 20 s: the running clock gets them back, the other one does not move.
#[test]
fn both_clocks_jumping_at_a_deploy() {
    let mut store = Store::create(Settings { control: Control::Absolute { time: ms(60_000) }, ..quick(9) });
    store.moves("E5 D5");
    store.wait(ms(1_000));
    store.away(ms(20_000));
    assert_eq!(store.credit(), Ok(Answer::Accepted));
    store.game = store.replayed();
    store.wait(ms(2_000));
    store.moves("C3");
    let left = |color| store.game.remaining(color).unwrap().main;
    assert_eq!((left(Color::Black), left(Color::White)), (ms(57_000), ms(60_000)));
}

/// In the millisecond in which the last period ends for good, either the move or the flag is accepted, never both; a period that ends in the same millisecond as the
/// opponent's would have is no flag for anybody.
#[test]
fn a_period_granted_and_the_opponent_flagged_in_the_same_millisecond() {
    for (waited, period_count, flagged) in [(15_000, 1, false), (20_499, 1, false), (20_500, 2, true)] {
        let mut store = Store::create(byoyomi());
        store.moves("E5 D5");
        store.wait(ms(waited));
        let mut claimed = store.clone();
        let (moved, claim) = (store.play("C3"), claimed.claim());
        assert_eq!(moved == Ok(Answer::Accepted), !flagged, "{waited}");
        assert_eq!(claim == Ok(Answer::Accepted), flagged, "{waited}");
        assert_eq!(store.game.remaining(Color::Black).unwrap().count, period_count);
        assert_eq!(store.game.remaining(Color::White).unwrap().count, 2, "White's periods are White's");
        if !flagged {
            assert!(matches!(store.claim(), Err(Refusal::NotDue { .. }) | Ok(Answer::TooEarly)));
        }
    }
}

/// Who is away, and until when, is part of the game: whoever reads the log anew knows it.
#[test]
fn presence_missing_after_a_stream_reconnects() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.must(None, Command::MarkAway { color: Color::White });
    let presence = store.game.presence(Color::White);
    assert_eq!(presence, store.replayed().presence(Color::White));
    let deadline = Some(store.now + ms(60_000));
    assert_eq!(presence, Presence::Away { since: store.now, left: false, deadline });
    assert_eq!(store.replayed().presence(Color::Black), Presence::Connected);
}

/// Return and claim meet at the end of grace: in each millisecond exactly one of them is accepted.
#[test]
fn a_claim_that_races_the_return() {
    for (waited, returns) in [(60_499, true), (60_500, false), (60_501, false)] {
        let mut store = Store::create(Settings { control: Control::None, ..quick(9) });
        store.moves("E5 D5");
        store.must(None, Command::MarkAway { color: Color::White });
        store.wait(ms(waited));
        let mut claimed = store.clone();
        let returned = store.command(None, Command::MarkBack { color: Color::White });
        assert_eq!(returned, Ok(if returns { Answer::Accepted } else { Answer::TooLate }));
        let claim = claimed.claim();
        assert_eq!(claim, Ok(if returns { Answer::TooEarly } else { Answer::Accepted }));
        if returns {
            assert_eq!(
                store.claim(),
                Err(Refusal::NoClock),
                "a claim that comes after the return finds nothing"
            );
        }
    }
}

/// Deciding changes nothing: only what the store has accepted is applied.
#[test]
fn a_move_shown_but_not_recorded() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    let before = store.game.clone();
    store.now = store.deadline.unwrap();
    assert_eq!(store.play("C3"), Ok(Answer::TooLate));
    assert_eq!((&store.game, &store.replayed()), (&before, &before));
}

/// The ply that a command carries has gone by when it comes again, with a take-back in between too.
#[test]
fn a_retry_that_plays_twice() {
    let mut store = Store::with(Settings { control: Control::None, ..quick(9) }, against_a_program());
    let play = |ply, text: &str| Command::Play { ply, point: text.parse().unwrap() };
    store.must(Some(BLACK), play(0, "E5"));
    assert_eq!(store.command(Some(BLACK), play(0, "E5")), Err(Refusal::StalePly { ply: 1 }));
    store.must(Some(BLACK), Command::RequestTakeback { ply: 1 });
    assert_eq!(store.command(Some(BLACK), play(0, "E5")), Err(Refusal::StalePly { ply: 2 }));
    assert_eq!(
        store.command(Some(BLACK), Command::RequestTakeback { ply: 1 }),
        Err(Refusal::StalePly { ply: 2 })
    );
}

/// A take-back sets both clocks to what they showed when the move was to be made, and that turn begins anew.
#[test]
fn undo_that_leaves_the_clocks() {
    let control = Control::Fischer { time: ms(60_000), increment: ms(5_000), cap: None };
    let mut store = Store::create(Settings { control, ..quick(9) });
    for (chosen, takes) in [("E5", 3_000), ("D5", 4_000), ("C3", 20_000), ("C7", 30_000)] {
        store.wait(ms(takes));
        store.moves(chosen);
    }
    let left = |store: &Store, color| store.game.remaining(color).unwrap().main;
    assert_eq!((left(&store, Color::Black), left(&store, Color::White)), (ms(47_000), ms(36_000)));
    store.wait(ms(9_000));
    store.must(Some(BLACK), Command::RequestTakeback { ply: 4 });
    store.wait(ms(2_000));
    store.must(Some(WHITE), Command::Answer { id: 1, version: 4, accept: true });
    assert_eq!((left(&store, Color::Black), left(&store, Color::White)), (ms(62_000), ms(61_000)));
    assert_eq!(store.game.deadline(), Some(store.now + ms(62_000)));
    assert_eq!((store.deadline, store.replayed()), (store.game.due(), store.game.clone()));
}

/// The reply to the old position is refused, even when another move has led to a board with as many moves; the program is told of its new turn.
#[test]
fn an_ai_that_answers_the_position_before_the_take_back_or_never_again_after_it() {
    let mut store = Store::with(Settings { control: Control::None, ..quick(9) }, against_a_program());
    let play = |ply, text: &str| Command::Play { ply, point: text.parse().unwrap() };
    store.moves("E5 D5 C3");
    let thinking = store.game.ply();
    store.must(Some(BLACK), Command::RequestTakeback { ply: thinking });
    assert_eq!(
        store.command(Some(WHITE), play(thinking, "C4")),
        Err(Refusal::StalePly { ply: store.game.ply() })
    );
    let ply = store.game.ply();
    let decision = referee::decide(&store.game, Some(BLACK), play(ply, "G7"), store.now).unwrap();
    let told = decision.turn;
    store.append(decision);
    assert_eq!(store.game.move_number(), thinking, "as many moves as before");
    assert_eq!(
        store.command(Some(WHITE), play(thinking, "C4")),
        Err(Refusal::StalePly { ply: store.game.ply() })
    );
    assert_eq!(told, Some((Color::White, store.game.ply())));
    store.must(Some(WHITE), play(told.unwrap().1, "C4"));
}

/// However often and in whichever order both ask, there is one next game, and its id is the same for everybody.
#[test]
fn two_rematches_for_one_game() {
    let game = kernel::GameId::derive("a game");
    let rematch = Command::RequestRematch { game };
    for order in [[BLACK, WHITE], [WHITE, BLACK]] {
        let mut store = Store::create(quick(9));
        store.must(Some(BLACK), Command::Resign);
        store.must(Some(order[0]), rematch);
        // The second asks from two devices, both of which have seen the same state.
        let decision = referee::decide(&store.game, Some(order[1]), rematch, store.now).unwrap();
        store.append(decision);
        let agreed = Err(Refusal::RematchAgreed { game: rematch_id(game) });
        assert_eq!(store.command(Some(order[1]), rematch), agreed);
        assert_eq!(store.command(Some(order[0]), rematch), agreed);
        let events = store.log.iter().flat_map(|(events, _)| events);
        assert_eq!(events.filter(|event| matches!(event, Event::RematchAgreed { .. })).count(), 1);
    }
}

/// An answer names what it answers: a draw is not accepted by a finger that meant a take-back, nor a newer offer by an answer to the old one.
#[test]
fn draw_prompts_under_the_finger_that_meant_something_else() {
    let mut store = Store::create(quick(9));
    store.moves("E5 D5");
    store.must(Some(BLACK), Command::RequestTakeback { ply: 2 });
    store.moves("C3");
    store.must(Some(BLACK), Command::OfferDraw { ply: 3 });
    let answer = |id, version| Command::Answer { id, version, accept: true };
    for stale in [answer(1, 2), answer(1, 3), answer(2, 2), answer(3, 3)] {
        assert_eq!(store.command(Some(WHITE), stale), Err(Refusal::StaleProposal));
    }
    assert_eq!(store.command(Some(BLACK), answer(2, 3)), Err(Refusal::StaleProposal), "not one's own");
    store.must(Some(WHITE), answer(2, 3));
    assert_eq!(store.result(), "Draw");
}

/// While a score is proposed there is one deadline, and it is that of the agreement, whatever ran before.
#[test]
fn the_scoring_countdown_that_showed_another_clock() {
    for control in [Control::PerMove { time: ms(1_000) }, byoyomi().control, Control::None] {
        let mut store = Store::create(Settings { control, ..usual(Preset::Igo, 9) });
        store.moves("E5 D5");
        store.must(Some(BLACK), Command::Leave);
        store.moves("pass pass");
        assert_eq!(store.game.deadline(), None);
        let shown = store.game.agreement().unwrap().deadline();
        assert_eq!((shown, store.deadline), (store.now + ms(60_000), Some(shown + ms(500))));
        let Presence::Away { deadline: None, .. } = store.game.presence(Color::Black) else { panic!() };
        store.wait(ms(10_000));
        store.away(ms(30_000));
        assert_eq!(store.credit(), Ok(Answer::Accepted));
        assert_eq!(store.game.agreement().unwrap().deadline(), shown + ms(30_000));
        assert_eq!(store.deadline, store.game.due());
    }
}

/// Whoever accepts has seen what they accept: a mark in between makes the acceptance stale, and what was accepted before is open again.
#[test]
fn accept_that_raced_a_changed_proposal() {
    let mut store = Store::create(usual(Preset::Igo, 9));
    store.moves("E5 D5 pass pass");
    store.must(Some(WHITE), Command::AcceptScore { version: 1 });
    store.must(Some(BLACK), Command::MarkChain { version: 1, point: "D5".parse().unwrap(), dead: true });
    let stale = Err(Refusal::StaleScore { version: 2 });
    assert_eq!(store.command(Some(WHITE), Command::AcceptScore { version: 1 }), stale);
    assert_eq!(store.command(Some(WHITE), Command::DisputeScore { version: 1 }), stale);
    store.must(Some(BLACK), Command::AcceptScore { version: 2 });
    assert_eq!(store.game.outcome(), None);
}

/// The player who passed first moves, whoever disputes.
#[test]
fn a_resumed_game_where_the_wrong_player_is_to_move() {
    for (moves, first) in [("E5 D5", Color::Black), ("E5 D5 C3", Color::White)] {
        for disputes in [BLACK, WHITE] {
            let mut store = Store::create(usual(Preset::Weiqi, 9));
            store.moves(moves);
            store.moves("pass pass");
            store.must(Some(disputes), Command::DisputeScore { version: 1 });
            assert_eq!(store.game.turn(), Some(first));
            assert!(matches!(store.last(), Event::ScoreDisputed { turn, .. } if *turn == first));
            assert_eq!(store.replayed().turn(), Some(first));
            assert_eq!(store.play_anywhere(), Ok(Answer::Accepted));
        }
    }
}

/// One dispute a game: after it two passes end the game, however the players got there.
#[test]
fn stalling_by_endless_passes_and_resumes() {
    let mut store = Store::create(usual(Preset::Weiqi, 9));
    store.moves("E5 D5 pass pass");
    store.must(Some(BLACK), Command::DisputeScore { version: 1 });
    store.moves("pass C3 pass");
    assert!(store.game.outcome().is_none() && store.game.agreement().is_none());
    store.moves("pass");
    assert!(store.game.outcome().is_some());
}

/// The rules are the same for programs.
#[test]
fn illegal_superko_moves_accepted_from_bots_only() {
    let mut settings = quick(5);
    settings.rules.multi_stone_suicide = true;
    settings.rules.ko = KoRule::Positional;
    let mut seats = against_a_program();
    seats.black.bot = true;
    for seats in [crate::store::seats(), seats] {
        let mut store = Store::with(settings, seats);
        store.moves("E5 A2 E4 B2 E3 C1 A1 pass");
        let point = "B1".parse().unwrap();
        assert_eq!(store.play("B1"), Err(Refusal::Illegal { point, reason: Illegal::Superko }));
    }
}
