//! Members: whom an identity provider vouches for, and what becomes of the guest who signs in.

use kernel::PlayerId;
use nigiri_proto::events::v1::{PlayerMerged, PlayerUpgraded, account_notice::Event};
use platform::{on, transact};
use uuid::Uuid;

use super::{
    ADD_PLAYER, Hash, PLAYER, PlayerRow, Session, Store, Times, Told, millis, no_name,
    sessions::{ADD_SESSION, END_ALL, session_row},
    tell,
};
use crate::{
    error::Error,
    nickname::Nickname,
    player::{Cause, Kind, Player},
    token::RefreshToken,
};

const USE_NONCE: &str = "INSERT INTO used_nonces (nonce_hash, request_hash, expires_at) VALUES ($1, $2, $3) \
     ON CONFLICT (nonce_hash) DO UPDATE SET expires_at = $3 WHERE used_nonces.request_hash = $2 AND $4 RETURNING expires_at";
const MEMBER: &str = "SELECT player_id FROM identities WHERE issuer = $1 AND subject = $2";
const ADD_IDENTITY: &str =
    "INSERT INTO identities (issuer, subject, player_id, created_at) VALUES ($1, $2, $3, $4)";
const UPGRADE: &str = "UPDATE players SET kind = 2, request_hash = NULL WHERE id = $1 AND kind = 1 \
     AND deleted_at = 0 AND merged_into IS NULL";
const MERGE: &str = "UPDATE players SET merged_into = $2, name = $3, skeleton = $3, folded = $3, request_hash = NULL \
     WHERE id = $1 AND kind = 1 AND deleted_at = 0 AND merged_into IS NULL";
const MOVE_BOTS: &str = "UPDATE players SET owner_id = $2 WHERE owner_id = $1";
const END_SESSION: &str = "UPDATE sessions SET ended = $2 WHERE id = $1 AND ended = 0";
const SUBJECTS: &str = "SELECT subject FROM identities WHERE player_id = $1 AND issuer = $2";
const SWEEP_NONCES: &str = "DELETE FROM used_nonces WHERE expires_at <= $1";

/// Somebody whom the provider vouches for.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// Whom it means: its `sub`.
    pub subject: String,
    /// Hashes of the ID token's nonce and of the request that shows it; none where the nonce was ours and is used up already.
    pub proof: Option<(Hash, Option<Hash>)>,
    /// Until when the ID token could be shown again.
    pub expires: kernel::Timestamp,
}

/// Who has signed in, and what became of the guest.
#[derive(Debug)]
pub enum Joined {
    /// A new member.
    Made(Player),
    /// The guest has become the member.
    Upgraded(Player),
    /// A member from before.
    Known(Player),
    /// Likewise, and the guest is part of them now.
    Merged(Player),
    /// None of the names was free.
    NamesTaken,
}

impl Store {
    /// Signs a member in with a new session: one transaction, so that two devices that come first at the same time are one player.
    ///
    /// # Errors
    /// [`Error::IdTokenUsed`]; [`Error::RefreshTokenInvalid`] for a guest's token that proves nothing; [`Error::Banned`].
    pub async fn join(
        &self,
        identity: &Identity,
        guest: Option<&RefreshToken>,
        names: &[Nickname],
        session: Session<'_>,
        times: Times,
    ) -> Result<Joined, Error> {
        let first = self.try_join(identity, guest, names, session, times).await;
        match first {
            // Another device has made the same member in this instant: it is known now.
            Err(Error::Store(sqlx::Error::Database(error))) if error.is_unique_violation() => {
                self.try_join(identity, guest, names, session, times).await
            }
            result => result,
        }
    }

