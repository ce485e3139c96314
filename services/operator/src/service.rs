//! The RPCs: parse, call, convert.

mod players;
mod system;

use std::{future::Future, time::Duration};

use nigiri_proto::{
    game::v1 as game,
    matchmaking::v1 as queue,
    operator::v1::{self as api, operator_service_server::OperatorService},
    rating::v1 as rating,
};
use platform::{Context, auth::caller, convert::from_proto_duration};
use tonic::{Request, Response, Status, codegen::BoxStream};

use crate::{
    audit::{Audit, Deed, Operator},
    error::Error,
    overview::overview,
    peers::{Peers, Token},
    request,
    store::{Filter, START, Store},
};

/// Acts that are shown with a game or a player.
const RECENT_ACTS: i64 = 50;

type Answer<T> = Result<Response<T>, Status>;

/// The RPCs.
pub struct Service {
    store: Store,
    peers: Peers,
    audit: Audit,
    context: Context,
}

/// An act that is being asked for: who asks, and with which token.
struct Asked<'a> {
    service: &'a Service,
    operator: Operator,
    token: Token,
}

impl Asked<'_> {
    /// Does it, and writes it down. `how` is told in the audit log.
    async fn perform<T>(
        self,
        act: &'static str,
        target: &str,
        how: impl Into<String>,
        reason: &str,
        doing: impl AsyncFnOnce(&Peers, &Token) -> Result<T, Error>,
    ) -> Answer<T> {
        let reason = request::reason(reason)?;
        let deed = Deed { act, target: target.trim().to_owned(), detail: how.into(), reason };
        let Self { service, operator, token } = self;
        let done = service.audit.perform(&operator, deed, doing(&service.peers, &token)).await?;
        Ok(Response::new(done))
    }
}

impl Service {
    /// The RPCs on these parts.
    pub fn new(store: Store, peers: Peers, audit: Audit, context: Context) -> Self {
        Self { store, peers, audit, context }
    }

    /// The operator who calls.
    fn asked<T>(&self, request: &Request<T>) -> Result<Asked<'_>, Error> {
        let identity = caller(request)?;
        let operator = Operator { id: identity.operator()?, name: identity.name.clone() };
        Ok(Asked { service: self, operator, token: Token::of(request) })
    }

    /// The last acts on something.
    async fn acts_on(&self, target: &str) -> Result<Vec<api::Act>, Error> {
        let filter = Filter { operator: None, target: target.to_owned() };
        let acts = self.store.acts(&filter, START, RECENT_ACTS).await?;
        Ok(acts.into_iter().map(|(_, act)| act).collect())
    }
}

/// The message of an answer.
async fn message<T>(answer: impl Future<Output = Result<Response<T>, Status>>) -> Result<T, Error> {
    Ok(answer.await?.into_inner())
}

