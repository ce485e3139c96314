//! The plans of the statements: none reads a whole table.

use kernel::GameId;
use platform::db::Db;
use rating::{
    recompute, record,
    store::{board_sql, flag_sql, leave_sql, sql},
};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::world::{player, stores};

/// Many rows in each table, so that reading all of one would cost.
const FILL: [&str; 11] = [
    "INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
     SELECT <1>, 5 + n % 3, 1200000000 + n * 30011, n % 40, 'P', n, n, n, <1>, n % 3 FROM NUMBERS",
    "INSERT INTO rated_games (game_id, pool, finished_at, black_id, white_id, winner, short, verdict, k, black_before, \
     white_before, black_gain, rated_at) SELECT <1>, 9, n, <1>, <2>, 0, FALSE, 0, 20, 0, 0, 0, 0 FROM NUMBERS",
    "INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, number, \
     before_micros, after_micros, opponent_micros) SELECT <1>, 9, n, <2>, <2>, 1, 1, FALSE, 0, 1, 0, 0, 0 FROM NUMBERS",
    "INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established) \
     SELECT 5 + n % 15, n % 2, n, n % 4, 1, 1 FROM NUMBERS",
    "INSERT INTO rating_annulments (game_id, operator, reason, annulled_at, black_gain, recomputed) \
     SELECT <1>, '', '', n, 0, 0 FROM NUMBERS",
    "INSERT INTO rating_corrections (game_id, player_id, before_micros, after_micros) SELECT <1>, <1>, 0, 0 FROM NUMBERS",
    "INSERT INTO rating_flags (id, rule, pool, player_id, other_id, game_id, detail, raised_at, resolved_at, resolved_by, note) \
     SELECT <1>, 1, 9, <1>, <1>, <1>, '', n, n % 2, '', '' FROM NUMBERS",
    "INSERT INTO rating_leaves (player_id, left_at, game_id) SELECT <1>, n, <1> FROM NUMBERS",
    "INSERT INTO games (id, black_id, white_id, board_size, rated, result, created_at, finished_at, record) \
     SELECT <1>, <1>, <2>, 9, TRUE, '', n, n, <RECORD> FROM NUMBERS",
    "INSERT INTO rating_bans (player_id, banned_until, leaves) SELECT <1>, n, 3 FROM NUMBERS",
    "INSERT INTO rating_names (player_id, revision, name) SELECT <1>, n, 'P' FROM NUMBERS",
];

/// Fills the tables with ids made of the number: the functions for it differ between the stores.
async fn fill(db: &Db) {
    for text in FILL {
        match db {
            Db::Postgres(pool) => {
                let text = text
                    .replace("NUMBERS", "generate_series(1, 30000) AS t(n)")
                    .replace("<RECORD>", "''::bytea")
                    .replace("<2>", "md5((-n)::text)::uuid")
                    .replace("<1>", "md5(n::text)::uuid");
                sqlx::query(AssertSqlSafe(text)).execute(pool).await.unwrap();
            }
            Db::Sqlite(lite) => {
                let numbers = "(WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3000) SELECT n FROM t)";
                let text = text
                    .replace("NUMBERS", numbers)
                    .replace("<RECORD>", "x''")
                    .replace("<2>", "CAST(printf('%016d', -n) AS BLOB)")
                    .replace("<1>", "CAST(printf('%016d', n) AS BLOB)");
                sqlx::query(AssertSqlSafe(text)).execute(&lite.pool).await.unwrap();
            }
        }
    }
    platform::on!(db, |pool| sqlx::query("ANALYZE").execute(pool).await.map(drop).unwrap());
}

/// The statements of leaderboards.
const BOARDS: [&str; 7] = [
    board_sql::BEHIND,
    board_sql::BEHIND_EVERYBODY,
    board_sql::AROUND,
    board_sql::AROUND_EVERYBODY,
    board_sql::HEAD,
    board_sql::HEAD_EVERYBODY,
    board_sql::SIZE,
];

