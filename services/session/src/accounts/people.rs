//! What players do with their own accounts, and operators with others'.

use std::time::Duration;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::SessionEndedCause;
use platform::status::Violation;
use uuid::Uuid;

use super::{Accounts, free_name, player_id};
use crate::{
    error::Error,
    player::{Listed, Player},
    store::players::{Ban, Renamed},
};

/// The most characters of a ban's reason.
const LONGEST_REASON: usize = 200;

impl Accounts {
    /// Gives a player another name.
    ///
    /// # Errors
    /// [`Error::Name`]; [`Error::NameTaken`]; [`Error::RenamedLately`].
    pub async fn rename(&self, player: PlayerId, name: &str) -> Result<Player, Error> {
        self.rename_after(self.0.args.rename_pause, player, name).await
    }

    /// Gives a player another name for an operator: at once, however short a while ago the last one was given.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`]; [`Error::Name`]; [`Error::NameTaken`].
    pub async fn rename_by_operator(&self, player: &str, name: &str) -> Result<Player, Error> {
        self.rename_after(Duration::ZERO, player_id(player)?, name).await
    }

    async fn rename_after(&self, pause: Duration, player: PlayerId, name: &str) -> Result<Player, Error> {
        let name = free_name("name", name)?;
        let now = self.0.clock.now();
        let current = self.0.store.player(player).await?.ok_or(Error::PlayerNotFound(player))?;
        if current.name == name.as_str() {
            return Ok(current);
        }
        match self.0.store.rename(player, &name, pause, self.times(now)).await? {
            Renamed::Done => {
                self.0.told.notify_one();
                Ok(Player { name: name.as_str().to_owned(), ..current })
            }
            Renamed::Taken => Err(Error::NameTaken { name: name.as_str().to_owned() }),
            Renamed::TooSoon(next) => Err(Error::RenamedLately(next.since(now))),
            Renamed::Gone => Err(Error::PlayerNotFound(player)),
        }
    }

    /// Forgets a player.
    ///
    /// # Errors
    /// [`Error::PlayerNotFound`] when that was done before.
    pub async fn delete(&self, player: PlayerId) -> Result<(), Error> {
        if !self.0.store.forget(player, self.times(self.0.clock.now())).await? {
            return Err(Error::PlayerNotFound(player));
        }
        self.0.told.notify_one();
        tracing::info!(player.id = %player, "an account was deleted");
        Ok(())
    }

    /// A player's sessions.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sessions(&self, player: PlayerId) -> Result<Vec<Listed>, Error> {
        self.0.store.sessions(player, self.0.clock.now()).await
    }

    /// Ends one of a player's sessions, or with an empty text all but `current`.
    ///
    /// # Errors
    /// [`Error::SessionNotFound`].
    pub async fn end_session(
        &self,
        player: PlayerId,
        current: Option<Uuid>,
        session: &str,
    ) -> Result<(), Error> {
        let times = self.times(self.0.clock.now());
        if session.is_empty() {
            let cause = SessionEndedCause::SignedOut;
            self.0.store.end_sessions_but(player, current, cause, times).await?;
        } else {
            let handle = session.parse().map_err(|_| Error::SessionNotFound)?;
            if !self.0.store.end_session(player, handle, times).await? {
                return Err(Error::SessionNotFound);
            }
        }
        self.0.told.notify_one();
        Ok(())
    }

    /// Bans a player for a time, or for good. Returns until when.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`]; [`Error::Ban`].
    pub async fn ban(
        &self,
        operator: PlayerId,
        player: &str,
        duration: Option<Duration>,
        reason: &str,
    ) -> Result<Option<Timestamp>, Error> {
        let player = player_id(player)?;
        let reason = reason.trim();
        let clean = !reason.is_empty() && !reason.chars().any(char::is_control);
        if !clean || reason.chars().count() > LONGEST_REASON {
            let words = "1 to 200 characters on one line, for the player to read";
            return Err(Error::Ban(Violation::new("reason", words)));
        }
        if duration.is_some_and(|duration| duration < Duration::from_secs(1)) {
            return Err(Error::Ban(Violation::new("duration", "at least a second; absent for good")));
        }
        let now = self.0.clock.now();
        let until = duration.map(|duration| now + duration);
        if !self.0.store.ban(player, until, reason, operator, self.times(now)).await? {
            return Err(Error::PlayerNotFound(player));
        }
        self.0.told.notify_one();
        tracing::info!(player.id = %player, %operator, "a player was banned");
        Ok(until)
    }

    /// A player's ban; none if there is none now.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn ban_of(&self, player: PlayerId) -> Result<Option<Ban>, Error> {
        self.0.store.ban_of(player, self.0.clock.now()).await
    }

    /// Lifts a ban.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`].
    pub async fn unban(&self, operator: PlayerId, player: &str) -> Result<(), Error> {
        let player = player_id(player)?;
        if !self.0.store.unban(player, operator, self.times(self.0.clock.now())).await? {
            return Err(Error::PlayerNotFound(player));
        }
        self.0.told.notify_one();
        tracing::info!(player.id = %player, %operator, "a ban was lifted");
        Ok(())
    }

    /// Ends all sessions of a player. Returns how many.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`].
    pub async fn kick(&self, operator: PlayerId, player: &str) -> Result<usize, Error> {
        let player = player_id(player)?;
        self.0.store.player(player).await?.ok_or(Error::PlayerNotFound(player))?;
        let times = self.times(self.0.clock.now());
        let count = self.0.store.end_sessions_but(player, None, SessionEndedCause::Kicked, times).await?;
        self.0.told.notify_one();
        tracing::info!(player.id = %player, %operator, count, "a player was kicked");
        Ok(count)
    }
}
