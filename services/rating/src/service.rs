use kernel::PlayerId;
use nigiri_proto::rating::v1::{
    BatchGetRatingsRequest, BatchGetRatingsResponse, GetGameRatingRequest, GetGameRatingResponse,
    GetRatingRequest, GetRatingResponse, Leader, ListLeadersRequest, ListLeadersResponse, Rating,
    RatingChange, rating_service_server::RatingService,
};
use platform::convert::to_proto_time;
use tonic::{Request, Response, Status};

use crate::{
    elo::{self, Standing},
    error::Error,
    leaders::{self, Board, Page},
    pool::Pool,
    request,
    store::{GameRating, Store},
};

/// The RPCs.
pub(crate) struct Service {
    store: Store,
}

impl Service {
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[tonic::async_trait]
impl RatingService for Service {
    async fn get_rating(
        &self,
        request: Request<GetRatingRequest>,
    ) -> Result<Response<GetRatingResponse>, Status> {
        let (pool, player) = request::player(request.get_ref())?;
        let standings = self.store.standings(pool, &[player]).await.map_err(Error::from)?;
        let rating = standings.first().map(|standing| rating(pool, player, *standing));
        Ok(Response::new(GetRatingResponse { rating }))
    }

    async fn batch_get_ratings(
        &self,
        request: Request<BatchGetRatingsRequest>,
    ) -> Result<Response<BatchGetRatingsResponse>, Status> {
        let (pool, players) = request::players(request.get_ref())?;
        let standings = self.store.standings(pool, &players).await.map_err(Error::from)?;
        let pairs = players.into_iter().zip(standings);
        let ratings = pairs.map(|(player, standing)| rating(pool, player, standing)).collect();
        Ok(Response::new(BatchGetRatingsResponse { ratings }))
    }

    async fn get_game_rating(
        &self,
        request: Request<GetGameRatingRequest>,
    ) -> Result<Response<GetGameRatingResponse>, Status> {
        let id = request::game(request.get_ref())?;
        let game = self.store.game(id).await.map_err(Error::from)?;
        Ok(Response::new(changes(game.ok_or(Error::NotRated(id))?)))
    }

    async fn list_leaders(
        &self,
        request: Request<ListLeadersRequest>,
    ) -> Result<Response<ListLeadersResponse>, Status> {
        let asked = request::page(request.get_ref())?;
        let page = self.store.leaders(asked.board, asked.after, asked.limit).await.map_err(Error::from)?;
        Ok(Response::new(leaders(asked.board, page)))
    }
}

fn rating(pool: Pool, player: PlayerId, standing: Standing) -> Rating {
    Rating {
        player_id: player.to_string(),
        board_size: pool.board_size().into(),
        micros: standing.rating.micros(),
        points: standing.rating.points(),
        games: standing.games,
        provisional: standing.is_provisional(),
    }
}

fn changes(game: GameRating) -> GetGameRatingResponse {
    let change = |(player, before): (PlayerId, elo::Rating), gain| RatingChange {
        player_id: player.to_string(),
        before_micros: before.micros(),
        after_micros: before.plus(gain).micros(),
    };
    GetGameRatingResponse {
        board_size: game.pool.board_size().into(),
        changes: vec![change(game.black, game.black_gain), change(game.white, -game.black_gain)],
        rate_time: Some(to_proto_time(game.rated)),
    }
}

fn leaders(board: Board, page: Page) -> ListLeadersResponse {
    let last = page.leaders.last().filter(|_| page.more);
    let next_page_token = last.map(|leader| board.token(leader.place)).unwrap_or_default();
    let leader = |leader: leaders::Leader| Leader {
        rank: u32::try_from(leader.rank).unwrap_or(u32::MAX),
        rating: Some(rating(board.pool, leader.place.player, leader.standing)),
        name: leader.name,
    };
    ListLeadersResponse { leaders: page.leaders.into_iter().map(leader).collect(), next_page_token }
}
