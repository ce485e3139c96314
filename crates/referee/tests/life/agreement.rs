use goban::{Color, Preset};
use referee::{
    Command, EndReason, Event, Refusal, Settings, decide, decide_knowing, preview, question,
    question_of_preview,
};

use crate::store::{Answer, BLACK, STRANGER, Store, WHITE, against_a_program, ms, usual};

/// A wall in the middle of 5x5.
const WALLS: &str = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5";

/// A game on that wall in which Black has thrown a stone behind White's, White has made two eyes there, and both have passed, Black first.
fn scoring(preset: Preset) -> Store {
    let mut store = Store::create(Settings { komi: "0.5".parse().unwrap(), ..usual(preset, 5) });
    store.moves(WALLS);
    store.moves("E5 E3 pass pass");
    store
}

fn lead(store: &Store) -> f64 {
    let verdict = store.game.agreement().unwrap().verdict();
    f64::from(verdict.black.half_points() - verdict.white.half_points()) / 2.0
}

fn accept(version: u32) -> Command<'static> {
    Command::AcceptScore { version }
}

fn mark(version: u32, point: &str, dead: bool) -> Command<'static> {
    Command::MarkChain { version, point: point.parse().unwrap(), dead }
}

/// After two passes a score is proposed in the entry of the second pass, clocks stand still, nobody moves or proposes anything, and when both accept the same version
/// the game is over with it.
#[test]
fn two_passes_ask_both_players() {
    let mut store = scoring(Preset::Weiqi);
    let (events, _) = store.log.last().unwrap();
    assert!(matches!(events[..], [Event::Passed { .. }, Event::ScoreProposed { version: 1, .. }]));
    assert_eq!((store.game.deadline(), store.deadline), (None, Some(store.now + ms(60_500))));
    assert_eq!(store.game.agreement().unwrap().deadline(), store.now + ms(60_000));
    assert!(store.game.turn().is_some() && store.game.illegal_points().is_empty());
    let verdict = store.game.agreement().unwrap().verdict().clone();
    assert_eq!((verdict.dead.len(), lead(&store)), (1, 4.5));
    let ply = store.game.ply();
    for command in [Command::Pass { ply }, Command::RequestTakeback { ply }] {
        assert_eq!(store.command(Some(store.mover()), command), Err(Refusal::ScoreProposed));
    }
    assert_eq!(
        store.command(Some(WHITE), mark(1, "E5", false)),
        Err(Refusal::NotInThisGame { what: "marks" })
    );
    assert_eq!(store.command(Some(WHITE), accept(2)), Err(Refusal::StaleScore { version: 1 }));
    store.must(Some(WHITE), accept(1));
    assert_eq!(store.command(Some(WHITE), accept(1)), Err(Refusal::AlreadySo));
    assert_eq!(store.game.outcome(), None);
    store.must(Some(BLACK), accept(1));
    assert_eq!((store.result().as_str(), store.game.verdict()), ("B+4.5", Some(&verdict)));
    assert_eq!(store.deadline, None);
    let mut resigned = scoring(Preset::Weiqi);
    resigned.must(Some(WHITE), Command::Resign);
    assert_eq!(resigned.result(), "B+R");
}

/// When the time is over the server's own proposal stands, whatever was marked; an answer counts until then.
#[test]
fn when_the_time_is_over_the_servers_own_proposal_stands() {
    let mut store = scoring(Preset::Igo);
    let own = lead(&store);
    store.must(Some(BLACK), mark(1, "E5", false));
    assert!(lead(&store) > own);
    store.wait(ms(75_499));
    assert_eq!(store.claim(), Ok(Answer::TooEarly));
    assert_eq!(store.clone().command(Some(WHITE), accept(2)), Ok(Answer::Accepted));
    store.wait(ms(1));
    assert_eq!(store.command(Some(WHITE), accept(2)), Ok(Answer::TooLate));
    assert_eq!(store.claim(), Ok(Answer::Accepted));
    assert_eq!(store.result(), format!("B+{own}"));
    assert_eq!(store.game.outcome().unwrap().reason, EndReason::Score);
}

