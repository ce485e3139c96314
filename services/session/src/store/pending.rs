//! Sign-ins that have begun and are not finished.

use kernel::Timestamp;
use platform::{on, transact};

use super::{Hash, Store, millis, timestamp};
use crate::error::Error;

const ADD: &str = "INSERT INTO pending_sign_ins \
     (id_hash, state_hash, secret, nonce, redirect_uri, poll_at, poll_interval, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const TAKE: &str = "DELETE FROM pending_sign_ins WHERE id_hash = $1 AND state_hash = $2 AND expires_at > $3 \
     RETURNING secret, nonce, redirect_uri, poll_interval, expires_at";
const POLL: &str = "UPDATE pending_sign_ins SET poll_at = $2 + poll_interval \
     WHERE id_hash = $1 AND state_hash = $3 AND expires_at > $2 AND poll_at <= $2 \
     RETURNING secret, nonce, redirect_uri, poll_interval, expires_at";
const SLOW_DOWN: &str = "UPDATE pending_sign_ins SET poll_interval = poll_interval + $2, poll_at = poll_at + $2 WHERE id_hash = $1";
const POLL_AT: &str = "SELECT poll_at FROM pending_sign_ins WHERE id_hash = $1 AND expires_at > $2";
const END: &str = "DELETE FROM pending_sign_ins WHERE id_hash = $1";
const SWEEP: &str = "DELETE FROM pending_sign_ins WHERE expires_at <= $1";

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingSignIn {
    /// PKCE's verifier, or the device code.
    pub secret: String,
    /// What the ID token has to carry; empty for the device flow.
    pub nonce: String,
    /// Where the person comes back to; empty for the device flow.
    pub redirect_uri: String,
    /// How long to wait between two questions to the provider, in milliseconds.
    pub interval: i64,
    /// Until when it can be finished.
    pub expires: Timestamp,
}

/// What asking for a pending sign-in's turn came to.
pub enum Turn {
    /// The provider may be asked now.
    Now(PendingSignIn),
    /// Not before then.
    At(Timestamp),
    /// There is none.
    Unknown,
}

type Row = (String, String, String, i64, i64);

fn pending((secret, nonce, redirect_uri, interval, expires): Row) -> PendingSignIn {
    PendingSignIn { secret, nonce, redirect_uri, interval, expires: timestamp(expires) }
}

impl Store {
    /// Keeps a sign-in that has begun.
    pub async fn begin(
        &self,
        id: Hash,
        state: Hash,
        begun: &PendingSignIn,
        now: Timestamp,
    ) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            let add = sqlx::query(ADD).bind(id.to_vec()).bind(state.to_vec()).bind(&begun.secret);
            let add = add.bind(&begun.nonce).bind(&begun.redirect_uri).bind(millis(now) + begun.interval);
            add.bind(begun.interval).bind(millis(begun.expires)).execute(&mut **tx).await?;
        });
        Ok(())
    }

    /// Takes a sign-in: it can be taken once.
    pub async fn take(&self, id: Hash, state: Hash, now: Timestamp) -> Result<Option<PendingSignIn>, Error> {
        let row: Option<Row> = transact!(&self.db, |tx| sqlx::query_as(TAKE)
            .bind(id.to_vec())
            .bind(state.to_vec())
            .bind(millis(now))
            .fetch_optional(&mut **tx)
            .await?);
        Ok(row.map(pending))
    }

    /// The turn of a terminal's sign-in to ask the provider.
    pub async fn turn(&self, id: Hash, state: Hash, now: Timestamp) -> Result<Turn, Error> {
        let row: Option<Row> = transact!(&self.db, |tx| sqlx::query_as(POLL)
            .bind(id.to_vec())
            .bind(millis(now))
            .bind(state.to_vec())
            .fetch_optional(&mut **tx)
            .await?);
        if let Some(row) = row {
            return Ok(Turn::Now(pending(row)));
        }
        let at: Option<i64> = on!(&self.db, |pool| sqlx::query_scalar(POLL_AT)
            .bind(id.to_vec())
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        Ok(at.map_or(Turn::Unknown, |at| Turn::At(timestamp(at))))
    }

    /// The provider wishes to be asked less often: by so many milliseconds.
    pub async fn slow_down(&self, id: Hash, more: i64) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(SLOW_DOWN).bind(id.to_vec()).bind(more).execute(&mut **tx).await?;
        });
        Ok(())
    }

    /// Drops a sign-in.
    pub async fn end_pending(&self, id: Hash) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(END).bind(id.to_vec()).execute(&mut **tx).await?;
        });
        Ok(())
    }

    /// Drops those that took too long.
    pub async fn sweep_pending(&self, now: Timestamp) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(SWEEP).bind(millis(now)).execute(&mut **tx).await?;
        });
        Ok(())
    }
}
