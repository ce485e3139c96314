//! A private Postgres: one for the whole test process, in a temporary folder, reached by its socket only.

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Weak},
};

use anyhow::Context as _;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, postgres::PgConnectOptions};
use uuid::Uuid;

use crate::db::Db;

/// Where Debian puts the server's programs, newest last.
const VERSIONS: [&str; 5] = ["14", "15", "16", "17", "18"];

/// Starts the server, says where, and stops it when its input ends: that is when the test process lets go of it or ends, however it
/// ends. `$1`: the folder of the programs; `$2`: the server's options.
const SUPERVISOR: &str = r#"
set -e
trap '' HUP INT TERM PIPE
PATH="$1:$PATH"
dir=$(mktemp -d -t nigiri-postgres.XXXXXX)
trap 'pg_ctl -D data -m immediate -w stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
cd "$dir"
initdb -D data -A trust -U postgres --locale=C.UTF-8 --no-sync >log 2>&1 || { cat log >&2; exit 1; }
pg_ctl -D data -l log -w -o "-c listen_addresses= -c unix_socket_directories='$dir' $2" start >/dev/null 2>&1 || { cat log >&2; exit 1; }
echo "$dir"
read -r end || true
"#;

/// For tests: fast, and nothing has to outlive the machine.
const FAST: &str = "-c max_connections=400 -c fsync=off -c synchronous_commit=off -c full_page_writes=off";

/// For figures: as an installation runs it.
const DURABLE: &str = "-c max_connections=200 -c shared_buffers=512MB -c max_wal_size=4GB";

/// For looking at statements: as for tests, and each is written to the log with its values.
const HEARD: &str = "-c max_connections=100 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
    -c log_statement=all -c log_parameter_max_length=-1 -c log_line_prefix= -c lc_messages=C";

/// The cluster that the process shares, while any database of it is in use.
static CLUSTER: tokio::sync::Mutex<Weak<PostgresServer>> = tokio::sync::Mutex::const_new(Weak::new());

/// A migrated database of its own, on the Postgres of this test process. Keep it for as long as the test uses the database: when
/// the last one is dropped, the server stops and its folder is removed.
pub struct TestPostgres {
    /// The store.
    pub db: Db,
    /// Its address, as `--store-url` takes it.
    pub url: String,
    _cluster: Arc<PostgresServer>,
}

/// A migrated Postgres database of its own. The first call in a process takes about 2 s.
///
/// # Errors
/// When Postgres is not installed (the message says how to get it), cannot be started, or refuses.
pub async fn postgres() -> anyhow::Result<TestPostgres> {
    let mut shared = CLUSTER.lock().await;
    let cluster = match shared.upgrade() {
        Some(cluster) => cluster,
        None => Arc::new(tokio::task::spawn_blocking(|| PostgresServer::start(FAST)).await??),
    };
    *shared = Arc::downgrade(&cluster);
    let name = format!("test_{}", Uuid::new_v4().simple());
    let mut connection = PgConnectOptions::new_without_pgpass()
        .socket(&cluster.folder)
        .username("postgres")
        .database("postgres")
        .connect()
        .await
        .context("cannot reach the Postgres that was just started")?;
    // The name is ours: nothing in it needs quoting.
    sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut connection).await?;
    connection.close().await?;
    drop(shared);
    let url = format!("postgres://postgres@localhost/{name}?host={}", cluster.folder);
    let db = Db::postgres(&url, 8).await?;
    db.migrate().await?;
    Ok(TestPostgres { db, url, _cluster: cluster })
}

impl TestPostgres {
    /// Kills the server, with all databases of this test process, as a crash would: connections break, new ones are refused.
    ///
    /// # Errors
    /// When it cannot be stopped.
    pub fn stop(&self) -> anyhow::Result<()> {
        self._cluster.control(&["-m", "immediate", "stop"])
    }

    /// Starts it again after [`Self::stop`], and waits until it serves.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(&self) -> anyhow::Result<()> {
        let sockets = &self._cluster.folder;
        let options = format!("-c listen_addresses= -c unix_socket_directories='{sockets}' {FAST}");
        self._cluster.control(&["-l", "log", "-o", &options, "start"])
    }
}

/// A running server of its own. When it is dropped, the server stops and its folder is removed.
pub struct PostgresServer {
    supervisor: Child,
    /// Where its programs are.
    programs: String,
    /// Its data, its socket, its log.
    folder: String,
}