/// A mark makes a new version that both must accept; it gives 15 s, three times at most; a chain is marked once, and there must be one.
#[test]
fn a_mark_makes_a_new_version_that_both_must_accept() {
    let mut store = scoring(Preset::Igo);
    let started = store.now;
    store.must(Some(WHITE), accept(1));
    for (version, dead, seconds) in [(1, false, 75), (2, true, 90), (3, false, 105), (4, true, 105)] {
        store.wait(ms(1_000));
        store.must(Some(BLACK), mark(version, "E5", dead));
        let agreement = store.game.agreement().unwrap();
        assert_eq!((agreement.version(), agreement.has_accepted(Color::White)), (version + 1, false));
        assert_eq!(agreement.deadline(), started + ms(seconds * 1_000));
        assert_eq!(store.deadline, store.game.due());
    }
    let point = |text: &str| text.parse().unwrap();
    for (text, dead, refusal) in [
        ("E5", true, Refusal::AlreadySo),
        ("D5", false, Refusal::AlreadySo),
        ("A1", true, Refusal::NoStone { point: point("A1") }),
        ("T19", true, Refusal::OffBoard { point: point("T19"), size: store.game.settings().size }),
    ] {
        assert_eq!(store.command(Some(WHITE), mark(5, text, dead)), Err(refusal));
    }
    // All of a chain, its prisoners and its points.
    store.must(Some(WHITE), mark(5, "C3", true));
    let verdict = store.game.agreement().unwrap().verdict();
    assert_eq!((verdict.dead.len(), verdict.white.prisoners), (6, 6));
    store.must(Some(WHITE), accept(6));
    store.must(Some(BLACK), accept(6));
    assert!(store.result().starts_with("W+"));
    assert_eq!(store.replayed(), store.game);
}

/// On a dispute the player who passed first moves, with the time that was left; the next two passes end the game at once: under area scoring with every stone
/// alive, under territory scoring by the best estimate.
#[test]
fn after_a_dispute_the_next_two_passes_end_the_game() {
    for (preset, first_lead, last_lead) in [(Preset::Weiqi, 4.5, 7.5), (Preset::Igo, 4.5, 4.5)] {
        let mut store = scoring(preset);
        assert_eq!(lead(&store), first_lead, "{preset}");
        store.wait(ms(50_000));
        store.must(Some(BLACK), Command::DisputeScore { version: 1 });
        assert_eq!(store.game.turn(), Some(Color::Black), "Black passed first");
        let expected = store.game.remaining(Color::Black).unwrap();
        let time = expected.main + expected.period * expected.count;
        assert_eq!(store.game.deadline(), Some(store.now + time));
        assert_eq!(store.command(Some(BLACK), accept(1)), Err(Refusal::NoScore));
        store.moves("pass");
        assert_eq!(store.game.outcome(), None, "one pass is no end, after the two before the dispute too");
        store.moves("pass");
        assert_eq!(store.result(), format!("B+{last_lead}"), "{preset}");
        assert_eq!(store.game.outcome().unwrap().reason, EndReason::Score);
        assert_eq!(store.replayed(), store.game);
    }
}

/// A program accepts what the server proposes and nothing else, so that nobody waits for one, nor wins from one by marks; two programs are done at once.
#[test]
fn a_program_accepts_what_the_server_proposes() {
    let mut store = Store::with(usual(Preset::Igo, 9), against_a_program());
    store.moves("E5 D5 pass pass");
    let mut marked = store.clone();
    store.must(Some(BLACK), accept(1));
    assert_eq!(store.game.outcome().unwrap().reason, EndReason::Score);
    marked.must(Some(BLACK), mark(1, "D5", true));
    marked.must(Some(BLACK), accept(2));
    assert_eq!(marked.game.outcome(), None);
    let mut back = marked.clone();
    back.must(Some(BLACK), mark(2, "D5", false));
    back.must(Some(BLACK), accept(3));
    assert_eq!(back.result(), store.result());
    marked.now = marked.deadline.unwrap();
    assert_eq!(marked.claim(), Ok(Answer::Accepted));
    assert_eq!(marked.result(), store.result());
    let mut seats = against_a_program();
    seats.black.bot = true;
    let mut store = Store::with(usual(Preset::Weiqi, 9), seats);
    store.moves("E5 D5 pass pass");
    assert_eq!(store.game.outcome().unwrap().reason, EndReason::Score);
}