/// A value of a statement.
#[derive(Clone, Copy)]
enum Bind {
    Small(i16),
    Big(i64),
    Id(Uuid),
    Text(&'static str),
    Bool(bool),
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
                    Bind::Bool(value) => query.bind(value),
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

/// The plan of a leaderboard's statement on Postgres as the service has it planned: once for all values, the same shares of tables being guessed for each.
async fn plan_of_all_values(db: &Db, text: &str, binds: usize) -> Vec<String> {
    let once = db.planned_once(1);
    let Db::Postgres(pool) = &once else { unreachable!("only asked on Postgres") };
    let mut connection = pool.acquire().await.unwrap();
    let prepare = format!("DEALLOCATE ALL; PREPARE asked AS {text}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await.unwrap();
    let values = vec!["NULL"; binds].join(", ");
    let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE asked({values})"));
    let rows = sqlx::raw_sql(explain).fetch_all(&mut *connection).await.unwrap();
    rows.iter().map(|row| row.get::<String, _>(0)).collect()
}

/// Every statement that the service runs, with values.
fn statements() -> Vec<(String, Vec<Bind>)> {
    use Bind::{Big, Bool, Id, Small, Text};
    let (one, two) = (Id(player(1).as_uuid()), Id(player(2).as_uuid()));
    let game = Id(GameId::derive("a game").as_uuid());
    let place = vec![
        Small(6),
        Big(-1_500_010_000),
        Big(5),
        one,
        Big(21),
        Big(0),
        Big(-6_001),
        Big(-1_500_250_000),
        Big(-47),
        Big(-6_016),
    ];
    let head = vec![Small(6), Big(i64::MIN), Big(i64::MIN), Id(Uuid::nil()), Big(21), Big(0)];
    let in_history = vec![one, Small(9), Big(5_000), game, Big(20)];
    let mut many = vec![Small(6)];
    many.extend((0..128).map(|n| Id(player(n).as_uuid())));
    let repeat =
        |rows: usize, row: &[Bind]| row.iter().copied().cycle().take(rows * row.len()).collect::<Vec<_>>();
    let locked = |rows: u32| {
        let row = |n: u32| [Id(player(n).as_uuid()), Small(6), Text("a")];
        let rows = (0..rows).flat_map(row);
        std::iter::once(Big(0)).chain(rows).collect::<Vec<_>>()
    };
    let marks = |rows: usize| {
        let row = |n: usize| {
            let game = Id(GameId::derive(&n.to_string()).as_uuid());
            [game, Small(9), Big(5_000), one, two, Small(1), Bool(false), Small(40), Big(0), Big(0), Big(0)]
        };
        [Big(4_990), Big(0)].into_iter().chain((0..rows).flat_map(row)).collect::<Vec<_>>()
    };
    let moved = [one, Small(6), Big(1), Text("a"), Big(1), game, Big(1), Small(1)];
    let history = [
        one,
        Small(9),
        Big(1),
        game,
        two,
        Small(1),
        Small(2),
        Bool(false),
        Small(0),
        Big(1),
        Big(0),
        Big(1),
        Big(0),
    ];
    let flag = vec![game, Small(1), Small(9), one, two, game, Text("d"), Big(1)];
    let around = vec![one, Small(6), Big(0), Big(11), Big(10)];
    let mut all = vec![
        (sql::standings(1), vec![Small(6), one]),
        (sql::standings(128), many),
        (leave_sql::banned(1), vec![Big(1), one]),
        (sql::buckets(1), vec![Small(6), Small(0), Big(1), Small(1), Big(1), Big(0)]),
    ];
    for (rows, many) in [(1, 1), (2, 2), (32, 32)] {
        all.extend([
            (sql::lock(rows), locked(many)),
            (sql::mark(rows), marks(rows)),
            (sql::moved(rows), repeat(rows, &moved)),
            (sql::history(rows), repeat(rows, &history)),
        ]);
    }
    let rest: Vec<(&str, Vec<Bind>)> = vec![
        (board_sql::BEHIND, place.clone()),
        (board_sql::BEHIND_EVERYBODY, place),
        (board_sql::AROUND, around.clone()),
        (board_sql::AROUND_EVERYBODY, around),
        (board_sql::HEAD, head.clone()),
        (board_sql::HEAD_EVERYBODY, head),
        (board_sql::SIZE, vec![Small(6), Big(0)]),
        (board_sql::LAPSED, vec![Small(6), Big(5), Big(500)]),
        (board_sql::LAPSE, vec![one, Small(6), Big(5)]),
        (sql::LOCK_ONE, vec![Small(6), one, Big(0)]),
        (sql::MARKED, vec![game]),
        (sql::PAIR, vec![game, Small(9), Big(5_000), one, two, Big(10)]),
        (sql::REMARK, vec![game, Small(0), Small(0), Big(0), Big(0), Big(0)]),
        (sql::PLACE, vec![Small(6), one, Big(0), Big(0), Big(0), Big(0), Big(0), game, Small(1)]),
        (sql::REWRITE, vec![one, Small(9), Big(1), game, Small(0), Big(1), Big(0), Big(0), Big(0)]),
        (sql::ANNUL, vec![one, Small(9), Big(1), game]),
        (sql::NAME, vec![one, Small(9), Text("a")]),
        (sql::RATED_GAME, vec![game]),
        (sql::BEFORE, in_history.clone()),
        (sql::FROM, in_history.clone()),
        (sql::REACHED, in_history[..4].to_vec()),
        (sql::PLAYED, in_history[..4].to_vec()),
        (sql::EVERYWHERE, vec![one]),
        (sql::TRAIL, vec![game, Text("o"), Text("r"), Big(1), Big(0), Big(0)]),
        (sql::CORRECTION, vec![game, one, Big(0), Big(0)]),
        (sql::ANNULMENT, vec![game]),
        (sql::ANNULMENTS, vec![Big(9_000), game, Big(20)]),
        (sql::CORRECTIONS, vec![game]),
        (sql::RULES, vec![]),
        (flag_sql::RAISE, flag),
        (flag_sql::OPEN, vec![Big(9_000), game, Big(20)]),
        (flag_sql::RESOLVE, vec![game, Big(1), Text("o"), Text("n")]),
        (flag_sql::KNOWN, vec![game]),
        (leave_sql::LEAVE, vec![one, Big(1), game]),
        (leave_sql::LEAVES, vec![one, Big(1), Big(2)]),
        (leave_sql::BAN, vec![one, Big(1), Big(3)]),
        (record::RECORD, vec![game]),
        (recompute::ARCHIVE, vec![game, Big(500)]),
    ];
    all.extend(rest.into_iter().map(|(text, binds)| (text.to_owned(), binds)));
    all
}

/// Every statement of the service that looks for rows finds them by an index, the leaderboards and lists without sorting what they find. (Grouping a
/// player's own games for statistics is looked at apart: it sorts what its index has found.)
#[tokio::test]
async fn no_statement_reads_a_whole_table() {
    for (name, db, _home) in stores().await {
        fill(&db).await;
        for (text, binds) in statements() {
            let plan = plan(&db, &text, &binds).await;
            let whole = plan.iter().any(|line| scans(line)) || sorts(&plan);
            // SQLite has nothing to say about rows that are given.
            let has_plan = !plan.is_empty() || text.starts_with("INSERT");
            assert!(!whole && has_plan, "{name}: {text}\n{}", plan.join("\n"));
            if BOARDS.contains(&text.as_str()) && matches!(db, Db::Postgres(_)) {
                let plan = plan_of_all_values(&db, &text, binds.len()).await;
                assert!(!plan.iter().any(|line| scans(line)), "{text}\n{}", plan.join("\n"));
                // Without values nobody knows how few lines are wanted; but those that are come along the index.
                let along = plan.iter().any(|line| line.contains("player_ratings_place"));
                let sorted = plan.iter().any(|line| line.contains("Sort  ("));
                assert!((along || text == board_sql::SIZE) && !sorted, "{text}\n{}", plan.join("\n"));
            }
        }
        let binds = [Bind::Id(player(1).as_uuid()), Bind::Small(9), Bind::Big(1)];
        let statistics = plan(&db, sql::STATISTICS, &binds).await;
        assert!(!statistics.iter().any(|line| scans(line)), "{name}: {}", statistics.join("\n"));
        // The test can fail: a look-up by what no index has.
        let by_name = "SELECT player_id FROM player_ratings WHERE name = $1";
        let by_name = plan(&db, by_name, &[Bind::Text("P")]).await;
        assert!(by_name.iter().any(|line| scans(line)), "{name}: {}", by_name.join("\n"));
    }
}

/// Whether a step reads a whole table. SQLite calls a walk along a whole table or index SCAN, and a look-up SEARCH; a few lines that a step before
/// has found (our names for them follow) may be walked, and so may the table of the rules, which has one row.
fn scans(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '-', '>']);
    let found = [
        "SCAN moved",
        "SCAN lines",
        "SCAN first",
        "SCAN second",
        "SCAN down",
        "SCAN up",
        "SCAN me",
        "SCAN (",
    ];
    (line.starts_with("SCAN") && !given(line) && !found.iter().any(|start| line.starts_with(start)))
        || (line.contains("Seq Scan") && !line.contains("on rating_rules "))
}

/// Whether a step walks along rows that the statement itself gives.
fn given(line: &str) -> bool {
    line.contains("CONSTANT ROW") || line.contains("-ROW VALUES")
}

/// Whether a step sorts more than the lines of two pages, which steps before it have found.
fn sorts(plan: &[String]) -> bool {
    let step = |line: &String| line.trim_start_matches([' ', '-', '>']).to_owned();
    let steps: Vec<_> = plan.iter().map(step).collect();
    steps.iter().enumerate().any(|(n, line)| {
        let found = n > 0 && ["SCAN first", "SCAN second"].contains(&steps[n - 1].as_str());
        let few = line.split_once("rows=").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
        (line.contains("TEMP B-TREE") && !found)
            || (line.starts_with("Sort  (") && few.is_none_or(|rows| rows > 42))
    })
}
