use std::time::Duration;

use kernel::Timestamp;
use sqlx::{Row, SqlitePool};

use super::writer::{Store, millis, moment};
use crate::{
    Append, Appended, Entry, LogName, Refused, Sequence, Sweep, Wake,
    rules::{OUTAGES_KEPT, next_deadline},
};

/// So many logs are known by heart at most.
const HEADS: usize = 16_384;

/// So many expired logs are removed by one sweep at most.
const EXPIRED_STEP: i64 = 64;

/// The end of a log and what else an append needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    id: i64,
    last: Sequence,
    stamp: Timestamp,
    deadline: Option<Timestamp>,
    expires: Option<Timestamp>,
}

impl Store {
    pub async fn append(&mut self, append: Append) -> sqlx::Result<Result<Appended, Refused>> {
        let Append { log, expected, payload, guard, deadline, notices } = append;
        let head = self.head(&log).await?;
        let end = head.map(|head| (head.last, head.stamp)).unwrap_or_default();
        let stamp = match self.heart.judge(self.raw(), end, expected, &guard) {
            Ok(stamp) => stamp,
            Err(refused) => return Ok(Err(refused)),
        };
        let head = match head {
            Some(head) => head,
            None => self.create(&log).await?,
        };
        let entry = Entry { sequence: expected + 1, stamp, payload };
        let next = next_deadline(deadline, head.deadline, stamp, head.expires.is_some());
        self.write_entry(head, &entry, next).await?;
        for notice in &notices {
            self.publish(notice).await?;
        }
        let sequence = entry.sequence;
        self.remember(log.clone(), Head { last: sequence, stamp, deadline: next, ..head });
        self.wakes.push(Wake::Appended(log, entry));
        Ok(Ok(Appended { sequence, stamp }))
    }

    async fn write_entry(&mut self, head: Head, entry: &Entry, next: Option<Timestamp>) -> sqlx::Result<()> {
        // Both statements share the arguments, and one trip to SQLite's thread.
        let sql = if next == head.deadline {
            "INSERT INTO ledger_entries (log, sequence, stamp, payload) VALUES ($1, $2, $3, $4)"
        } else {
            "INSERT INTO ledger_entries (log, sequence, stamp, payload) VALUES ($1, $2, $3, $4);
             UPDATE ledger_logs SET deadline = $5 WHERE id = $1"
        };
        let mut query = sqlx::query(sql)
            .bind(head.id)
            .bind(number(entry.sequence))
            .bind(millis(entry.stamp))
            .bind(entry.payload.to_vec());
        if next != head.deadline {
            query = query.bind(next.map(millis));
        }
        query.execute(&mut self.connection).await.map(|_| ())
    }

    async fn create(&mut self, log: &LogName) -> sqlx::Result<Head> {
        let id = sqlx::query("INSERT INTO ledger_logs (name) VALUES ($1)")
            .bind(log.as_str())
            .execute(&mut self.connection)
            .await?
            .last_insert_rowid();
        Ok(Head { id, last: 0, stamp: Timestamp::default(), deadline: None, expires: None })
    }

    /// The log's head, unless the log is not there or has expired.
    async fn head(&mut self, log: &LogName) -> sqlx::Result<Option<Head>> {
        let head = match self.heads.get(log) {
            Some(head) => *head,
            None => match self.load(log).await? {
                Some(head) => head,
                None => return Ok(None),
            },
        };
        if head.expires.is_some_and(|expires| expires <= self.raw()) {
            self.forget(head.id, log).await?;
            return Ok(None);
        }
        self.remember(log.clone(), head);
        Ok(Some(head))
    }

