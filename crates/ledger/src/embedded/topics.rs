use std::time::Duration;

use sqlx::SqlitePool;

use super::{
    logs::count,
    writer::{Store, millis},
};
use crate::{DeadLetter, Delivery, DeliveryId, Notice};

/// So many messages are dropped in one transaction at most.
pub(super) const TRIM_STEP: u64 = 1_000;

/// `since` of a message that was given back: before every clock.
const RELEASED: i64 = -1;

/// A consumer group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    id: i64,
    /// The last message that some consumer was given.
    delivered: i64,
}

impl Store {
    pub async fn publish(&mut self, notice: &Notice) -> sqlx::Result<()> {
        self.ring = true;
        sqlx::query("INSERT INTO ledger_messages (topic, payload) VALUES ($1, $2)")
            .bind(notice.topic.as_str())
            .bind(notice.payload.to_vec())
            .execute(&mut self.connection)
            .await
            .map(|_| ())
    }

    /// The group; registers it if it is not there.
    pub async fn group(&mut self, topic: &str, group: &str) -> sqlx::Result<Group> {
        let key = (topic.to_owned(), group.to_owned());
        if let Some(group) = self.groups.get(&key) {
            return Ok(*group);
        }
        let (id, delivered) = sqlx::query_as(
            "INSERT INTO ledger_groups (topic, name, delivered) VALUES ($1, $2, 0)
             ON CONFLICT (topic, name) DO UPDATE SET delivered = delivered RETURNING id, delivered",
        )
        .bind(topic)
        .bind(group)
        .fetch_one(&mut self.connection)
        .await?;
        let found = Group { id, delivered };
        self.groups.insert(key, found);
        Ok(found)
    }

    pub async fn fetch(
        &mut self,
        topic: &str,
        group: &str,
        consumer: &str,
        max: usize,
    ) -> sqlx::Result<Vec<Delivery>> {
        let Group { id, delivered } = self.group(topic, group).await?;
        let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
            "SELECT id, payload FROM ledger_messages WHERE topic = $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(topic)
        .bind(delivered)
        .bind(count(max))
        .fetch_all(&mut self.connection)
        .await?;
        let Some((last, _)) = rows.last() else { return Ok(Vec::new()) };
        sqlx::query(
            "INSERT INTO ledger_pending (grp, message, consumer, since, attempts)
             SELECT $1, id, $2, $3, 1 FROM ledger_messages WHERE topic = $4 AND id > $5 AND id <= $6;
             UPDATE ledger_groups SET delivered = $6 WHERE id = $1",
        )
        .bind(id)
        .bind(consumer)
        .bind(millis(self.raw()))
        .bind(topic)
        .bind(delivered)
        .bind(last)
        .execute(&mut self.connection)
        .await?;
        self.groups.insert((topic.to_owned(), group.to_owned()), Group { id, delivered: *last });
        Ok(rows.into_iter().map(|(id, payload)| delivery(id, payload, 1)).collect())
    }

