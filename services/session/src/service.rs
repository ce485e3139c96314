use std::time::Duration;

use nigiri_proto::session::v1::{self as api, session_service_server::SessionService};
use platform::{
    auth::caller,
    convert::{from_proto_duration, to_proto_duration, to_proto_time},
    status::Failure,
};
use tonic::{Request, Response, Status};

use crate::{
    accounts::{Accounts, Joining, SignedIn, Tokens},
    error::Error,
    player::{Kind, Listed, Player},
};

type Answer<T> = Result<Response<T>, Status>;

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

/// The answer of a sign-in: all of them have the same two fields.
macro_rules! signed_in {
    ($answer:ident, $signed_in:expr) => {{
        let SignedIn { player, tokens } = $signed_in.map_err(refuse)?;
        Ok(Response::new(api::$answer { player: Some(player.into()), tokens: Some(tokens.into()) }))
    }};
}

#[tonic::async_trait]
impl SessionService for Service {
    async fn sign_in_as_guest(
        &self,
        request: Request<api::SignInAsGuestRequest>,
    ) -> Answer<api::SignInAsGuestResponse> {
        let api::SignInAsGuestRequest { nickname, request_id } = request.get_ref();
        signed_in!(SignInAsGuestResponse, self.accounts.sign_in_guest(nickname, request_id).await)
    }

    async fn refresh_session(
        &self,
        request: Request<api::RefreshSessionRequest>,
    ) -> Answer<api::RefreshSessionResponse> {
        signed_in!(RefreshSessionResponse, self.accounts.refresh(&request.get_ref().refresh_token).await)
    }

    async fn get_sign_in_options(
        &self,
        _: Request<api::GetSignInOptionsRequest>,
    ) -> Answer<api::GetSignInOptionsResponse> {
        let provider = self.accounts.provider();
        let google = !provider.oidc_client_ids.is_empty();
        Ok(Response::new(api::GetSignInOptionsResponse {
            google,
            device: google && provider.oidc_device_client_id.is_some(),
            issuer: if google { provider.oidc_issuer.clone() } else { String::new() },
            client_ids: provider.oidc_client_ids.clone(),
        }))
    }

    async fn sign_in_with_google(
        &self,
        request: Request<api::SignInWithGoogleRequest>,
    ) -> Answer<api::SignInWithGoogleResponse> {
        let api::SignInWithGoogleRequest { id_token, nonce, subject } = request.into_inner();
        let subject = joining(subject);
        signed_in!(SignInWithGoogleResponse, self.accounts.sign_in_vouched(&id_token, &nonce, &subject).await)
    }

    async fn start_sign_in(
        &self,
        request: Request<api::StartSignInRequest>,
    ) -> Answer<api::StartSignInResponse> {
        let begun = self.accounts.start_sign_in(&request.get_ref().redirect_uri).await.map_err(refuse)?;
        Ok(Response::new(api::StartSignInResponse {
            authorization_url: begun.url.into(),
            sign_in_id: begun.id,
            state: begun.state,
            expire_time: Some(to_proto_time(begun.expires)),
        }))
    }

    async fn finish_sign_in(
        &self,
        request: Request<api::FinishSignInRequest>,
    ) -> Answer<api::FinishSignInResponse> {
        let api::FinishSignInRequest { sign_in_id, state, code, subject } = request.into_inner();
        let subject = joining(subject);
        signed_in!(
            FinishSignInResponse,
            self.accounts.finish_sign_in(&sign_in_id, &state, &code, &subject).await
        )
    }

    async fn start_device_sign_in(
        &self,
        _: Request<api::StartDeviceSignInRequest>,
    ) -> Answer<api::StartDeviceSignInResponse> {
        let (code, begun, sign_in_id) = self.accounts.start_device().await.map_err(refuse)?;
        let interval = Duration::from_millis(begun.interval.unsigned_abs());
        Ok(Response::new(api::StartDeviceSignInResponse {
            user_code: code.user_code,
            verification_url: code.verification_url,
            sign_in_id,
            interval: Some(to_proto_duration(interval)),
            expire_time: Some(to_proto_time(begun.expires)),
        }))
    }