    async fn load(&mut self, log: &LogName) -> sqlx::Result<Option<Head>> {
        let row = sqlx::query(
            "SELECT l.id, l.deadline, l.expires, e.sequence, e.stamp FROM ledger_logs l JOIN ledger_entries e ON e.log = l.id
             WHERE l.name = $1 ORDER BY e.sequence DESC LIMIT 1",
        )
        .bind(log.as_str())
        .fetch_optional(&mut self.connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Head {
            id: row.try_get(0)?,
            deadline: row.try_get::<Option<i64>, _>(1)?.map(moment),
            expires: row.try_get::<Option<i64>, _>(2)?.map(moment),
            last: row.try_get::<i64, _>(3)?.unsigned_abs(),
            stamp: moment(row.try_get(4)?),
        }))
    }

    fn remember(&mut self, log: LogName, head: Head) {
        if self.heads.len() >= HEADS && !self.heads.contains_key(&log) {
            self.heads.clear();
        }
        self.heads.insert(log, head);
    }

    async fn forget(&mut self, id: i64, log: &LogName) -> sqlx::Result<()> {
        self.heads.remove(log);
        sqlx::query("DELETE FROM ledger_entries WHERE log = $1; DELETE FROM ledger_logs WHERE id = $1")
            .bind(id)
            .execute(&mut self.connection)
            .await
            .map(|_| ())
    }

    pub async fn retire(&mut self, log: LogName, after: Duration) -> sqlx::Result<()> {
        let Some(head) = self.head(&log).await? else { return Ok(()) };
        let expires = self.raw() + after;
        sqlx::query("UPDATE ledger_logs SET deadline = NULL, expires = $2 WHERE id = $1")
            .bind(head.id)
            .bind(millis(expires))
            .execute(&mut self.connection)
            .await?;
        self.remember(log, Head { deadline: None, expires: Some(expires), ..head });
        Ok(())
    }

    pub async fn trim(&mut self, log: LogName, first: Sequence) -> sqlx::Result<()> {
        let Some(head) = self.head(&log).await? else { return Ok(()) };
        sqlx::query("DELETE FROM ledger_entries WHERE log = $1 AND sequence < $2")
            .bind(head.id)
            .bind(number(first.min(head.last)))
            .execute(&mut self.connection)
            .await
            .map(|_| ())
    }

    pub async fn sweep(&mut self, limit: usize) -> sqlx::Result<Sweep> {
        let raw = self.raw();
        let outages = self.heart.outages.back().copied();
        if !self.heart.sweep(raw) {
            return Ok(Sweep::default());
        }
        let now = self.heart.now(raw);
        sqlx::query(
            "INSERT INTO ledger_heart (id, beat, swept) VALUES (0, $1, $2)
             ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, swept = excluded.swept",
        )
        .bind(millis(now))
        .bind(millis(raw))
        .execute(&mut self.connection)
        .await?;
        if self.heart.outages.back().copied() != outages {
            self.record_outage().await?;
        }
        self.expire(raw).await?;
        let due: Vec<(String, i64)> = sqlx::query_as(
            "SELECT name, deadline FROM ledger_logs WHERE deadline <= $1 ORDER BY deadline, name LIMIT $2",
        )
        .bind(millis(now))
        .bind(count(limit))
        .fetch_all(&mut self.connection)
        .await?;
        let due = due.iter().filter_map(|(name, at)| Some((LogName::new(name).ok()?, moment(*at))));
        Ok(Sweep { due: due.collect() })
    }

    async fn record_outage(&mut self) -> sqlx::Result<()> {
        let Some(outage) = self.heart.outages.back() else { return Ok(()) };
        sqlx::query(
            "INSERT INTO ledger_outages (began, ended) VALUES ($1, $2);
             DELETE FROM ledger_outages WHERE id <= (SELECT max(id) FROM ledger_outages) - $3",
        )
        .bind(millis(outage.from))
        .bind(millis(outage.to))
        .bind(count(OUTAGES_KEPT))
        .execute(&mut self.connection)
        .await
        .map(|_| ())
    }

    async fn expire(&mut self, raw: Timestamp) -> sqlx::Result<()> {
        let expired: Vec<(i64, String)> =
            sqlx::query_as("SELECT id, name FROM ledger_logs WHERE expires <= $1 LIMIT $2")
                .bind(millis(raw))
                .bind(EXPIRED_STEP)
                .fetch_all(&mut self.connection)
                .await?;
        for (id, name) in expired {
            if let Ok(log) = LogName::new(&name) {
                self.forget(id, &log).await?;
            }
        }
        Ok(())
    }
}

/// Reads from a log, outside of the writer.
pub(super) async fn read(
    readers: &SqlitePool,
    log: &LogName,
    raw: Timestamp,
    after: Sequence,
    limit: usize,
) -> sqlx::Result<Vec<Entry>> {
    let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
        "SELECT e.sequence, e.stamp, e.payload FROM ledger_logs l JOIN ledger_entries e ON e.log = l.id
         WHERE l.name = $1 AND (l.expires IS NULL OR l.expires > $2) AND e.sequence > $3 ORDER BY e.sequence LIMIT $4",
    )
    .bind(log.as_str())
    .bind(millis(raw))
    .bind(number(after))
    .bind(count(limit))
    .fetch_all(readers)
    .await?;
    let entry = |(sequence, stamp, payload): (i64, i64, Vec<u8>)| Entry {
        sequence: sequence.unsigned_abs(),
        stamp: moment(stamp),
        payload: payload.into(),
    };
    Ok(rows.into_iter().map(entry).collect())
}

fn number(sequence: Sequence) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}

pub(super) fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
