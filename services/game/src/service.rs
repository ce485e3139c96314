use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{self as pb, game_service_server::GameService};
use platform::{
    Context,
    auth::{Identity, caller},
    connections::ConnectedFrom,
    convert::to_proto_time,
    status::{Failure, Reason, Violation},
    telemetry::trace,
};
use tonic::{Request, Response, Status, codegen::BoxStream};

use crate::{
    codec::{self, Unreadable},
    delay::{Delays, Pings},
    error::Error,
    export::{self, ExportStream},
    frame::Frame,
    games::Games,
    lists,
    live::LiveGame,
    presence::{Held, Presence},
    private::{admit, admit_to_record},
    seated, sgf,
    turns::{TurnStream, watch_turns},
    wanted::{Wanted, checked, game_id_of},
    watch::{FrameStream, Manner, watch},
};

/// The RPCs.
pub struct Service {
    pub(crate) games: Games,
    pub(crate) presence: Presence,
    pub(crate) context: Context,
    pub(crate) manner: Manner,
    delays: Delays,
}

impl Service {
    /// The RPCs on these games.
    pub fn new(games: Games, presence: Presence, context: Context, manner: Manner) -> Self {
        let delays = Delays::new(&context.service_secret);
        Self { games, presence, context, manner, delays }
    }

    /// Does what a player's call wants. Answers with the entry's number.
    async fn command<T: Wanted>(&self, request: &Request<T>) -> Result<u64, Failure> {
        let player = caller(request)?.player()?;
        let wanted = request.get_ref();
        let (game, command) = checked(game_id_of(wanted.game_id()), wanted.command_id(), wanted.command())?;
        note(game, player);
        let trace = trace::cause(request.metadata().as_ref());
        let delay = self.delay(game, player, wanted.delay_proof());
        Ok(self.games.sent(game, player, wanted.command_id(), command, &trace, delay).await?)
    }

    /// The network delay that a player proves.
    pub fn delay(&self, game: GameId, player: PlayerId, proof: &[u8]) -> Duration {
        self.delays.proven(game, player, proof, self.games.ledger().now())
    }

    /// Asks for another game. Answers with the entry's number, and the next game if it is agreed.
    pub async fn rematch(
        &self,
        game: GameId,
        player: PlayerId,
        command_id: &str,
        trace: &str,
    ) -> Result<(u64, Option<GameId>), Failure> {
        let (sequence, next) = self.games.rematch(game, player, command_id, trace).await?;
        if let Some(next) = next {
            let live = self.games.get(next).await?;
            live.look(|game, _| self.presence.expect(next, game.seats()));
        }
        Ok((sequence, next))
    }

    /// Opens a game to a player who may see it, for a stream. Who plays in it is present for as long as what is held.
    ///
    /// # Errors
    /// When the caller is no player; [`Error::Private`]; as [`Games::get`].
    pub async fn enter(
        &self,
        game: GameId,
        caller: &Identity,
        key: &str,
    ) -> Result<(Arc<LiveGame>, Option<Held>), Failure> {
        let player = caller.player()?;
        let live = self.games.get(game).await?;
        admit(&live, caller, key)?;
        self.games.give_back_soon(&live);
        let held = self.presence.open(&live, player);
        Ok((live, held))
    }

    /// The stream of a game, encoded.
    pub async fn watch_frames(&self, request: Request<pb::WatchRequest>) -> Result<FrameStream, Status> {
        self.open()?;
        let identity = caller(&request)?;
        let player = identity.player()?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        note(id, player);
        let (live, held) = self.enter(id, &identity, &wanted.watch_key).await?;
        let (games, shutdown) = (self.games.clone(), &self.context.shutdown);
        let measured = held.as_ref().zip(self.manner.ping).and_then(|(held, every)| {
            live.look(|game, _| Pings::new(&self.delays, game, id, held.color(), every)).flatten()
        });
        let beats_since = request.extensions().get::<ConnectedFrom>().map(ConnectedFrom::opened);
        let manner = Manner { beats_since, ..self.manner };
        Ok(watch(games, live, held, measured, wanted.after_sequence, manner, shutdown))
    }

