//! Sessions: begun, rotated, listed and ended.

use std::time::Duration;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::{SessionEndedCause, SessionsEnded, account_notice::Event};
use platform::{on, transact};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::{PLAYER, PlayerRow, Store, Told, millis, tell, timestamp};
use crate::{
    error::Error,
    player::{Cause, Listed, Player},
    token::{RefreshToken, Sealed, SecretHash},
};

pub(super) const ADD_SESSION: &str = "INSERT INTO sessions (id, player_id, secret_hash, expires_at, handle, created_at, rotated_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $6)";
const ROTATE: &str = "UPDATE sessions SET secret_hash = $3, expires_at = $4, previous_hash = $2, sealed = $5, rotated_at = $6 \
     WHERE id = $1 AND secret_hash = $2 AND expires_at > $6 AND ended = 0 \
     AND EXISTS (SELECT 1 FROM players WHERE id = player_id AND banned_until <= $6) RETURNING player_id";
const SESSION: &str = "SELECT player_id, secret_hash, previous_hash, sealed, rotated_at, expires_at, ended FROM sessions WHERE id = $1";
const END_REUSED: &str =
    "UPDATE sessions SET ended = $2 WHERE id = $1 AND ended = 0 RETURNING player_id, COALESCE(handle, id)";
const END_ONE: &str =
    "UPDATE sessions SET ended = $3 WHERE player_id = $1 AND handle = $2 AND ended = 0 RETURNING handle";
pub(super) const END_ALL: &str =
    "UPDATE sessions SET ended = $2 WHERE player_id = $1 AND ended = 0 RETURNING COALESCE(handle, id)";
const END_OTHERS: &str = "UPDATE sessions SET ended = $3 WHERE player_id = $1 AND COALESCE(handle, id) <> $2 AND ended = 0 RETURNING COALESCE(handle, id)";
const HAS: &str = "SELECT handle FROM sessions WHERE player_id = $1 AND handle = $2";
const LIST: &str = "SELECT handle, created_at, rotated_at, expires_at FROM sessions \
     WHERE player_id = $1 AND ended = 0 AND expires_at > $2 AND handle IS NOT NULL ORDER BY rotated_at DESC LIMIT 100";
const SWEEP: &str = "DELETE FROM sessions WHERE expires_at <= $1";

/// A session as it is written: its token's current form, and until when it lasts.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// The token.
    pub token: &'a RefreshToken,
    /// The end, unless it is refreshed before.
    pub expires: Timestamp,
}

/// What a use of a refresh token came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Rotation {
    /// This is the session's token now; the session is this player's.
    Rotated(Player, RefreshToken),
    /// The session is unknown or expired.
    Unknown,
    /// The token was used before; the session is ended.
    Reused,
    /// The session was ended before.
    Ended(Cause),
    /// The player is banned: why, and until when.
    Banned(String, Timestamp),
}

/// The times that a rotation goes by.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The moment.
    pub now: Timestamp,
    /// How long a token that was used gives the same successor again.
    pub grace: Duration,
    /// How long an access token holds.
    pub access_lifetime: Duration,
}

#[derive(sqlx::FromRow)]
pub(super) struct SessionRow {
    pub player_id: Uuid,
    secret_hash: Vec<u8>,
    previous_hash: Option<Vec<u8>>,
    sealed: Option<Vec<u8>>,
    rotated_at: i64,
    expires_at: i64,
    ended: i16,
}

impl SessionRow {
    /// Whether this token is the session's last one.
    fn is_last(&self, used: &RefreshToken) -> bool {
        self.secret_hash.ct_eq(&used.hash()).into()
    }

    /// Whether it is the one before.
    fn is_previous(&self, used: &RefreshToken) -> bool {
        self.previous_hash.as_ref().is_some_and(|previous| previous.ct_eq(&used.hash()).into())
    }

