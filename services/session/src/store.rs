use kernel::{PlayerId, Timestamp};
use platform::{db::Db, on, transact};
use uuid::Uuid;

use crate::{
    error::Error,
    keys::{Seed, StoredKey},
    nickname::Nickname,
    player::{Kind, Player},
    token::{RefreshToken, SecretHash},
};

const ADD_PLAYER: &str = "INSERT INTO players (id, name, skeleton, folded, kind, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const PLAYER: &str = "SELECT id, name, kind, created_at FROM players WHERE id = $1";
const NAMESAKE: &str = "SELECT id, name, kind, created_at FROM players WHERE name = $1 AND kind = $2";
const ADD_SESSION: &str =
    "INSERT INTO sessions (id, player_id, secret_hash, expires_at) VALUES ($1, $2, $3, $4)";
const ROTATE: &str = "UPDATE sessions SET secret_hash = $3, expires_at = $4 \
     WHERE id = $1 AND secret_hash = $2 AND expires_at > $5 RETURNING player_id";
const END_SESSION: &str = "DELETE FROM sessions WHERE id = $1 RETURNING expires_at";
const SWEEP: &str = "DELETE FROM sessions WHERE expires_at <= $1";
const ADD_KEY: &str =
    "INSERT INTO signing_keys (generation, seed, created_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";
const KEYS: &str = "SELECT seed, created_at FROM signing_keys ORDER BY generation";

/// Players, sessions and keys, on either store.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
}

/// A session as it is written: its token's current form, and until when it lasts.
pub struct Session<'a> {
    /// The token.
    pub token: &'a RefreshToken,
    /// The end, unless it is refreshed before.
    pub expires: Timestamp,
}

/// What a use of a refresh token came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Rotation {
    /// The next token is good now; the session is this player's.
    Rotated(Player),
    /// The session is unknown, expired or ended.
    Unknown,
    /// The token was used before; the session is ended.
    Reused,
}

#[derive(sqlx::FromRow)]
struct PlayerRow {
    id: Uuid,
    name: String,
    kind: i16,
    created_at: i64,
}

impl Store {
    /// The session service's part of this store.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Makes a guest under the first of these names that nobody has, with a session; none when all are taken. Of two callers with one
    /// name, one gets it.
    pub async fn add_guest(
        &self,
        names: &[Nickname],
        session: Session<'_>,
        now: Timestamp,
    ) -> Result<Option<Player>, Error> {
        let (id, kind, created) = (Uuid::new_v4(), Kind::Guest.number(), millis(now));
        let taken = transact!(&self.db, |tx| {
            let mut taken = None;
            for name in names {
                let add = sqlx::query(ADD_PLAYER).bind(id).bind(name.as_str()).bind(name.skeleton());
                let add = add.bind(name.folded()).bind(kind).bind(created);
                if add.execute(&mut **tx).await?.rows_affected() == 1 {
                    let add = sqlx::query(ADD_SESSION).bind(session.token.session()).bind(id);
                    let add = add.bind(session.token.hash().to_vec()).bind(millis(session.expires));
                    add.execute(&mut **tx).await?;
                    taken = Some(name);
                    break;
                }
            }
            taken
        });
        Ok(taken.map(|name| Player {
            id: PlayerId::from_uuid(id),
            name: name.as_str().to_owned(),
            kind: Kind::Guest,
            created: now,
        }))
    }

    /// The bot with this name, made if need be, with a new session; none when the name is somebody else's.
    pub async fn sign_in_bot(
        &self,
        name: &Nickname,
        session: Session<'_>,
        now: Timestamp,
    ) -> Result<Option<Player>, Error> {
        let kind = Kind::Bot.number();
        let row: Option<PlayerRow> = transact!(&self.db, |tx| {
            let add = sqlx::query(ADD_PLAYER).bind(Uuid::new_v4()).bind(name.as_str()).bind(name.skeleton());
            add.bind(name.folded()).bind(kind).bind(millis(now)).execute(&mut **tx).await?;
            let find = sqlx::query_as(NAMESAKE).bind(name.as_str()).bind(kind);
            let row: Option<PlayerRow> = find.fetch_optional(&mut **tx).await?;
            if let Some(row) = &row {
                let add = sqlx::query(ADD_SESSION).bind(session.token.session()).bind(row.id);
                let add = add.bind(session.token.hash().to_vec()).bind(millis(session.expires));
                add.execute(&mut **tx).await?;
            }
            row
        });
        row.map(Player::try_from).transpose()
    }