    async fn finish_device_sign_in(
        &self,
        request: Request<api::FinishDeviceSignInRequest>,
    ) -> Answer<api::FinishDeviceSignInResponse> {
        let api::FinishDeviceSignInRequest { sign_in_id, subject } = request.into_inner();
        let subject = joining(subject);
        signed_in!(FinishDeviceSignInResponse, self.accounts.finish_device(&sign_in_id, &subject).await)
    }

    async fn sign_in_bot(&self, request: Request<api::SignInBotRequest>) -> Answer<api::SignInBotResponse> {
        let api::SignInBotRequest { name, secret } = request.get_ref();
        signed_in!(SignInBotResponse, self.accounts.sign_in_bot(name, secret).await)
    }

    async fn sign_in_service(
        &self,
        request: Request<api::SignInServiceRequest>,
    ) -> Answer<api::SignInServiceResponse> {
        let api::SignInServiceRequest { service, secret } = request.get_ref();
        let tokens = self.accounts.sign_in_service(service, secret).map_err(refuse)?;
        Ok(Response::new(api::SignInServiceResponse { tokens: Some(tokens.into()) }))
    }

    async fn get_player(&self, request: Request<api::GetPlayerRequest>) -> Answer<api::GetPlayerResponse> {
        caller(&request)?;
        let player = self.accounts.player(&request.get_ref().player_id).await.map_err(refuse)?;
        Ok(Response::new(api::GetPlayerResponse { player: Some(player.into()) }))
    }

    async fn find_player(&self, request: Request<api::FindPlayerRequest>) -> Answer<api::FindPlayerResponse> {
        caller(&request)?;
        let player = self.accounts.named(&request.get_ref().name).await.map_err(refuse)?;
        Ok(Response::new(api::FindPlayerResponse { player: Some(player.into()) }))
    }

    async fn rename_player(
        &self,
        request: Request<api::RenamePlayerRequest>,
    ) -> Answer<api::RenamePlayerResponse> {
        let caller = caller(&request)?.player()?;
        let player = self.accounts.rename(caller, &request.get_ref().name).await.map_err(refuse)?;
        Ok(Response::new(api::RenamePlayerResponse { player: Some(player.into()) }))
    }

    async fn delete_account(
        &self,
        request: Request<api::DeleteAccountRequest>,
    ) -> Answer<api::DeleteAccountResponse> {
        let caller = caller(&request)?.player()?;
        self.accounts.delete(caller).await.map_err(refuse)?;
        Ok(Response::new(api::DeleteAccountResponse {}))
    }

    async fn list_sessions(
        &self,
        request: Request<api::ListSessionsRequest>,
    ) -> Answer<api::ListSessionsResponse> {
        let caller = caller(&request)?;
        let sessions = self.accounts.sessions(caller.player()?).await.map_err(refuse)?;
        let listed = |session: Listed| api::PlayerSession {
            current: caller.session == Some(session.handle),
            ..api::PlayerSession::from(session)
        };
        let sessions = sessions.into_iter().map(listed).collect();
        Ok(Response::new(api::ListSessionsResponse { sessions }))
    }

    async fn end_session(&self, request: Request<api::EndSessionRequest>) -> Answer<api::EndSessionResponse> {
        let caller = caller(&request)?;
        let (player, session) = (caller.player()?, &request.get_ref().session_id);
        self.accounts.end_session(player, caller.session, session).await.map_err(refuse)?;
        Ok(Response::new(api::EndSessionResponse {}))
    }

    async fn create_bot(&self, request: Request<api::CreateBotRequest>) -> Answer<api::CreateBotResponse> {
        let caller = caller(&request)?.player()?;
        let (bot, secret) =
            self.accounts.create_bot(caller, &request.get_ref().name).await.map_err(refuse)?;
        Ok(Response::new(api::CreateBotResponse { bot: Some(bot.into()), secret }))
    }