    /// Whether a new stream is taken.
    ///
    /// # Errors
    /// While the replica drains.
    pub fn open(&self) -> Result<(), Failure> {
        if self.context.shutdown.draining().is_cancelled() {
            return Err(Failure::new(Reason::Draining, "this replica is going away: call again"));
        }
        Ok(())
    }
}

#[tonic::async_trait]
impl GameService for Service {
    async fn create_game(
        &self,
        request: Request<pb::CreateGameRequest>,
    ) -> Result<Response<pb::CreateGameResponse>, Status> {
        caller(&request)?.service()?;
        let trace = trace::cause(request.metadata().as_ref());
        let wanted = request.into_inner();
        let id = game_id_of(&wanted.game_id)?;
        let (settings, seats) = both(
            codec::settings_from_proto(wanted.settings.as_ref()),
            codec::seats_from_proto(&wanted.seats),
        )?;
        let created = self.games.create(id, settings, seats.clone(), &trace).await.map_err(Failure::from)?;
        if created {
            self.presence.expect(id, &seats);
        }
        Ok(Response::new(pb::CreateGameResponse { created }))
    }

    async fn check_settings(
        &self,
        request: Request<pb::CheckSettingsRequest>,
    ) -> Result<Response<pb::CheckSettingsResponse>, Status> {
        caller(&request)?;
        let settings = codec::settings_from_proto(request.get_ref().settings.as_ref());
        let found = match settings.map(|settings| settings.validate()) {
            Ok(Ok(())) => return Ok(Response::new(pb::CheckSettingsResponse {})),
            Ok(Err(found)) => found.iter().map(codec::violation).collect(),
            Err(found) => found,
        };
        Err(Failure::invalid_for(Reason::InvalidSettings, found).into())
    }

    async fn play_move(
        &self,
        request: Request<pb::PlayMoveRequest>,
    ) -> Result<Response<pb::PlayMoveResponse>, Status> {
        Ok(Response::new(pb::PlayMoveResponse { sequence: self.command(&request).await? }))
    }

    async fn pass(&self, request: Request<pb::PassRequest>) -> Result<Response<pb::PassResponse>, Status> {
        Ok(Response::new(pb::PassResponse { sequence: self.command(&request).await? }))
    }

    async fn resign(
        &self,
        request: Request<pb::ResignRequest>,
    ) -> Result<Response<pb::ResignResponse>, Status> {
        Ok(Response::new(pb::ResignResponse { sequence: self.command(&request).await? }))
    }

    async fn offer_draw(
        &self,
        request: Request<pb::OfferDrawRequest>,
    ) -> Result<Response<pb::OfferDrawResponse>, Status> {
        Ok(Response::new(pb::OfferDrawResponse { sequence: self.command(&request).await? }))
    }

    async fn request_takeback(
        &self,
        request: Request<pb::RequestTakebackRequest>,
    ) -> Result<Response<pb::RequestTakebackResponse>, Status> {
        Ok(Response::new(pb::RequestTakebackResponse { sequence: self.command(&request).await? }))
    }

    async fn answer_proposal(
        &self,
        request: Request<pb::AnswerProposalRequest>,
    ) -> Result<Response<pb::AnswerProposalResponse>, Status> {
        Ok(Response::new(pb::AnswerProposalResponse { sequence: self.command(&request).await? }))
    }

    async fn accept_score(
        &self,
        request: Request<pb::AcceptScoreRequest>,
    ) -> Result<Response<pb::AcceptScoreResponse>, Status> {
        Ok(Response::new(pb::AcceptScoreResponse { sequence: self.command(&request).await? }))
    }

    async fn dispute_score(
        &self,
        request: Request<pb::DisputeScoreRequest>,
    ) -> Result<Response<pb::DisputeScoreResponse>, Status> {
        Ok(Response::new(pb::DisputeScoreResponse { sequence: self.command(&request).await? }))
    }

    async fn mark_chain(
        &self,
        request: Request<pb::MarkChainRequest>,
    ) -> Result<Response<pb::MarkChainResponse>, Status> {
        Ok(Response::new(pb::MarkChainResponse { sequence: self.command(&request).await? }))
    }

    async fn leave(&self, request: Request<pb::LeaveRequest>) -> Result<Response<pb::LeaveResponse>, Status> {
        Ok(Response::new(pb::LeaveResponse { sequence: self.command(&request).await? }))
    }

