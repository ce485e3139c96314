use kernel::{GameId, PlayerId};
use ledger::SharedLedger;
use nigiri_proto::rating::v1::{
    AnnulGameRequest, AnnulGameResponse, BatchGetRatedBansRequest, BatchGetRatedBansResponse,
    BatchGetRatingsRequest, BatchGetRatingsResponse, GetGameRatingRequest, GetGameRatingResponse,
    GetRankRequest, GetRankResponse, GetRatedBanRequest, GetRatedBanResponse, GetRatingRequest,
    GetRatingResponse, GetStatisticsRequest, GetStatisticsResponse, ListAnnulmentsRequest,
    ListAnnulmentsResponse, ListFlagsRequest, ListFlagsResponse, ListLeadersAroundRequest,
    ListLeadersAroundResponse, ListLeadersRequest, ListLeadersResponse, ListPlayerRatingsRequest,
    ListPlayerRatingsResponse, ListRatingPointsRequest, ListRatingPointsResponse, RatedBan,
    ResolveFlagRequest, ResolveFlagResponse, rating_service_server::RatingService,
};
use platform::{auth::caller, convert::to_proto_time};
use tonic::{Request, Response, Status};

use crate::{
    error::Error,
    reply, request,
    store::{Annulled, Position, Store},
    token::{self, List},
};

/// The RPCs.
pub(crate) struct Service {
    store: Store,
    ledger: SharedLedger,
}

impl Service {
    pub fn new(store: Store, ledger: SharedLedger) -> Self {
        Self { store, ledger }
    }

    /// The operator who calls, as a trail names them.
    fn operator<T>(request: &Request<T>) -> Result<String, Error> {
        let operator = caller(request).and_then(|identity| identity.operator());
        operator.map(|id| id.to_string()).map_err(Error::Caller)
    }
}

/// A page that was asked for with one item more than it may have, and the token of the next one, if there is more.
fn page<T>(mut items: Vec<T>, limit: usize, token: impl Fn(&T) -> String) -> (Vec<T>, String) {
    let more = items.len() > limit;
    items.truncate(limit);
    let token = items.last().filter(|_| more).map(token).unwrap_or_default();
    (items, token)
}

#[tonic::async_trait]
impl RatingService for Service {
    async fn get_rating(
        &self,
        request: Request<GetRatingRequest>,
    ) -> Result<Response<GetRatingResponse>, Status> {
        let asked = request.get_ref();
        let (pool, player) = request::player(&asked.player_id, asked.board_size, asked.bots)?;
        let standings = self.store.standings(pool, &[player]).await.map_err(Error::from)?;
        let rating = standings.first().map(|one| reply::rating(self.store.rules(), pool, player, *one));
        Ok(Response::new(GetRatingResponse { rating }))
    }

    async fn batch_get_ratings(
        &self,
        request: Request<BatchGetRatingsRequest>,
    ) -> Result<Response<BatchGetRatingsResponse>, Status> {
        let (pool, players) = request::players(request.get_ref())?;
        let standings = self.store.standings(pool, &players).await.map_err(Error::from)?;
        let rating = |(player, standing)| reply::rating(self.store.rules(), pool, player, standing);
        let ratings = players.into_iter().zip(standings).map(rating).collect();
        Ok(Response::new(BatchGetRatingsResponse { ratings }))
    }

    async fn list_player_ratings(
        &self,
        request: Request<ListPlayerRatingsRequest>,
    ) -> Result<Response<ListPlayerRatingsResponse>, Status> {
        let player = request::player_alone(&request.get_ref().player_id)?;
        let pools = self.store.everywhere(player).await.map_err(Error::from)?;
        let rating =
            |one: crate::store::PlayerPool| reply::rating(self.store.rules(), one.pool, player, one.standing);
        Ok(Response::new(ListPlayerRatingsResponse { ratings: pools.into_iter().map(rating).collect() }))
    }

    async fn get_game_rating(
        &self,
        request: Request<GetGameRatingRequest>,
    ) -> Result<Response<GetGameRatingResponse>, Status> {
        let id = request::game(&request.get_ref().game_id)?;
        let game = self.store.game(id).await.map_err(Error::from)?;
        Ok(Response::new(reply::changes(&game.ok_or(Error::NotRated(id))?)))
    }

    async fn list_leaders(
        &self,
        request: Request<ListLeadersRequest>,
    ) -> Result<Response<ListLeadersResponse>, Status> {
        let asked = request::page(request.get_ref())?;
        let page = self.store.leaders(asked.board, asked.after, asked.limit, self.ledger.now()).await;
        Ok(Response::new(reply::leaders(self.store.rules(), asked.board, page.map_err(Error::from)?)))
    }

    async fn list_leaders_around(
        &self,
        request: Request<ListLeadersAroundRequest>,
    ) -> Result<Response<ListLeadersAroundResponse>, Status> {
        let (board, player, radius) = request::around(request.get_ref())?;
        let lines = self.store.around(board, player, (radius, radius), self.ledger.now()).await;
        let lines = lines.map_err(Error::from)?.ok_or(Error::NotRanked(player))?;
        let leaders = lines.into_iter().map(|one| reply::leader(self.store.rules(), board, one)).collect();
        Ok(Response::new(ListLeadersAroundResponse { leaders }))
    }

