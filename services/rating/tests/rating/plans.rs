//! The plans of the statements: none reads a whole table.

use kernel::GameId;
use platform::db::Db;
use rating::store::sql;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::world::{player, stores};

/// Many players in many pools, and a mark for each, so that reading everything would cost.
const FILL: [&str; 2] = [
    "INSERT INTO ratings (player_id, board_size, micros, games, name, reached_at, rated_at) \
     SELECT ID, 5 + n % 15, 1200000000 + n, n % 40, 'P', n, n FROM NUMBERS",
    "INSERT INTO rated_games (game_id, board_size, black_id, white_id, winner, k, black_before, white_before, \
     black_gain, rated_at) SELECT ID, 9, ID, ID2, 0, 20, 0, 0, 0, 0 FROM NUMBERS",
];

/// Fills the tables with ids made of the number: the functions for it differ between the stores.
async fn fill(db: &Db) {
    for text in FILL {
        match db {
            Db::Postgres(pool) => {
                let text = text
                    .replace("NUMBERS", "generate_series(1, 30000) AS t(n)")
                    .replace("ID2", "md5((-n)::text)::uuid")
                    .replace("ID,", "md5(n::text)::uuid,");
                sqlx::query(AssertSqlSafe(text)).execute(pool).await.unwrap();
                sqlx::query("ANALYZE").execute(pool).await.unwrap();
            }
            Db::Sqlite(lite) => {
                let numbers = "(WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 2000) SELECT n FROM t)";
                let text = text
                    .replace("NUMBERS", numbers)
                    .replace("ID2", "randomblob(16)")
                    .replace("ID,", "randomblob(16),");
                sqlx::query(AssertSqlSafe(text)).execute(&lite.pool).await.unwrap();
                sqlx::query("ANALYZE").execute(&lite.pool).await.unwrap();
            }
        }
    }
}

/// A value of a statement.
#[derive(Clone, Copy)]
enum Bind {
    Small(i16),
    Big(i64),
    Id(Uuid),
    Text(&'static str),
}

/// The plan's lines: on Postgres the nodes, on SQLite the steps.
async fn plan(db: &Db, text: &str, binds: &[Bind]) -> Vec<String> {
    macro_rules! explain {
        ($pool:expr, $prefix:literal, $column:literal) => {{
            let mut query = sqlx::query(AssertSqlSafe(format!(concat!($prefix, " {}"), text)));
            for bind in binds {
                query = match *bind {
                    Bind::Small(value) => query.bind(value),
                    Bind::Big(value) => query.bind(value),
                    Bind::Id(value) => query.bind(value),
                    Bind::Text(value) => query.bind(value),
                };
            }
            let rows = query.fetch_all($pool).await.unwrap();
            rows.iter().map(|row| row.get::<String, _>($column)).collect()
        }};
    }
    match db {
        Db::Postgres(pool) => explain!(pool, "EXPLAIN", 0),
        Db::Sqlite(lite) => explain!(&lite.pool, "EXPLAIN QUERY PLAN", 3),
    }
}

/// Every statement that reads a table finds its rows by an index, the leaderboard without sorting.
#[tokio::test]
async fn no_statement_reads_a_whole_table() {
    let (id, other) = (Bind::Id(player(1).as_uuid()), Bind::Id(player(2).as_uuid()));
    let place = [Bind::Small(9), Bind::Big(-1_200_010_000), Bind::Big(5), id, Bind::Big(21)];
    let head =
        [Bind::Small(9), Bind::Big(i64::MIN), Bind::Big(i64::MIN), Bind::Id(Uuid::nil()), Bind::Big(21)];
    let game = Bind::Id(GameId::derive("a game").as_uuid());
    let (one, hundred) = (sql::standings(1), sql::standings(100));
    let moved = [Bind::Small(9), id, other, Bind::Big(1), Bind::Text("a"), Bind::Text("b"), Bind::Big(1)];
    let mut many = vec![Bind::Small(9)];
    many.extend((0..100).map(|n| Bind::Id(player(n).as_uuid())));
    let statements: [(&str, &[Bind], &str); 8] = [
        (sql::LEADERS, &place, "ratings_everybody"),
        (sql::LEADERS, &head, "ratings_everybody"),
        (sql::LEADERS_ESTABLISHED, &place, "ratings_established"),
        (sql::LEADERS_ESTABLISHED, &head, "ratings_established"),
        (&one, &[Bind::Small(9), id], ""),
        (&hundred, &many, ""),
        (sql::RATED_GAME, &[game], ""),
        (sql::MOVE, &moved, ""),
    ];
    for (name, db, _home) in stores().await {
        fill(&db).await;
        for (text, binds, index) in statements {
            let plan = plan(&db, text, binds).await;
            let whole = plan.iter().any(|line| {
                let line = line.trim_start_matches([' ', '-', '>']);
                // SQLite calls a walk along a whole table or index SCAN, and a look-up SEARCH.
                line.starts_with("SCAN")
                    || line.contains("Seq Scan")
                    || line.starts_with("Sort")
                    || line.contains("TEMP B-TREE")
            });
            let uses = plan.iter().any(|line| line.contains(index));
            assert!(!whole && uses && !plan.is_empty(), "{name}: {text}\n{}", plan.join("\n"));
        }
    }
}
