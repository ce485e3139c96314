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
    elo::Outcome,
    notice::{End, Player, RatedGame},
};
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

/// One row of a player's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub number: i64,
    pub game: GameId,
    pub after: i64,
}

/// Everybody's history in a store, each player's in order.
pub async fn histories(db: &Db) -> BTreeMap<PlayerId, Vec<Step>> {
    const TEXT: &str =
        "SELECT player_id, number, game_id, after_micros FROM rating_history ORDER BY player_id, number";
    let rows: Vec<(Uuid, i64, Uuid, i64)> =
        platform::on!(db, |pool| sqlx::query_as(TEXT).fetch_all(pool).await.unwrap());
    let mut histories: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (player, number, game, after) in rows {
        let step = Step { number, game: GameId::from_uuid(game), after };
        histories.entry(PlayerId::from_uuid(player)).or_default().push(step);
    }
    histories
}