    async fn request_rematch(
        &self,
        request: Request<pb::RequestRematchRequest>,
    ) -> Result<Response<pb::RequestRematchResponse>, Status> {
        let player = caller(&request)?.player()?;
        let pb::RequestRematchRequest { game_id, command_id } = request.get_ref();
        let (game, ()) = checked(game_id_of(game_id), command_id, Ok(()))?;
        note(game, player);
        let trace = trace::cause(request.metadata().as_ref());
        let (sequence, next) = self.rematch(game, player, command_id, &trace).await?;
        let next_game_id = next.map(|next| next.to_string()).unwrap_or_default();
        Ok(Response::new(pb::RequestRematchResponse { sequence, next_game_id }))
    }

    async fn answer_ping(
        &self,
        request: Request<pb::AnswerPingRequest>,
    ) -> Result<Response<pb::AnswerPingResponse>, Status> {
        let player = caller(&request)?.player()?;
        let pb::AnswerPingRequest { game_id, token } = request.get_ref();
        let now = self.games.ledger().now();
        Ok(Response::new(self.delays.answer(game_id_of(game_id)?, player, token, now)?))
    }

    async fn watch(
        &self,
        request: Request<pb::WatchRequest>,
    ) -> Result<Response<BoxStream<pb::WatchResponse>>, Status> {
        let frames = self.watch_frames(request).await?;
        Ok(Response::new(frames.map(|frame| frame.and_then(Frame::decode)).boxed()))
    }

    async fn watch_turns(
        &self,
        request: Request<pb::WatchTurnsRequest>,
    ) -> Result<Response<TurnStream>, Status> {
        self.open()?;
        let bot = caller(&request)?.bot()?;
        let capacity = match request.get_ref().capacity {
            0 => 1,
            capacity @ 1..=64 => capacity as usize,
            other => {
                let problem = format!("{other} is out of range: 1 to 64, or 0 for 1");
                return Err(Failure::field(Reason::InvalidRequest, "capacity", problem).into());
            }
        };
        let shutdown = self.context.shutdown.clone();
        let stream = watch_turns(self.games.clone(), bot, capacity, self.manner.heartbeat, shutdown).await;
        Ok(Response::new(stream.map_err(Failure::from)?))
    }

    async fn have_met(
        &self,
        request: Request<pb::HaveMetRequest>,
    ) -> Result<Response<pb::HaveMetResponse>, Status> {
        caller(&request)?.service()?;
        let player = |field: &str, text: &str| {
            text.parse().map_err(|error| Failure::field(Reason::InvalidRequest, field, error))
        };
        let asked = request.get_ref();
        let players: (PlayerId, PlayerId) =
            (player("player_id", &asked.player_id)?, player("other_id", &asked.other_id)?);
        let met = self.games.store().have_met(players.0, players.1).await;
        Ok(Response::new(pb::HaveMetResponse { met: met.map_err(Error::from).map_err(Failure::from)? }))
    }

    async fn find_seated(
        &self,
        request: Request<pb::FindSeatedRequest>,
    ) -> Result<Response<pb::FindSeatedResponse>, Status> {
        caller(&request)?.service()?;
        let found = seated::find(&self.games, request.get_ref()).await;
        Ok(Response::new(found.map_err(Failure::from)?))
    }

    async fn get_game(
        &self,
        request: Request<pb::GetGameRequest>,
    ) -> Result<Response<pb::GetGameResponse>, Status> {
        let identity = caller(&request)?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        let (entries, archived) = self.games.entries(id).await.map_err(Failure::from)?;
        admit_to_record(id, &entries, &identity, &wanted.watch_key)?;
        Ok(Response::new(pb::GetGameResponse { record: Some(record(id, &entries, archived)?) }))
    }

    async fn preview_score(
        &self,
        request: Request<pb::PreviewScoreRequest>,
    ) -> Result<Response<pb::PreviewScoreResponse>, Status> {
        let identity = caller(&request)?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        let live = self.games.get(id).await.map_err(Failure::from)?;
        admit(&live, &identity, &wanted.watch_key)?;
        let preview = self.games.preview(&live).await.map_err(Failure::from)?;
        Ok(Response::new(codec::preview_to_proto(&preview)))
    }

