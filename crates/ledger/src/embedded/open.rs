use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    ConnectOptions, Connection, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

/// Raised with every change of [`SCHEMA`].
const SCHEMA_VERSION: i64 = 1;

const SCHEMA: &str = "
CREATE TABLE ledger_meta (schema_version INTEGER NOT NULL);
INSERT INTO ledger_meta VALUES (1);
CREATE TABLE ledger_heart (id INTEGER PRIMARY KEY CHECK (id = 0), beat INTEGER NOT NULL, swept INTEGER NOT NULL);
CREATE TABLE ledger_outages (id INTEGER PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER NOT NULL);
CREATE TABLE ledger_logs (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, deadline INTEGER, expires INTEGER);
CREATE INDEX ledger_logs_deadline ON ledger_logs (deadline, name) WHERE deadline IS NOT NULL;
CREATE INDEX ledger_logs_expires ON ledger_logs (expires) WHERE expires IS NOT NULL;
CREATE TABLE ledger_entries (log INTEGER NOT NULL, sequence INTEGER NOT NULL, stamp INTEGER NOT NULL, payload BLOB NOT NULL,
    PRIMARY KEY (log, sequence)) WITHOUT ROWID;
CREATE TABLE ledger_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL);
CREATE INDEX ledger_messages_topic ON ledger_messages (topic, id);
CREATE TABLE ledger_groups (id INTEGER PRIMARY KEY, topic TEXT NOT NULL, name TEXT NOT NULL, delivered INTEGER NOT NULL,
    UNIQUE (topic, name));
CREATE TABLE ledger_pending (grp INTEGER NOT NULL, message INTEGER NOT NULL, consumer TEXT NOT NULL, since INTEGER NOT NULL,
    attempts INTEGER NOT NULL, PRIMARY KEY (grp, message)) WITHOUT ROWID;
CREATE TABLE ledger_dead (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, grp TEXT NOT NULL, payload BLOB NOT NULL,
    error TEXT NOT NULL);
CREATE INDEX ledger_dead_group ON ledger_dead (topic, grp, id);
";

/// Why an embedded ledger could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// Another process, or another ledger of this one, has the file open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The SQLite file.
        path: PathBuf,
    },
    /// The folder cannot be made or written.
    #[error("cannot write in {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file was written by another version.
    #[error("{} has schema version {found} of the ledger, and this program knows {SCHEMA_VERSION}", path.display())]
    Schema {
        /// The SQLite file.
        path: PathBuf,
        /// The version that it has.
        found: i64,
    },
    /// SQLite refuses: not a database, disk full, and the like.
    #[error("cannot open the ledger's file: {0}")]
    Database(#[from] sqlx::Error),
}

pub(super) struct Opened {
    pub connection: SqliteConnection,
    pub readers: SqlitePool,
    pub lock: Lock,
}

/// Holds the file for this process until it is dropped; the system drops it when the process dies.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "an open file is the lock, and only held")] File);

pub(super) async fn open(path: &Path) -> Result<Opened, EmbeddedError> {
    let lock = lock(path)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
        .disable_statement_logging();
    let mut connection = SqliteConnection::connect_with(&options).await?;
    migrate(&mut connection, path).await?;
    let reading = options.create_if_missing(false).pragma("query_only", "on");
    let readers = SqlitePoolOptions::new()
        .max_connections(4)
        .acquire_timeout(Duration::from_secs(5))
        .connect_with(reading)
        .await?;
    Ok(Opened { connection, readers, lock })
}

fn lock(path: &Path) -> Result<Lock, EmbeddedError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let refused = |source| EmbeddedError::Folder { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(refused)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let file =
        File::options().create(true).truncate(false).write(true).open(folder.join(name)).map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(EmbeddedError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(refused(source)),
    }
}

async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), EmbeddedError> {
    let tables: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ledger_meta'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if tables == 0 {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::raw_sql(SCHEMA).execute(&mut *transaction).await?;
        transaction.commit().await?;
    }
    let found: i64 =
        sqlx::query_scalar("SELECT schema_version FROM ledger_meta").fetch_one(&mut *connection).await?;
    if found == SCHEMA_VERSION { Ok(()) } else { Err(EmbeddedError::Schema { path: path.to_owned(), found }) }
}
