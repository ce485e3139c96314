//! What operators see of games and do to them: the RPCs of `OversightService`.

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use kernel::GameId;
use nigiri_proto::game::v1::{self as pb, oversight_service_server::OversightService};
use platform::{
    auth::caller,
    convert::from_proto_duration,
    status::{Failure, Violation},
};
use referee::{Command, Ruling};
use tonic::{Request, Response, Status};

use crate::{
    codec, inquiry, lists,
    service::{Service, record},
    wanted::game_id_of,
};

/// The most characters of a reason.
const LONGEST_REASON: usize = 200;

/// How much time may be given at once.
const GIFT: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);

/// The RPCs for operators, on the same games.
pub struct Oversight(pub Arc<Service>);

impl Oversight {
    async fn command(&self, game: &str, command: Command<'_>) -> Result<u64, Failure> {
        Ok(self.0.games.rule(game_id_of(game)?, command).await?)
    }
}

fn reason(text: &str) -> Result<&str, Failure> {
    let text = text.trim();
    let clean = !text.is_empty() && !text.chars().any(char::is_control);
    if clean && text.chars().count() <= LONGEST_REASON {
        return Ok(text);
    }
    let words = "1 to 200 characters on one line, for the players to read";
    Err(Failure::invalid(vec![Violation::new("reason", words)]))
}

#[tonic::async_trait]
impl OversightService for Oversight {
    async fn list_every_game(
        &self,
        request: Request<pb::ListEveryGameRequest>,
    ) -> Result<Response<pb::ListEveryGameResponse>, Status> {
        caller(&request)?.operator()?;
        let games = &self.0.games;
        let page = lists::every(games.store(), games.ledger().now(), request.get_ref()).await;
        Ok(Response::new(page.map_err(Failure::from)?))
    }

    async fn get_game_state(
        &self,
        request: Request<pb::GetGameStateRequest>,
    ) -> Result<Response<pb::GetGameStateResponse>, Status> {
        caller(&request)?.operator()?;
        let games = &self.0.games;
        let id: GameId = game_id_of(&request.get_ref().game_id)?;
        let live = games.get(id).await.map_err(Failure::from)?;
        let (entries, archived) = games.entries(id).await.map_err(Failure::from)?;
        let snapshot = live.snapshot(games.ledger().now());
        let record = Some(record(id, &entries, archived)?);
        let watchers = u32::try_from(live.watchers()).unwrap_or(u32::MAX);
        let streams = inquiry::ask(games, id).await.map_err(Failure::from)?;
        Ok(Response::new(pb::GetGameStateResponse { snapshot, record, watchers, streams }))
    }

    async fn adjudicate_game(
        &self,
        request: Request<pb::AdjudicateGameRequest>,
    ) -> Result<Response<pb::AdjudicateGameResponse>, Status> {
        caller(&request)?.operator()?;
        let wanted = request.get_ref();
        let ruling = Ruling { winner: codec::color_from_proto(wanted.winner), counts: wanted.counts };
        let command = Command::Adjudicate { ruling, reason: reason(&wanted.reason)? };
        let sequence = self.command(&wanted.game_id, command).await?;
        Ok(Response::new(pb::AdjudicateGameResponse { sequence }))
    }

    async fn abort_game(
        &self,
        request: Request<pb::AbortGameRequest>,
    ) -> Result<Response<pb::AbortGameResponse>, Status> {
        caller(&request)?.operator()?;
        let wanted = request.get_ref();
        let command = Command::Void { reason: reason(&wanted.reason)? };
        let sequence = self.command(&wanted.game_id, command).await?;
        Ok(Response::new(pb::AbortGameResponse { sequence }))
    }

    async fn give_time(
        &self,
        request: Request<pb::GiveTimeRequest>,
    ) -> Result<Response<pb::GiveTimeResponse>, Status> {
        caller(&request)?.operator()?;
        let wanted = request.get_ref();
        let time = wanted.time.map(from_proto_duration).unwrap_or_default();
        if !GIFT.contains(&time) {
            let wrong = Violation::new("time", "out of range: 1 s to 1 h");
            return Err(Failure::invalid(vec![wrong]).into());
        }
        let command = Command::GiveTime { time, reason: reason(&wanted.reason)? };
        let sequence = self.command(&wanted.game_id, command).await?;
        Ok(Response::new(pb::GiveTimeResponse { sequence }))
    }
}
