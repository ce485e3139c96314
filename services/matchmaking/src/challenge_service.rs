//! The RPCs of challenges and blocks: parse, call, convert.

use nigiri_proto::matchmaking::v1::{
    AcceptChallengeRequest, AcceptChallengeResponse, BlockPlayerRequest, BlockPlayerResponse, BlockedPlayer,
    CancelChallengeRequest, CancelChallengeResponse, CreateChallengeRequest, CreateChallengeResponse,
    DeclineChallengeRequest, DeclineChallengeResponse, GetChallengeRequest, GetChallengeResponse,
    ListBlockedPlayersRequest, ListBlockedPlayersResponse, ListChallengesRequest, ListChallengesResponse,
    UnblockPlayerRequest, UnblockPlayerResponse, WatchChallengesRequest, WatchChallengesResponse,
    block_player_request, block_service_server::BlockService, challenge_service_server::ChallengeService,
};
use platform::{auth::caller, convert::to_proto_time, status::Violation};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, codegen::BoxStream};

use crate::{
    challenge::{Challenges, Proposal, follow},
    error::Error,
    request,
    store::Block,
};

type Answer<T> = Result<Response<T>, Status>;

/// The gRPC services.
#[derive(Clone)]
pub struct Service {
    /// Challenges, and the store that has the blocks too.
    pub challenges: Challenges,
    /// When streams end.
    pub draining: CancellationToken,
}

#[tonic::async_trait]
impl ChallengeService for Service {
    async fn create_challenge(
        &self,
        request: Request<CreateChallengeRequest>,
    ) -> Answer<CreateChallengeResponse> {
        let player = request::person(&*caller(&request)?)?;
        let (id, proposal) = (player.id, Proposal::read(request.into_inner())?);
        let challenge = self.challenges.create(player, proposal).await?;
        let challenge = Some(self.challenges.show(&challenge, id));
        Ok(Response::new(CreateChallengeResponse { challenge }))
    }

    async fn get_challenge(&self, request: Request<GetChallengeRequest>) -> Answer<GetChallengeResponse> {
        let id = request::party(&*caller(&request)?)?.player.id;
        let challenge = self.challenges.get(&request.get_ref().code, id).await?;
        let challenge = Some(self.challenges.show(&challenge, id));
        Ok(Response::new(GetChallengeResponse { challenge }))
    }

    async fn accept_challenge(
        &self,
        request: Request<AcceptChallengeRequest>,
    ) -> Answer<AcceptChallengeResponse> {
        let party = request::party(&*caller(&request)?)?;
        let id = party.player.id;
        let challenge = self.challenges.accept(&request.get_ref().code, party).await?;
        let color = self.challenges.color_of(&challenge, id).await?.into();
        let game_id = challenge.game().to_string();
        let challenge = Some(self.challenges.show(&challenge, id));
        Ok(Response::new(AcceptChallengeResponse { challenge, game_id, color }))
    }

    async fn decline_challenge(
        &self,
        request: Request<DeclineChallengeRequest>,
    ) -> Answer<DeclineChallengeResponse> {
        let id = request::party(&*caller(&request)?)?.player.id;
        self.challenges.decline(&request.get_ref().code, id).await?;
        Ok(Response::new(DeclineChallengeResponse {}))
    }

    async fn cancel_challenge(
        &self,
        request: Request<CancelChallengeRequest>,
    ) -> Answer<CancelChallengeResponse> {
        let id = request::person(&*caller(&request)?)?.id;
        self.challenges.cancel(&request.get_ref().code, id).await?;
        Ok(Response::new(CancelChallengeResponse {}))
    }

    async fn list_challenges(
        &self,
        request: Request<ListChallengesRequest>,
    ) -> Answer<ListChallengesResponse> {
        let id = request::party(&*caller(&request)?)?.player.id;
        let Challenges { store, handle, .. } = &self.challenges;
        let open = store.open_challenges(id, handle.now()).await.map_err(Error::from)?;
        let challenges = open.iter().map(|challenge| self.challenges.show(challenge, id)).collect();
        Ok(Response::new(ListChallengesResponse { challenges }))
    }

    async fn watch_challenges(
        &self,
        request: Request<WatchChallengesRequest>,
    ) -> Answer<BoxStream<WatchChallengesResponse>> {
        let id = request::party(&*caller(&request)?)?.player.id;
        if self.draining.is_cancelled() {
            return Err(Error::Draining.into());
        }
        let stream = follow(self.challenges.clone(), id, self.draining.clone());
        Ok(Response::new(Box::pin(stream)))
    }
}

#[tonic::async_trait]
impl BlockService for Service {
    async fn block_player(&self, request: Request<BlockPlayerRequest>) -> Answer<BlockPlayerResponse> {
        use block_player_request::Player::{Name, PlayerId};
        let id = request::person(&*caller(&request)?)?.id;
        let Challenges { players, .. } = &self.challenges;
        let other = match request.into_inner().player {
            Some(PlayerId(other)) => players.with_id(&other).await?,
            Some(Name(name)) => players.named(&name).await?,
            None => {
                let words = "say who it is: player_id or name";
                return Err(Error::Invalid(vec![Violation::new("player", words)]).into());
            }
        };
        let blocked = Some(blocked(self.challenges.block(id, &other.player).await?));
        Ok(Response::new(BlockPlayerResponse { blocked }))
    }

    async fn unblock_player(&self, request: Request<UnblockPlayerRequest>) -> Answer<UnblockPlayerResponse> {
        let id = request::person(&*caller(&request)?)?.id;
        let other = request
            .get_ref()
            .player_id
            .parse()
            .map_err(|error: kernel::IdError| Error::Invalid(vec![Violation::new("player_id", error)]))?;
        self.challenges.store.unblock(id, other).await.map_err(Error::from)?;
        Ok(Response::new(UnblockPlayerResponse {}))
    }

    async fn list_blocked_players(
        &self,
        request: Request<ListBlockedPlayersRequest>,
    ) -> Answer<ListBlockedPlayersResponse> {
        let id = request::person(&*caller(&request)?)?.id;
        let blocks = self.challenges.store.blocks(id).await.map_err(Error::from)?;
        let blocked = blocks.into_iter().map(blocked).collect();
        Ok(Response::new(ListBlockedPlayersResponse { blocked }))
    }
}

fn blocked(block: Block) -> BlockedPlayer {
    BlockedPlayer {
        player_id: block.player.to_string(),
        name: block.name,
        create_time: Some(to_proto_time(block.since)),
    }
}
