//! Players: everything about one, and what is done to them.

use nigiri_proto::{
    game::v1::{ListEveryGameRequest, ListGamesRequest},
    matchmaking::v1::{ListTicketsRequest, OpenTicket},
    operator::v1 as api,
    rating::v1::ListPlayerRatingsRequest,
    session::v1 as session,
};
use tonic::Request;

use super::{Answer, Service, message, span};
use crate::{error::Error, peers::Token};

impl Service {
    /// Everything about one player.
    pub(super) async fn player(&self, token: &Token, player: &str) -> Result<api::GetPlayerResponse, Error> {
        let id = || player.to_owned();
        let (mut oversight, mut games, mut ratings) =
            (self.peers.oversight(), self.peers.games(), self.peers.ratings());
        let (mut accounts, mut queue) = (self.peers.accounts(), self.peers.queue());
        let live = ListEveryGameRequest { player_id: id(), page_size: 50, ..ListEveryGameRequest::default() };
        let last = ListGamesRequest { player_id: id(), page_size: 20, ..ListGamesRequest::default() };
        let waiting = ListTicketsRequest { limit: 1_000, ..ListTicketsRequest::default() };
        let (account, rated, live, last, tickets, acts) = tokio::try_join!(
            message(accounts.get_account(token.with(session::GetAccountRequest { player_id: id() }))),
            message(ratings.list_player_ratings(token.with(ListPlayerRatingsRequest { player_id: id() }))),
            message(oversight.list_every_game(token.with(live))),
            message(games.list_games(token.with(last))),
            message(queue.list_tickets(token.with(waiting))),
            self.acts_on(player),
        )?;
        let mine = |ticket: &OpenTicket| ticket.player.as_ref().is_some_and(|seat| seat.player_id == player);
        Ok(api::GetPlayerResponse {
            account: Some(account),
            ratings: rated.ratings,
            live_games: live.games,
            last_games: last.games,
            ticket: tickets.tickets.into_iter().find(mine),
            acts,
        })
    }

    pub(super) async fn kick(
        &self,
        request: Request<api::KickPlayerRequest>,
    ) -> Answer<api::KickPlayerResponse> {
        let asked = self.asked(&request)?;
        let api::KickPlayerRequest { player_id, reason } = request.into_inner();
        let kick = session::KickPlayerRequest { player_id: player_id.clone() };
        asked
            .perform("KickPlayer", &player_id, "", &reason, async |peers, token| {
                let done = message(peers.sessions().kick_player(token.with(kick))).await?;
                Ok(api::KickPlayerResponse { ended_sessions: done.ended_sessions })
            })
            .await
    }

    pub(super) async fn ban(
        &self,
        request: Request<api::BanPlayerRequest>,
    ) -> Answer<api::BanPlayerResponse> {
        let asked = self.asked(&request)?;
        let api::BanPlayerRequest { player_id, duration, reason } = request.into_inner();
        let how = if duration.is_some() { span(duration) } else { "for good".to_owned() };
        let ban = session::BanPlayerRequest {
            player_id: player_id.clone(),
            duration,
            reason: reason.trim().to_owned(),
        };
        asked
            .perform("BanPlayer", &player_id, how, &reason, async |peers, token| {
                let done = message(peers.sessions().ban_player(token.with(ban))).await?;
                Ok(api::BanPlayerResponse { end_time: done.end_time })
            })
            .await
    }

    pub(super) async fn unban(
        &self,
        request: Request<api::UnbanPlayerRequest>,
    ) -> Answer<api::UnbanPlayerResponse> {
        let asked = self.asked(&request)?;
        let api::UnbanPlayerRequest { player_id, reason } = request.into_inner();
        let unban = session::UnbanPlayerRequest { player_id: player_id.clone() };
        asked
            .perform("UnbanPlayer", &player_id, "", &reason, async |peers, token| {
                message(peers.sessions().unban_player(token.with(unban))).await?;
                Ok(api::UnbanPlayerResponse {})
            })
            .await
    }

    pub(super) async fn rename(
        &self,
        request: Request<api::RenamePlayerRequest>,
    ) -> Answer<api::RenamePlayerResponse> {
        let asked = self.asked(&request)?;
        let api::RenamePlayerRequest { player_id, name, reason } = request.into_inner();
        let how = format!("to {name:?}");
        let rename = session::RenameAccountRequest { player_id: player_id.clone(), name };
        asked
            .perform("RenamePlayer", &player_id, how, &reason, async |peers, token| {
                let done = message(peers.accounts().rename_account(token.with(rename))).await?;
                Ok(api::RenamePlayerResponse { name: done.player.unwrap_or_default().name })
            })
            .await
    }
}