    /// The guest and the member who would become one by a sign-in.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn merging(
        &self,
        identity: &Identity,
        guest: &RefreshToken,
        times: Times,
    ) -> Result<Option<(PlayerId, PlayerId)>, Error> {
        Ok(transact!(&self.db, |tx| {
            let find = sqlx::query_scalar(MEMBER).bind(&identity.issuer).bind(&identity.subject);
            let member: Option<Uuid> = find.fetch_optional(&mut **tx).await?;
            let guest = session_row!(&mut **tx, guest).filter(|row| row.proves(guest, times));
            let both = guest.map(|row| row.player_id).zip(member).filter(|(guest, member)| guest != member);
            both.map(|(guest, member)| (PlayerId::from_uuid(guest), PlayerId::from_uuid(member)))
        }))
    }

    async fn try_join(
        &self,
        identity: &Identity,
        guest: Option<&RefreshToken>,
        names: &[Nickname],
        session: Session<'_>,
        times: Times,
    ) -> Result<Joined, Error> {
        let now = millis(times.now);
        let joined = transact!(&self.db, |tx| {
            if let Some((nonce, request)) = identity.proof {
                let using = sqlx::query_scalar(USE_NONCE).bind(nonce.to_vec());
                let using = using.bind(request.unwrap_or_default().to_vec()).bind(millis(identity.expires));
                let used: Option<i64> = using.bind(request.is_some()).fetch_optional(&mut **tx).await?;
                if used.is_none() {
                    return Err(Error::IdTokenUsed);
                }
            }
            let find = sqlx::query_scalar(MEMBER).bind(&identity.issuer).bind(&identity.subject);
            let member: Option<Uuid> = find.fetch_optional(&mut **tx).await?;
            let mut guest_row: Option<PlayerRow> = None;
            if let Some(token) = guest {
                let row = session_row!(&mut **tx, token).filter(|row| row.proves(token, times));
                let Some(row) = row else { return Err(Error::RefreshTokenInvalid) };
                let row: PlayerRow = sqlx::query_as(PLAYER).bind(row.player_id).fetch_one(&mut **tx).await?;
                if row.is_banned(now) {
                    return Err(row.ban());
                }
                // A device that is signed in as the same member already only begins another session.
                if row.kind == Kind::Guest.number() {
                    guest_row = Some(row);
                } else if member != Some(row.id) {
                    return Err(Error::RefreshTokenInvalid);
                }
            }
            let (player, how) = match (member, guest_row) {
                (Some(member), None) => (member, How::Known),
                (Some(member), Some(guest)) => {
                    let row: PlayerRow = sqlx::query_as(PLAYER).bind(member).fetch_one(&mut **tx).await?;
                    let merge = sqlx::query(MERGE).bind(guest.id).bind(member).bind(no_name(guest.id));
                    if merge.execute(&mut **tx).await?.rows_affected() == 0 {
                        return Err(Error::RefreshTokenInvalid);
                    }
                    sqlx::query(MOVE_BOTS).bind(guest.id).bind(member).execute(&mut **tx).await?;
                    let end = sqlx::query_scalar(END_ALL).bind(guest.id).bind(Cause::Merged.number());
                    let ended: Vec<Uuid> = end.fetch_all(&mut **tx).await?;
                    let into_player_id = kernel::PlayerId::from_uuid(member).to_string();
                    let event = Event::Merged(PlayerMerged { into_player_id, into_name: row.name });
                    tell!(tx, Told::of(guest.id, event, ended, times));
                    (member, How::Merged)
                }
                (None, Some(guest)) => {
                    if sqlx::query(UPGRADE).bind(guest.id).execute(&mut **tx).await?.rows_affected() == 0 {
                        return Err(Error::RefreshTokenInvalid);
                    }
                    let event = Event::Upgraded(PlayerUpgraded { name: guest.name });
                    tell!(tx, Told::of(guest.id, event, Vec::new(), times));
                    (guest.id, How::Upgraded)
                }
                (None, None) => {
                    let (id, kind) = (Uuid::new_v4(), Kind::Member.number());
                    let mut made = false;
                    for name in names {
                        let add = sqlx::query(ADD_PLAYER).bind(id).bind(name.as_str());
                        let add = add.bind(name.skeleton()).bind(name.folded()).bind(kind).bind(now);
                        let add = add.bind(None::<Vec<u8>>).bind(None::<Uuid>).bind(None::<Vec<u8>>);
                        made = add.execute(&mut **tx).await?.rows_affected() == 1;
                        if made {
                            break;
                        }
                    }
                    if !made {
                        return Ok(Joined::NamesTaken);
                    }
                    (id, How::Made)
                }
            };
            if member.is_none() {
                let add = sqlx::query(ADD_IDENTITY).bind(&identity.issuer).bind(&identity.subject);
                add.bind(player).bind(now).execute(&mut **tx).await?;
            }
            // The session of the token that was shown goes on as the new one.
            if let Some(token) = guest {
                let end = sqlx::query(END_SESSION).bind(token.session()).bind(Cause::SignedOut.number());
                end.execute(&mut **tx).await?;
            }
            let row: PlayerRow = sqlx::query_as(PLAYER).bind(player).fetch_one(&mut **tx).await?;
            if row.is_banned(now) {
                return Err(row.ban());
            }
            let add = sqlx::query(ADD_SESSION).bind(session.token.session()).bind(player);
            let add = add.bind(session.token.hash().to_vec()).bind(millis(session.expires));
            add.bind(session.token.handle()).bind(now).execute(&mut **tx).await?;
            (row, how)
        });
        let (row, how) = joined;
        let player = Player::try_from(row)?;
        Ok(match how {
            How::Made => Joined::Made(player),
            How::Upgraded => Joined::Upgraded(player),
            How::Known => Joined::Known(player),
            How::Merged => Joined::Merged(player),
        })
    }

    /// By which of the issuer's subjects a player signs in.
    pub async fn subjects(&self, player: kernel::PlayerId, issuer: &str) -> Result<Vec<String>, Error> {
        Ok(on!(&self.db, |pool| sqlx::query_scalar(SUBJECTS)
            .bind(player.as_uuid())
            .bind(issuer)
            .fetch_all(pool)
            .await)?)
    }

    /// Removes what kept ID tokens that have expired from being used again.
    pub async fn sweep_nonces(&self, now: kernel::Timestamp) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(SWEEP_NONCES).bind(millis(now)).execute(&mut **tx).await?;
        });
        Ok(())
    }
}

enum How {
    Made,
    Upgraded,
    Known,
    Merged,
}