/// At the move limit nobody is asked, since no play could follow on a dispute: the best estimate stands; two passes at the limit ask, and after a dispute the next
/// move is the last.
#[test]
fn the_move_limit_asks_nobody() {
    let settings = Settings { move_limit: Some(12), ..usual(Preset::Weiqi, 5) };
    let mut store = Store::create(settings);
    store.moves(WALLS);
    store.moves("pass E5");
    assert_eq!(store.game.outcome().unwrap().reason, EndReason::MoveLimit);
    let mut store = Store::create(settings);
    store.moves(WALLS);
    store.moves("pass pass");
    store.must(Some(WHITE), Command::DisputeScore { version: 1 });
    store.moves("E5");
    assert_eq!(store.game.outcome().unwrap().reason, EndReason::MoveLimit);
}

/// Whoever has found the dead stones gets the decision that is made without that, for a proposal and for a count at once; it is asked for when a board is counted
/// with dead stones and at no other time; and the preview of a game is its end.
#[test]
fn dead_stones_that_are_known_change_nothing() {
    for (preset, disputed, asked, doubts) in [
        (Preset::Weiqi, false, true, true),
        (Preset::Weiqi, true, false, false),
        (Preset::Igo, true, true, true),
        (Preset::Territory, false, true, true),
        (Preset::Quick, false, true, false),
    ] {
        let mut store = Store::create(Settings { komi: "0.5".parse().unwrap(), ..usual(preset, 5) });
        store.moves(WALLS);
        store.moves("E5 E3");
        if disputed {
            store.moves("pass pass");
            store.must(Some(BLACK), Command::DisputeScore { version: 1 });
        }
        let pass = |store: &Store| Command::Pass { ply: store.game.ply() };
        assert_eq!(question(&store.game, Some(store.mover()), pass(&store)), None, "{preset}");
        store.moves("pass");
        let (game, mover) = (&store.game, store.mover());
        let board = question(game, Some(mover), pass(&store));
        assert_eq!(board.is_some(), asked, "{preset}, disputed: {disputed}");
        let same = |found: &Option<referee::Question>| found.as_ref().map(|question| question.board.clone());
        assert_eq!(same(&question_of_preview(game)), same(&board), "{preset}");
        for (actor, ply) in [(STRANGER, game.ply()), (mover, game.ply() - 1)] {
            assert_eq!(question(game, Some(actor), Command::Pass { ply }), None);
        }
        let known = board.map(|question| question.answer());
        let decided = decide_knowing(game, Some(mover), pass(&store), store.now, known.as_ref());
        assert_eq!(decided, decide(game, Some(mover), pass(&store), store.now), "{preset}");
        let previewed = preview(game, known.as_ref());
        assert_eq!(previewed.doubt.is_some(), doubts);
        assert_eq!(previewed, preview(game, None));
        store.moves("pass");
        if let Some(agreement) = store.game.agreement() {
            assert_eq!(agreement.verdict(), &previewed);
            store.now = store.deadline.unwrap();
            assert_eq!(store.claim(), Ok(Answer::Accepted));
        }
        assert_eq!(store.game.verdict(), Some(&previewed), "{preset}");
        assert_eq!(preview(&store.game, None), previewed);
    }
}

/// A chain that is marked and marked back leaves the server's own proposal, with what it was unsure of.
#[test]
fn marks_that_are_taken_back_leave_the_servers_proposal() {
    let mut store = scoring(Preset::Igo);
    let own = store.game.agreement().unwrap().verdict().clone();
    store.must(Some(BLACK), mark(1, "E5", false));
    assert_eq!(store.game.agreement().unwrap().verdict().doubt, None);
    store.must(Some(WHITE), mark(2, "E5", true));
    assert_eq!(store.game.agreement().unwrap().verdict(), &own);
}