    async fn get_rank(&self, request: Request<GetRankRequest>) -> Result<Response<GetRankResponse>, Status> {
        let (board, player) = request::rank(request.get_ref())?;
        let now = self.ledger.now();
        let line = self.store.rank(board, player, now).await.map_err(Error::from)?;
        let line = line.ok_or(Error::NotRanked(player))?;
        let players = self.store.board_size(board, now).await.map_err(Error::from)?;
        let leader = Some(reply::leader(self.store.rules(), board, line));
        Ok(Response::new(GetRankResponse { leader, players }))
    }

    async fn list_rating_points(
        &self,
        request: Request<ListRatingPointsRequest>,
    ) -> Result<Response<ListRatingPointsResponse>, Status> {
        let asked = request::points(request.get_ref())?;
        let points = self.store.history(asked.pool, asked.player, asked.before, asked.limit + 1).await;
        let (points, next_page_token) = page(points.map_err(Error::from)?, asked.limit.into(), |point| {
            token::write(List::Points, point.at.finished, point.at.game.as_uuid())
        });
        let points = points.iter().map(reply::point).collect();
        Ok(Response::new(ListRatingPointsResponse { points, next_page_token }))
    }

    async fn get_statistics(
        &self,
        request: Request<GetStatisticsRequest>,
    ) -> Result<Response<GetStatisticsResponse>, Status> {
        let asked = request.get_ref();
        let (pool, player) = request::player(&asked.player_id, asked.board_size, asked.bots)?;
        let statistics = self.store.statistics(pool, player).await.map_err(Error::from)?;
        Ok(Response::new(GetStatisticsResponse { cells: statistics.iter().map(reply::cell).collect() }))
    }

    async fn get_rated_ban(
        &self,
        request: Request<GetRatedBanRequest>,
    ) -> Result<Response<GetRatedBanResponse>, Status> {
        let player = request::player_alone(&request.get_ref().player_id)?;
        let ban = self.store.ban(player, self.ledger.now()).await.map_err(Error::from)?;
        let end_time = ban.map(|ban| to_proto_time(ban.until));
        Ok(Response::new(GetRatedBanResponse { end_time, leaves: ban.map_or(0, |ban| ban.leaves) }))
    }

    async fn batch_get_rated_bans(
        &self,
        request: Request<BatchGetRatedBansRequest>,
    ) -> Result<Response<BatchGetRatedBansResponse>, Status> {
        let players = request::players_alone(&request.get_ref().player_ids)?;
        let bans = self.store.bans(&players, self.ledger.now()).await.map_err(Error::from)?;
        let ban = |player: &PlayerId| {
            let ban = bans.get(player)?;
            let end_time = Some(to_proto_time(ban.until));
            Some(RatedBan { player_id: player.to_string(), end_time, leaves: ban.leaves })
        };
        Ok(Response::new(BatchGetRatedBansResponse { bans: players.iter().filter_map(ban).collect() }))
    }

    async fn annul_game(
        &self,
        request: Request<AnnulGameRequest>,
    ) -> Result<Response<AnnulGameResponse>, Status> {
        let operator = Self::operator(&request)?;
        let (game, reason) = request::annul(request.get_ref())?;
        let done =
            self.store.annul(game, &operator, &reason, self.ledger.now()).await.map_err(Error::from)?;
        let (Annulled::Now(trail) | Annulled::Before(trail)) = done.ok_or(Error::NotRated(game))?;
        tracing::info!(game.id = %game, operator, recomputed = trail.recomputed, "a rated game is annulled");
        Ok(Response::new(AnnulGameResponse { annulment: Some(reply::annulment(trail)) }))
    }

    async fn list_annulments(
        &self,
        request: Request<ListAnnulmentsRequest>,
    ) -> Result<Response<ListAnnulmentsResponse>, Status> {
        Self::operator(&request)?;
        let asked = request.get_ref();
        let (before, limit) = request::list(List::Annulments, asked.page_size, &asked.page_token)?;
        let before = before.map(|(finished, game)| Position { finished, game: GameId::from_uuid(game) });
        let found = self.store.annulments(before, limit + 1).await.map_err(Error::from)?;
        let (found, next_page_token) =
            page(found, limit.into(), |one| token::write(List::Annulments, one.annulled, one.game.as_uuid()));
        let annulments = found.into_iter().map(reply::annulment).collect();
        Ok(Response::new(ListAnnulmentsResponse { annulments, next_page_token }))
    }

    async fn list_flags(
        &self,
        request: Request<ListFlagsRequest>,
    ) -> Result<Response<ListFlagsResponse>, Status> {
        Self::operator(&request)?;
        let asked = request.get_ref();
        let (before, limit) = request::list(List::Flags, asked.page_size, &asked.page_token)?;
        let found = self.store.flags(before, limit + 1).await.map_err(Error::from)?;
        let (found, next_page_token) =
            page(found, limit.into(), |flag| token::write(List::Flags, flag.raised, flag.id));
        Ok(Response::new(ListFlagsResponse {
            flags: found.into_iter().map(reply::flag).collect(),
            next_page_token,
        }))
    }

    async fn resolve_flag(
        &self,
        request: Request<ResolveFlagRequest>,
    ) -> Result<Response<ResolveFlagResponse>, Status> {
        let operator = Self::operator(&request)?;
        let (flag, note) = request::resolve(request.get_ref())?;
        let known =
            self.store.resolve(flag, &operator, &note, self.ledger.now()).await.map_err(Error::from)?;
        if !known {
            return Err(Error::FlagNotFound(flag).into());
        }
        Ok(Response::new(ResolveFlagResponse {}))
    }
}
