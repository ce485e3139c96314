//! Every statement that a service sends to Postgres, with the values that it came with, on tables with many rows: none reads all of one.

mod heard;
mod looked;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use platform::{db::Db, testing::PostgresServer};
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Row};
use testkit::World;

use crate::{
    caller::{Called, Caller},
    calls, operators,
};

use heard::Values;

/// Rows in each table that can be large.
const ROWS: u32 = 12_000;

/// Tables that stay small: one row, one for each process, or one for each key, switch and migration.
const SMALL: [&str; 6] =
    ["_sqlx_migrations", "live_count", "operator_switches", "rating_rules", "replicas", "signing_keys"];

/// What is not looked at.
const EXEMPT: [&str; 3] = [
    // Of the next version, for tests of upgrades: its column is not there.
    "UPDATE games SET writer = 'next' WHERE id = $1",
    // For checks and tools, which no call of a player leads to, and which read all on purpose:
    // The counts by which ranks are found, held against all players.
    "SELECT pool, standing, level FROM player_ratings WHERE level > 0",
    // `nigiri ratings recompute` holds every game's rating against what it would be.
    "SELECT game_id FROM rating_annulments",
];

/// How many sets of values of one statement are looked at.
const SETS: usize = 8;

/// Calls everything in worlds on this server: as an operator in one, as players in another.
async fn call_everything(server: &PostgresServer) {
    let called = Called::default();
    server.run("createdb", &["tower"]).expect("a database");
    // A world that ends closes its store.
    let store = async |database: &str| server.store_in(database, 16).await.expect("a store");
    let world = World::on(store("tower").await, &[]).await;
    let tower = world.guest("Gosei").await;
    world.stop().await;
    let world = World::on(store("tower").await, &["--session-operators", &tower.player().id]).await;
    let tower = world.client().restore(&tower.tokens().refresh_token).await.expect("refreshed");
    let nobody = Caller { channel: world.channel(), token: String::new(), called: called.clone() };
    operators::call_all(&nobody, &world.client(), &tower).await;
    world.stop().await;
    calls::call_everything(World::on(store("postgres").await, &calls::OPTIONS).await, &called).await;
}

/// Many rows in each table that can be large, made of their numbers by the columns' types and names.
async fn fill(pool: &PgPool) {
    const COLUMNS: &str = "SELECT table_name::TEXT, column_name::TEXT, data_type::TEXT FROM information_schema.columns \
        WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position";
    let mut tables: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for row in sqlx::query(COLUMNS).fetch_all(pool).await.expect("the columns") {
        let (table, column, kind): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        if SMALL.contains(&table.as_str()) {
            continue;
        }
        let value = value(&table, &column, &kind);
        let (columns, values) = tables.entry(table).or_default();
        columns.push(format!("\"{column}\""));
        values.push(value);
    }
    let mut connection = pool.acquire().await.expect("a connection");
    // Without the checks that rows refer to rows.
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *connection).await.expect("set");
    for (table, (columns, values)) in tables {
        let (columns, values) = (columns.join(", "), values.join(", "));
        let insert = format!(
            "INSERT INTO \"{table}\" ({columns}) SELECT {values} FROM generate_series(1, {ROWS}) AS t(n) ON CONFLICT DO NOTHING"
        );
        let inserted = sqlx::query(AssertSqlSafe(insert)).execute(&mut *connection).await;
        let rows = inserted.unwrap_or_else(|error| panic!("{table}: {error}")).rows_affected();
        // A player has three rows, or one where there is no room for more.
        assert!(rows >= u64::from(ROWS) / 3, "{table} has {rows} rows more");
    }
    sqlx::query("ANALYZE").execute(&mut *connection).await.expect("analysed");
}

/// The value of a column in the row with the number n.
fn value(table: &str, column: &str, kind: &str) -> String {
    let value = match (kind, column) {
        ("uuid", "player_id" | "black_id") => "md5((n / 3)::text)::uuid",
        ("uuid", _) => return format!("md5('{table}{column}' || n)::uuid"),
        ("text", "preset") => "(ARRAY['quick', 'weiqi', 'igo', 'baduk'])[1 + n % 4]",
        ("text", _) => return format!("'{column}' || n"),
        ("bytea", _) => return format!("decode(md5('{column}' || n), 'hex')"),
        ("boolean", _) => "n % 2 = 0",
        ("smallint", "kind") => "1 + n % 3",
        ("smallint", "board_size") => "(ARRAY[9, 13, 19])[1 + n % 3]",
        ("smallint" | "integer", _) => "n % 3",
        // All later than the test runs: what is swept away because it is old are a few rows of many.
        ("bigint", name) if name.ends_with("_at") || name.ends_with("_until") => "4000000000000 + n * 1000",
        ("bigint", _) => "n",
        other => panic!("{table} has a column of a kind that is not filled: {other:?}"),
    };
    value.to_owned()
}

