use std::{collections::HashSet, mem, time::Duration};

use goban::{Color, KoRule, Preset, Size};
use kernel::{GameId, Timestamp};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{RngSeed, TestRunner},
};
use referee::{
    Command, Control, DeadStones, Event, Game, Handicap, NETWORK_ALLOWANCE, Outcome, Refusal, Remaining,
    Seats, Settings, decide,
};

use crate::store::{Answer, BLACK, STRANGER, Store, WHITE, ms, quick, seats, usual};

/// What happens next in a random game.
#[derive(Clone, Debug)]
enum Step {
    /// A player, usually the one to move, plays the n-th legal point (or, if there is none or `wild`, any point of a larger board).
    Play {
        n: usize,
        wild: bool,
        other: bool,
    },
    Pass {
        other: bool,
        ahead: u32,
    },
    Resign {
        black: bool,
    },
    /// Something between the players; `back` makes what it quotes stale by so much.
    Table {
        black: bool,
        what: Table,
        back: u32,
    },
    /// The server marks a player as away or back.
    Presence {
        black: bool,
        back: bool,
    },
    Adjudicate,
    Stranger,
    Claim,
    Wait(u64),
    /// Waits up to so many milliseconds around the moment at which something is due.
    WaitUntilDue {
        early: u64,
        late: u64,
    },
    Away(u64),
    Credit,
    /// Another replica takes over: it knows the log and nothing else.
    Restart,
}

/// What players do besides moving.
#[derive(Clone, Copy, Debug)]
enum Table {
    Draw,
    Takeback,
    Answer(bool),
    Accept,
    Dispute,
    Mark(usize, bool),
    Leave,
    Rematch,
}

fn table() -> impl Strategy<Value = Table> {
    prop_oneof![
        3 => Just(Table::Draw),
        3 => Just(Table::Takeback),
        4 => any::<bool>().prop_map(Table::Answer),
        2 => Just(Table::Accept),
        1 => Just(Table::Dispute),
        2 => (0..400_usize, any::<bool>()).prop_map(|(n, dead)| Table::Mark(n, dead)),
        1 => Just(Table::Leave),
        2 => Just(Table::Rematch),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        200 => (0..400_usize, prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(n, wild, other)| Step::Play { n, wild, other }),
        30 => (prop::bool::weighted(0.1), prop_oneof![9 => Just(0), 1 => 1..3_u32])
            .prop_map(|(other, ahead)| Step::Pass { other, ahead }),
        1 => any::<bool>().prop_map(|black| Step::Resign { black }),
        90 => (any::<bool>(), table(), prop_oneof![9 => Just(0), 1 => 1..3_u32])
            .prop_map(|(black, what, back)| Step::Table { black, what, back }),
        20 => (any::<bool>(), any::<bool>()).prop_map(|(black, back)| Step::Presence { black, back }),
        1 => Just(Step::Adjudicate),
        3 => Just(Step::Stranger),
        20 => Just(Step::Claim),
        50 => (0..5_000_u64).prop_map(Step::Wait),
        3 => (0..2_u64, 0..2_u64).prop_map(|(early, late)| Step::WaitUntilDue { early, late }),
        12 => (0..60_000_u64).prop_map(Step::Away),
        30 => Just(Step::Credit),
        3 => Just(Step::Restart),
    ]
}

