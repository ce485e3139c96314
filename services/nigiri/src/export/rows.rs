//! Rows, from a store and into one. Names of tables and columns are the schema's own.

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use futures::TryStreamExt;
use platform::db::Db;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Postgres, Row, Sqlite, Transaction};
use uuid::Uuid;

use super::schema::{Kind, Table};

/// Calls `take` with each row: an array of values in the order of the columns. Says how many there were.
///
/// # Errors
/// When the store fails, or `take` does.
pub async fn each(
    db: &Db,
    table: &Table,
    mut take: impl FnMut(&Vec<Value>) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let sql = select(table);
    let mut count = 0;
    macro_rules! value {
        ($row:expr, $at:expr, $kind:expr) => {
            Ok(match $kind {
                Kind::Int => $row.try_get::<Option<i64>, _>($at)?.map_or(Value::Null, Into::into),
                Kind::Text => $row.try_get::<Option<String>, _>($at)?.map_or(Value::Null, Into::into),
                Kind::Bool => $row.try_get::<Option<bool>, _>($at)?.map_or(Value::Null, Into::into),
                Kind::Uuid => {
                    $row.try_get::<Option<Uuid>, _>($at)?.map_or(Value::Null, |id| id.to_string().into())
                }
                Kind::Bytes => $row
                    .try_get::<Option<Vec<u8>>, _>($at)?
                    .map_or(Value::Null, |bytes| BASE64_STANDARD.encode(bytes).into()),
            })
        };
    }
    macro_rules! stream {
        ($pool:expr) => {{
            let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch($pool);
            while let Some(row) = rows.try_next().await? {
                let values = table.columns.iter().enumerate();
                let values: Result<Vec<Value>, sqlx::Error> =
                    values.map(|(at, column)| value!(row, at, column.kind)).collect();
                take(&values?)?;
                count += 1;
            }
        }};
    }
    match db {
        Db::Postgres(pool) => stream!(pool),
        Db::Sqlite(lite) => stream!(&lite.pool),
    }
    Ok(count)
}

fn select(table: &Table) -> String {
    let columns = table.columns.iter().map(|column| match column.kind {
        // Whatever its size is in the store.
        Kind::Int => format!("CAST(\"{0}\" AS BIGINT) AS \"{0}\"", column.name),
        _ => format!("\"{}\"", column.name),
    });
    let mut sql = format!("SELECT {} FROM \"{}\"", columns.collect::<Vec<_>>().join(", "), table.name);
    if !table.own.is_empty() {
        let named =
            table.own.iter().map(|column| format!("CASE WHEN \"{column}\" IS NULL THEN 0 ELSE 1 END"));
        sql.push_str(&format!(" ORDER BY {}", named.collect::<Vec<_>>().join(" + ")));
    }
    sql
}

/// Whether a table has no rows.
///
/// # Errors
/// When the store fails.
pub async fn is_empty(db: &Db, table: &Table) -> anyhow::Result<bool> {
    let sql = format!("SELECT COUNT(*) FROM \"{}\"", table.name);
    let count: i64 = platform::on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(pool).await)?;
    Ok(count == 0)
}

/// Rows that are being added: all of them or none.
pub struct Rows {
    transaction: Either,
    count: u64,
}

enum Either {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

impl Rows {
    /// Begins.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin(db: &Db) -> anyhow::Result<Self> {
        let transaction = match db {
            Db::Postgres(pool) => Either::Postgres(pool.begin().await?),
            Db::Sqlite(lite) => Either::Sqlite(lite.pool.begin().await?),
        };
        Ok(Self { transaction, count: 0 })
    }

    /// How many were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When it does not fit the table, or the store refuses it.
    pub async fn add(&mut self, table: &Table, row: Vec<Value>) -> anyhow::Result<()> {
        anyhow::ensure!(row.len() == table.columns.len(), "a row of {} that does not fit", table.name);
        let sql = insert(table);
        macro_rules! add {
            ($transaction:expr) => {{
                let mut query = sqlx::query(AssertSqlSafe(sql));
                for (column, value) in table.columns.iter().zip(row) {
                    query = match column.kind {
                        Kind::Int => query.bind(serde_json::from_value::<Option<i64>>(value)?),
                        Kind::Text => query.bind(serde_json::from_value::<Option<String>>(value)?),
                        Kind::Bool => query.bind(serde_json::from_value::<Option<bool>>(value)?),
                        Kind::Uuid => query.bind(serde_json::from_value::<Option<Uuid>>(value)?),
                        Kind::Bytes => {
                            let text = serde_json::from_value::<Option<String>>(value)?;
                            query.bind(text.map(|text| BASE64_STANDARD.decode(text)).transpose()?)
                        }
                    };
                }
                query.execute(&mut **$transaction).await.map(|_| ())
            }};
        }
        let added = match &mut self.transaction {
            Either::Postgres(transaction) => add!(transaction),
            Either::Sqlite(transaction) => add!(transaction),
        };
        added.with_context(|| format!("a row of {}", table.name))?;
        self.count += 1;
        Ok(())
    }

    /// Keeps all of them, and says how many.
    ///
    /// # Errors
    /// When the store fails: then there are none.
    pub async fn commit(self) -> anyhow::Result<u64> {
        match self.transaction {
            Either::Postgres(transaction) => transaction.commit().await?,
            Either::Sqlite(transaction) => transaction.commit().await?,
        }
        Ok(self.count)
    }
}

fn insert(table: &Table) -> String {
    let names: Vec<_> = table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    let places: Vec<_> = (1..=names.len()).map(|place| format!("${place}")).collect();
    format!("INSERT INTO \"{}\" ({}) VALUES ({})", table.name, names.join(", "), places.join(", "))
}