/// The plan of a statement with these values, or without any as the server plans it once for all.
async fn plan(connection: &mut PgConnection, values: Option<&Values>, places: usize) -> serde_json::Value {
    let list = match values {
        Some(values) => values.clone(),
        None => vec!["NULL".to_owned(); places],
    };
    let list = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
    let explain = format!("EXPLAIN (FORMAT JSON) EXECUTE asked{list}");
    let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *connection).await;
    rows.expect("a plan")[0].get(0)
}

/// Prepares a statement; how many places it has. The kinds of its values, which the services tell the server, are guessed from values where the server cannot tell.
async fn prepare(
    connection: &mut PgConnection,
    text: &str,
    values: Option<&Values>,
) -> Result<usize, sqlx::Error> {
    let kinds = values.into_iter().flatten().map(|value| heard::kind(value)).collect::<Vec<_>>().join(", ");
    let by_itself = format!("DEALLOCATE ALL; PREPARE asked AS {text}");
    let with_kinds = format!("DEALLOCATE ALL; PREPARE asked ({kinds}) AS {text}");
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(by_itself)).execute(&mut *connection).await {
        if kinds.is_empty() {
            return Err(error);
        }
        sqlx::raw_sql(AssertSqlSafe(with_kinds)).execute(&mut *connection).await?;
    }
    const PLACES: &str =
        "SELECT COALESCE(CARDINALITY(parameter_types), 0) FROM pg_prepared_statements WHERE name = 'asked'";
    let places: i32 = sqlx::raw_sql(PLACES).fetch_one(&mut *connection).await?.get(0);
    Ok(places.unsigned_abs() as usize)
}

/// What is wrong with the plans of a statement: with values as they came, and as the server plans it after it has been run some times; or, where it was never
/// run, as it is planned without values.
async fn faults(
    connection: &mut PgConnection,
    text: &str,
    sets: &[Values],
) -> Result<Vec<String>, sqlx::Error> {
    let places = prepare(connection, text, sets.first()).await?;
    let mut plans = Vec::new();
    for values in sets.iter().take(SETS) {
        plans.push(plan(connection, Some(values), places).await);
    }
    match sets.first() {
        Some(first) => {
            // After five times it may be planned once for all values.
            for _ in 0..6 {
                plans.push(plan(connection, Some(first), places).await);
            }
        }
        None => {
            sqlx::raw_sql("SET plan_cache_mode = force_generic_plan").execute(&mut *connection).await?;
            plans.push(plan(connection, None, places).await);
            sqlx::raw_sql("RESET plan_cache_mode").execute(&mut *connection).await?;
        }
    }
    let found: BTreeSet<String> = plans.iter().flat_map(|plan| looked::faults(plan, &SMALL)).collect();
    Ok(found.into_iter().collect())
}

/// All RPCs are called, which is when the statements are heard; then the tables are filled, and each statement's plan is looked at. Those that the sources have
/// and nobody sent, such as what is done once an hour, are planned without values.
#[tokio::test(flavor = "multi_thread")]
async fn no_service_reads_a_whole_table() {
    let server = PostgresServer::start_heard().expect("a Postgres");
    call_everything(&server).await;
    let heard = heard::statements(&server.log().expect("its log"));
    let Db::Postgres(pool) = &server.store(2).await.expect("the store") else { unreachable!("a Postgres") };
    fill(pool).await;
    let mut connection = pool.acquire().await.expect("a connection");
    let mut wrong = Vec::new();
    for (text, sets) in &heard {
        let found =
            faults(&mut connection, text, sets).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        if !found.is_empty() {
            wrong.push(format!("{text}\n  {}", found.join("\n  ")));
        }
    }
    let written = sources::statements();
    let (mut unheard, mut missing) = (0, Vec::new());
    for written in &written {
        if heard.keys().any(|text| written.is_in(text)) || EXEMPT.contains(&written.text.as_str()) {
            continue;
        }
        unheard += 1;
        match faults(&mut connection, &written.text, &[]).await {
            Ok(found) if found.is_empty() => {}
            Ok(found) => wrong.push(format!("{}: {}\n  {}", written.file, written.text, found.join("\n  "))),
            Err(error) => missing.push(format!("{}: {}: {error}", written.file, written.text)),
        }
    }
    println!(
        "{} statements heard, {} in the sources, {unheard} of them not heard",
        heard.len(),
        written.len()
    );
    assert!(wrong.is_empty(), "these read a whole table:\n{}", wrong.join("\n"));
    assert!(
        missing.is_empty(),
        "no call leads to these, and they cannot be planned by themselves:\n{}",
        missing.join("\n")
    );
    assert!(heard.len() > 100 && written.len() > 100, "the test has lost its ears");
    // The test can fail: a look-up by what no index has, and a walk along an index without an end.
    for text in ["SELECT id FROM games WHERE result = $1", "SELECT id FROM games ORDER BY finished_at, id"] {
        assert!(!faults(&mut connection, text, &[]).await.expect("planned").is_empty(), "{text}");
    }
}
