use std::time::Duration;

use futures::StreamExt;
use goban::{Point, PointError};
use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{self as pb, game_service_server::GameService};
use platform::{
    Context,
    auth::caller,
    convert::to_proto_time,
    status::{Failure, Reason, Violation},
    telemetry::traceparent,
};
use prost::Message;
use referee::Command;
use tonic::{Request, Response, Status, codegen::BoxStream};

use crate::{
    codec,
    error::Error,
    frame::Frame,
    games::Games,
    lists,
    presence::Presence,
    private::{admit, admit_to_record},
    sgf,
    turns::{TurnStream, watch_turns},
    watch::{FrameStream, watch},
};

/// The RPCs.
pub struct Service {
    games: Games,
    presence: Presence,
    context: Context,
    heartbeat: Duration,
}

impl Service {
    /// The RPCs on these games.
    pub fn new(games: Games, presence: Presence, context: Context, heartbeat: Duration) -> Self {
        Self { games, presence, context, heartbeat }
    }

    async fn command<T>(
        &self,
        request: &Request<T>,
        game_id: &str,
        command_id: &str,
        command: Result<Command<'_>, Failure>,
    ) -> Result<u64, Failure> {
        let Call { game, player, id, wanted, trace } = Call::of(request, game_id, command_id, command)?;
        Ok(self.games.command(game, player, id, wanted, &trace).await?)
    }

    /// The stream of a game, encoded.
    pub async fn watch_frames(&self, request: Request<pb::WatchRequest>) -> Result<FrameStream, Status> {
        self.open()?;
        let identity = caller(&request)?;
        let player = identity.player()?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        note(id, player);
        let live = self.games.get(id).await.map_err(Failure::from)?;
        admit(&live, &identity, &wanted.watch_key)?;
        let held = self.presence.open(&live, player);
        let draining = self.context.shutdown.draining().clone();
        Ok(watch(self.games.clone(), live, held, wanted.after_sequence, self.heartbeat, draining))
    }

    fn open(&self) -> Result<(), Failure> {
        if self.context.shutdown.draining().is_cancelled() {
            return Err(Failure::new(Reason::Draining, "this replica is going away: call again"));
        }
        Ok(())
    }
}

/// What a player's call says; `W` is what is wanted.
struct Call<'a, W> {
    game: GameId,
    player: kernel::PlayerId,
    id: &'a str,
    wanted: W,
    trace: String,
}

impl<'a, W> Call<'a, W> {
    /// Reads a call, and notes in its span who does what.
    fn of<T>(
        request: &Request<T>,
        game_id: &str,
        id: &'a str,
        wanted: Result<W, Failure>,
    ) -> Result<Self, Failure> {
        let player = caller(request)?.player()?;
        let (game, wanted) = match (game_id_of(game_id), check_command_id(id), wanted) {
            (Ok(game), Ok(()), Ok(wanted)) => (game, wanted),
            (game, id, wanted) => return Err(all_of([game.err(), id.err(), wanted.err()])),
        };
        note(game, player);
        let trace = traceparent(request.metadata().as_ref()).unwrap_or_default();
        Ok(Self { game, player, id, wanted, trace })
    }
}