    pub async fn claim(
        &mut self,
        topic: &str,
        group: &str,
        consumer: &str,
        idle: Duration,
        max: usize,
    ) -> sqlx::Result<Vec<Delivery>> {
        let group = self.group(topic, group).await?.id;
        let raw = self.raw();
        let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "SELECT p.message, p.attempts + 1, m.payload FROM ledger_pending p JOIN ledger_messages m ON m.id = p.message
             WHERE p.grp = $1 AND p.since <= $2 ORDER BY p.message LIMIT $3",
        )
        .bind(group)
        .bind(millis(raw - idle))
        .bind(count(max))
        .fetch_all(&mut self.connection)
        .await?;
        for (message, attempts, _) in &rows {
            sqlx::query(
                "UPDATE ledger_pending SET consumer = $3, since = $4, attempts = $5 WHERE grp = $1 AND message = $2",
            )
            .bind(group)
            .bind(message)
            .bind(consumer)
            .bind(millis(raw))
            .bind(attempts)
            .execute(&mut self.connection)
            .await?;
        }
        Ok(rows.into_iter().map(|(id, attempts, payload)| delivery(id, payload, attempts)).collect())
    }

    /// Renews the lease on a message, or gives it back. False if the consumer does not have it.
    pub async fn touch(
        &mut self,
        [topic, group, consumer]: [String; 3],
        id: &DeliveryId,
        renew: bool,
    ) -> sqlx::Result<bool> {
        let Some(message) = message_id(id) else { return Ok(false) };
        let since = if renew { millis(self.raw()) } else { RELEASED };
        let done = sqlx::query(
            "UPDATE ledger_pending SET since = $5 WHERE message = $4 AND consumer = $3
             AND grp = (SELECT id FROM ledger_groups WHERE topic = $1 AND name = $2)",
        )
        .bind(topic)
        .bind(group)
        .bind(consumer)
        .bind(message)
        .bind(since)
        .execute(&mut self.connection)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// False if it was not pending.
    pub async fn acknowledge(&mut self, topic: &str, group: &str, id: &DeliveryId) -> sqlx::Result<bool> {
        let Some(message) = message_id(id) else { return Ok(false) };
        let done = sqlx::query(
            "DELETE FROM ledger_pending WHERE message = $3
             AND grp = (SELECT id FROM ledger_groups WHERE topic = $1 AND name = $2)",
        )
        .bind(topic)
        .bind(group)
        .bind(message)
        .execute(&mut self.connection)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    pub async fn bury(
        &mut self,
        topic: &str,
        group: &str,
        delivery: &Delivery,
        error: &str,
    ) -> sqlx::Result<()> {
        if !self.acknowledge(topic, group, &delivery.id).await? {
            return Ok(());
        }
        sqlx::query("INSERT INTO ledger_dead (topic, grp, payload, error) VALUES ($1, $2, $3, $4)")
            .bind(topic)
            .bind(group)
            .bind(delivery.payload.to_vec())
            .bind(error)
            .execute(&mut self.connection)
            .await
            .map(|_| ())
    }

    /// Takes a dead letter out of the list; none if it is not there.
    pub async fn take_letter(
        &mut self,
        topic: &str,
        group: &str,
        id: &DeliveryId,
    ) -> sqlx::Result<Option<Vec<u8>>> {
        let Some(letter) = message_id(id) else { return Ok(None) };
        sqlx::query_scalar(
            "DELETE FROM ledger_dead WHERE id = $1 AND topic = $2 AND grp = $3 RETURNING payload",
        )
        .bind(letter)
        .bind(topic)
        .bind(group)
        .fetch_optional(&mut self.connection)
        .await
    }

    pub async fn revive(&mut self, topic: &str, group: &str, id: &DeliveryId) -> sqlx::Result<bool> {
        let Some(payload) = self.take_letter(topic, group, id).await? else { return Ok(false) };
        self.publish(&Notice { topic: topic.to_owned(), payload: payload.into() }).await?;
        Ok(true)
    }

    /// Drops up to [`TRIM_STEP`] messages that no group needs any more, and says how many.
    pub async fn trim_some(&mut self, topic: &str) -> sqlx::Result<u64> {
        let first: Option<i64> = sqlx::query_scalar(
            "SELECT min(coalesce((SELECT min(message) FROM ledger_pending WHERE grp = g.id), g.delivered + 1))
             FROM ledger_groups g WHERE g.topic = $1",
        )
        .bind(topic)
        .fetch_one(&mut self.connection)
        .await?;
        let Some(first) = first else { return Ok(0) };
        let done = sqlx::query(
            "DELETE FROM ledger_messages WHERE id IN
             (SELECT id FROM ledger_messages WHERE topic = $1 AND id < $2 ORDER BY id LIMIT $3)",
        )
        .bind(topic)
        .bind(first)
        .bind(TRIM_STEP.cast_signed())
        .execute(&mut self.connection)
        .await?;
        Ok(done.rows_affected())
    }
}

pub(super) async fn dead_letters(
    readers: &SqlitePool,
    topic: &str,
    group: &str,
    limit: usize,
) -> sqlx::Result<Vec<DeadLetter>> {
    let rows: Vec<(i64, Vec<u8>, String)> = sqlx::query_as(
        "SELECT id, payload, error FROM ledger_dead WHERE topic = $1 AND grp = $2 ORDER BY id LIMIT $3",
    )
    .bind(topic)
    .bind(group)
    .bind(count(limit))
    .fetch_all(readers)
    .await?;
    let letter = |(id, payload, error): (i64, Vec<u8>, String)| DeadLetter {
        id: delivery_id(id),
        payload: payload.into(),
        error,
    };
    Ok(rows.into_iter().map(letter).collect())
}

pub(super) async fn groups(readers: &SqlitePool) -> sqlx::Result<Vec<(String, String)>> {
    sqlx::query_as("SELECT topic, name FROM ledger_groups ORDER BY topic, name").fetch_all(readers).await
}

pub(super) async fn lag(readers: &SqlitePool, topic: &str, group: &str) -> sqlx::Result<u64> {
    let lag: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM ledger_messages WHERE topic = $1 AND id >
                    coalesce((SELECT delivered FROM ledger_groups WHERE topic = $1 AND name = $2), 0))
              + (SELECT count(*) FROM ledger_pending WHERE grp =
                    (SELECT id FROM ledger_groups WHERE topic = $1 AND name = $2))",
    )
    .bind(topic)
    .bind(group)
    .fetch_one(readers)
    .await?;
    Ok(lag.unsigned_abs())
}

fn delivery(id: i64, payload: Vec<u8>, attempts: i64) -> Delivery {
    Delivery {
        id: delivery_id(id),
        payload: payload.into(),
        attempt: u32::try_from(attempts).unwrap_or(u32::MAX),
    }
}

fn delivery_id(id: i64) -> DeliveryId {
    DeliveryId { partition: 0, id: id.to_string() }
}

fn message_id(id: &DeliveryId) -> Option<i64> {
    if id.partition == 0 { id.id.parse().ok() } else { None }
}