fn control() -> impl Strategy<Value = Control> {
    let span = || (1_000..40_000_u64).prop_map(ms);
    prop_oneof![
        1 => Just(Control::None),
        2 => span().prop_map(|time| Control::PerMove { time }),
        1 => span().prop_map(|time| Control::Absolute { time: time * 4 }),
        2 => (span(), 1_000..8_000_u64, any::<bool>()).prop_map(|(time, increment, capped)| {
            Control::Fischer { time, increment: ms(increment), cap: capped.then_some(time + ms(3_000)) }
        }),
        2 => (span(), 1_000..8_000_u64, 1..4_u8).prop_map(|(time, period, periods)| {
            Control::Byoyomi { time, period: ms(period), periods }
        }),
        2 => (span(), 5_000..30_000_u64, 1..5_u8).prop_map(|(time, period, stones)| {
            Control::Canadian { time, period: ms(period), stones }
        }),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let ko = prop_oneof![Just(KoRule::Simple), Just(KoRule::Positional), Just(KoRule::Situational)];
    let limit = prop::option::of(2..80_u32);
    let preset = prop::sample::select(Preset::ALL.to_vec());
    let stones = prop_oneof![2 => Just(0_u8), 1 => 2..5_u8];
    (5..=7_u8, control(), ko, any::<bool>(), limit, -20..=20_i16, preset, stones).prop_map(
        |(side, control, ko, suicide, move_limit, komi, preset, stones)| {
            let mut settings = Settings { control, move_limit, draw_offers: true, ..usual(preset, side) };
            settings.rules.ko = ko;
            settings.rules.multi_stone_suicide = suicide;
            settings.komi = goban::Komi::from_half_points(komi).unwrap();
            settings.handicap = Handicap { stones, free: stones > 0 };
            settings
        },
    )
}

/// Two people, a person and a program, a guest and somebody.
fn players() -> impl Strategy<Value = Seats> {
    (prop::bool::weighted(0.3), any::<bool>()).prop_map(|(bot, guest)| {
        let mut seats = seats();
        (seats.white.bot, seats.black.guest) = (bot, guest);
        seats
    })
}

/// Does a step. The answer is the command's, if the step was one, and the command.
fn perform(store: &mut Store, step: &Step) -> Option<(Result<Answer, Refusal>, Command<'static>)> {
    let ply = store.game.ply();
    let (mover, waiting) = if store.mover() == BLACK { (BLACK, WHITE) } else { (WHITE, BLACK) };
    let by = |other: bool| Some(if other { waiting } else { mover });
    let player = |black: bool| Some(if black { BLACK } else { WHITE });
    let color = |black: bool| if black { Color::Black } else { Color::White };
    let (actor, command) = match *step {
        Step::Play { n, wild, other } => {
            let any = Size::NINETEEN.points().nth(n % Size::NINETEEN.area()).unwrap();
            let legal = legal(&store.game);
            let point = if wild || legal.is_empty() { any } else { legal[n % legal.len()] };
            (by(other), Command::Play { ply, point })
        }
        Step::Pass { other, ahead } => (by(other), Command::Pass { ply: ply + ahead }),
        Step::Resign { black } => (player(black), Command::Resign),
        Step::Table { black, what, back } => (player(black), between(&store.game, color(black), what, back)),
        Step::Presence { black, back: false } => (None, Command::MarkAway { color: color(black) }),
        Step::Presence { black, back: true } => (None, Command::MarkBack { color: color(black) }),
        Step::Adjudicate => (None, Command::Void { reason: "a fire" }),
        Step::Stranger => (Some(STRANGER), Command::Pass { ply }),
        Step::Claim => (None, Command::Timeout),
        Step::Credit => {
            let answer = store.credit();
            return Some((answer, Command::Credit { outages: &[] }));
        }
        Step::Wait(time) => {
            store.wait(ms(time));
            return None;
        }
        Step::WaitUntilDue { early, late } => {
            store.now = store.game.due().map_or(store.now, |due| store.now.max(due - ms(early) + ms(late)));
            return None;
        }
        Step::Away(time) => {
            store.away(ms(time));
            return None;
        }
        Step::Restart => {
            store.game = store.replayed();
            return None;
        }
    };
    Some((store.command(actor, command), command))
}

fn legal(game: &Game) -> Vec<goban::Point> {
    let (board, illegal) = (game.position().board(), game.illegal_points());
    let is_legal = |point: &goban::Point| illegal.iter().all(|(other, _)| other != point);
    board.size().points().filter(|&point| board.is_empty(point)).filter(is_legal).collect()
}

fn between(game: &Game, color: Color, what: Table, back: u32) -> Command<'static> {
    let ply = game.ply().saturating_sub(back);
    let version = game.agreement().map_or(1, referee::Agreement::version).saturating_sub(back);
    match what {
        Table::Draw => Command::OfferDraw { ply },
        Table::Takeback => Command::RequestTakeback { ply },
        Table::Answer(accept) => {
            let (id, version) = game.proposal(color.opposite()).map_or((1, 1), |p| (p.id, p.version));
            Command::Answer { id: id.saturating_sub(back), version, accept }
        }
        Table::Accept => Command::AcceptScore { version },
        Table::Dispute => Command::DisputeScore { version },
        Table::Mark(n, dead) => {
            let size = game.settings().size;
            let point = size.points().nth(n % size.area()).unwrap();
            Command::MarkChain { version, point, dead }
        }
        Table::Leave => Command::Leave,
        Table::Rematch => Command::RequestRematch { game: GameId::derive("a random game") },
    }
}