#[tonic::async_trait]
impl GameService for Service {
    async fn create_game(
        &self,
        request: Request<pb::CreateGameRequest>,
    ) -> Result<Response<pb::CreateGameResponse>, Status> {
        caller(&request)?.service()?;
        let trace = traceparent(request.metadata().as_ref()).unwrap_or_default();
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

    async fn play_move(
        &self,
        request: Request<pb::PlayMoveRequest>,
    ) -> Result<Response<pb::PlayMoveResponse>, Status> {
        let wanted = request.get_ref();
        let command = point_of(&wanted.point).map(|point| Command::Play { ply: wanted.ply, point });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::PlayMoveResponse { sequence }))
    }

    async fn pass(&self, request: Request<pb::PassRequest>) -> Result<Response<pb::PassResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::Pass { ply: wanted.ply });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::PassResponse { sequence }))
    }

    async fn resign(
        &self,
        request: Request<pb::ResignRequest>,
    ) -> Result<Response<pb::ResignResponse>, Status> {
        let wanted = request.get_ref();
        let sequence =
            self.command(&request, &wanted.game_id, &wanted.command_id, Ok(Command::Resign)).await?;
        Ok(Response::new(pb::ResignResponse { sequence }))
    }

    async fn offer_draw(
        &self,
        request: Request<pb::OfferDrawRequest>,
    ) -> Result<Response<pb::OfferDrawResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::OfferDraw { ply: wanted.ply });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::OfferDrawResponse { sequence }))
    }

    async fn request_takeback(
        &self,
        request: Request<pb::RequestTakebackRequest>,
    ) -> Result<Response<pb::RequestTakebackResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::RequestTakeback { ply: wanted.ply });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::RequestTakebackResponse { sequence }))
    }

    async fn answer_proposal(
        &self,
        request: Request<pb::AnswerProposalRequest>,
    ) -> Result<Response<pb::AnswerProposalResponse>, Status> {
        let wanted = request.get_ref();
        let command =
            Ok(Command::Answer { id: wanted.proposal_id, version: wanted.version, accept: wanted.accept });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::AnswerProposalResponse { sequence }))
    }

    async fn accept_score(
        &self,
        request: Request<pb::AcceptScoreRequest>,
    ) -> Result<Response<pb::AcceptScoreResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::AcceptScore { version: wanted.version });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::AcceptScoreResponse { sequence }))
    }

    async fn dispute_score(
        &self,
        request: Request<pb::DisputeScoreRequest>,
    ) -> Result<Response<pb::DisputeScoreResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::DisputeScore { version: wanted.version });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::DisputeScoreResponse { sequence }))
    }

    async fn mark_chain(
        &self,
        request: Request<pb::MarkChainRequest>,
    ) -> Result<Response<pb::MarkChainResponse>, Status> {
        let wanted = request.get_ref();
        let command = point_of(&wanted.point).map(|point| Command::MarkChain {
            version: wanted.version,
            point,
            dead: wanted.dead,
        });
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::MarkChainResponse { sequence }))
    }

    async fn leave(&self, request: Request<pb::LeaveRequest>) -> Result<Response<pb::LeaveResponse>, Status> {
        let wanted = request.get_ref();
        let command = Ok(Command::Leave);
        let sequence = self.command(&request, &wanted.game_id, &wanted.command_id, command).await?;
        Ok(Response::new(pb::LeaveResponse { sequence }))
    }

    async fn request_rematch(
        &self,
        request: Request<pb::RequestRematchRequest>,
    ) -> Result<Response<pb::RequestRematchResponse>, Status> {
        let wanted = request.get_ref();
        let call = Call::of(&request, &wanted.game_id, &wanted.command_id, Ok(()))?;
        let Call { game, player, id, trace, .. } = call;
        let (sequence, next) = self.games.rematch(game, player, id, &trace).await.map_err(Failure::from)?;
        if let Some(next) = next {
            let live = self.games.get(next).await.map_err(Failure::from)?;
            live.look(|game, _| self.presence.expect(next, game.seats()));
        }
        let next_game_id = next.map(|next| next.to_string()).unwrap_or_default();
        Ok(Response::new(pb::RequestRematchResponse { sequence, next_game_id }))
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
        let stream = watch_turns(self.games.clone(), bot, capacity, self.heartbeat, shutdown).await;
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

    async fn get_game(
        &self,
        request: Request<pb::GetGameRequest>,
    ) -> Result<Response<pb::GetGameResponse>, Status> {
        let identity = caller(&request)?;
        let wanted = request.get_ref();
        let id = game_id_of(&wanted.game_id)?;
        let (entries, archived) = self.games.entries(id).await.map_err(Failure::from)?;
        admit_to_record(id, &entries, &identity, &wanted.watch_key)?;
        let entries = entries.iter().map(record_entry).collect::<Result<_, _>>()?;
        let record = pb::GameRecord { game_id: id.to_string(), entries, archived };
        Ok(Response::new(pb::GetGameResponse { record: Some(record) }))
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
        let sgf = sgf::export(id, &entries).ok_or_else(damaged)?;
        Ok(Response::new(pb::ExportSgfResponse { sgf }))
    }
}

fn record_entry(entry: &ledger::Entry) -> Result<pb::RecordEntry, Failure> {
    let decoded = nigiri_proto::events::v1::GameEntry::decode(entry.payload.clone());
    let decoded = decoded.map_err(|error| Failure::from(Error::Internal(error.to_string())))?;
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

fn game_id_of(text: &str) -> Result<GameId, Failure> {
    text.parse().map_err(|error| Failure::field(Reason::InvalidRequest, "game_id", error))
}

fn point_of(text: &str) -> Result<Point, Failure> {
    text.parse().map_err(|error: PointError| Failure::field(Reason::MalformedPoint, "point", error))
}

/// One failure of several: everything that is wrong at once.
fn all_of(failures: [Option<Failure>; 3]) -> Failure {
    let mut failures: Vec<Failure> = failures.into_iter().flatten().collect();
    match failures.len() {
        1 => failures.remove(0),
        _ => Failure::invalid(failures.into_iter().flat_map(Failure::into_violations).collect()),
    }
}

fn check_command_id(text: &str) -> Result<(), Failure> {
    if text.is_empty() || text.chars().count() > 64 || text.chars().any(char::is_control) {
        let problem =
            "a command needs an id of your making: 1 to 64 characters, none of them a control character";
        return Err(Failure::field(Reason::InvalidRequest, "command_id", problem));
    }
    Ok(())
}

/// Writes who does what into the call's span.
fn note(game: GameId, player: kernel::PlayerId) {
    let span = tracing::Span::current();
    span.record("game.id", tracing::field::display(game));
    span.record("player.id", tracing::field::display(player));
}
