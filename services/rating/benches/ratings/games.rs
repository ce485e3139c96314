//! Rated games through the consumer: how many a second, beside pgbench with the same statements; and how long from the end of a game to its effect.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures::{StreamExt, stream};
use kernel::{GameId, PlayerId};
use ledger::{
    Append, Deadline, Guard, LogName, Notice, Policy, SharedLedger,
    redis::{RedisConfig, RedisLedger},
    testing::RedisServer,
};
use nigiri_proto::{
    events::v1::FinishedNotice,
    game::v1::{Color, EndReason, GameResult, GameSettings, Seat},
};
use platform::testing::PostgresServer;
use prost::Message;
use rand::{Rng, SeedableRng, rngs::SmallRng};
use rating::{
    Pool,
    counter::{Counter, GROUP, TOPIC},
    elo::Rules,
    store::{Store, sql},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::percentiles;

/// Players who meet at random.
const PLAYERS: u64 = 100_000;
/// Entries of a game's log: enough not to be short.
const ENTRIES: u64 = 11;
const GAMES: usize = 12_000;
/// Games that a replica takes at once, as it does by default.
const AT_ONCE: usize = 64;
const CLIENTS: [usize; 3] = [16, 32, 64];
const SECONDS: u64 = 5;

pub fn player(n: u64) -> Uuid {
    Uuid::from_u128((0x4000_8000_u128 << 48) | u128::from(n))
}

async fn redis(server: &RedisServer) -> SharedLedger {
    Arc::new(RedisLedger::connect(RedisConfig::single(server.url())).await.unwrap())
}

/// Plays a game between two players chosen by chance; its last entry carries the news.
async fn play(ledger: &SharedLedger, n: usize, seed: u64) -> (PlayerId, PlayerId) {
    let mut rng = SmallRng::seed_from_u64(seed ^ n as u64);
    let black = rng.random_range(0..PLAYERS);
    let white = (black + rng.random_range(1..PLAYERS)) % PLAYERS;
    let id = GameId::derive(&format!("{seed} {n}"));
    let seat = |color: Color, n: u64| Seat {
        color: color.into(),
        player_id: PlayerId::from_uuid(player(n)).to_string(),
        name: format!("player {n}"),
        ..Seat::default()
    };
    let winner = if rng.random() { Color::Black } else { Color::White };
    let notice = FinishedNotice {
        game_id: id.to_string(),
        settings: Some(GameSettings { board_size: 9, rated: true, ..GameSettings::default() }),
        seats: vec![seat(Color::Black, black), seat(Color::White, white)],
        result: Some(GameResult {
            winner: winner.into(),
            reason: EndReason::Score.into(),
            text: String::new(),
        }),
        sequence: ENTRIES,
        ..FinishedNotice::default()
    };
    for expected in 0..ENTRIES {
        let last = expected + 1 == ENTRIES;
        let news = Notice { topic: TOPIC.to_owned(), payload: notice.encode_to_vec().into() };
        let append = Append {
            log: LogName::new(&format!("game:{id}")).unwrap(),
            expected,
            payload: Bytes::from_static(&[7; 100]),
            guard: Guard::default(),
            deadline: Deadline::Keep,
            notices: if last { vec![news] } else { Vec::new() },
        };
        ledger.append(append).await.unwrap();
    }
    (PlayerId::from_uuid(player(black)), PlayerId::from_uuid(player(white)))
}

/// How many rated games a second go through the consumer, which counts those together that wait together, beside what pgbench does with the same statements for
/// one game a transaction, turn about.
pub async fn per_second() {
    let postgres = PostgresServer::start_durable().unwrap();
    let db = postgres.store(64).await.unwrap();
    let store = Store::open(db, Rules::USUAL).await.unwrap();
    let script = script();
    println!(
        "rated games a second, {PLAYERS} players, Postgres and Redis with everything on disk before the answer"
    );
    for (round, clients) in CLIENTS.into_iter().enumerate() {
        let server = RedisServer::start_durable();
        let ledger = redis(&server).await;
        ledger.join(TOPIC, GROUP).await.unwrap();
        let seed = 1_000 * (round as u64 + 1);
        let games = stream::iter(0..GAMES).map(|n| play(&ledger, n, seed));
        let _players: Vec<_> = games.buffer_unordered(200).collect().await;
        let bare = pgbench(&postgres, &script, clients);
        let ours = consume(&store, &ledger).await;
        let again = pgbench(&postgres, &script, clients);
        let bare = f64::midpoint(bare, again);
        println!(
            "  consumer {ours:>7.0}   pgbench with {clients:>2} clients {bare:>7.0}   ratio {:.2}",
            ours / bare
        );
    }
}

/// Counts everything that waits; games a second.
async fn consume(store: &Store, ledger: &SharedLedger) -> f64 {
    let stopping = CancellationToken::new();
    let policy = Policy { batch: AT_ONCE, ..Policy::default() };
    let begin = Instant::now();
    let running = tokio::spawn(Counter::new(store.clone(), ledger.clone()).run(policy, stopping.clone()));
    while ledger.lag(TOPIC, GROUP).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let rate = GAMES as f64 / begin.elapsed().as_secs_f64();
    stopping.cancel();
    running.await.unwrap();
    rate
}

/// The statements of a game that counts, as a script of pgbench: the texts of the service with pgbench's values in them. Its players are others, as many again: a game of theirs
/// is from a far future, and whoever had one would have their next game computed anew.
fn script() -> String {
    let id = |variable: &str| {
        format!("('00000000-0000-4000-8000-' || lpad(to_hex(:{variable}::bigint), 12, '0'))::uuid")
    };
    let (low, high) = (id("low"), id("high"));
    let game = "('00000000-0000-4000-' || lpad(to_hex(:part::bigint), 4, '0') || '-' || lpad(to_hex(:game::bigint), 12, '0'))::uuid";
    let fill = |text: &str, values: &[&str]| {
        // From the last on, so that $1 is not taken for the beginning of $10.
        values
            .iter()
            .enumerate()
            .rev()
            .fold(text.to_owned(), |text, (n, value)| text.replace(&format!("${}", n + 1), value))
    };
    let at = ":game::bigint";
    let lock = fill(&sql::lock(2), &["1200000000", &low, "9", "'low'", &high, "9", "'high'"]);
    let mark = [
        "86400000::bigint",
        ":game::bigint",
        game,
        "9",
        at,
        &low,
        &high,
        "1",
        "FALSE",
        "40",
        "1200000000",
        "1200000000",
        "20000000",
    ];
    let mark = fill(&sql::mark(1), &mark);
    let side = |player, gain, name| {
        [player, "9::smallint", gain, name, at, game, "1::bigint", "1::smallint"].map(str::to_owned)
    };
    let moved = [
        side(&low, "(:gain::bigint * 1000000)", "'low'::text"),
        side(&high, "(:gain::bigint * -1000000)", "'high'::text"),
    ];
    let moved = moved.concat();
    let moved = fill(&sql::moved(2), &moved.iter().map(String::as_str).collect::<Vec<_>>());
    let line = |player: &str, other: &str, color: &str, score: &str, after: &str| {
        let before = "1200000000";
        [player, "9", at, game, other, color, score, "FALSE", "0", "1", before, after, before]
            .map(str::to_owned)
    };
    let history =
        [line(&low, &high, "1", "2", "1220000000"), line(&high, &low, "2", "0", "1180000000")].concat();
    let history = fill(&sql::history(2), &history.iter().map(String::as_str).collect::<Vec<_>>());
    // Both players leave a short stretch for another, and one of them a long one: as usual.
    let steps = [("a", 0, -1), ("b", 0, 1), ("c", 0, -1), ("d", 0, 1), ("e", 1, -1), ("f", 1, 1)];
    let row = |&(variable, length, step): &(&str, i32, i32)| {
        let value = format!(":{variable}::bigint");
        let shard = format!("(abs({value}) % {})::smallint", if length == 0 { 2 } else { 8 });
        ["9".to_owned(), length.to_string(), value, shard, step.to_string(), "0".to_owned()]
    };
    let buckets: Vec<String> = steps.iter().flat_map(row).collect();
    let buckets = fill(&sql::buckets(6), &buckets.iter().map(String::as_str).collect::<Vec<_>>());
    format!(
        "\\set low random({PLAYERS}, {})\n\\set high random(:low + 1, {})\n\\set game random(1, 281474976710655)\n\
         \\set part random(32768, 49151)\n\\set gain random(-20, 20)\n\
         \\set a random(-5600, -5200)\n\\set b random(-5199, -4800)\n\\set c random(-4799, -4400)\n\\set d random(-4399, -4000)\n\
         \\set e random(-44, -39)\n\\set f random(-38, -32)\n\
         BEGIN;\n{lock};\n{mark};\n{moved};\n{history};\n{buckets};\nCOMMIT;\n",
        2 * PLAYERS - 2,
        2 * PLAYERS - 1
    )
}

fn pgbench(postgres: &PostgresServer, script: &str, clients: usize) -> f64 {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let (clients, seconds) = (clients.to_string(), SECONDS.to_string());
    let args = [
        "-n",
        "-M",
        "prepared",
        "-j",
        "2",
        "-c",
        &clients,
        "-T",
        &seconds,
        "-f",
        file.path().to_str().unwrap(),
    ];
    let out = postgres.run("pgbench", &args).unwrap();
    let line = out.lines().find(|line| line.starts_with("tps = ")).unwrap();
    line.split(' ').nth(2).unwrap().parse().unwrap()
}

/// From the append that ends a game to the moment at which both players' ratings are other ones for whoever asks, at 200 games a second.
pub async fn lag() {
    const RATE: u64 = 200;
    let (postgres, server) = (PostgresServer::start_durable().unwrap(), RedisServer::start_durable());
    let db = postgres.store(32).await.unwrap();
    let store = Store::open(db, Rules::USUAL).await.unwrap();
    let ledger = redis(&server).await;
    let stopping = CancellationToken::new();
    let policy = Policy { batch: AT_ONCE, ..Policy::default() };
    let running = tokio::spawn(Counter::new(store.clone(), ledger.clone()).run(policy, stopping.clone()));
    let begin = tokio::time::Instant::now();
    let count = usize::try_from(RATE * SECONDS * 4).unwrap();
    let times = stream::iter(0..count).map(|n| {
        let (store, ledger) = (store.clone(), ledger.clone());
        async move {
            tokio::time::sleep_until(begin + Duration::from_micros(n as u64 * 1_000_000 / RATE)).await;
            let both = play(&ledger, n, 77).await;
            let end = Instant::now();
            let game = GameId::derive(&format!("77 {n}"));
            while store.game(game).await.unwrap().is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let found = store.standings(Pool::new(9).unwrap(), &[both.0, both.1]).await.unwrap();
            assert!(found.iter().all(|standing| standing.games > 0));
            end.elapsed()
        }
    });
    let times: Vec<_> = times.buffer_unordered(count).collect().await;
    stopping.cancel();
    running.await.unwrap();
    println!("from the end of a game to both new ratings, {RATE} games a second: {}", percentiles(times));
}
