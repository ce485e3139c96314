use std::time::Duration;

use goban::{KoRule, Size};
use kernel::Timestamp;
use proptest::{prelude::*, test_runner::RngSeed};
use referee::{Command, Control, Event, Game, NETWORK_ALLOWANCE, Outcome, Refusal, Settings, decide};

use crate::store::{Answer, BLACK, STRANGER, Store, WHITE, ms, quick, seats};

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
    Stranger,
    Claim,
    Wait(u64),
    /// Waits up to so many milliseconds around the moment at which the game is due.
    WaitUntilDue {
        early: u64,
        late: u64,
    },
    Away(u64),
    Credit,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        200 => (0..400_usize, prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(n, wild, other)| Step::Play { n, wild, other }),
        12 => (prop::bool::weighted(0.1), prop_oneof![9 => Just(0), 1 => 1..3_u32])
            .prop_map(|(other, ahead)| Step::Pass { other, ahead }),
        1 => any::<bool>().prop_map(|black| Step::Resign { black }),
        3 => Just(Step::Stranger),
        20 => Just(Step::Claim),
        50 => (0..5_000_u64).prop_map(Step::Wait),
        3 => (0..2_u64, 0..2_u64).prop_map(|(early, late)| Step::WaitUntilDue { early, late }),
        12 => (0..60_000_u64).prop_map(Step::Away),
        30 => Just(Step::Credit),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let control = prop_oneof![
        1 => Just(Control::None),
        4 => (1_000..40_000_u64).prop_map(|time| Control::PerMove { time: ms(time) }),
    ];
    let ko = prop_oneof![Just(KoRule::Simple), Just(KoRule::Positional), Just(KoRule::Situational)];
    let limit = prop::option::of(2..80_u32);
    (5..=7_u8, control, ko, any::<bool>(), limit, -20..=20_i16).prop_map(
        |(side, control, ko, suicide, move_limit, komi)| {
            let mut settings = Settings { control, move_limit, ..quick(side) };
            settings.rules.ko = ko;
            settings.rules.multi_stone_suicide = suicide;
            settings.komi = goban::Komi::from_half_points(komi).unwrap();
            settings
        },
    )
}

/// Does a step. The answer is the command's, if the step was one, and whether it was a move.
fn perform(store: &mut Store, step: &Step) -> Option<(Result<Answer, Refusal>, Command<'static>)> {
    let (ply, size) = (store.game.ply(), store.game.settings().size);
    let (mover, waiting) = if store.mover() == BLACK { (BLACK, WHITE) } else { (WHITE, BLACK) };
    let by = |other: bool| Some(if other { waiting } else { mover });
    let (actor, command) = match *step {
        Step::Play { n, wild, other } => {
            let legal = store.game.position().legal_points();
            let any = Size::NINETEEN.points().nth(n % Size::NINETEEN.area()).unwrap();
            let point = if wild || legal.is_empty() { any } else { legal[n % legal.len()] };
            assert!(size.contains(point) || wild || legal.is_empty());
            (by(other), Command::Play { ply, point })
        }
        Step::Pass { other, ahead } => (by(other), Command::Pass { ply: ply + ahead }),
        Step::Resign { black } => (Some(if black { BLACK } else { WHITE }), Command::Resign),
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
    };
    Some((store.command(actor, command), command))
}

/// How much of the running turn the servers were away, millisecond by heartbeat: outages of the store never overlap.
fn away(store: &Store, since: Timestamp) -> Duration {
    store.outages.iter().map(|&(from, to)| to.since(from.max(since))).sum()
}

