//! The memory that a live game takes. Measured from outside, as what the process grows by (resident pages, so with everything that the
//! allocator adds), over some thousands of games that each came about as in a service: entry by entry.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

use std::time::Duration;

use goban::{Preset, Size};
use kernel::{PlayerId, Timestamp};
use referee::{Command, Event, Game, Seat, Seats, Settings, decide};

const GAMES: usize = 4_000;
const MOVES: u32 = 60;
const LIMIT: usize = 6 * 1024;

type Entry = (Vec<Event>, Timestamp);

/// A game on 9x9 in which both play anywhere at all.
fn log() -> Vec<Entry> {
    let player = |number| PlayerId::from_uuid(uuid::Uuid::from_u128(number));
    let seat =
        |number, name: &str| Seat { player: player(number), name: name.into(), bot: false, guest: false };
    let seats = Seats { black: seat(1, "a name of usual length"), white: seat(2, "another one") };
    let settings = Settings::of_preset(Preset::Quick, Size::NINE);
    let mut now = Timestamp::from_millis(1_800_000_000_000);
    let mut log = vec![(Game::create(settings, seats).unwrap().events, now)];
    let mut game = Game::replay(log_entries(&log)).unwrap();
    let mut seed = 1_usize;
    while game.ply() < MOVES {
        now = now + Duration::from_secs(3);
        let legal = game.position().legal_points();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let command = Command::Play { ply: game.ply(), point: legal[(seed >> 33) % legal.len()] };
        let mover = game.seats().get(game.turn().unwrap()).player;
        let events = decide(&game, Some(mover), command, now).unwrap().events;
        events.iter().for_each(|event| game.apply(event, now));
        log.push((events, now));
    }
    log
}

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// A live game of 60 moves on 9x9 takes less than 6 KiB, whether it was replayed from its log or cloned.
#[test]
fn a_game_of_60_moves_takes_less_than_6_kib() {
    let log = log();
    // Nothing is freed in between, so that no game lies in memory that the process had already.
    let mut kept = Vec::new();
    for (how, make) in [
        ("replayed", (|log, _| Game::replay(log_entries(log)).unwrap()) as fn(&[Entry], &Game) -> Game),
        ("cloned", |_, game| game.clone()),
    ] {
        let first = Game::replay(log_entries(&log)).unwrap();
        let before = resident();
        let games: Vec<Game> = (0..GAMES).map(|_| make(&log, &first)).collect();
        let each = (resident() - before) / games.len();
        println!("{how}: {each} bytes, of which {} in the struct itself", size_of::<Game>());
        assert!(kept.iter().chain([&games]).flatten().all(|game| *game == first && game.ply() == MOVES));
        assert!((1_000..LIMIT).contains(&each), "{how}: {each} bytes");
        kept.push(games);
    }
}

fn log_entries(log: &[Entry]) -> impl Iterator<Item = (&Vec<Event>, Timestamp)> {
    log.iter().map(|(events, stamp)| (events, *stamp))
}