    /// The successor that this token, used shortly before, was given.
    fn successor(&self, used: &RefreshToken, times: Times) -> Option<RefreshToken> {
        let in_grace = timestamp(self.rotated_at) + times.grace > times.now;
        let sealed: Sealed = self.sealed.as_deref()?.try_into().ok()?;
        (in_grace && self.is_previous(used)).then(|| used.unseal(&sealed))
    }

    /// Whether a token proves that its bearer is the session's owner now: what ending an account's guest needs.
    pub fn proves(&self, used: &RefreshToken, times: Times) -> bool {
        let lives = self.ended == 0 && self.expires_at > millis(times.now);
        lives && (self.is_last(used) || self.successor(used, times).is_some())
    }
}

/// Reads a session within a transaction or on a pool.
macro_rules! session_row {
    ($executor:expr, $token:expr) => {
        sqlx::query_as::<_, $crate::store::sessions::SessionRow>($crate::store::sessions::SESSION_ROW)
            .bind($token.session())
            .fetch_optional($executor)
            .await?
    };
}
pub(super) use session_row;
pub(super) const SESSION_ROW: &str = SESSION;

impl Store {
    /// Puts `next` in the place of `used`, if `used` is its session's last token. The one before the last gives the last one again while
    /// its grace lasts. Otherwise ends the session. Of two calls at once with one token, one rotates and the other gets the same.
    pub async fn rotate(
        &self,
        used: &RefreshToken,
        next: Session<'_>,
        times: Times,
    ) -> Result<Rotation, Error> {
        let (old, new): (SecretHash, SecretHash) = (used.hash(), next.token.hash());
        let now = millis(times.now);
        let (player, session) = transact!(&self.db, |tx| {
            let rotate =
                sqlx::query_scalar(ROTATE).bind(used.session()).bind(old.to_vec()).bind(new.to_vec());
            let rotate = rotate.bind(millis(next.expires)).bind(used.seal(next.token).to_vec()).bind(now);
            let rotated: Option<Uuid> = rotate.fetch_optional(&mut **tx).await?;
            let session = match rotated {
                Some(_) => None,
                None => session_row!(&mut **tx, used),
            };
            let player = rotated.or_else(|| session.as_ref().map(|session| session.player_id));
            let mut row: Option<PlayerRow> = None;
            if let Some(player) = player {
                row = Some(sqlx::query_as(PLAYER).bind(player).fetch_one(&mut **tx).await?);
            }
            (row, session)
        });
        let Some(row) = player else { return Ok(Rotation::Unknown) };
        let Some(session) = session else {
            return Ok(Rotation::Rotated(row.try_into()?, next.token.clone()));
        };
        if session.expires_at <= now {
            return Ok(Rotation::Unknown);
        }
        let known = session.is_last(used) || session.is_previous(used);
        if session.ended != 0 {
            // Why it has ended is nobody's business who guesses at tokens.
            let cause = Cause::from_number(session.ended).filter(|cause| known && *cause != Cause::Reused);
            return Ok(cause.map_or(Rotation::Unknown, Rotation::Ended));
        }
        if known && row.banned_until > now {
            return Ok(Rotation::Banned(row.ban_reason, timestamp(row.banned_until)));
        }
        match session.successor(used, times) {
            Some(successor) => Ok(Rotation::Rotated(row.try_into()?, successor)),
            None => self.end_reused(used, times).await,
        }
    }

    async fn end_reused(&self, used: &RefreshToken, times: Times) -> Result<Rotation, Error> {
        let ended = transact!(&self.db, |tx| {
            let end = sqlx::query_as(END_REUSED).bind(used.session()).bind(Cause::Reused.number());
            let ended: Option<(Uuid, Uuid)> = end.fetch_optional(&mut **tx).await?;
            if let Some((player, handle)) = ended {
                let event = ended_event(SessionEndedCause::Reused);
                tell!(tx, Told::of(player, event, vec![handle], times));
            }
            ended
        });
        Ok(if ended.is_some() { Rotation::Reused } else { Rotation::Unknown })
    }

