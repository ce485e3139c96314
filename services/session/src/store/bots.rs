//! Bots: the house's, and those that players own.

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::SessionEndedCause;
use platform::{on, transact};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::{
    ADD_PLAYER, Hash, PLAYER, PlayerRow, Session, Store, Times, Told, millis,
    sessions::{ADD_SESSION, END_ALL, ended_event},
    tell,
};
use crate::{
    error::Error,
    nickname::Nickname,
    player::{Cause, Kind, Player},
};

const NAMESAKE: &str = "SELECT id, secret_hash FROM players WHERE name = $1 AND kind = 3";
const OWNED: &str = "SELECT id FROM players WHERE owner_id = $1 AND deleted_at = 0 ORDER BY name LIMIT 1000";
const NEW_SECRET: &str =
    "UPDATE players SET secret_hash = $3 WHERE owner_id = $1 AND name = $2 AND deleted_at = 0 RETURNING id";

/// What the making of a bot came to.
pub enum Made {
    /// It is there.
    Bot(Player),
    /// The name is somebody else's.
    Taken,
    /// The owner has as many as one may.
    TooMany,
}

impl Store {
    /// The bot with this name, with a new session. `is_house` says whether the secret was that of the house: its bots are made if
    /// need be. None when the name is a person's; an error when the secret is not that of the bot.
    pub async fn sign_in_bot(
        &self,
        name: &Nickname,
        (secret, is_house): (Hash, bool),
        session: Session<'_>,
        now: Timestamp,
    ) -> Result<Option<Player>, Error> {
        let row = transact!(&self.db, |tx| {
            if is_house {
                let add = sqlx::query(ADD_PLAYER).bind(Uuid::new_v4()).bind(name.as_str());
                let add = add.bind(name.skeleton()).bind(name.folded()).bind(Kind::Bot.number());
                let add = add.bind(millis(now)).bind(None::<Vec<u8>>).bind(None::<Uuid>);
                add.bind(None::<Vec<u8>>).execute(&mut **tx).await?;
            }
            let find = sqlx::query_as(NAMESAKE).bind(name.as_str());
            let found: Option<(Uuid, Option<Vec<u8>>)> = find.fetch_optional(&mut **tx).await?;
            let mut row: Option<PlayerRow> = None;
            if let Some((id, hash)) = found {
                // Of the house's bots the store has no hash; their secret opens nobody else's bot.
                if !hash.map_or(is_house, |hash| hash.ct_eq(&secret).into()) {
                    return Err(Error::SecretWrong);
                }
                let player: PlayerRow = sqlx::query_as(PLAYER).bind(id).fetch_one(&mut **tx).await?;
                if player.is_banned(millis(now)) {
                    return Err(player.ban());
                }
                let add = sqlx::query(ADD_SESSION).bind(session.token.session()).bind(id);
                let add = add.bind(session.token.hash().to_vec()).bind(millis(session.expires));
                add.bind(session.token.handle()).bind(millis(now)).execute(&mut **tx).await?;
                row = Some(player);
            } else if !is_house {
                return Err(Error::SecretWrong);
            }
            row
        });
        row.map(Player::try_from).transpose()
    }

    /// Makes a bot of this owner's, or gives the one with this name a new secret.
    pub async fn make_bot(
        &self,
        owner: PlayerId,
        name: &Nickname,
        secret: Hash,
        most: usize,
        times: Times,
    ) -> Result<Made, Error> {
        let (owner, now) = (owner.as_uuid(), millis(times.now));
        let made = transact!(&self.db, |tx| {
            // Locks the owner, so that two calls at once do not pass the limit together.
            sqlx::query("UPDATE players SET revision = revision WHERE id = $1")
                .bind(owner)
                .execute(&mut **tx)
                .await?;
            let renew = sqlx::query_scalar(NEW_SECRET).bind(owner).bind(name.as_str()).bind(secret.to_vec());
            let mut id: Option<Uuid> = renew.fetch_optional(&mut **tx).await?;
            if let Some(id) = id {
                let end = sqlx::query_scalar(END_ALL).bind(id).bind(Cause::Owner.number());
                let ended: Vec<Uuid> = end.fetch_all(&mut **tx).await?;
                if !ended.is_empty() {
                    tell!(tx, Told::of(id, ended_event(SessionEndedCause::Owner), ended, times));
                }
            }
            let mut many = false;
            if id.is_none() {
                let owned: Vec<Uuid> = sqlx::query_scalar(OWNED).bind(owner).fetch_all(&mut **tx).await?;
                many = owned.len() >= most;
            }
            if id.is_none() && !many {
                let new = Uuid::new_v4();
                let add = sqlx::query(ADD_PLAYER).bind(new).bind(name.as_str()).bind(name.skeleton());
                let add = add.bind(name.folded()).bind(Kind::Bot.number()).bind(now).bind(None::<Vec<u8>>);
                let add = add.bind(Some(owner)).bind(Some(secret.to_vec()));
                id = (add.execute(&mut **tx).await?.rows_affected() == 1).then_some(new);
            }
            let mut row: Option<PlayerRow> = None;
            if let Some(id) = id {
                row = Some(sqlx::query_as(PLAYER).bind(id).fetch_one(&mut **tx).await?);
            }
            (row, many)
        });
        Ok(match made {
            (Some(row), _) => Made::Bot(row.try_into()?),
            (None, true) => Made::TooMany,
            (None, false) => Made::Taken,
        })
    }

    /// The bots of this owner, by name.
    pub async fn bots(&self, owner: PlayerId) -> Result<Vec<Player>, Error> {
        let ids: Vec<Uuid> =
            on!(&self.db, |pool| sqlx::query_scalar(OWNED).bind(owner.as_uuid()).fetch_all(pool).await)?;
        let mut bots = Vec::with_capacity(ids.len());
        for id in ids {
            bots.extend(self.player(PlayerId::from_uuid(id)).await?);
        }
        Ok(bots)
    }
}
