//! Notices for the other services: written in the transaction that they tell of, and taken to the ledger afterwards.

use std::time::Duration;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::{AccountNotice, account_notice::Event};
use platform::{convert::to_proto_time, transact};
use uuid::Uuid;

use super::{Store, millis};
use crate::error::Error;

pub const REVISE: &str = "UPDATE players SET revision = revision + 1 WHERE id = $1 RETURNING revision";
pub const ADD: &str = "INSERT INTO account_notices (id, player_id, revision, created_at, claimed_until, payload) \
     VALUES ($1, $2, $3, $4, 0, $5)";
const CLAIM: &str = "UPDATE account_notices SET claimed_until = $2 WHERE id IN \
     (SELECT id FROM account_notices WHERE claimed_until <= $1 ORDER BY created_at, revision LIMIT 100) \
     AND claimed_until <= $1 RETURNING id, created_at, revision, payload";
const DROP: &str = "DELETE FROM account_notices WHERE id = $1";

/// How long a replica may take to bring what it has claimed to the ledger.
const CLAIM_FOR: Duration = Duration::from_secs(10);

/// A notice that is committed and not yet in the ledger.
#[derive(sqlx::FromRow)]
pub struct Pending {
    /// Its id.
    pub id: Uuid,
    created_at: i64,
    revision: i64,
    /// The encoded [`AccountNotice`].
    pub payload: Vec<u8>,
}

/// What a notice tells, before it has a number.
pub struct Told {
    /// Whom it is about.
    pub player: Uuid,
    /// What happened.
    pub event: Event,
    /// The handles of sessions that it ended.
    pub ended: Vec<Uuid>,
    /// When it happened.
    pub at: Timestamp,
    /// How long an access token holds.
    pub access_lifetime: Duration,
}

impl Told {
    /// The notice with this id and revision.
    pub fn notice(self, id: Uuid, revision: i64) -> AccountNotice {
        AccountNotice {
            notice_id: id.to_string(),
            player_id: PlayerId::from_uuid(self.player).to_string(),
            revision: u64::try_from(revision).unwrap_or(0),
            event_time: Some(to_proto_time(self.at)),
            // A token may be issued by a replica whose clock is a little ahead.
            tokens_expire_time: Some(to_proto_time(self.at + self.access_lifetime + Duration::from_secs(60))),
            ended_session_ids: self.ended.iter().map(ToString::to_string).collect(),
            event: Some(self.event),
        }
    }
}

/// Writes a notice within a transaction.
macro_rules! tell {
    ($tx:expr, $told:expr) => {{
        let told: $crate::store::Told = $told;
        let (id, player, at) = (uuid::Uuid::now_v7(), told.player, $crate::store::millis(told.at));
        let revision: i64 =
            sqlx::query_scalar($crate::store::notices::REVISE).bind(player).fetch_one(&mut **$tx).await?;
        let payload = prost::Message::encode_to_vec(&told.notice(id, revision));
        let add = sqlx::query($crate::store::notices::ADD).bind(id).bind(player).bind(revision).bind(at);
        add.bind(payload).execute(&mut **$tx).await?;
    }};
}
pub(crate) use tell;

impl Store {
    /// Takes notices in hand that nobody else has, oldest first.
    pub async fn claim_notices(&self, now: Timestamp) -> Result<Vec<Pending>, Error> {
        let mut claimed: Vec<Pending> = transact!(&self.db, |tx| sqlx::query_as(CLAIM)
            .bind(millis(now))
            .bind(millis(now + CLAIM_FOR))
            .fetch_all(&mut **tx)
            .await?);
        claimed.sort_by_key(|notice| (notice.created_at, notice.revision, notice.id));
        Ok(claimed)
    }

    /// Drops a notice that is in the ledger.
    pub async fn drop_notice(&self, id: Uuid) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(DROP).bind(id).execute(&mut **tx).await?;
        });
        Ok(())
    }
}
