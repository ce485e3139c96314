use nigiri_proto::session::v1::{
    GetKeysRequest, GetKeysResponse, GetPlayerRequest, GetPlayerResponse, Player as ProtoPlayer, PlayerKind,
    RefreshSessionRequest, RefreshSessionResponse, SignInAsGuestRequest, SignInAsGuestResponse,
    SignInBotRequest, SignInBotResponse, SignInServiceRequest, SignInServiceResponse, Tokens as ProtoTokens,
    session_service_server::SessionService,
};
use platform::{auth::caller, convert::to_proto_time, status::Failure};
use tonic::{Request, Response, Status};

use crate::{
    accounts::{Accounts, Tokens},
    error::Error,
    player::{Kind, Player},
};

/// The RPCs.
pub struct Service {
    accounts: Accounts,
}

impl Service {
    /// The RPCs on these accounts.
    pub fn new(accounts: Accounts) -> Self {
        Self { accounts }
    }
}

#[tonic::async_trait]
impl SessionService for Service {
    async fn sign_in_as_guest(
        &self,
        request: Request<SignInAsGuestRequest>,
    ) -> Result<Response<SignInAsGuestResponse>, Status> {
        let guest = self.accounts.sign_in_guest(&request.get_ref().nickname).await.map_err(refuse)?;
        let (player, tokens) = (Some(guest.player.into()), Some(guest.tokens.into()));
        Ok(Response::new(SignInAsGuestResponse { player, tokens }))
    }

    async fn refresh_session(
        &self,
        request: Request<RefreshSessionRequest>,
    ) -> Result<Response<RefreshSessionResponse>, Status> {
        let session = self.accounts.refresh(&request.get_ref().refresh_token).await.map_err(refuse)?;
        let (player, tokens) = (Some(session.player.into()), Some(session.tokens.into()));
        Ok(Response::new(RefreshSessionResponse { player, tokens }))
    }

    async fn sign_in_bot(
        &self,
        request: Request<SignInBotRequest>,
    ) -> Result<Response<SignInBotResponse>, Status> {
        let SignInBotRequest { name, secret } = request.get_ref();
        let bot = self.accounts.sign_in_bot(name, secret).await.map_err(refuse)?;
        let (player, tokens) = (Some(bot.player.into()), Some(bot.tokens.into()));
        Ok(Response::new(SignInBotResponse { player, tokens }))
    }

    async fn sign_in_service(
        &self,
        request: Request<SignInServiceRequest>,
    ) -> Result<Response<SignInServiceResponse>, Status> {
        let SignInServiceRequest { service, secret } = request.get_ref();
        let tokens = self.accounts.sign_in_service(service, secret).map_err(refuse)?;
        Ok(Response::new(SignInServiceResponse { tokens: Some(tokens.into()) }))
    }

    async fn get_player(
        &self,
        request: Request<GetPlayerRequest>,
    ) -> Result<Response<GetPlayerResponse>, Status> {
        caller(&request)?;
        let player = self.accounts.player(&request.get_ref().player_id).await.map_err(refuse)?;
        Ok(Response::new(GetPlayerResponse { player: Some(player.into()) }))
    }

    async fn get_keys(&self, _: Request<GetKeysRequest>) -> Result<Response<GetKeysResponse>, Status> {
        Ok(Response::new(GetKeysResponse { jwks: self.accounts.jwks().to_string() }))
    }
}

fn refuse(error: Error) -> Status {
    Failure::from(error).into()
}

impl From<Player> for ProtoPlayer {
    fn from(player: Player) -> Self {
        let kind = match player.kind {
            Kind::Guest => PlayerKind::Guest,
            Kind::Member => PlayerKind::Member,
            Kind::Bot => PlayerKind::Bot,
        };
        Self {
            id: player.id.to_string(),
            name: player.name,
            kind: kind.into(),
            create_time: Some(to_proto_time(player.created)),
        }
    }
}

impl From<Tokens> for ProtoTokens {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access,
            access_expire_time: Some(to_proto_time(tokens.access_expires)),
            refresh_token: tokens.refresh.map(|token| token.expose()).unwrap_or_default(),
        }
    }
}
