//! The stream of one game.

use std::{pin::Pin, sync::Arc, time::Duration};

use ::metrics::gauge;
use futures::Stream;
use ledger::Sequence;
use nigiri_proto::game::v1::{self as pb, watch_response::Message as Wire};
use platform::convert::to_proto_time;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::{
    frame::{Frame, Update},
    games::Games,
    live::{LiveGame, Missed},
    metrics,
};

/// When the log could not be read, it is tried again after this: a clock may be running.
const AGAIN: Duration = Duration::from_secs(3);

/// The messages of one watcher.
pub type FrameStream = Pin<Box<dyn Stream<Item = Result<Frame, Status>> + Send>>;

/// Counts an open stream for as long as it lives.
pub struct Counted(&'static str);

impl Counted {
    /// One more of these.
    pub fn new(name: &'static str) -> Self {
        gauge!(name).increment(1.0);
        Self(name)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}

/// Follows a game from a snapshot, or from what comes after entry `after`, to its end.
pub fn watch(
    games: Games,
    live: Arc<LiveGame>,
    after: Option<Sequence>,
    heartbeat: Duration,
    draining: CancellationToken,
) -> FrameStream {
    Box::pin(async_stream::stream! {
        let _counted = Counted::new(metrics::WATCHERS);
        let (mut changed, mut out_of_touch) = (live.subscribe(), games.out_of_touch());
        let mut seen = None;
        if let Some(after) = after {
            match resume(&games, &live, after).await {
                Ok(Some(updates)) => {
                    seen = Some(after);
                    for update in updates {
                        seen = Some(update.sequence);
                        yield Ok(update.frame(games.ledger().now()));
                    }
                }
                Ok(None) => {}
                Err(status) => {
                    yield Err(status);
                    return;
                }
            }
        }
        let mut seen = match seen {
            Some(seen) => seen,
            None => {
                let Some(snapshot) = live.snapshot(games.ledger().now()) else { return };
                let sequence = snapshot.sequence;
                yield Ok(Frame::of(Wire::Snapshot(snapshot)));
                sequence
            }
        };
        let mut pause = heartbeat;
        loop {
            changed.look();
            match live.missed(seen) {
                Missed::Updates(updates) => {
                    for update in updates {
                        seen = update.sequence;
                        yield Ok(update.frame(games.ledger().now()));
                    }
                    continue;
                }
                Missed::TooMuch => {
                    let Some(snapshot) = live.snapshot(games.ledger().now()) else { return };
                    seen = snapshot.sequence;
                    yield Ok(Frame::of(Wire::Snapshot(snapshot)));
                    continue;
                }
                Missed::Nothing => {}
            }
            if live.look(|game, _| game.outcome().is_some() || game.is_corrupt()) != Some(false) {
                return;
            }
            tokio::select! {
                biased;
                () = changed.changed() => {}
                () = draining.cancelled() => {
                    yield Ok(Frame::of(Wire::Draining(pb::Draining {})));
                    return;
                }
                () = out_of_touch.changed() => {
                    let away = ledger::Unavailable("this replica does not reach the ledger".to_owned());
                    yield Err(platform::status::Failure::from(away).into());
                    return;
                }
                () = tokio::time::sleep(pause) => {
                    // Nothing was heard for a while: the log is the truth, hints are not.
                    pause = match games.catch_up(&live).await {
                        Ok(()) => heartbeat,
                        Err(error) => {
                            tracing::debug!(%error, "the log cannot be read; it will be tried again soon");
                            heartbeat.min(AGAIN)
                        }
                    };
                    if matches!(live.missed(seen), Missed::Nothing) {
                        let server_time = Some(to_proto_time(games.ledger().now()));
                        yield Ok(Frame::of(Wire::Heartbeat(pb::Heartbeat { server_time })));
                    }
                }
            }
        }
    })
}

/// What came after `after`; none if the client has to begin with a snapshot.
async fn resume(games: &Games, live: &LiveGame, after: Sequence) -> Result<Option<Vec<Update>>, Status> {
    if after > live.sequence() {
        // The client saw more than this replica has heard of.
        games.catch_up(live).await.map_err(|error| Status::from(platform::status::Failure::from(error)))?;
    }
    if after > live.sequence() {
        return Ok(None);
    }
    Ok(Some(match live.missed(after) {
        Missed::Nothing => Vec::new(),
        Missed::Updates(updates) => updates,
        Missed::TooMuch => {
            let rebuilt = games.updates_since(live.id(), after).await;
            rebuilt.map_err(|error| Status::from(platform::status::Failure::from(error)))?
        }
    }))
}
