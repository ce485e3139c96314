//! The other services, called with the operator's own token.

use nigiri_proto::{
    game::v1::{game_service_client::GameServiceClient, oversight_service_client::OversightServiceClient},
    matchmaking::v1::queue_service_client::QueueServiceClient,
    rating::v1::rating_service_client::RatingServiceClient,
    session::v1::{
        accounts_service_client::AccountsServiceClient, session_service_client::SessionServiceClient,
    },
};
use platform::{Context, network::Peer};
use tonic::{
    Request,
    metadata::{Ascii, MetadataValue},
    transport::Channel,
};

/// The other services.
#[derive(Clone)]
pub struct Peers {
    session: Channel,
    game: Channel,
    matchmaking: Channel,
    rating: Channel,
}

/// The token of an operator's call, to be shown to the other services.
#[derive(Clone)]
pub struct Token(Option<MetadataValue<Ascii>>);

impl Token {
    /// The token of a call.
    pub fn of<T>(request: &Request<T>) -> Self {
        Self(request.metadata().get("authorization").cloned())
    }

    /// A request with it.
    pub fn with<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        request
    }
}

impl Peers {
    /// The services at their addresses.
    ///
    /// # Errors
    /// When one has no address.
    pub fn new(context: &Context) -> anyhow::Result<Self> {
        Ok(Self {
            session: context.bare_channel(Peer::Session)?,
            game: context.bare_channel(Peer::Game)?,
            matchmaking: context.bare_channel(Peer::Matchmaking)?,
            rating: context.bare_channel(Peer::Rating)?,
        })
    }

    /// Games for operators.
    pub fn oversight(&self) -> OversightServiceClient<Channel> {
        OversightServiceClient::new(self.game.clone())
    }

    /// Games for everybody.
    pub fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.game.clone())
    }

    /// The queue.
    pub fn queue(&self) -> QueueServiceClient<Channel> {
        QueueServiceClient::new(self.matchmaking.clone())
    }

    /// Accounts for operators.
    pub fn accounts(&self) -> AccountsServiceClient<Channel> {
        AccountsServiceClient::new(self.session.clone())
    }

    /// Accounts: bans and kicks.
    pub fn sessions(&self) -> SessionServiceClient<Channel> {
        SessionServiceClient::new(self.session.clone())
    }

    /// Ratings.
    pub fn ratings(&self) -> RatingServiceClient<Channel> {
        RatingServiceClient::new(self.rating.clone())
    }
}
