//! The SQL store: Postgres or one SQLite file, by the same SQL text.
//!
//! Use [`crate::on`] for a single statement or a read, and [`crate::transact`] for a write transaction. Rows are locked by updating
//! them in a fixed order, never by `FOR UPDATE`, so that the same text works on both.

use std::{path::Path, str::FromStr, time::Duration};

use anyhow::Context as _;
use ledger::WriteGate;
use sqlx::{
    Connection as _, PgPool, SqlitePool,
    migrate::Migrator,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

/// A SQLite file and the gate that all its writers pass one at a time.
#[derive(Clone, Debug)]
pub struct Lite {
    /// Connections.
    pub pool: SqlitePool,
    /// Held during every write transaction, by the ledger too.
    pub gate: WriteGate,
    /// In a simulation: how each piece of work ends.
    pub fates: Option<Fates>,
}

mod fates;

pub use fates::{Fate, Fates};

/// A connection that was in use within this time is not asked whether it still is one.
const FRESH: Duration = Duration::from_secs(1);

/// The store.
#[derive(Clone, Debug)]
pub enum Db {
    /// Postgres.
    Postgres(PgPool),
    /// One SQLite file.
    Sqlite(Lite),
}

/// The schema, for both.
static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

impl Db {
    /// Connects to Postgres. Does not migrate.
    ///
    /// # Errors
    /// When the address is malformed or the server cannot be reached.
    pub async fn postgres(url: &str, connections: u32) -> anyhow::Result<Self> {
        let options = PgConnectOptions::from_str(url)
            .context("--store-url is malformed: it reads like postgres://user@host:5432/database")?;
        let (host, port) = (options.get_host().to_owned(), options.get_port());
        let pool = pool(connections)
            .connect_with(options)
            .await
            .with_context(|| format!("cannot reach Postgres at {host}:{port} within 5 s: see --store-url"))?;
        Ok(Self::Postgres(pool))
    }

    /// For reads whose plans do not depend on the values that they ask for: on Postgres connections of their own, at most so many and opened when
    /// they are needed, where a statement is planned once and not each time. To plan a long statement takes longer than to run it. On SQLite the same
    /// connections.
    #[must_use]
    pub fn planned_once(&self, connections: u32) -> Self {
        let Self::Postgres(usual) = self else { return self.clone() };
        let options = PgConnectOptions::clone(&usual.connect_options());
        let pool = pool(connections).after_connect(|connection, _| {
            Box::pin(async move {
                // Without values every share of a table is a guess, and a high guess is no reason to call for help.
                const ONCE: &str = "SET plan_cache_mode = force_generic_plan; SET max_parallel_workers_per_gather = 0; \
                    SET jit = off; SET default_transaction_read_only = on";
                sqlx::raw_sql(ONCE).execute(connection).await.map(drop)
            })
        });
        Self::Postgres(pool.connect_lazy_with(options))
    }

    /// Opens one SQLite file, making it if need be. Does not migrate.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub async fn sqlite(path: &Path, gate: WriteGate) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5));
        let pool = SqlitePoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(5))
            .connect_with(options)
            .await
            .with_context(|| format!("cannot open {}", path.display()))?;
        Ok(Self::Sqlite(Lite { pool, gate, fates: None }))
    }

    /// Brings the schema up to date, and leaves it alone if a newer version has brought it further. Safe to run from several processes at once on Postgres.
    ///
    /// # Errors
    /// When a migration fails or an applied one has changed.
    pub async fn migrate(&self) -> anyhow::Result<()> {
        // Migrations of a newer version, applied before somebody went back to this one, only add.
        let mut migrations = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
        migrations.set_ignore_missing(true);
        match self {
            Self::Postgres(pool) => migrations.run(pool).await,
            Self::Sqlite(lite) => {
                let _gate = lite.gate.lock().await;
                migrations.run(&lite.pool).await
            }
        }
        .context("cannot bring the schema up to date")
    }

    /// Whether the schema is up to date: the error says which migration is missing.
    ///
    /// # Errors
    /// When a migration has not been applied: run `nigiri migrate`.
    pub async fn check_schema(&self) -> anyhow::Result<()> {
        const APPLIED: &str = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
        let read = async { crate::on!(self, |pool| sqlx::query_scalar(APPLIED).fetch_all(pool).await) };
        let applied: Vec<i64> = self.run(read).await.unwrap_or_default();
        for migration in MIGRATIONS.iter() {
            anyhow::ensure!(
                applied.contains(&migration.version),
                "the store's schema lacks migration {} ({}): run `nigiri migrate` first",
                migration.version,
                migration.description
            );
        }
        Ok(())
    }

    /// Whether the store answers.
    pub async fn is_up(&self) -> bool {
        let one: Result<i32, _> =
            crate::on!(self, |pool| sqlx::query_scalar("SELECT 1").fetch_one(pool).await);
        one.is_ok()
    }

    /// Does one piece of work of a service: a read, or a transaction with its commit. The work of whatever a simulation runs goes through here; a
    /// simulation makes it one step, and may have it fail before or after.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>> + Send,
    ) -> Result<T, sqlx::Error> {
        match self {
            Self::Sqlite(Lite { fates: Some(fates), .. }) => fates.run(work).await,
            _ => work.await,
        }
    }

    /// Closes every connection, for a clean end.
    pub async fn close(&self) {
        // In a simulation no time passes for the database's own threads: there, connections are closed when they are dropped.
        if !matches!(self, Self::Sqlite(Lite { fates: Some(_), .. })) {
            crate::on!(self, |pool| pool.close().await);
        }
    }
}