    async fn count_spectators(
        &self,
        request: Request<pb::CountSpectatorsRequest>,
    ) -> Result<Response<pb::CountSpectatorsResponse>, Status> {
        let identity = caller(&request)?;
        let wanted = request.get_ref();
        let live = self.games.get(game_id_of(&wanted.game_id)?).await.map_err(Failure::from)?;
        admit(&live, &identity, &wanted.watch_key)?;
        let spectators = u32::try_from(live.spectators()).unwrap_or(u32::MAX);
        Ok(Response::new(pb::CountSpectatorsResponse { spectators }))
    }

    async fn list_live_games(
        &self,
        request: Request<pb::ListLiveGamesRequest>,
    ) -> Result<Response<pb::ListLiveGamesResponse>, Status> {
        let identity = caller(&request)?;
        let page = lists::live(self.games.store(), &identity, request.get_ref()).await;
        Ok(Response::new(page.map_err(Failure::from)?))
    }

    async fn list_games(
        &self,
        request: Request<pb::ListGamesRequest>,
    ) -> Result<Response<pb::ListGamesResponse>, Status> {
        let identity = caller(&request)?;
        let page = lists::finished(self.games.store(), &identity, request.get_ref()).await;
        Ok(Response::new(page.map_err(Failure::from)?))
    }

    async fn export_sgf(
        &self,
        request: Request<pb::ExportSgfRequest>,
    ) -> Result<Response<pb::ExportSgfResponse>, Status> {
        let identity = caller(&request)?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        let (entries, _) = self.games.entries(id).await.map_err(Failure::from)?;
        admit_to_record(id, &entries, &identity, &wanted.watch_key)?;
        let damaged = || Failure::internal("a record that makes no game");
        let sgf = sgf::export(id, &entries).map_err(Failure::from)?.ok_or_else(damaged)?;
        Ok(Response::new(pb::ExportSgfResponse { sgf }))
    }

    async fn export_games(
        &self,
        request: Request<pb::ExportGamesRequest>,
    ) -> Result<Response<ExportStream>, Status> {
        self.open()?;
        caller(&request)?;
        let until = self.games.ledger().now() - self.manner.settle;
        let stream = export::export(&self.games, until, &self.context.shutdown, request.get_ref());
        Ok(Response::new(stream.map_err(Failure::from)?))
    }
}

/// The record of these entries.
///
/// # Errors
/// When an entry is damaged.
pub fn record(id: GameId, entries: &[ledger::Entry], archived: bool) -> Result<pb::GameRecord, Failure> {
    let read = |entry| record_entry(id, entry).map_err(Failure::from);
    let entries = entries.iter().map(read).collect::<Result<_, _>>()?;
    Ok(pb::GameRecord { game_id: id.to_string(), entries, archived })
}

/// An entry as a record has it.
///
/// # Errors
/// When it cannot be read: whoever reads the record would not see that something is missing.
pub fn record_entry(id: GameId, entry: &ledger::Entry) -> Result<pb::RecordEntry, Error> {
    let decoded = codec::read_entry(&entry.payload).map_err(|unreadable| match unreadable {
        Unreadable::Newer => Error::Newer(id),
        Unreadable::Damaged(_) => Error::Internal(unreadable.to_string()),
    })?;
    Ok(pb::RecordEntry {
        sequence: entry.sequence,
        event_time: Some(to_proto_time(entry.stamp)),
        events: decoded.events,
        command_id: decoded.command_id,
    })
}

/// Both values, or everything that is wrong with either.
fn both<A, B>(a: Result<A, Vec<Violation>>, b: Result<B, Vec<Violation>>) -> Result<(A, B), Failure> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (a, b) => {
            let mut violations = a.err().unwrap_or_default();
            violations.extend(b.err().unwrap_or_default());
            Err(Failure::invalid_for(Reason::InvalidSettings, violations))
        }
    }
}

/// Writes who does what into the call's span.
fn note(game: GameId, player: PlayerId) {
    let span = tracing::Span::current();
    span.record("game.id", tracing::field::display(game));
    span.record("player.id", tracing::field::display(player));
}
