//! The audit log and the list of processes.

use std::time::Duration;

use kernel::Timestamp;
use nigiri_proto::operator::v1::{Act, ActOutcome, Replica};
use platform::{
    convert::{from_millis, to_millis, to_proto_time},
    db::Db,
    on, transact,
};
use uuid::Uuid;

use crate::audit::{Deed, Operator};

/// A process that was not heard of for so long is gone.
pub const GONE_AFTER: Duration = Duration::from_secs(60);

/// A place in the audit log: the moment and the id of an act.
pub type Place = (i64, Uuid);

/// Before all acts.
pub const START: Place = (i64::MAX, Uuid::max());

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
}

/// Which acts are wanted. What is empty or none is not asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only acts of this operator.
    pub operator: Option<Uuid>,
    /// Only acts on this.
    pub target: String,
}

#[derive(sqlx::FromRow)]
struct ActRow {
    id: Uuid,
    begun_at: i64,
    operator_id: Uuid,
    operator_name: String,
    act: String,
    target: String,
    detail: String,
    reason: String,
    outcome: i16,
    error: String,
}

#[derive(sqlx::FromRow)]
struct ReplicaRow {
    id: Uuid,
    service: String,
    host: String,
    version: String,
    started_at: i64,
    seen_at: i64,
    streams: i64,
    draining: bool,
}

/// Acts after a place, by one more condition.
macro_rules! acts {
    ($condition:literal) => {
        concat!(
            "SELECT id, begun_at, operator_id, operator_name, act, target, detail, reason, outcome, error
             FROM operator_acts WHERE ",
            $condition,
            "(begun_at, id) < ($1, $2) AND (operator_id = $3 OR $3 = $4) AND ($5 = '' OR target = $5)
             ORDER BY begun_at DESC, id DESC LIMIT $6"
        )
    };
}

const ACTS: &str = acts!("");
const ACTS_OF_OPERATOR: &str = acts!("operator_id = $3 AND ");
const ACTS_ON_TARGET: &str = acts!("target = $5 AND ");

impl Store {
    /// The store behind this pool.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// The pool itself, for the switches that the platform keeps.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Writes down that an act begins.
    pub async fn begin_act(
        &self,
        id: Uuid,
        now: Timestamp,
        operator: &Operator,
        deed: &Deed,
    ) -> Result<(), sqlx::Error> {
        transact!(&self.db, |tx| {
            sqlx::query(
                "INSERT INTO operator_acts
                 (id, begun_at, operator_id, operator_name, act, target, detail, reason, outcome, error)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '')",
            )
            .bind(id)
            .bind(to_millis(now))
            .bind(operator.id.as_uuid())
            .bind(&*operator.name)
            .bind(deed.act)
            .bind(&deed.target)
            .bind(&deed.detail)
            .bind(deed.reason.to_string())
            .bind(number(ActOutcome::Begun))
            .execute(&mut **tx)
            .await?;
        });
        Ok(())
    }

    /// Writes down what came of an act.
    pub async fn end_act(&self, id: Uuid, outcome: ActOutcome, error: &str) -> Result<(), sqlx::Error> {
        transact!(&self.db, |tx| {
            sqlx::query("UPDATE operator_acts SET outcome = $2, error = $3 WHERE id = $1")
                .bind(id)
                .bind(number(outcome))
                .bind(error)
                .execute(&mut **tx)
                .await?;
        });
        Ok(())
    }

    /// Acts, the newest first, after a place; with the place of each.
    pub async fn acts(
        &self,
        filter: &Filter,
        after: Place,
        limit: i64,
    ) -> Result<Vec<(Place, Act)>, sqlx::Error> {
        // What one operator did, or what was done to one target, has an index of its own.
        let sql = match filter {
            Filter { target, .. } if !target.is_empty() => ACTS_ON_TARGET,
            Filter { operator: Some(_), .. } => ACTS_OF_OPERATOR,
            Filter { .. } => ACTS,
        };
        let rows: Vec<ActRow> = on!(&self.db, |pool| {
            sqlx::query_as(sql)
                .bind(after.0)
                .bind(after.1)
                .bind(filter.operator.unwrap_or_else(Uuid::nil))
                .bind(Uuid::nil())
                .bind(&filter.target)
                .bind(limit)
                .fetch_all(pool)
                .await
        })?;
        Ok(rows.into_iter().map(|row| ((row.begun_at, row.id), row.into())).collect())
    }

    /// Drops acts that began before this moment, and says how many.
    pub async fn drop_acts_before(&self, time: Timestamp) -> Result<u64, sqlx::Error> {
        let dropped = transact!(&self.db, |tx| {
            let drop = sqlx::query("DELETE FROM operator_acts WHERE begun_at < $1").bind(to_millis(time));
            drop.execute(&mut **tx).await?.rows_affected()
        });
        Ok(dropped)
    }

    /// The processes that serve.
    pub async fn replicas(&self, now: Timestamp) -> Result<Vec<Replica>, sqlx::Error> {
        const SQL: &str =
            "SELECT id, service, host, version, started_at, seen_at, streams, draining FROM replicas
             WHERE seen_at > $1 ORDER BY service, started_at, id";
        let since = to_millis(now - GONE_AFTER);
        let rows: Vec<ReplicaRow> =
            on!(&self.db, |pool| sqlx::query_as(SQL).bind(since).fetch_all(pool).await)?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// Asks a process to end. False if it is not there.
    pub async fn drain(&self, replica: Uuid, now: Timestamp) -> Result<bool, sqlx::Error> {
        let found = transact!(&self.db, |tx| {
            let drain = sqlx::query("UPDATE replicas SET draining = TRUE WHERE id = $1 AND seen_at > $2");
            let drain = drain.bind(replica).bind(to_millis(now - GONE_AFTER));
            drain.execute(&mut **tx).await?.rows_affected() == 1
        });
        Ok(found)
    }
}

fn number(outcome: ActOutcome) -> i16 {
    // A handful of values.
    outcome as i16
}

fn time(millis: i64) -> Option<prost_types::Timestamp> {
    Some(to_proto_time(from_millis(millis)))
}

impl From<ActRow> for Act {
    fn from(row: ActRow) -> Self {
        Self {
            act_id: row.id.to_string(),
            begin_time: time(row.begun_at),
            operator_id: row.operator_id.to_string(),
            operator_name: row.operator_name,
            act: row.act,
            target: row.target,
            detail: row.detail,
            reason: row.reason,
            outcome: i32::from(row.outcome),
            error: row.error,
        }
    }
}

impl From<ReplicaRow> for Replica {
    fn from(row: ReplicaRow) -> Self {
        Self {
            replica_id: row.id.to_string(),
            service: row.service,
            host: row.host,
            version: row.version,
            start_time: time(row.started_at),
            seen_time: time(row.seen_at),
            streams: u32::try_from(row.streams).unwrap_or(0),
            draining: row.draining,
        }
    }
}
