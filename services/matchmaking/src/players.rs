//! The session service, as matchmaking needs it: who has a name.

use std::time::Duration;

use kernel::PlayerId;
use nigiri_proto::session::v1::{
    FindPlayerRequest, GetPlayerRequest, Player as Account, PlayerKind,
    session_service_client::SessionServiceClient,
};
use platform::network::ServiceChannel;
use tonic::{Code, Status};

use crate::{
    challenge::Party,
    error::Error,
    ticket::{Owner, Player},
};

/// A call that takes longer is given up.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The session service.
#[derive(Clone)]
pub struct Players(SessionServiceClient<ServiceChannel>);

impl Players {
    /// The session service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self(SessionServiceClient::new(channel))
    }

    /// The player who has this name now. A bot of the house is none: it plays by `StartAiGame`.
    ///
    /// # Errors
    /// [`Error::NoSuchPlayer`], [`Error::SessionAway`].
    pub async fn named(&self, name: &str) -> Result<Party, Error> {
        let mut client = self.0.clone();
        let request = FindPlayerRequest { name: name.to_owned() };
        let answer = in_time(client.find_player(request)).await?.player;
        answer.and_then(party).ok_or(Error::NoSuchPlayer)
    }

    /// The player with this id.
    ///
    /// # Errors
    /// [`Error::NoSuchPlayer`], [`Error::SessionAway`].
    pub async fn with_id(&self, id: &str) -> Result<Party, Error> {
        let mut client = self.0.clone();
        let request = GetPlayerRequest { player_id: id.to_owned() };
        let answer = in_time(client.get_player(request)).await?.player;
        answer.and_then(party).ok_or(Error::NoSuchPlayer)
    }
}

impl Players {
    /// Who owns a bot; none for a bot of the house, and when that cannot be told.
    pub async fn owner_of(&self, bot: PlayerId) -> Option<Owner> {
        let account = self.account(bot).await?;
        let id: PlayerId = account.owner_id.parse().ok()?;
        let owner = self.account(id).await?;
        Some(Owner { id, name: owner.name.into() })
    }

    /// The bot that has this name, or one that looks like it.
    ///
    /// # Errors
    /// [`Error::NoSuchBot`], also when it is a person's; [`Error::SessionAway`].
    pub async fn bot_named(&self, name: &str) -> Result<PlayerId, Error> {
        let mut client = self.0.clone();
        let request = FindPlayerRequest { name: name.to_owned() };
        let account = match in_time(client.find_player(request)).await {
            Ok(answer) => answer.player,
            Err(Error::NoSuchPlayer) => None,
            Err(error) => return Err(error),
        };
        let bot = account.filter(|account| account.kind() == PlayerKind::Bot && !account.deleted);
        bot.and_then(|bot| bot.id.parse().ok()).ok_or(Error::NoSuchBot)
    }

    async fn account(&self, player: PlayerId) -> Option<Account> {
        let mut client = self.0.clone();
        let request = GetPlayerRequest { player_id: player.to_string() };
        in_time(client.get_player(request)).await.ok()?.player
    }
}

async fn in_time<T>(call: impl Future<Output = Result<tonic::Response<T>, Status>>) -> Result<T, Error> {
    match tokio::time::timeout(TIMEOUT, call).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) if matches!(status.code(), Code::NotFound | Code::InvalidArgument) => {
            Err(Error::NoSuchPlayer)
        }
        Ok(Err(status)) => {
            tracing::warn!(%status, "the session service does not say who a player is");
            Err(Error::SessionAway)
        }
        Err(_) => Err(Error::SessionAway),
    }
}

fn party(account: Account) -> Option<Party> {
    let bot = account.kind() == PlayerKind::Bot;
    if account.deleted || (bot && account.owner_id.is_empty()) {
        return None;
    }
    let guest = account.kind() == PlayerKind::Guest;
    let player = Player { id: account.id.parse().ok()?, name: account.name.into(), guest };
    Some(Party { player, bot })
}
