//! The RPCs: parse, call, convert.

use nigiri_proto::matchmaking::v1::{
    CancelTicketRequest, CancelTicketResponse, FindMatchRequest, FindMatchResponse, ListReadyBotsRequest,
    ListReadyBotsResponse, OfferBotRequest, OfferBotResponse, StartAiGameRequest, StartAiGameResponse,
    matchmaking_service_server::MatchmakingService,
};
use platform::{auth::caller, convert::to_proto_duration};
use tonic::{Request, Response, Status, codegen::BoxStream};

use crate::{
    ai_game,
    bots::{Bots, OFFER, plays::Said},
    error::Error,
    request,
    search::Search,
};

/// The gRPC service.
pub struct Service {
    /// The queue and what goes with it.
    pub search: Search,
    /// Bots.
    pub bots: Bots,
    /// Whether guests may ask for rated games.
    pub rated_guests: bool,
}

#[tonic::async_trait]
impl MatchmakingService for Service {
    async fn find_match(
        &self,
        request: Request<FindMatchRequest>,
    ) -> Result<Response<BoxStream<FindMatchResponse>>, Status> {
        let identity = caller(&request).map_err(Error::from)?;
        let player = request::person(&identity)?;
        let (wish, seen) = request::wish(request.get_ref())?;
        if wish.rated() && identity.guest && !self.rated_guests {
            return Err(Error::RatedNeedsAccount.into());
        }
        if wish.rated() {
            self.search.ratings.admit(player.id).await?;
        }
        let stream = self.search.clone().begin(player, wish, seen).await?;
        Ok(Response::new(Box::pin(stream)))
    }

    async fn cancel_ticket(
        &self,
        request: Request<CancelTicketRequest>,
    ) -> Result<Response<CancelTicketResponse>, Status> {
        let player = request::person(&*caller(&request)?)?;
        self.search.handle.cancel(player.id).await?;
        Ok(Response::new(CancelTicketResponse {}))
    }

    async fn start_ai_game(
        &self,
        request: Request<StartAiGameRequest>,
    ) -> Result<Response<StartAiGameResponse>, Status> {
        let player = request::person(&*caller(&request)?)?;
        let wanted = request::wanted(player, request.into_inner())?;
        let (game, color, opponent) = ai_game::begin(&self.bots, &self.search.blocked, wanted).await?;
        let game_id = game.to_string();
        Ok(Response::new(StartAiGameResponse { game_id, color: color.into(), opponent: Some(opponent) }))
    }

    async fn offer_bot(
        &self,
        request: Request<OfferBotRequest>,
    ) -> Result<Response<OfferBotResponse>, Status> {
        let bot = request::bot(&*caller(&request)?)?;
        let said = Said::read(request.into_inner())?;
        let valid_for = (!said.leaving).then(|| to_proto_duration(OFFER));
        let free_places = self.bots.offer(bot, said).await?;
        Ok(Response::new(OfferBotResponse { valid_for, free_places }))
    }

    async fn list_ready_bots(
        &self,
        request: Request<ListReadyBotsRequest>,
    ) -> Result<Response<ListReadyBotsResponse>, Status> {
        caller(&request)?.player()?;
        let (bots, next_page_token) = self.bots.list(request.into_inner()).await?;
        Ok(Response::new(ListReadyBotsResponse { bots, next_page_token }))
    }
}