    async fn list_bots(&self, request: Request<api::ListBotsRequest>) -> Answer<api::ListBotsResponse> {
        let caller = caller(&request)?.player()?;
        let bots = self.accounts.bots(caller).await.map_err(refuse)?;
        Ok(Response::new(api::ListBotsResponse { bots: bots.into_iter().map(Into::into).collect() }))
    }

    async fn delete_bot(&self, request: Request<api::DeleteBotRequest>) -> Answer<api::DeleteBotResponse> {
        let caller = caller(&request)?.player()?;
        self.accounts.delete_bot(caller, &request.get_ref().bot_id).await.map_err(refuse)?;
        Ok(Response::new(api::DeleteBotResponse {}))
    }

    async fn ban_player(&self, request: Request<api::BanPlayerRequest>) -> Answer<api::BanPlayerResponse> {
        let operator = caller(&request)?.operator()?;
        let api::BanPlayerRequest { player_id, duration, reason } = request.get_ref();
        let duration = duration.map(from_proto_duration);
        let until = self.accounts.ban(operator, player_id, duration, reason).await.map_err(refuse)?;
        Ok(Response::new(api::BanPlayerResponse { end_time: until.map(to_proto_time) }))
    }

    async fn unban_player(
        &self,
        request: Request<api::UnbanPlayerRequest>,
    ) -> Answer<api::UnbanPlayerResponse> {
        let operator = caller(&request)?.operator()?;
        self.accounts.unban(operator, &request.get_ref().player_id).await.map_err(refuse)?;
        Ok(Response::new(api::UnbanPlayerResponse {}))
    }

    async fn kick_player(&self, request: Request<api::KickPlayerRequest>) -> Answer<api::KickPlayerResponse> {
        let operator = caller(&request)?.operator()?;
        let count = self.accounts.kick(operator, &request.get_ref().player_id).await.map_err(refuse)?;
        let ended_sessions = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Response::new(api::KickPlayerResponse { ended_sessions }))
    }

    async fn rotate_keys(&self, request: Request<api::RotateKeysRequest>) -> Answer<api::RotateKeysResponse> {
        caller(&request)?.operator()?;
        self.accounts.rotate_keys(request.get_ref().withdraw_old).await.map_err(refuse)?;
        Ok(Response::new(api::RotateKeysResponse {}))
    }

    async fn get_keys(&self, _: Request<api::GetKeysRequest>) -> Answer<api::GetKeysResponse> {
        Ok(Response::new(api::GetKeysResponse { jwks: self.accounts.jwks().to_string() }))
    }
}

fn joining(subject: Option<api::SignInSubject>) -> Joining {
    let api::SignInSubject { guest_refresh_token, nickname, request_id } = subject.unwrap_or_default();
    Joining { guest: guest_refresh_token, nickname, request: request_id }
}

fn refuse(error: Error) -> Status {
    Failure::from(error).into()
}

impl From<Listed> for api::PlayerSession {
    fn from(session: Listed) -> Self {
        Self {
            id: session.handle.to_string(),
            create_time: Some(to_proto_time(session.created)),
            refresh_time: Some(to_proto_time(session.refreshed)),
            expire_time: Some(to_proto_time(session.expires)),
            current: false,
        }
    }
}

impl From<Player> for api::Player {
    fn from(player: Player) -> Self {
        let kind = match player.kind {
            Kind::Guest => api::PlayerKind::Guest,
            Kind::Member => api::PlayerKind::Member,
            Kind::Bot => api::PlayerKind::Bot,
        };
        Self {
            id: player.id.to_string(),
            name: player.name,
            kind: kind.into(),
            create_time: Some(to_proto_time(player.created)),
            owner_id: player.owner.map(|owner| owner.to_string()).unwrap_or_default(),
            deleted: player.deleted,
        }
    }
}

impl From<Tokens> for api::Tokens {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access,
            access_expire_time: Some(to_proto_time(tokens.access_expires)),
            refresh_token: tokens.refresh.map(|token| token.expose()).unwrap_or_default(),
        }
    }
}
