//! Guests, names, bans and the end of accounts.

use std::time::Duration;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::{
    PlayerBanned, PlayerDeleted, PlayerRenamed, PlayerUnbanned, account_notice::Event,
};
use platform::{convert::to_proto_time, on, transact};
use uuid::Uuid;

use super::{
    ADD_PLAYER, Hash, NEUTRAL_NAME, PLAYER, PlayerRow, Session, Store, Times, Told, millis, no_name,
    sessions::{ADD_SESSION, END_ALL},
    tell, timestamp,
};
use crate::{
    error::Error,
    nickname::Nickname,
    player::{Cause, Kind, Player},
};

/// The guest of a request that came again, if nothing was done with the first answer: the session is replaced.
const SAME_REQUEST: &str = "SELECT id FROM players WHERE request_hash = $1 AND created_at > $2 AND kind = 1";
const RESTART: &str =
    "UPDATE sessions SET ended = 1 WHERE player_id = $1 AND ended = 0 AND previous_hash IS NULL RETURNING id";
const RENAME: &str = "UPDATE players SET name = $2, skeleton = $3, folded = $4, renamed_at = $5 \
     WHERE id = $1 AND deleted_at = 0 AND merged_into IS NULL AND renamed_at <= $6";
const RENAMED_AT: &str = "SELECT renamed_at FROM players WHERE id = $1";
const NAMESAKE: &str = "SELECT id FROM players WHERE (skeleton = $2 OR folded = $3) AND id <> $1";
const NAMED: &str = "SELECT id FROM players WHERE (skeleton = $1 OR folded = $2) AND deleted_at = 0";
const BAN_OF: &str = "SELECT banned_until, ban_reason FROM players WHERE id = $1 AND banned_until > $2";
const BAN: &str = "UPDATE players SET banned_until = $2, ban_reason = $3 \
     WHERE id = $1 AND deleted_at = 0 AND merged_into IS NULL";
/// A bot that is banned for longer already stays so.
const BAN_BOTS: &str = "UPDATE players SET banned_until = $2, ban_reason = $3 \
     WHERE owner_id = $1 AND deleted_at = 0 AND banned_until < $2 RETURNING id";
const BAN_ROW: &str = "SELECT banned_until, ban_reason FROM players WHERE id = $1";
/// Those that were banned together with their owner.
const UNBAN_BOTS: &str = "UPDATE players SET banned_until = 0, ban_reason = '' \
     WHERE owner_id = $1 AND deleted_at = 0 AND banned_until > 0 AND banned_until = $2 AND ban_reason = $3 RETURNING id";
const FORGET: &str = "UPDATE players SET name = $2, skeleton = $2, folded = $2, deleted_at = $3, secret_hash = NULL, \
     request_hash = NULL WHERE id = $1 AND deleted_at = 0 AND merged_into IS NULL";
const FORGET_IDENTITIES: &str = "DELETE FROM identities WHERE player_id = $1";
const BOTS_OF: &str = "SELECT id FROM players WHERE owner_id = $1 AND deleted_at = 0 ORDER BY id";

/// What a rename came to.
pub enum Renamed {
    /// The player has the name now.
    Done,
    /// The name is somebody else's.
    Taken,
    /// The last rename was too short a while ago: when the next may come.
    TooSoon(Timestamp),
    /// The player is no more.
    Gone,
}

/// That a player is out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// Until when; none for good.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: String,
}