    /// Puts `next` in the place of `used`, if `used` is its session's last token. Otherwise ends the session. Of two calls at once
    /// with one token, one rotates.
    pub async fn rotate(
        &self,
        used: &RefreshToken,
        next: Session<'_>,
        now: Timestamp,
    ) -> Result<Rotation, Error> {
        let (old, new): (SecretHash, SecretHash) = (used.hash(), next.token.hash());
        let (row, ended) = transact!(&self.db, |tx| {
            let rotate = sqlx::query_scalar(ROTATE).bind(used.session()).bind(old.to_vec());
            let rotate = rotate.bind(new.to_vec()).bind(millis(next.expires)).bind(millis(now));
            let player: Option<Uuid> = rotate.fetch_optional(&mut **tx).await?;
            let (mut row, mut ended): (Option<PlayerRow>, Option<i64>) = (None, None);
            if let Some(player) = player {
                row = Some(sqlx::query_as(PLAYER).bind(player).fetch_one(&mut **tx).await?);
            } else {
                let end = sqlx::query_scalar(END_SESSION).bind(used.session());
                ended = end.fetch_optional(&mut **tx).await?;
            }
            (row, ended)
        });
        Ok(match (row, ended) {
            (Some(row), _) => Rotation::Rotated(row.try_into()?),
            (None, Some(expires)) if expires > millis(now) => Rotation::Reused,
            (None, _) => Rotation::Unknown,
        })
    }

    /// The player with this id.
    pub async fn player(&self, id: PlayerId) -> Result<Option<Player>, Error> {
        let row: Option<PlayerRow> =
            on!(&self.db, |pool| sqlx::query_as(PLAYER).bind(id.as_uuid()).fetch_optional(pool).await)?;
        row.map(Player::try_from).transpose()
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

    /// The signing keys, oldest first.
    pub async fn keys(&self) -> Result<Vec<StoredKey>, Error> {
        let rows: Vec<(Vec<u8>, i64)> = on!(&self.db, |pool| sqlx::query_as(KEYS).fetch_all(pool).await)?;
        let key = |(seed, created)| StoredKey { seed, created: timestamp(created) };
        Ok(rows.into_iter().map(key).collect())
    }

    /// Writes the first signing key, unless there is one.
    pub async fn add_first_key(&self, seed: &Seed, now: Timestamp) -> Result<(), Error> {
        transact!(&self.db, |tx| {
            sqlx::query(ADD_KEY).bind(seed.to_vec()).bind(millis(now)).execute(&mut **tx).await?;
        });
        Ok(())
    }
}

impl TryFrom<PlayerRow> for Player {
    type Error = Error;

    fn try_from(row: PlayerRow) -> Result<Self, Error> {
        Ok(Self {
            id: PlayerId::from_uuid(row.id),
            name: row.name,
            kind: Kind::from_number(row.kind).ok_or(Error::UnknownKind(row.kind))?,
            created: timestamp(row.created_at),
        })
    }
}

fn millis(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use platform::testing::{postgres, sqlite};

    use super::*;

    /// Expired sessions are swept out, to the millisecond, and no others.
    #[tokio::test]
    async fn a_sweep_takes_what_has_expired() {
        let (lite, _folder) = sqlite().await.unwrap();
        let server = postgres().await.unwrap();
        for store in [Store::new(lite), Store::new(server.db.clone())] {
            let (now, name) = (Timestamp::from_millis(1000), Nickname::parse("Honinbo").unwrap());
            let [short, long] = [RefreshToken::first(), RefreshToken::first()];
            for (token, expires) in [(&short, now), (&long, now + Duration::from_millis(1))] {
                let bot = store.sign_in_bot(&name, Session { token, expires }, now).await.unwrap();
                assert!(bot.is_some());
            }
            assert_eq!(store.sweep_sessions(now).await.unwrap(), 1);
            let mut found = Vec::new();
            for token in [short, long] {
                let next = token.next();
                let session = Session { token: &next, expires: now };
                found.push(matches!(store.rotate(&token, session, now).await.unwrap(), Rotation::Rotated(_)));
            }
            assert_eq!(found, [false, true]);
        }
    }
}