/// A pool of at most so many connections to Postgres.
fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(5))
        // A round trip before each piece of work is much for those that are one round trip themselves; a connection that was in use a moment ago is good.
        .test_before_acquire(false)
        .before_acquire(|connection, use_| {
            Box::pin(async move {
                if use_.idle_for < FRESH { Ok(true) } else { connection.ping().await.map(|()| true) }
            })
        })
}

/// Whether an error says that the store cannot be reached or is busy now: the same again may succeed later. Anything else is a bug of ours.
pub fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        // 57P01..03: the server is going down or starting; 08xxx: the connection failed; 53300: too many connections.
        sqlx::Error::Database(e) => {
            let code = e.code().unwrap_or_default();
            let away = ["57P0", "08", "53300"].iter().any(|start| code.starts_with(start));
            // SQLite is busy (5) or locked (6), in any of their extended forms. All codes of Postgres have five places, and none of SQLite's.
            let busy = code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 5 | 6));
            if code.len() == 5 { away } else { busy }
        }
        _ => false,
    }
}

/// The same trouble once more, for others whose work it has stopped as well: errors of the store cannot be copied.
pub fn again(error: &sqlx::Error) -> sqlx::Error {
    let words = error.to_string();
    if is_away(error) { sqlx::Error::Io(std::io::Error::other(words)) } else { sqlx::Error::Protocol(words) }
}

/// Lengths of the lists that statements have: a few, so that a store keeps a few statements prepared.
const LENGTHS: [usize; 6] = [1, 2, 8, 32, 128, 1_000];

/// The values for a statement's list: as many as such a list has places; those that are too many take one of the values again.
pub fn filled<T: Copy>(values: &[T]) -> Vec<T> {
    let places = LENGTHS.into_iter().find(|length| *length >= values.len()).unwrap_or(values.len());
    let again = std::iter::repeat_n(values.first(), places - values.len()).flatten();
    values.iter().chain(again).copied().collect()
}

/// The numbers of rows that a statement which writes several has: a few, likewise.
const ROWS: [usize; 10] = [32, 16, 8, 7, 6, 5, 4, 3, 2, 1];

/// Splits rows for statements: each part has one of the numbers of rows that are prepared.
pub fn parts<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let most = ROWS.into_iter().find(|most| *most <= rows.len())?;
        let (part, rest) = rows.split_at(most);
        rows = rest;
        Some(part)
    })
}

/// Places for so many rows of so many values each, the first with the number `first`: `($1, $2), ($3, $4)`.
pub fn values(first: usize, rows: usize, width: usize) -> String {
    let row = |row: usize| format!("({})", list(first + row * width, width));
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

/// The places of a list, for `IN (…)`: the first has the number `first`.
pub fn list(first: usize, places: usize) -> String {
    let places: Vec<_> = (first..first + places).map(|n| format!("${n}")).collect();
    places.join(", ")
}

/// Runs the same body on whichever pool the store has: `on!(db, |pool| sqlx::query_scalar("...").fetch_one(pool).await)`. For reads; a
/// write on SQLite goes through [`transact!`](crate::transact).
#[macro_export]
macro_rules! on {
    ($db:expr, |$pool:ident| $body:expr) => {
        match $db {
            $crate::db::Db::Postgres($pool) => $body,
            $crate::db::Db::Sqlite(lite) => {
                let $pool = &lite.pool;
                $body
            }
        }
    };
}

/// Looks up rows about many players in one statement: `about!(db, players, |places| text, first values ...)`. The text is that of a statement for so many
/// places, which come behind the places of the first values. Nothing is asked about nobody.
#[macro_export]
macro_rules! about {
    ($db:expr, $players:expr, $text:expr $(, $value:expr)* $(,)?) => {{
        let (db, asked) = ($db, $crate::db::filled($players));
        // Boxed: the future of a statement is large, and would be part of that of every call.
        let rows = Box::pin(db.run(async {
            if asked.is_empty() {
                return Ok(Vec::new());
            }
            $crate::on!(db, |pool| {
                let query = sqlx::query_as(sqlx::AssertSqlSafe($text(asked.len())))$(.bind($value))*;
                asked.iter().fold(query, |query, player| query.bind(player.as_uuid())).fetch_all(pool).await
            })
        }));
        rows.await
    }};
}

/// Runs one statement that writes, on either store, without a transaction around it: `single!(db, |pool| sqlx::query("...").execute(pool).await)`.
#[macro_export]
macro_rules! single {
    ($db:expr, |$pool:ident| $body:expr) => {
        match $db {
            $crate::db::Db::Postgres($pool) => $body,
            $crate::db::Db::Sqlite(lite) => {
                let _gate = lite.gate.lock().await;
                let $pool = &lite.pool;
                $body
            }
        }
    };
}

/// Runs the same body in a write transaction on either store, and commits: `transact!(db, |tx| { sqlx::query("...").execute(&mut *tx).await?; x })`.
/// The body may use `?` on `sqlx::Error`; the enclosing function returns a `Result` whose error is made from it. Leaving
/// early rolls back.
#[macro_export]
macro_rules! transact {
    ($db:expr, |$tx:ident| $body:expr) => {
        match $db {
            $crate::db::Db::Postgres(pool) => {
                let mut transaction = pool.begin().await?;
                let $tx = &mut transaction;
                let out = $body;
                transaction.commit().await?;
                out
            }
            $crate::db::Db::Sqlite(lite) => {
                let _gate = lite.gate.lock().await;
                let mut transaction = lite.pool.begin_with("BEGIN IMMEDIATE").await?;
                let $tx = &mut transaction;
                let out = $body;
                transaction.commit().await?;
                out
            }
        }
    };
}