impl Store {
    /// Makes a guest under the first of these names that nobody has, with a session; none when all are taken. Of two callers with one
    /// name, one gets it. A request that came before gives its guest again, unless that one is banned.
    pub async fn add_guest(
        &self,
        names: &[Nickname],
        session: Session<'_>,
        request: Option<(Hash, Timestamp)>,
        now: Timestamp,
    ) -> Result<Option<Player>, Error> {
        let (id, kind, created) = (Uuid::new_v4(), Kind::Guest.number(), millis(now));
        let hash = request.map(|(hash, _)| hash.to_vec());
        let player = transact!(&self.db, |tx| {
            let mut player = None;
            for name in names {
                let add = sqlx::query(ADD_PLAYER).bind(id).bind(name.as_str()).bind(name.skeleton());
                let add = add.bind(name.folded()).bind(kind).bind(created).bind(hash.clone());
                let add = add.bind(None::<Uuid>).bind(None::<Vec<u8>>);
                if add.execute(&mut **tx).await?.rows_affected() == 1 {
                    player = Some(id);
                    break;
                }
            }
            // Looked for only when the insertion met something: a request seldom comes twice.
            if let (None, Some((hash, since))) = (player, request) {
                let same = sqlx::query_scalar(SAME_REQUEST).bind(hash.to_vec()).bind(millis(since));
                let same: Option<Uuid> = same.fetch_optional(&mut **tx).await?;
                if let Some(same) = same {
                    let restart = sqlx::query_scalar(RESTART).bind(same);
                    let restarted: Vec<Uuid> = restart.fetch_all(&mut **tx).await?;
                    player = (!restarted.is_empty()).then_some(same);
                }
            }
            let mut row: Option<PlayerRow> = None;
            if let Some(player) = player {
                let add = sqlx::query(ADD_SESSION).bind(session.token.session()).bind(player);
                let add = add.bind(session.token.hash().to_vec()).bind(millis(session.expires));
                add.bind(session.token.handle()).bind(created).execute(&mut **tx).await?;
                let player: PlayerRow = sqlx::query_as(PLAYER).bind(player).fetch_one(&mut **tx).await?;
                // A request that comes again is no way around a ban.
                if player.is_banned(created) {
                    return Err(player.ban());
                }
                row = Some(player);
            }
            row
        });
        player.map(Player::try_from).transpose()
    }

    /// The player with this id; for one who was merged, the one who goes on.
    pub async fn player(&self, id: PlayerId) -> Result<Option<Player>, Error> {
        let mut id = id.as_uuid();
        // Guests are merged into members, and members into nobody: one step, and one to spare.
        for _ in 0..3 {
            let row: Option<PlayerRow> =
                on!(&self.db, |pool| sqlx::query_as(PLAYER).bind(id).fetch_optional(pool).await)?;
            match row {
                Some(PlayerRow { merged_into: Some(into), .. }) => id = into,
                row => return row.map(Player::try_from).transpose(),
            }
        }
        Ok(None)
    }

    /// The player whose name looks like this one.
    pub async fn named(&self, name: &Nickname) -> Result<Option<Player>, Error> {
        let id: Option<Uuid> = on!(&self.db, |pool| {
            sqlx::query_scalar(NAMED).bind(name.skeleton()).bind(name.folded()).fetch_optional(pool).await
        })?;
        match id {
            Some(id) => self.player(PlayerId::from_uuid(id)).await,
            None => Ok(None),
        }
    }