/// What holds of every game at every moment, whatever was done to it.
fn check_state(store: &Store) {
    let game = &store.game;
    assert!(!game.is_corrupt(), "{:?}", game.corruption());
    let running = game.outcome().is_none();
    assert_eq!(game.turn().is_some(), running, "somebody is to move until the game ends");
    assert_eq!(store.deadline, game.due(), "the store keeps the moment at which the game is due");
    assert_eq!(game.ply() as usize, game.moves().len());
    let events: Vec<_> = store.log.iter().flat_map(|(events, _)| events).collect();
    let ends = events.iter().filter(|event| matches!(event, Event::Finished { .. })).count();
    let ends_last = matches!(events.last(), Some(Event::Finished { .. }));
    assert_eq!((ends, ends_last), (usize::from(!running), !running), "one end, at the end");
    assert_eq!(game.last_stamp(), store.log.last().unwrap().1);
    let Control::PerMove { time } = game.settings().control else {
        assert_eq!(game.deadline(), None);
        return;
    };
    assert_eq!(game.deadline().is_some(), running);
    if let Some(deadline) = game.deadline() {
        let in_turn =
            store.log.iter().rev().take_while(|(events, _)| matches!(events[0], Event::TimeCredited { .. }));
        let credits: Duration = in_turn
            .flat_map(|(events, _)| events)
            .map(
                |event| if let Event::TimeCredited { credit, .. } = event { *credit } else { Duration::ZERO },
            )
            .sum();
        assert_eq!(deadline, game.turn_started() + time + credits, "no clock gains or loses time");
        assert!(credits <= away(store, game.turn_started()), "no more is given back than was lost");
    }
}

/// What holds of a command's answer, given the game before it.
fn check_answer(before: &Game, store: &Store, answer: &Result<Answer, Refusal>, command: Command<'_>) {
    if let Some(outcome) = before.outcome() {
        assert!(
            matches!(answer, Err(Refusal::GameOver { outcome: told }) if *told == outcome)
                || matches!(answer, Err(Refusal::NotASeat))
        );
    }
    if *answer != Ok(Answer::Accepted) {
        assert_eq!(store.game, *before, "what is refused changes nothing");
    }
    let Control::PerMove { time } = before.settings().control else { return };
    let thought = store.now.since(before.turn_started()).saturating_sub(away(store, before.turn_started()));
    let is_move = matches!(command, Command::Play { .. } | Command::Pass { .. });
    match answer {
        Ok(Answer::Accepted) if is_move => assert!(thought < time + NETWORK_ALLOWANCE),
        Ok(Answer::Accepted) if matches!(command, Command::Timeout) => {
            assert!(thought >= time + NETWORK_ALLOWANCE, "nobody loses by an outage");
        }
        Ok(Answer::TooLate) => assert!(thought >= time + NETWORK_ALLOWANCE, "nor has a move refused by one"),
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
    /// somebody is to move until then; clocks neither gain nor lose time; a refused command changes nothing; and the time that a
    /// player really had decides between a move and a flag.
    #[test]
    fn any_sequence_of_commands_is_a_game(settings in settings(), steps in prop::collection::vec(step(), 1..200)) {
        let mut store = Store::create(settings);
        check_state(&store);
        for step in &steps {
            let before = store.game.clone();
            if let Some((answer, command)) = perform(&mut store, step) {
                check_answer(&before, &store, &answer, command);
            }
            check_state(&store);
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
    fn a_game_with_a_clock_always_ends(steps in prop::collection::vec(step(), 1..60)) {
        let mut store = Store::create(quick(5));
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
        let settings = Settings { size, control: Control::PerMove { time }, ..quick(9) };
        let created = Event::Created { settings: Box::new(settings), seats: seats() };
        let mut game = Game::begin(&created, Timestamp::from_millis(side.0.into())).unwrap();
        let at = |(from, to)| (Timestamp::from_millis(from), Timestamp::from_millis(to));
        let outages: Vec<_> = outages.into_iter().map(at).collect();
        for (event, stamp) in events {
            let stamp = Timestamp::from_millis(stamp);
            game.apply(&event, stamp);
            let point = goban::Point::new(side.1, side.0 / 2);
            let play = Command::Play { ply: game.ply(), point };
            for command in [play, Command::Pass { ply: game.ply() }, Command::Resign] {
                prop_assert!(decide(&game, Some(BLACK), command, stamp).is_ok_and(|d| !d.events.is_empty())
                    || decide(&game, Some(WHITE), command, stamp).is_ok_and(|d| !d.events.is_empty())
                    || game.is_corrupt() || game.outcome().is_some() || command == play);
            }
            for command in [Command::Timeout, Command::Credit { outages: &outages }] {
                if let Ok(decision) = decide(&game, None, command, stamp) {
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
        1 => Just(Event::Finished {
            outcome: Outcome::read(referee::EndReason::Time, "B+T").unwrap(),
            verdict: None,
        }),
    ]
}
