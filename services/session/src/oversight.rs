//! What operators see of accounts and do to them: the RPCs of `AccountsService`.

use nigiri_proto::session::v1::{self as api, accounts_service_server::AccountsService};
use platform::{auth::caller, convert::to_proto_time, status::Failure};
use tonic::{Request, Response, Status};

use crate::{accounts::Accounts, error::Error};

/// The RPCs for operators, on the same accounts.
pub struct Oversight(pub Accounts);

#[tonic::async_trait]
impl AccountsService for Oversight {
    async fn get_account(
        &self,
        request: Request<api::GetAccountRequest>,
    ) -> Result<Response<api::GetAccountResponse>, Status> {
        caller(&request)?.operator()?;
        let account = account(&self.0, &request.get_ref().player_id).await;
        Ok(Response::new(account.map_err(Failure::from)?))
    }

    async fn rename_account(
        &self,
        request: Request<api::RenameAccountRequest>,
    ) -> Result<Response<api::RenameAccountResponse>, Status> {
        caller(&request)?.operator()?;
        let api::RenameAccountRequest { player_id, name } = request.get_ref();
        let player = self.0.rename_by_operator(player_id, name).await.map_err(Failure::from)?;
        Ok(Response::new(api::RenameAccountResponse { player: Some(player.into()) }))
    }
}

async fn account(accounts: &Accounts, player: &str) -> Result<api::GetAccountResponse, Error> {
    let player = accounts.player(player).await?;
    let ban = accounts.ban_of(player.id).await?;
    let sessions = accounts.sessions(player.id).await?.into_iter().map(Into::into).collect();
    let bots = accounts.bots(player.id).await?.into_iter().map(Into::into).collect();
    Ok(api::GetAccountResponse {
        player: Some(player.into()),
        banned: ban.is_some(),
        ban_end_time: ban.as_ref().and_then(|ban| ban.until).map(to_proto_time),
        ban_reason: ban.map(|ban| ban.reason).unwrap_or_default(),
        sessions,
        bots,
    })
}