/// How much of the time since a moment the servers were away: outages of the store never overlap.
fn away(store: &Store, since: Timestamp) -> Duration {
    store.outages.iter().map(|&(from, to)| to.since(from.max(since))).sum()
}

/// Milliseconds that a player can still think in all, if nothing is added.
fn wealth(control: Control, remaining: Remaining) -> Duration {
    match control {
        Control::Byoyomi { .. } => remaining.main + remaining.period * remaining.count,
        _ => remaining.main + remaining.period,
    }
}

/// What holds of every game at every moment, whatever was done to it.
fn check_state(store: &Store) {
    let game = &store.game;
    assert!(!game.is_corrupt(), "{:?}", game.corruption());
    let running = game.outcome().is_none();
    assert_eq!(game.turn().is_some(), running, "somebody is to move until the game ends");
    assert_eq!(store.deadline, game.due(), "the store keeps the moment at which something is over");
    assert_eq!(game.move_number() as usize, game.moves().len());
    assert!(game.ply() >= game.move_number());
    let events: Vec<_> = store.log.iter().flat_map(|(events, _)| events).collect();
    let ends: Vec<_> = (0..events.len()).filter(|&n| matches!(events[n], Event::Finished { .. })).collect();
    assert_eq!(ends.len(), usize::from(!running), "one end");
    let after = ends.first().map_or(&[][..], |&end| &events[end + 1..]);
    let rematch = |e: &&Event| matches!(e, Event::RematchRequested { .. } | Event::RematchAgreed { .. });
    assert!(after.iter().all(rematch), "only a rematch comes after the end");
    assert!(after.iter().filter(|event| matches!(event, Event::RematchAgreed { .. })).count() <= 1);
    assert_eq!(game.last_stamp(), store.log.last().unwrap().1);
    if !running {
        assert_eq!((game.deadline(), game.due(), game.agreement()), (None, None, None));
        return;
    }
    assert!(game.agreement().is_none() || game.deadline().is_none(), "clocks stand still in an agreement");
    let ids: Vec<u32> = events
        .iter()
        .filter_map(|event| match event {
            Event::DrawOffered { id, .. } | Event::TakebackRequested { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    assert!((1..).zip(&ids).all(|(n, &id)| n == id), "proposals are numbered one by one");
    check_clock(store);
}

/// The deadline is what the player to move had when the turn began, and what was given back since, which is no more than was lost.
fn check_clock(store: &Store) {
    let game = &store.game;
    let (Some(turn), Some(deadline)) = (game.turn(), game.deadline()) else { return };
    let wealth = wealth(game.settings().control, game.remaining(turn).unwrap());
    assert_eq!(deadline, game.turn_started() + wealth + game.turn_credit(), "no clock gains or loses time");
    assert!(game.turn_credit() <= away(store, game.turn_started()), "no more is given back than was lost");
}

/// How clocks change from one state to the next: the mover's by the time used and what the control adds; the other's not at all; a take-back apart, which sets both
/// to what they were.
fn check_clocks_between(before: &Game, after: &Game, command: Command<'_>) {
    let taken_back = after.move_number() < before.move_number();
    for color in Color::BOTH {
        let (Some(had), Some(has)) = (before.remaining(color), after.remaining(color)) else { continue };
        let moved = after.move_number() > before.move_number() && before.turn() == Some(color);
        if taken_back {
            continue;
        }
        if !moved {
            assert_eq!(had, has, "{command:?} changed a clock that did not run");
            continue;
        }
        let used = after.turn_started().since(before.turn_started()).saturating_sub(before.turn_credit());
        let control = before.settings().control;
        let (had, has) = (wealth(control, had), wealth(control, has));
        match control {
            Control::None | Control::PerMove { .. } => assert_eq!(had, has),
            Control::Absolute { .. } => assert!(has <= had.saturating_sub(used)),
            Control::Fischer { increment, .. } => assert!(has <= had.saturating_sub(used) + increment),
            // A period may become whole again.
            Control::Byoyomi { period, .. } | Control::Canadian { period, .. } => {
                assert!(has <= had.max(period) && has <= had.saturating_sub(used) + period);
            }
        }
    }
}

/// What holds of a command's answer, given the game before it.
fn check_answer(before: &Game, store: &Store, answer: &Result<Answer, Refusal>, command: Command<'_>) {
    if let Some(outcome) = before.outcome() {
        assert!(
            matches!(answer, Err(Refusal::GameOver { outcome: told }) if *told == outcome)
                || matches!(answer, Err(Refusal::NotASeat))
                || matches!(command, Command::RequestRematch { .. })
        );
    }
    if *answer != Ok(Answer::Accepted) {
        assert_eq!(store.game, *before, "what is refused changes nothing");
    }
    check_clocks_between(before, &store.game, command);
    let Some(allotted) = before.deadline().map(|d| d.since(before.turn_started() + before.turn_credit()))
    else {
        return;
    };
    let thought = store.now.since(before.turn_started()).saturating_sub(away(store, before.turn_started()));
    let is_move = matches!(command, Command::Play { .. } | Command::Pass { .. });
    let flagged = |outcome: Outcome| outcome.reason == referee::EndReason::Time;
    match answer {
        Ok(Answer::Accepted) if is_move => assert!(thought < allotted + NETWORK_ALLOWANCE),
        Ok(Answer::Accepted) if store.game.outcome().is_some_and(flagged) => {
            assert!(thought >= allotted, "nobody loses by an outage");
        }
        _ => {}
    }
}

/// So many cases, always the same ones unless `PROPTEST_RNG_SEED` or `PROPTEST_CASES` say otherwise.
fn config(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let rng_seed = match usual.rng_seed {
        RngSeed::Random => RngSeed::Fixed(2),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    let cases = if usual.cases == DEFAULT_CASES { cases } else { usual.cases };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..usual }
}

/// What proptest does when nobody says otherwise.
const DEFAULT_CASES: u32 = 256;

proptest! {
    #![proptest_config(config(400))]

    /// Whatever players, strangers, clocks and outages do: replaying the log gives the state; there is one outcome and it is the last event;
    /// somebody is to move until then; clocks neither gain nor lose time; a refused command changes nothing; the time that a
    /// player really had decides between a move and a flag; the ply never goes down; proposals have numbers of their own; after the end there is at most one rematch.
    #[test]
    fn any_sequence_of_commands_is_a_game(
        settings in settings(),
        players in players(),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut store = Store::with(settings, players);
        check_state(&store);
        for step in &steps {
            let before = store.game.clone();
            if let Some((answer, command)) = perform(&mut store, step) {
                check_answer(&before, &store, &answer, command);
            }
            check_state(&store);
            prop_assert!(store.game.ply() >= before.ply() && store.game.last_stamp() >= before.last_stamp());
            if let (Some(was), Some(is)) = (before.deadline(), store.game.deadline())
                && (before.ply(), before.turn_started()) == (store.game.ply(), store.game.turn_started())
            {
                prop_assert!(is >= was, "within a turn a deadline only moves on");
            }
        }
        let half = store.log.len() / 2;
        for part in [&store.log[..=half], &store.log[..]] {
            let replayed = Game::replay(part.iter().map(|(events, stamp)| (events, *stamp))).unwrap();
            prop_assert_eq!(replayed.last_stamp(), part.last().unwrap().1);
            prop_assert!(part.len() < store.log.len() || replayed == store.game);
        }
    }

    /// Every running game can be ended by a timeout if it has a clock: no game hangs for ever, whatever happened before.
    #[test]
    fn a_game_with_a_clock_always_ends(
        settings in settings().prop_filter("a clock", |settings| settings.control != Control::None),
        players in players(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut store = Store::with(settings, players);
        for step in &steps {
            perform(&mut store, step);
        }
        // What a sweeper does: wait for the deadline, claim, settle what the claim is told of, wait again, claim.
        for _ in 0..3 {
            let Some(deadline) = store.deadline else { break };
            store.now = store.now.max(deadline);
            match store.claim() {
                Ok(Answer::Accepted) => {}
                Ok(Answer::Outage(outages)) => {
                    let settled = store.command(None, Command::Credit { outages: &outages });
                    prop_assert_eq!(settled, Ok(Answer::Accepted));
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert!(store.game.outcome().is_some());
    }

    /// `apply` and `decide` take anything: events and commands that make no sense, boards of every size, times of every length.
    #[test]
    fn nonsense_never_panics(
        side in (1..=25_u8, 1..=25_u8),
        time in prop_oneof![Just(Duration::MAX), Just(Duration::ZERO), any::<u64>().prop_map(ms)],
        events in prop::collection::vec((event(), any::<u64>()), 0..30),
        outages in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
    ) {
        let size = Size::new(side.0, side.1).unwrap();
        let controls = [
            Control::PerMove { time },
            Control::Fischer { time, increment: time, cap: None },
            Control::Byoyomi { time, period: time, periods: u8::MAX },
            Control::Canadian { time, period: time, stones: 0 },
        ];
        let control = controls[usize::from(side.0) % 4];
        let handicap = Handicap { stones: side.1, free: side.0.is_multiple_of(2) };
        let dead = DeadStones::Agreement;
        let settings = Settings { size, control, handicap, dead, draw_offers: true, ..quick(9) };
        let created = Event::Created { settings: Box::new(settings), seats: seats() };
        let mut game = Game::begin(&created, Timestamp::from_millis(side.0.into())).unwrap();
        let at = |(from, to)| (Timestamp::from_millis(from), Timestamp::from_millis(to));
        let outages: Vec<_> = outages.into_iter().map(at).collect();
        for (event, stamp) in events {
            let stamp = Timestamp::from_millis(stamp);
            game.apply(&event, stamp);
            let point = goban::Point::new(side.1, side.0 / 2);
            let play = Command::Play { ply: game.ply(), point };
            let (ply, version) = (game.ply(), game.agreement().map_or(0, referee::Agreement::version));
            let commands = [
                (Some(BLACK), play),
                (Some(WHITE), Command::Pass { ply }),
                (Some(BLACK), Command::OfferDraw { ply }),
                (Some(WHITE), Command::RequestTakeback { ply }),
                (Some(BLACK), Command::Answer { id: 1, version: ply, accept: true }),
                (Some(WHITE), Command::AcceptScore { version }),
                (Some(BLACK), Command::DisputeScore { version }),
                (Some(WHITE), Command::MarkChain { version, point, dead: true }),
                (Some(BLACK), Command::Leave),
                (None, Command::MarkBack { color: Color::White }),
                (None, Command::Timeout),
                (None, Command::Credit { outages: &outages }),
                (Some(BLACK), Command::Resign),
            ];
            for (actor, command) in commands {
                let decided = decide(&game, actor, command, stamp);
                if command == Command::Resign {
                    prop_assert!(decided.is_ok() || game.is_corrupt() || game.outcome().is_some());
                }
                if let Ok(decision) = decided {
                    let mut next = game.clone();
                    for event in &decision.events {
                        next.apply(event, stamp);
                    }
                    prop_assert!(!next.is_corrupt(), "what is decided fits");
                }
            }
        }
    }
}

/// The random games reach every kind of event and all usual ends, so that what is said of all of them is said of these too.
#[test]
fn random_games_reach_everything() {
    let mut runner = TestRunner::new(config(0));
    let games = (settings(), players(), prop::collection::vec(step(), 1..200));
    let (mut kinds, mut ends) = (HashSet::new(), HashSet::new());
    for _ in 0..300 {
        let (settings, players, steps) = games.new_tree(&mut runner).unwrap().current();
        let mut store = Store::with(settings, players);
        for step in &steps {
            perform(&mut store, step);
        }
        kinds.extend(store.log.iter().flat_map(|(events, _)| events).map(mem::discriminant));
        ends.extend(store.game.outcome().map(|outcome| outcome.reason));
    }
    assert_eq!(kinds.len(), 18, "kinds of events");
    // A repetition takes more than luck, and two ends are an operator's; these have tests of their own.
    assert_eq!(ends.len(), 8, "{ends:?}");
}

/// Any event at all; mostly passes and stones, so that some of them fit.
fn event() -> impl Strategy<Value = Event> {
    let color = || prop_oneof![Just(goban::Color::Black), Just(goban::Color::White)];
    let point = || (0..27_u8, 0..27_u8).prop_map(|(c, r)| goban::Point::new(c, r));
    prop_oneof![
        6 => (color(), point(), prop::collection::vec(point(), 0..2))
            .prop_map(|(color, point, captured)| Event::MovePlayed { color, point, captured }),
        6 => color().prop_map(|color| Event::Passed { color }),
        3 => (any::<u64>(), any::<u64>()).prop_map(|(credit, until)| Event::TimeCredited {
            credit: ms(credit),
            grace: [ms(0); 2],
            settled_until: Timestamp::from_millis(until),
            reason: "".into(),
        }),
        1 => Just(Event::Created { settings: Box::new(quick(9)), seats: seats() }),
        6 => (color(), between_players()).prop_map(|(color, event)| event(color)),
        1 => Just(Event::Finished {
            outcome: Outcome::read(referee::EndReason::Time, "B+T").unwrap(),
            verdict: None,
        }),
    ]
}

/// Any event between the players, given a colour.
fn between_players() -> impl Strategy<Value = fn(Color) -> Event> {
    fn verdict() -> Box<goban::Verdict> {
        let settings = quick(9);
        let position = goban::Position::new(settings.size, settings.rules);
        Box::new(goban::judge(&position, settings.komi, 0, goban::Dead::None))
    }
    let events: Vec<fn(Color) -> Event> = vec![
        |color| Event::PlayerAway { color, left: color == Color::Black, grace: Duration::MAX },
        |color| Event::PlayerBack { color },
        |color| Event::DrawOffered { color, id: 1, version: 0 },
        |color| Event::TakebackRequested { color, id: 1, version: 0, moves: u32::MAX },
        |color| Event::ProposalAnswered { color, id: 1, accepted: color == Color::Black },
        |color| Event::TakenBack { color, moves: if color == Color::Black { 1 } else { u32::MAX } },
        |_| Event::ScoreProposed {
            version: 0,
            verdict: verdict(),
            accepted: [false; 2],
            time: Duration::MAX,
        },
        |color| Event::ChainMarked {
            color,
            point: goban::Point::new(26, 26),
            dead: true,
            version: 1,
            verdict: verdict(),
            accepted: [true, false],
            extension: Duration::MAX,
        },
        |color| Event::ScoreAccepted { color, version: 0 },
        |color| Event::ScoreDisputed { color, version: 0, turn: color },
        |_| Event::Adjudicated { reason: "".into() },
        |_| Event::TimeGiven { time: Duration::MAX, reason: "".into() },
        |color| Event::RematchRequested { color },
        |_| Event::RematchAgreed { game: GameId::derive("any") },
    ];
    prop::sample::select(events)
}