/// How long, in words.
fn span(time: Option<prost_types::Duration>) -> String {
    let time = time.map(from_proto_duration).unwrap_or_default();
    humantime::format_duration(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
        .to_string()
}

#[tonic::async_trait]
impl OperatorService for Service {
    async fn get_overview(
        &self,
        request: Request<api::GetOverviewRequest>,
    ) -> Answer<api::GetOverviewResponse> {
        let token = self.asked(&request)?.token;
        Ok(Response::new(overview(&self.store, &self.peers, &token, &self.context).await))
    }

    async fn list_live_games(
        &self,
        request: Request<api::ListLiveGamesRequest>,
    ) -> Answer<api::ListLiveGamesResponse> {
        let token = self.asked(&request)?.token;
        let api::ListLiveGamesRequest { player_id, preset, board_size, rated, page_size, page_token } =
            request.into_inner();
        let asked =
            game::ListEveryGameRequest { player_id, preset, board_size, rated, page_size, page_token };
        let page = message(self.peers.oversight().list_every_game(token.with(asked))).await?;
        let game::ListEveryGameResponse { games, next_page_token, .. } = page;
        Ok(Response::new(api::ListLiveGamesResponse { games, next_page_token }))
    }

    async fn list_tickets(
        &self,
        request: Request<api::ListTicketsRequest>,
    ) -> Answer<api::ListTicketsResponse> {
        let token = self.asked(&request)?.token;
        let api::ListTicketsRequest { preset, rated, limit } = request.into_inner();
        let asked = queue::ListTicketsRequest { preset, rated, limit };
        let queue::ListTicketsResponse { tickets, total, .. } =
            message(self.peers.queue().list_tickets(token.with(asked))).await?;
        Ok(Response::new(api::ListTicketsResponse { tickets, total }))
    }

    async fn get_game(&self, request: Request<api::GetGameRequest>) -> Answer<api::GetGameResponse> {
        let token = self.asked(&request)?.token;
        let game_id = request.into_inner().game_id;
        let asked = game::GetGameStateRequest { game_id: game_id.clone() };
        let state = message(self.peers.oversight().get_game_state(token.with(asked))).await?;
        let game::GetGameStateResponse { snapshot, record, watchers, streams } = state;
        let acts = self.acts_on(&game_id).await?;
        Ok(Response::new(api::GetGameResponse { snapshot, record, watchers, acts, streams }))
    }

    async fn get_player(&self, request: Request<api::GetPlayerRequest>) -> Answer<api::GetPlayerResponse> {
        let token = self.asked(&request)?.token;
        Ok(Response::new(self.player(&token, &request.get_ref().player_id).await?))
    }

    async fn adjudicate_game(
        &self,
        request: Request<api::AdjudicateGameRequest>,
    ) -> Answer<api::AdjudicateGameResponse> {
        let asked = self.asked(&request)?;
        let api::AdjudicateGameRequest { game_id, winner, counts, reason } = request.into_inner();
        let who = game::Color::try_from(winner).unwrap_or_default().as_str_name();
        let how = format!("winner {who}, {}", if counts { "counts" } else { "does not count" });
        let ruling =
            game::AdjudicateGameRequest { game_id: game_id.clone(), winner, counts, reason: reason.clone() };
        asked
            .perform("AdjudicateGame", &game_id, how, &reason, async |peers, token| {
                let done = message(peers.oversight().adjudicate_game(token.with(ruling))).await?;
                Ok(api::AdjudicateGameResponse { sequence: done.sequence })
            })
            .await
    }

    async fn abort_game(&self, request: Request<api::AbortGameRequest>) -> Answer<api::AbortGameResponse> {
        let asked = self.asked(&request)?;
        let api::AbortGameRequest { game_id, reason } = request.into_inner();
        let end = game::AbortGameRequest { game_id: game_id.clone(), reason: reason.clone() };
        asked
            .perform("AbortGame", &game_id, "", &reason, async |peers, token| {
                let done = message(peers.oversight().abort_game(token.with(end))).await?;
                Ok(api::AbortGameResponse { sequence: done.sequence })
            })
            .await
    }

    async fn annul_game(&self, request: Request<api::AnnulGameRequest>) -> Answer<api::AnnulGameResponse> {
        let asked = self.asked(&request)?;
        let api::AnnulGameRequest { game_id, reason } = request.into_inner();
        let annul = rating::AnnulGameRequest { game_id: game_id.clone(), reason: reason.clone() };
        asked
            .perform("AnnulGame", &game_id, "", &reason, async |peers, token| {
                let done = message(peers.ratings().annul_game(token.with(annul))).await?;
                Ok(api::AnnulGameResponse { annulment: done.annulment })
            })
            .await
    }

    async fn give_time(&self, request: Request<api::GiveTimeRequest>) -> Answer<api::GiveTimeResponse> {
        let asked = self.asked(&request)?;
        let api::GiveTimeRequest { game_id, time, reason } = request.into_inner();
        let gift = game::GiveTimeRequest { game_id: game_id.clone(), time, reason: reason.clone() };
        asked
            .perform("GiveTime", &game_id, span(time), &reason, async |peers, token| {
                let done = message(peers.oversight().give_time(token.with(gift))).await?;
                Ok(api::GiveTimeResponse { sequence: done.sequence })
            })
            .await
    }

    async fn kick_player(&self, request: Request<api::KickPlayerRequest>) -> Answer<api::KickPlayerResponse> {
        self.kick(request).await
    }

    async fn ban_player(&self, request: Request<api::BanPlayerRequest>) -> Answer<api::BanPlayerResponse> {
        self.ban(request).await
    }

    async fn unban_player(
        &self,
        request: Request<api::UnbanPlayerRequest>,
    ) -> Answer<api::UnbanPlayerResponse> {
        self.unban(request).await
    }

    async fn rename_player(
        &self,
        request: Request<api::RenamePlayerRequest>,
    ) -> Answer<api::RenamePlayerResponse> {
        self.rename(request).await
    }

    async fn set_notice(&self, request: Request<api::SetNoticeRequest>) -> Answer<api::SetNoticeResponse> {
        self.tell(request).await
    }

    async fn watch_notice(
        &self,
        request: Request<api::WatchNoticeRequest>,
    ) -> Answer<BoxStream<api::WatchNoticeResponse>> {
        caller(&request)?;
        Ok(Response::new(self.notices()))
    }

    async fn pause_matchmaking(
        &self,
        request: Request<api::PauseMatchmakingRequest>,
    ) -> Answer<api::PauseMatchmakingResponse> {
        self.pause(request).await
    }

    async fn list_replicas(
        &self,
        request: Request<api::ListReplicasRequest>,
    ) -> Answer<api::ListReplicasResponse> {
        self.asked(&request)?;
        let replicas = self.store.replicas(self.context.clock.now()).await.map_err(Error::from)?;
        Ok(Response::new(api::ListReplicasResponse { replicas }))
    }

    async fn drain_replica(
        &self,
        request: Request<api::DrainReplicaRequest>,
    ) -> Answer<api::DrainReplicaResponse> {
        self.drain(request).await
    }

    async fn list_groups(&self, request: Request<api::ListGroupsRequest>) -> Answer<api::ListGroupsResponse> {
        self.asked(&request)?;
        let groups = crate::letters::groups(&self.context.ledger).await?;
        Ok(Response::new(api::ListGroupsResponse { groups }))
    }

    async fn list_dead_letters(
        &self,
        request: Request<api::ListDeadLettersRequest>,
    ) -> Answer<api::ListDeadLettersResponse> {
        self.asked(&request)?;
        let api::ListDeadLettersRequest { topic, group, letter_id, limit } = request.get_ref();
        let limit = request::limit("limit", *limit, 100, 1_000)?;
        let letters = crate::letters::list(&self.context.ledger, topic, group, letter_id, limit).await?;
        Ok(Response::new(api::ListDeadLettersResponse { letters }))
    }

    async fn replay_dead_letter(
        &self,
        request: Request<api::ReplayDeadLetterRequest>,
    ) -> Answer<api::ReplayDeadLetterResponse> {
        self.replay(request).await
    }

    async fn discard_dead_letter(
        &self,
        request: Request<api::DiscardDeadLetterRequest>,
    ) -> Answer<api::DiscardDeadLetterResponse> {
        self.discard(request).await
    }

    async fn list_acts(&self, request: Request<api::ListActsRequest>) -> Answer<api::ListActsResponse> {
        self.asked(&request)?;
        Ok(Response::new(self.acts(request.get_ref()).await?))
    }
}
