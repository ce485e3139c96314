//! Bots and their owners.

use kernel::PlayerId;

use super::{Accounts, SignedIn, free_name, hash, player_id, random_text};
use crate::{
    error::Error,
    metrics,
    nickname::Nickname,
    player::{Kind, Player},
    store::bots::Made,
    token::RefreshToken,
};

impl Accounts {
    /// Signs in the bot with this name. The house's bots may have reserved names, and are made at the first use.
    ///
    /// # Errors
    /// [`Error::SecretWrong`]; [`Error::Name`]; [`Error::NameTaken`] when a person has the name; [`Error::Banned`].
    pub async fn sign_in_bot(&self, name: &str, secret: &str) -> Result<SignedIn, Error> {
        let name = Nickname::parse(name).map_err(|refusal| Error::Name { field: "name", refusal })?;
        let now = self.0.clock.now();
        let token = RefreshToken::first();
        let proof = (hash(secret), self.is_house(secret));
        let bot = self.0.store.sign_in_bot(&name, proof, self.session(&token, now), now).await?;
        let bot = bot.ok_or_else(|| Error::NameTaken { name: name.as_str().to_owned() })?;
        tracing::debug!(player.id = %bot.id, name = bot.name, "a bot signed in");
        metrics::signed_in("bot");
        self.signed_in(bot, token, now).await
    }

    /// Makes a bot of this owner's, or gives it a new secret. The secret is told here and never again.
    ///
    /// # Errors
    /// [`Error::AccountRequired`]; [`Error::Name`]; [`Error::NameTaken`]; [`Error::TooManyBots`].
    pub async fn create_bot(&self, owner: PlayerId, name: &str) -> Result<(Player, String), Error> {
        let player = self.0.store.player(owner).await?.ok_or(Error::PlayerNotFound(owner))?;
        let may = player.kind == Kind::Member || (player.kind == Kind::Guest && self.0.args.guest_bots);
        if !may || player.deleted {
            return Err(Error::AccountRequired);
        }
        let name = free_name("name", name)?;
        let (secret, most) = (random_text(), self.0.args.bots);
        let times = self.times(self.0.clock.now());
        match self.0.store.make_bot(owner, &name, hash(&secret), most.into(), times).await? {
            Made::Bot(bot) => {
                self.0.told.notify_one();
                Ok((bot, secret))
            }
            Made::Taken => Err(Error::NameTaken { name: name.as_str().to_owned() }),
            Made::TooMany => Err(Error::TooManyBots(most)),
        }
    }

    /// The bots of this owner.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn bots(&self, owner: PlayerId) -> Result<Vec<Player>, Error> {
        self.0.store.bots(owner).await
    }

    /// Forgets a bot of this owner's.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::BotNotFound`].
    pub async fn delete_bot(&self, owner: PlayerId, bot: &str) -> Result<(), Error> {
        let bot = player_id(bot)?;
        let owned = self.0.store.player(bot).await?.is_some_and(|bot| bot.owner == Some(owner));
        if !owned || !self.0.store.forget(bot, self.times(self.0.clock.now())).await? {
            return Err(Error::BotNotFound);
        }
        self.0.told.notify_one();
        Ok(())
    }
}