    /// A player's sessions, the last used first.
    pub async fn sessions(&self, player: PlayerId, now: Timestamp) -> Result<Vec<Listed>, Error> {
        let rows: Vec<(Uuid, i64, i64, i64)> = on!(&self.db, |pool| sqlx::query_as(LIST)
            .bind(player.as_uuid())
            .bind(millis(now))
            .fetch_all(pool)
            .await)?;
        let listed = |(handle, created, rotated, expires)| Listed {
            handle,
            created: timestamp(created),
            refreshed: timestamp(rotated),
            expires: timestamp(expires),
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    /// Ends one session of a player. False when there is none with this handle.
    pub async fn end_session(&self, player: PlayerId, handle: Uuid, times: Times) -> Result<bool, Error> {
        let player = player.as_uuid();
        let found = transact!(&self.db, |tx| {
            let end = sqlx::query_scalar(END_ONE).bind(player).bind(handle).bind(Cause::SignedOut.number());
            let ended: Option<Uuid> = end.fetch_optional(&mut **tx).await?;
            if let Some(ended) = ended {
                tell!(tx, Told::of(player, ended_event(SessionEndedCause::SignedOut), vec![ended], times));
            }
            let has = sqlx::query_scalar(HAS).bind(player).bind(handle);
            let has: Option<Uuid> = has.fetch_optional(&mut **tx).await?;
            has.is_some()
        });
        Ok(found)
    }

    /// Ends all sessions of a player but this one. Returns how many.
    pub async fn end_sessions_but(
        &self,
        player: PlayerId,
        kept: Option<Uuid>,
        cause: SessionEndedCause,
        times: Times,
    ) -> Result<usize, Error> {
        let (player, kept) = (player.as_uuid(), kept.unwrap_or_default());
        let number = Cause::of(cause).number();
        let count = transact!(&self.db, |tx| {
            let end = sqlx::query_scalar(END_OTHERS).bind(player).bind(kept).bind(number);
            let ended: Vec<Uuid> = end.fetch_all(&mut **tx).await?;
            let count = ended.len();
            if count > 0 {
                tell!(tx, Told::of(player, ended_event(cause), ended, times));
            }
            count
        });
        Ok(count)
    }

    /// Removes the sessions that have expired. Returns how many.
    pub async fn sweep_sessions(&self, now: Timestamp) -> Result<u64, Error> {
        let swept = transact!(&self.db, |tx| sqlx::query(SWEEP)
            .bind(millis(now))
            .execute(&mut **tx)
            .await?
            .rows_affected());
        Ok(swept)
    }
}

/// Sessions have ended and nothing else.
pub(super) fn ended_event(cause: SessionEndedCause) -> Event {
    Event::SessionsEnded(SessionsEnded { cause: cause.into() })
}

#[cfg(test)]
mod tests {
    use platform::testing::{postgres, sqlite};

    use super::*;
    use crate::nickname::Nickname;

    /// Expired sessions are swept out, to the millisecond, and no others.
    #[tokio::test]
    async fn a_sweep_takes_what_has_expired() {
        let (lite, _folder) = sqlite().await.unwrap();
        let server = postgres().await.unwrap();
        for store in [Store::new(lite), Store::new(server.db.clone())] {
            let (now, name) = (Timestamp::from_millis(1000), Nickname::parse("Honinbo").unwrap());
            let [short, long] = [RefreshToken::first(), RefreshToken::first()];
            for (token, expires) in [(&short, now), (&long, now + Duration::from_millis(1))] {
                let session = Session { token, expires };
                assert!(store.sign_in_bot(&name, ([0; 32], true), session, now).await.unwrap().is_some());
            }
            assert_eq!(store.sweep_sessions(now).await.unwrap(), 1);
            let times = Times { now, grace: Duration::ZERO, access_lifetime: Duration::from_secs(1) };
            let mut found = Vec::new();
            for token in [short, long] {
                let next = token.next();
                let rotated = store.rotate(&token, Session { token: &next, expires: now }, times).await;
                found.push(matches!(rotated.unwrap(), Rotation::Rotated(..)));
            }
            assert_eq!(found, [false, true]);
        }
    }
}
