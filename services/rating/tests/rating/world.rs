//! Players, games and both stores.

use std::collections::BTreeMap;

use kernel::{GameId, PlayerId, Timestamp};
use platform::{
    db::Db,
    testing::{self, TestPostgres},
};
use rand::{Rng, SeedableRng, rngs::SmallRng, seq::IndexedRandom};
use rating::{
    Pool,
    elo::{Outcome, Rules},
    notice::{End, Player, RatedGame},
    store::{Counted, Store},
};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// What keeps a store alive.
pub enum Home {
    Folder(#[expect(dead_code, reason = "removed on drop")] tempfile::TempDir),
    Server(#[expect(dead_code, reason = "stopped on drop")] TestPostgres),
}

/// Both stores, migrated and empty.
pub async fn stores() -> Vec<(&'static str, Db, Home)> {
    let (lite, folder) = testing::sqlite().await.unwrap();
    let server = testing::postgres().await.unwrap();
    vec![("SQLite", lite, Home::Folder(folder)), ("Postgres", server.db.clone(), Home::Server(server))]
}

/// The ratings in a store, by the usual numbers.
pub fn ratings(db: &Db) -> Store {
    Store::new(db.clone(), Rules::USUAL)
}

/// Counts a game that finished at a moment.
pub async fn count(store: &Store, game: &RatedGame, finished: u64) -> Result<Counted, sqlx::Error> {
    store.count(game, moment(finished), moment(finished + 7)).await
}

pub fn pool(size: u32) -> Pool {
    Pool::new(size).unwrap()
}

pub fn moment(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_796_000_000_000 + millis)
}

/// The `n`-th player. Ids are not in the order of the numbers.
pub fn player(n: u32) -> PlayerId {
    PlayerId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("player {n}").as_bytes()))
}

/// A game between two players, Black first.
pub fn game(name: &str, black: u32, white: u32, outcome: Outcome) -> RatedGame {
    let seat = |n| Player { id: player(n), name: format!("P{n}") };
    RatedGame {
        id: GameId::derive(name),
        pool: pool(9),
        black: seat(black),
        white: seat(white),
        outcome,
        end: End::Score,
        sequence: 60,
        trace: String::new(),
    }
}

/// Random games within a pool of players, the same for the same seed.
pub fn games(count: usize, players: u32, seed: u64) -> Vec<RatedGame> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let outcomes = [Outcome::Black, Outcome::White, Outcome::Draw];
    (0..count)
        .map(|n| {
            let black = rng.random_range(0..players);
            let white = (black + rng.random_range(1..players)) % players;
            let outcome = *outcomes.choose(&mut rng).unwrap();
            game(&format!("{seed} {n}"), black, white, outcome)
        })
        .collect()
}

/// Everything that counting has written and that must not depend on how it came about: a text for each row.
pub async fn contents(db: &Db) -> BTreeMap<String, Vec<String>> {
    const TABLES: [(&str, &str); 4] = [
        (
            "player_ratings",
            "player_id, pool, micros, games, reached_at, played_at, last_at, last_game, level",
        ),
        ("rated_games", "game_id, pool, finished_at, verdict, k, black_before, white_before, black_gain"),
        (
            "rating_history",
            "player_id, pool, finished_at, game_id, verdict, number, before_micros, after_micros, opponent_micros",
        ),
        ("rating_buckets", "pool, length, bucket, shard, provisional, established"),
    ];
    let mut contents = BTreeMap::new();
    for (table, columns) in TABLES {
        let sqlite = matches!(db, Db::Sqlite(_));
        let part = |name| if sqlite { format!("quote({name})") } else { format!("CAST({name} AS TEXT)") };
        let parts: Vec<_> = columns.split(", ").map(part).collect();
        let empty = if table == "rating_buckets" { "WHERE provisional <> 0 OR established <> 0" } else { "" };
        let text = format!("SELECT {} AS line FROM {table} {empty} ORDER BY 1", parts.join(" || ' ' || "));
        let rows: Vec<String> = platform::on!(db, |pool| {
            sqlx::query_scalar(AssertSqlSafe(text)).fetch_all(pool).await.unwrap()
        });
        contents.insert(table.to_owned(), rows);
    }
    contents
}
