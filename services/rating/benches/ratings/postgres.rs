//! A private Postgres as an installation runs it: with everything on disk before it answers.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use platform::db::Db;

/// Where Debian puts the programs.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// Starts the server, says where, and stops it when its input ends.
const SUPERVISOR: &str = r#"
set -e
PATH="$1:$PATH"
dir=$(mktemp -d -t nigiri-bench.XXXXXX)
trap 'pg_ctl -D data -m immediate -w stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
cd "$dir"
initdb -D data -A trust -U postgres --locale=C.UTF-8 --no-sync >log 2>&1 || { cat log >&2; exit 1; }
pg_ctl -D data -l log -w -o "-c listen_addresses= -c unix_socket_directories='$dir' -c max_connections=200 \
    -c shared_buffers=512MB -c max_wal_size=4GB" start >/dev/null 2>&1 || { cat log >&2; exit 1; }
echo "$dir"
read -r end || true
"#;

/// A running server.
pub struct Postgres {
    supervisor: Child,
    /// Its folder, with its socket.
    pub folder: String,
}

impl Postgres {
    pub fn start() -> Self {
        let supervisor = Command::new("runuser")
            .args(["-u", "postgres", "--", "sh", "-c", SUPERVISOR, "supervisor", PROGRAMS])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut supervisor = supervisor.unwrap();
        let mut folder = String::new();
        BufReader::new(supervisor.stdout.as_mut().unwrap()).read_line(&mut folder).unwrap();
        Self { supervisor, folder: folder.trim().to_owned() }
    }

    /// The store in it, migrated.
    pub async fn store(&self, connections: u32) -> Db {
        let url = format!("postgres://postgres@localhost/postgres?host={}", self.folder);
        let db = Db::postgres(&url, connections).await.unwrap();
        db.migrate().await.unwrap();
        db
    }

    /// Runs one of its programs, and gives what it prints.
    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(format!("{PROGRAMS}/{program}"))
            .args(["-h", &self.folder, "-U", "postgres"])
            .args(args)
            .arg("postgres")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        self.supervisor.wait().unwrap();
    }
}
