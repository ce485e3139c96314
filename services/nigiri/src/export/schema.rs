//! What tables there are, what their columns hold, and in which order rows may be added.

use std::collections::BTreeSet;

use anyhow::Context as _;
use platform::{db::Db, on};
use serde::{Deserialize, Serialize};

/// Tables that are not taken along: what processes tell of themselves, what is under way, and the tool's own.
const LEFT: [&str; 6] =
    ["_sqlx_migrations", "replicas", "live_games", "live_count", "pending_sign_ins", "used_nonces"];

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, in order of their names; what the store computes by itself is not among them.
    pub columns: Vec<Column>,
    /// Columns that name another row of the same table: rows with fewer of them come first.
    pub own: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A whole number of any size up to 64 bits.
    Int,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A UUID.
    Uuid,
    /// Yes or no.
    Bool,
}

impl Kind {
    /// The kind of a column that was declared so, in either database.
    fn of(declared: &str) -> Option<Self> {
        match declared.to_ascii_uppercase().as_str() {
            "BIGINT" | "INTEGER" | "SMALLINT" => Some(Self::Int),
            "TEXT" => Some(Self::Text),
            "BYTEA" | "BLOB" => Some(Self::Bytes),
            "UUID" => Some(Self::Uuid),
            "BOOLEAN" => Some(Self::Bool),
            _ => None,
        }
    }
}

/// The migrations that a store has.
///
/// # Errors
/// When the store fails.
pub async fn migrations(db: &Db) -> anyhow::Result<Vec<i64>> {
    const SQL: &str = "SELECT version FROM _sqlx_migrations ORDER BY version";
    Ok(on!(db, |pool| sqlx::query_scalar(SQL).fetch_all(pool).await)?)
}

/// All tables that are taken along, those first that others refer to.
///
/// # Errors
/// When the store fails, or has a column of a kind that is not known here.
pub async fn tables(db: &Db) -> anyhow::Result<Vec<Table>> {
    let columns: Vec<(String, String, String)> = match db {
        Db::Postgres(pool) => sqlx::query_as(
            "SELECT table_name::TEXT, column_name::TEXT, data_type::TEXT FROM information_schema.columns
             WHERE table_schema = current_schema() AND is_generated = 'NEVER' ORDER BY table_name, column_name",
        )
        .fetch_all(pool)
        .await?,
        // Generated columns are not in `pragma_table_info`.
        Db::Sqlite(lite) => sqlx::query_as(
            "SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c
             WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'ledger_%' ORDER BY 1, 2",
        )
        .fetch_all(&lite.pool)
        .await?,
    };
    let mut tables: Vec<Table> = Vec::new();
    for (table, name, declared) in columns {
        if LEFT.contains(&table.as_str()) {
            continue;
        }
        let kind = Kind::of(&declared)
            .with_context(|| format!("{table}.{name} is {declared}, which cannot be taken along"))?;
        match tables.last_mut() {
            Some(last) if last.name == table => last.columns.push(Column { name, kind }),
            _ => tables.push(Table { name: table, columns: vec![Column { name, kind }], own: Vec::new() }),
        }
    }
    let references = references(db).await?;
    for table in &mut tables {
        table.columns.sort();
        let own = references.iter().filter(|(from, _, to)| *from == table.name && *to == table.name);
        table.own = own.map(|(_, column, _)| column.clone()).collect();
    }
    Ok(ordered(tables, &references))
}

/// Which column of which table names a row of which table.
async fn references(db: &Db) -> Result<Vec<(String, String, String)>, sqlx::Error> {
    match db {
        Db::Postgres(pool) => sqlx::query_as(
            "SELECT conrelid::regclass::TEXT, attname::TEXT, confrelid::regclass::TEXT FROM pg_constraint
             JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey)
             WHERE contype = 'f' ORDER BY 1, 2",
        )
        .fetch_all(pool)
        .await,
        Db::Sqlite(lite) => sqlx::query_as(
            "SELECT m.name, f.\"from\", f.\"table\" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
             WHERE m.type = 'table' ORDER BY 1, 2",
        )
        .fetch_all(&lite.pool)
        .await,
    }
}

/// The tables in an order in which each comes after those that it refers to.
fn ordered(mut left: Vec<Table>, references: &[(String, String, String)]) -> Vec<Table> {
    let mut done = Vec::new();
    while !left.is_empty() {
        let waiting: BTreeSet<String> = left.iter().map(|table| table.name.clone()).collect();
        let free = |table: &Table| {
            !references
                .iter()
                .any(|(from, _, to)| *from == table.name && *to != table.name && waiting.contains(to))
        };
        // Tables that refer to each other in a circle would be refused by the store itself: take them as they come.
        let at = left.iter().position(free).unwrap_or(0);
        done.push(left.remove(at));
    }
    done
}