impl PostgresServer {
    /// A server with everything on disk before it answers, for figures.
    ///
    /// # Errors
    /// When Postgres is not installed (the message says how to get it), or does not start.
    pub fn start_durable() -> anyhow::Result<Self> {
        Self::start(DURABLE)
    }

    /// A server that writes each statement and its values to its log.
    ///
    /// # Errors
    /// As for [`Self::start_durable`].
    pub fn start_heard() -> anyhow::Result<Self> {
        Self::start(HEARD)
    }

    /// What it has logged so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log(&self) -> anyhow::Result<String> {
        Ok(std::fs::read_to_string(Path::new(&self.folder).join("log"))?)
    }

    /// The store in it, migrated.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses.
    pub async fn store(&self, connections: u32) -> anyhow::Result<Db> {
        self.store_in("postgres", connections).await
    }

    /// The store in a database of this name, migrated; [`Self::run`] with `createdb` makes one.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses, or has no such database.
    pub async fn store_in(&self, database: &str, connections: u32) -> anyhow::Result<Db> {
        let url = format!("postgres://postgres@localhost/{database}?host={}", self.folder);
        let db = Db::postgres(&url, connections).await?;
        db.migrate().await?;
        Ok(db)
    }

    /// Runs one of its programs, such as `psql`, and gives what it prints.
    ///
    /// # Errors
    /// When it cannot be run, or fails; then with what it says.
    pub fn run(&self, program: &str, args: &[&str]) -> anyhow::Result<String> {
        let output = Command::new(Path::new(&self.programs).join(program))
            .args(["-h", &self.folder, "-U", "postgres"])
            .env("PGDATABASE", "postgres")
            .args(args)
            .output()
            .with_context(|| format!("cannot run {program}"))?;
        anyhow::ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }

    fn start(options: &str) -> anyhow::Result<Self> {
        let programs = VERSIONS
            .iter()
            .rev()
            .map(|version| format!("/usr/lib/postgresql/{version}/bin"))
            .find(|folder| Path::new(folder).join("initdb").exists())
            .context("Postgres is not installed, and this test needs it: apt-get install postgresql")?;
        let mut supervisor = as_owner("sh")?
            .args(["-c", SUPERVISOR, "supervisor", &programs, options])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: whoever kills the test's group must not kill what cleans up after it.
            .process_group(0)
            .spawn()
            .context("cannot start Postgres")?;
        let mut folder = String::new();
        if let Some(output) = supervisor.stdout.as_mut() {
            BufReader::new(output).read_line(&mut folder)?;
        }
        let folder = folder.trim().to_owned();
        if folder.is_empty() {
            let mut log = String::new();
            if let Some(errors) = supervisor.stderr.as_mut() {
                errors.read_to_string(&mut log)?;
            }
            supervisor.wait()?;
            anyhow::bail!("Postgres did not start: {log}");
        }
        Ok(Self { supervisor, programs, folder })
    }

    fn control(&self, args: &[&str]) -> anyhow::Result<()> {
        let mut command = as_owner(&format!("{}/pg_ctl", self.programs))?;
        // What is started inherits the output, so it must not be a pipe that is waited for.
        let quiet = command.args(["-D", "data", "-w"]).args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let status = quiet.current_dir(&self.folder).status()?;
        anyhow::ensure!(status.success(), "pg_ctl {args:?}: {status}");
        Ok(())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        if let Err(error) = self.supervisor.wait() {
            tracing::warn!(%error, "cannot wait for Postgres to stop");
        }
    }
}

/// A program, run by somebody other than root: the server refuses root.
fn as_owner(program: &str) -> anyhow::Result<Command> {
    if !is_root()? {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", program]);
    Ok(command)
}

fn is_root() -> anyhow::Result<bool> {
    let output = Command::new("id").arg("-u").output().context("cannot ask who runs the test")?;
    Ok(output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two stores at once are two databases of one server, each with the schema; when both are gone, so is the server's folder.
    #[tokio::test]
    async fn databases_are_separate_and_leave_nothing_behind() {
        let (one, two) = tokio::try_join!(postgres(), postgres()).unwrap();
        assert!(one.url != two.url && Arc::ptr_eq(&one._cluster, &two._cluster));
        one.db.check_schema().await.unwrap();
        two.db.check_schema().await.unwrap();
        let folder = one._cluster.folder.clone();
        assert!(Path::new(&folder).exists());
        drop((one, two));
        assert!(!Path::new(&folder).exists());
    }
}
