//! Leaderboards of a million players, while their ratings change.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use kernel::{GameId, PlayerId, Timestamp};
use platform::{db::Db, testing::PostgresServer};
use rand::{Rng, SeedableRng, rngs::SmallRng};
use rating::{
    Pool,
    elo::{Outcome, Rules},
    leaders::Board,
    notice::{End, Player, RatedGame},
    store::Store,
};
use sqlx::AssertSqlSafe;
use tokio_util::sync::CancellationToken;

use crate::{games::player, percentiles};

const PLAYERS: u64 = 1_000_000;
const SECONDS: u64 = 15;
/// Games a second meanwhile.
const GAMES: u64 = 200;
const NOW: u64 = 1_796_000_000_000;

/// A million players around 1,500 points, 250 of standard deviation (four uniform numbers make a bell), and a history row each.
const FILL: [&str; 6] = [
    "INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
     SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 9, \
     1500000000 + ((random() + random() + random() + random() - 2) * 433000000)::bigint, 10 + n % 50, 'player ' || n, \
     NOW - n % 80 * 86400000, NOW - n % 80 * 86400000, NOW - n % 80 * 86400000, \
     ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 2 FROM generate_series(0::bigint, 999999) AS t(n)",
    "INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, number, \
     before_micros, after_micros, opponent_micros) \
     SELECT player_id, 9, last_at, last_game, player_id, 1, 1, FALSE, 0, games, micros, micros, micros FROM player_ratings",
    "INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established) \
     SELECT 9, 0, FLOOR(standing / 250000.0)::bigint, ('x' || right(player_id::text, 2))::bit(8)::int % 2, 0, COUNT(*) \
     FROM player_ratings GROUP BY 3, 4",
    "INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established) \
     SELECT 9, 1, FLOOR(standing / 32000000.0)::bigint, ('x' || right(player_id::text, 2))::bit(8)::int % 8, 0, COUNT(*) \
     FROM player_ratings GROUP BY 3, 4",
    "VACUUM ANALYZE",
    "CHECKPOINT",
];

/// Looks up ranks, heads and surroundings of players chosen by chance, one after another for one asker and for two at once (who keep both cores of a small machine
/// busy), while games count.
pub async fn look_ups() {
    let postgres = PostgresServer::start_durable().unwrap();
    let db = postgres.store(16).await.unwrap();
    let Db::Postgres(pool) = &db else { unreachable!("it is Postgres") };
    for text in FILL {
        let text = text.replace("NOW", &NOW.to_string());
        sqlx::query(AssertSqlSafe(text)).execute(pool).await.unwrap();
    }
    let store = Store::open(db.clone(), Rules::USUAL).await.unwrap();
    assert!(store.census().await.unwrap() == store.census_of_players().await.unwrap(), "wrong counts");
    println!("leaderboard of {PLAYERS} players");
    for (askers, games) in [(1, 0), (1, GAMES), (2, 0), (2, GAMES)] {
        let (counted, stopping) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
        let writers: Vec<_> = (0..4)
            .map(|n| {
                tokio::spawn(write(store.clone(), games, (askers, n), counted.clone(), stopping.clone()))
            })
            .collect();
        let asking: Vec<_> = (0..askers).map(|n| tokio::spawn(ask(store.clone(), n))).collect();
        let mut times: [Vec<Duration>; 3] = Default::default();
        for asker in asking {
            for (all, own) in times.iter_mut().zip(asker.await.unwrap()) {
                all.extend(own);
            }
        }
        stopping.cancel();
        for writer in writers {
            writer.await.unwrap();
        }
        println!(
            "  askers: {askers}, while {} games a second count:",
            counted.load(Ordering::Relaxed) / SECONDS
        );
        for (what, times) in ["my rank", "top 100", "page around me"].into_iter().zip(times) {
            println!("    {what:<15} {}", percentiles(times));
        }
    }
    // Nothing was lost or doubled by all that.
    assert!(store.census().await.unwrap() == store.census_of_players().await.unwrap(), "wrong counts");
}

/// Counts a fourth of so many games a second, which come by chance: the gaps between them are exponential.
async fn write(
    store: Store,
    games: u64,
    (run, writer): (u64, u64),
    counted: Arc<AtomicU64>,
    stopping: CancellationToken,
) {
    if games == 0 {
        return;
    }
    let mut rng = SmallRng::seed_from_u64(run << 8 | writer);
    let mut due = tokio::time::Instant::now();
    for n in 0.. {
        due += Duration::from_secs_f64(-4.0 / games as f64 * f64::ln(1.0 - rng.random::<f64>()));
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep_until(due) => {}
        }
        let black = rng.random_range(0..PLAYERS);
        let white = (black + rng.random_range(1..PLAYERS)) % PLAYERS;
        let seat = |n| Player { id: PlayerId::from_uuid(player(n)), name: format!("player {n}") };
        let game = RatedGame {
            id: GameId::derive(&format!("{run} {writer} {n}")),
            pool: Pool::new(9).unwrap(),
            black: seat(black),
            white: seat(white),
            outcome: if rng.random() { Outcome::Black } else { Outcome::White },
            end: End::Score,
            sequence: 60,
            trace: String::new(),
        };
        let now = Timestamp::from_millis(NOW + 1 + run * 10_000 + n);
        store.count(&game, now, now).await.unwrap();
        counted.fetch_add(1, Ordering::Relaxed);
    }
}

async fn ask(store: Store, seed: u64) -> [Vec<Duration>; 3] {
    let board = Board { pool: Pool::new(9).unwrap(), provisional: false };
    let now = Timestamp::from_millis(NOW + 60_000);
    let mut rng = SmallRng::seed_from_u64(99 + seed);
    let mut times: [Vec<Duration>; 3] = Default::default();
    let end = Instant::now() + Duration::from_secs(SECONDS);
    while Instant::now() < end {
        let id = PlayerId::from_uuid(player(rng.random_range(0..PLAYERS)));
        let begin = Instant::now();
        store.rank(board, id, now).await.unwrap().unwrap();
        times[0].push(begin.elapsed());
        let begin = Instant::now();
        assert_eq!(store.leaders(board, None, 100, now).await.unwrap().leaders.len(), 100);
        times[1].push(begin.elapsed());
        let begin = Instant::now();
        store.around(board, id, (10, 10), now).await.unwrap().unwrap();
        times[2].push(begin.elapsed());
    }
    times
}
