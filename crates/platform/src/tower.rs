//! What operators ask of every process: a row for each process in the store, by which it is seen and told to drain, and switches that all heed.
//!
//! A process looks every [`LOOK`]. While the store is away everything stays as it is.

use std::{sync::Arc, time::Duration};

use kernel::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Context, convert::to_millis as millis, db::Db, on, transact};

/// How often a process shows itself, and looks at what is asked of it.
pub const LOOK: Duration = Duration::from_secs(5);

/// Rows of processes that nobody has heard of for so long are dropped.
const FORGET: Duration = Duration::from_secs(24 * 3600);

/// The switch that stops matches from being made: `on` or nothing.
pub const MATCHMAKING_PAUSED: &str = "matchmaking_paused";

/// The switch with the text that all players are told.
pub const NOTICE: &str = "notice";

/// What all players are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The text; empty for nothing.
    pub text: String,
    /// Until when; none until it is taken back.
    pub until: Option<Timestamp>,
}

/// The switches as they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether no matches are made.
    pub matchmaking_paused: bool,
    /// What all players are told.
    pub notice: Notice,
}

/// What operators have asked of this process so far. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Switches {
    settings: Arc<watch::Sender<Settings>>,
    drain: CancellationToken,
}

impl Default for Switches {
    fn default() -> Self {
        Self { settings: Arc::new(watch::Sender::default()), drain: CancellationToken::new() }
    }
}

impl Switches {
    /// The switches, and every change of them.
    pub fn settings(&self) -> watch::Receiver<Settings> {
        self.settings.subscribe()
    }

    /// Cancelled when an operator wants the process to end.
    pub fn drain(&self) -> &CancellationToken {
        &self.drain
    }

    /// Takes over what the store says.
    fn set(&self, settings: Settings) {
        self.settings.send_if_modified(|known| std::mem::replace(known, settings.clone()) != settings);
    }
}

/// Reads the switches.
///
/// # Errors
/// When the store is away.
pub async fn read(db: &Db, now: Timestamp) -> Result<Settings, sqlx::Error> {
    const SQL: &str =
        "SELECT name, value, until_at FROM operator_switches WHERE until_at = 0 OR until_at > $1";
    let rows: Vec<(String, String, i64)> =
        on!(db, |pool| sqlx::query_as(SQL).bind(millis(now)).fetch_all(pool).await)?;
    let mut settings = Settings::default();
    for (name, value, until) in rows {
        match name.as_str() {
            MATCHMAKING_PAUSED => settings.matchmaking_paused = !value.is_empty(),
            NOTICE => {
                let until = u64::try_from(until).ok().filter(|until| *until > 0);
                settings.notice = Notice { text: value, until: until.map(Timestamp::from_millis) };
            }
            // Of a newer version.
            _ => {}
        }
    }
    Ok(settings)
}

/// Sets a switch; an empty value turns it off.
///
/// # Errors
/// When the store is away.
pub async fn set(db: &Db, name: &str, value: &str, until: Option<Timestamp>) -> Result<(), sqlx::Error> {
    transact!(db, |tx| {
        sqlx::query(
            "INSERT INTO operator_switches (name, value, until_at) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, until_at = excluded.until_at",
        )
        .bind(name)
        .bind(value)
        .bind(until.map_or(0, millis))
        .execute(&mut **tx)
        .await?;
    });
    Ok(())
}

/// A process as it shows itself.
#[derive(Clone, Debug)]
pub struct Replica {
    id: Uuid,
    service: String,
    started: Timestamp,
}

impl Replica {
    /// A process of this kind that starts now.
    pub fn new(service: &str, context: &Context) -> Self {
        Self { id: context.replica(), service: service.to_owned(), started: context.clock.now() }
    }

    /// Its id.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Shows itself and heeds what is asked, until the process stops.
    pub async fn run(self, context: Context) {
        let stopping = context.shutdown.stopping().clone();
        loop {
            if let Err(error) = self.look(&context).await {
                tracing::debug!(%error, "cannot look at what operators ask");
            }
            if stopping.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                break;
            }
        }
        if let Err(error) = self.leave(&context.db).await {
            tracing::debug!(%error, "this process stays in the list until it is forgotten");
        }
    }

    /// Shows itself, and takes over what is asked.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn look(&self, context: &Context) -> Result<(), sqlx::Error> {
        let now = context.clock.now();
        let asked_to_drain = self.show(context, now).await?;
        let switches = context.switches();
        switches.set(read(&context.db, now).await?);
        if asked_to_drain {
            switches.drain.cancel();
        }
        Ok(())
    }

    async fn show(&self, context: &Context, now: Timestamp) -> Result<bool, sqlx::Error> {
        let draining = transact!(&context.db, |tx| {
            sqlx::query("DELETE FROM replicas WHERE seen_at < $1")
                .bind(millis(now - FORGET))
                .execute(&mut **tx)
                .await?;
            sqlx::query_scalar(
                "INSERT INTO replicas (id, service, host, version, started_at, seen_at, streams, draining)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE)
                 ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, streams = excluded.streams
                 RETURNING draining",
            )
            .bind(self.id)
            .bind(&self.service)
            .bind(host())
            .bind(env!("CARGO_PKG_VERSION"))
            .bind(millis(self.started))
            .bind(millis(now))
            .bind(i64::from(context.shutdown.open_streams()))
            .fetch_one(&mut **tx)
            .await?
        });
        Ok(draining)
    }

    async fn leave(&self, db: &Db) -> Result<(), sqlx::Error> {
        transact!(db, |tx| {
            sqlx::query("DELETE FROM replicas WHERE id = $1").bind(self.id).execute(&mut **tx).await?;
        });
        Ok(())
    }
}

/// The name of the machine, or of the pod.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