    /// Gives a player another name, if the last rename was at least `pause` ago.
    pub async fn rename(
        &self,
        player: PlayerId,
        name: &Nickname,
        pause: Duration,
        times: Times,
    ) -> Result<Renamed, Error> {
        let (id, now) = (player.as_uuid(), millis(times.now));
        let before = now.saturating_sub(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX));
        let result = self.try_rename(id, name, before, times).await;
        // Somebody else was given the name between the look and the write.
        if let Err(Error::Store(sqlx::Error::Database(error))) = &result
            && error.is_unique_violation()
        {
            return Ok(Renamed::Taken);
        }
        let (taken, renamed) = result?;
        if taken || renamed {
            return Ok(if taken { Renamed::Taken } else { Renamed::Done });
        }
        let last: Option<i64> =
            on!(&self.db, |pool| sqlx::query_scalar(RENAMED_AT).bind(id).fetch_optional(pool).await)?;
        Ok(match last {
            Some(last) if last > before => Renamed::TooSoon(timestamp(last) + pause),
            _ => Renamed::Gone,
        })
    }

    async fn try_rename(
        &self,
        id: Uuid,
        name: &Nickname,
        before: i64,
        times: Times,
    ) -> Result<(bool, bool), Error> {
        let out = transact!(&self.db, |tx| {
            let other = sqlx::query_scalar(NAMESAKE).bind(id).bind(name.skeleton()).bind(name.folded());
            let other: Option<Uuid> = other.fetch_optional(&mut **tx).await?;
            let mut renamed = false;
            if other.is_none() {
                let rename = sqlx::query(RENAME).bind(id).bind(name.as_str()).bind(name.skeleton());
                let rename = rename.bind(name.folded()).bind(millis(times.now)).bind(before);
                renamed = rename.execute(&mut **tx).await?.rows_affected() == 1;
            }
            if renamed {
                let event = Event::Renamed(PlayerRenamed { name: name.as_str().to_owned() });
                tell!(tx, Told::of(id, event, Vec::new(), times));
            }
            (other.is_some(), renamed)
        });
        Ok(out)
    }

    /// Bans a player until then, or for good, and the player's bots as well: they do what their owner wants. False when there is no such player.
    pub async fn ban(
        &self,
        player: PlayerId,
        until: Option<Timestamp>,
        reason: &str,
        operator: PlayerId,
        times: Times,
    ) -> Result<bool, Error> {
        let (id, until_millis) = (player.as_uuid(), until.map_or(i64::MAX, millis));
        let banned = transact!(&self.db, |tx| {
            let ban = sqlx::query(BAN).bind(id).bind(until_millis).bind(reason);
            let banned = ban.execute(&mut **tx).await?.rows_affected() == 1;
            if banned {
                let bots = sqlx::query_scalar(BAN_BOTS).bind(id).bind(until_millis).bind(reason);
                let bots: Vec<Uuid> = bots.fetch_all(&mut **tx).await?;
                for id in std::iter::once(id).chain(bots) {
                    let (end_time, reason) = (until.map(to_proto_time), reason.to_owned());
                    let event = PlayerBanned { end_time, reason, operator_id: operator.to_string() };
                    tell!(tx, Told::of(id, Event::Banned(event), Vec::new(), times));
                }
            }
            banned
        });
        Ok(banned)
    }

    /// A player's ban, if it stands now.
    pub async fn ban_of(&self, player: PlayerId, now: Timestamp) -> Result<Option<Ban>, Error> {
        let row: Option<(i64, String)> = on!(&self.db, |pool| {
            let ban = sqlx::query_as(BAN_OF).bind(player.as_uuid()).bind(millis(now));
            ban.fetch_optional(pool).await
        })?;
        Ok(row.map(|(until, reason)| Ban { until: (until != i64::MAX).then(|| timestamp(until)), reason }))
    }

    /// Lifts a ban, also for the bots that were banned by it. False when there is no such player.
    pub async fn unban(&self, player: PlayerId, operator: PlayerId, times: Times) -> Result<bool, Error> {
        let id = player.as_uuid();
        let found = transact!(&self.db, |tx| {
            let ban: Option<(i64, String)> =
                sqlx::query_as(BAN_ROW).bind(id).fetch_optional(&mut **tx).await?;
            let unban = sqlx::query(BAN).bind(id).bind(0_i64).bind("");
            let found = unban.execute(&mut **tx).await?.rows_affected() == 1;
            if let Some((until, reason)) = ban.filter(|_| found) {
                let bots = sqlx::query_scalar(UNBAN_BOTS).bind(id).bind(until).bind(reason);
                let bots: Vec<Uuid> = bots.fetch_all(&mut **tx).await?;
                for id in std::iter::once(id).chain(bots) {
                    let event = Event::Unbanned(PlayerUnbanned { operator_id: operator.to_string() });
                    tell!(tx, Told::of(id, event, Vec::new(), times));
                }
            }
            found
        });
        Ok(found)
    }

    /// Forgets a player and the player's bots: names, identities, secrets. Their ids stay for the games. False when there was nobody.
    pub async fn forget(&self, player: PlayerId, times: Times) -> Result<bool, Error> {
        let id = player.as_uuid();
        let forgotten = transact!(&self.db, |tx| {
            let bots: Vec<Uuid> = sqlx::query_scalar(BOTS_OF).bind(id).fetch_all(&mut **tx).await?;
            let mut forgotten = false;
            for id in std::iter::once(id).chain(bots) {
                let forget = sqlx::query(FORGET).bind(id).bind(no_name(id)).bind(millis(times.now));
                if forget.execute(&mut **tx).await?.rows_affected() == 1 {
                    forgotten = true;
                    sqlx::query(FORGET_IDENTITIES).bind(id).execute(&mut **tx).await?;
                    let end = sqlx::query_scalar(END_ALL).bind(id).bind(Cause::Deleted.number());
                    let ended: Vec<Uuid> = end.fetch_all(&mut **tx).await?;
                    let event = PlayerDeleted { neutral_name: NEUTRAL_NAME.to_owned() };
                    tell!(tx, Told::of(id, Event::Deleted(event), ended, times));
                }
            }
            forgotten
        });
        Ok(forgotten)
    }
}
