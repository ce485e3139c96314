//! The system as a whole: notices, pauses, processes, dead letters, the audit log.

use nigiri_proto::operator::v1 as api;
use platform::{
    convert::{from_proto_duration, to_proto_time},
    status::{Failure, Reason},
    tower::{self, Notice},
};
use tonic::{Request, Status, codegen::BoxStream};
use uuid::Uuid;

use super::{Answer, Service, span};
use crate::{
    error::Error,
    letters, request,
    store::{Filter, Place, START},
};

impl Service {
    pub(super) async fn tell(
        &self,
        request: Request<api::SetNoticeRequest>,
    ) -> Answer<api::SetNoticeResponse> {
        let asked = self.asked(&request)?;
        let api::SetNoticeRequest { text, duration, reason } = request.into_inner();
        let text = request::notice(&text)?;
        let for_long = duration.map(|_| format!(", for {}", span(duration))).unwrap_or_default();
        let how = format!("{text:?}{for_long}");
        let until = duration.map(|time| self.context.clock.now() + from_proto_duration(time));
        asked
            .perform("SetNotice", "", how, &reason, async |_, _| {
                tower::set(self.store.db(), tower::NOTICE, &text, until).await?;
                Ok(api::SetNoticeResponse {})
            })
            .await
    }

    /// The notice as it stands, and each change of it, until the process drains.
    pub(super) fn notices(&self) -> BoxStream<api::WatchNoticeResponse> {
        let mut switches = self.context.switches().settings();
        let mut leaving = self.context.shutdown.stream();
        Box::pin(async_stream::stream! {
            let mut told: Option<Notice> = None;
            loop {
                let notice = switches.borrow_and_update().notice.clone();
                if told.as_ref() != Some(&notice) {
                    told = Some(notice.clone());
                    let end_time = notice.until.map(to_proto_time);
                    yield Ok(api::WatchNoticeResponse { text: notice.text, end_time });
                }
                tokio::select! {
                    changed = switches.changed() => if changed.is_err() { return },
                    () = leaving.asked_to_leave() => {
                        let words = "this replica is going away: call again";
                        yield Err(Status::from(Failure::new(Reason::Draining, words)));
                        return;
                    }
                }
            }
        })
    }

    pub(super) async fn pause(
        &self,
        request: Request<api::PauseMatchmakingRequest>,
    ) -> Answer<api::PauseMatchmakingResponse> {
        let asked = self.asked(&request)?;
        let api::PauseMatchmakingRequest { paused, reason } = request.into_inner();
        let (how, value) = if paused { ("paused", "on") } else { ("goes on", "") };
        asked
            .perform("PauseMatchmaking", "", how, &reason, async |_, _| {
                tower::set(self.store.db(), tower::MATCHMAKING_PAUSED, value, None).await?;
                Ok(api::PauseMatchmakingResponse {})
            })
            .await
    }

    pub(super) async fn drain(
        &self,
        request: Request<api::DrainReplicaRequest>,
    ) -> Answer<api::DrainReplicaResponse> {
        let asked = self.asked(&request)?;
        let api::DrainReplicaRequest { replica_id, reason } = request.into_inner();
        let replica = request::id("replica_id", &replica_id)?;
        asked
            .perform("DrainReplica", &replica_id, "", &reason, async |_, _| {
                if !self.store.drain(replica, self.context.clock.now()).await? {
                    return Err(Error::ReplicaNotFound(replica));
                }
                Ok(api::DrainReplicaResponse {})
            })
            .await
    }

    pub(super) async fn replay(
        &self,
        request: Request<api::ReplayDeadLetterRequest>,
    ) -> Answer<api::ReplayDeadLetterResponse> {
        let asked = self.asked(&request)?;
        let api::ReplayDeadLetterRequest { topic, group, letter_id, reason } = request.into_inner();
        let how = format!("of {group} on {topic}");
        asked
            .perform("ReplayDeadLetter", &letter_id, how, &reason, async |_, _| {
                let missing = || Error::DeadLetterNotFound(letter_id.clone());
                let id = letters::read(&letter_id).ok_or_else(missing)?;
                if !self.context.ledger.revive(&topic, &group, &id).await? {
                    return Err(missing());
                }
                Ok(api::ReplayDeadLetterResponse {})
            })
            .await
    }

    pub(super) async fn discard(
        &self,
        request: Request<api::DiscardDeadLetterRequest>,
    ) -> Answer<api::DiscardDeadLetterResponse> {
        let asked = self.asked(&request)?;
        let api::DiscardDeadLetterRequest { topic, group, letter_id, reason } = request.into_inner();
        let how = format!("of {group} on {topic}");
        asked
            .perform("DiscardDeadLetter", &letter_id, how, &reason, async |_, _| {
                let missing = || Error::DeadLetterNotFound(letter_id.clone());
                let id = letters::read(&letter_id).ok_or_else(missing)?;
                if !self.context.ledger.discard(&topic, &group, &id).await? {
                    return Err(missing());
                }
                Ok(api::DiscardDeadLetterResponse {})
            })
            .await
    }

    /// A page of the audit log.
    pub(super) async fn acts(&self, asked: &api::ListActsRequest) -> Result<api::ListActsResponse, Error> {
        let operator = match asked.operator_id.as_str() {
            "" => None,
            text => Some(request::id("operator_id", text)?),
        };
        let size = request::limit("page_size", asked.page_size, 50, 200)?;
        let after = place(&asked.page_token)?;
        let filter = Filter { operator, target: asked.target.clone() };
        let mut acts = self.store.acts(&filter, after, i64::from(size) + 1).await?;
        let more = acts.len() > size as usize;
        acts.truncate(size as usize);
        let next = acts.last().filter(|_| more).map(|((time, id), _)| format!("{time}.{id}"));
        Ok(api::ListActsResponse {
            acts: acts.into_iter().map(|(_, act)| act).collect(),
            next_page_token: next.unwrap_or_default(),
        })
    }
}

/// The place that a page token names.
fn place(token: &str) -> Result<Place, Error> {
    if token.is_empty() {
        return Ok(START);
    }
    let read = || {
        let (time, id) = token.split_once('.')?;
        Some((time.parse().ok()?, Uuid::try_parse(id).ok()?))
    };
    read().ok_or_else(|| request::wrong("page_token", "not a token that this list has given"))
}
