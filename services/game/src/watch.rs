//! The stream of one game.

#[cfg(test)]
mod tests;

use std::{pin::Pin, sync::Arc, time::Duration};

use ::metrics::gauge;
use futures::Stream;
use kernel::Timestamp;
use ledger::Sequence;
use nigiri_proto::game::v1::{self as pb, watch_response::Message as Wire};
use platform::{convert::to_proto_time, shutdown::Shutdown, status::Failure};
use referee::Presence;
use tokio::time::Instant;
use tonic::Status;

use crate::{
    delay::Pings,
    error::Error,
    frame::{Frame, Update},
    games::Games,
    live::{LiveGame, Missed, Spectator},
    metrics,
    presence::Held,
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

/// How a stream behaves.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// It says that nothing happened after this long at most.
    pub heartbeat: Duration,
    /// It says so each time this long has passed since then: streams of one connection say it together, and it leaves in one piece. Since the stream was
    /// opened if none.
    pub beats_since: Option<Instant>,
    /// It stays open for this long after the end of the game.
    pub stay: Duration,
    /// It exports a game only this long after the game's end.
    pub settle: Duration,
    /// A player's stream measures the network delay when it begins, and anew with a turn of the player's that begins this long after the last time; never if
    /// none.
    pub ping: Option<Duration>,
}

impl Manner {
    /// When the next heartbeat after now is due, counted from `opened` where nothing else is said.
    fn next_beat(&self, opened: Instant) -> Instant {
        let (since, now) = (self.beats_since.unwrap_or(opened), Instant::now());
        let past = now.saturating_duration_since(since).as_nanos();
        let into = past % self.heartbeat.as_nanos().max(1);
        now + self.heartbeat.saturating_sub(Duration::from_nanos(u64::try_from(into).unwrap_or(0)))
    }
}

/// Follows a game from a snapshot, or from what comes after entry `after`, to its end and a little beyond. `held` says that it is a player's stream, and
/// `pings` when it measures the player's network.
pub fn watch(
    games: Games,
    live: Arc<LiveGame>,
    mut held: Option<Held>,
    mut pings: Option<Pings>,
    after: Option<Sequence>,
    manner: Manner,
    shutdown: &Shutdown,
) -> FrameStream {
    let mut open = shutdown.stream();
    Box::pin(async_stream::stream! {
        let _counted = Counted::new(metrics::WATCHERS);
        let _spectator = held.is_none().then(|| Spectator::of(live.clone()));
        let (mut changed, mut out_of_touch) = (live.subscribe(), games.out_of_touch());
        // Made once, so that an update costs neither a timer nor a place among those who wait for the end.
        let opened = Instant::now();
        let mut beat = manner.next_beat(opened);
        let (quiet, leave) = (tokio::time::sleep_until(beat), open.asked_to_leave());
        tokio::pin!(quiet, leave);
        let mut seen = None;
        if let Some(after) = after {
            // What is seldom under way lies elsewhere meanwhile: a stream takes its place for as long as it is open.
            match Box::pin(resume(&games, &live, after)).await {
                Ok(Some(updates)) => {
                    seen = Some(after);
                    for update in updates {
                        seen = Some(update.sequence);
                        yield Ok(update.frame(games.ledger().now()));
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    yield Err(Failure::from(error).into());
                    return;
                }
            }
        }
        let mut seen = match seen {
            Some(seen) => seen,
            None => {
                let Some((sequence, frame)) = whole(&games, &live) else {
                    yield Err(Failure::from(live.unknown()).into());
                    return;
                };
                yield Ok(frame);
                sequence
            }
        };
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
                    let Some((sequence, frame)) = whole(&games, &live) else {
                        yield Err(Failure::from(live.unknown()).into());
                        return;
                    };
                    seen = sequence;
                    yield Ok(frame);
                    continue;
                }
                Missed::Nothing => {}
            }
            let ping = pings.as_mut().and_then(|pings| pings.due(&live, games.ledger()));
            if let Some(ping) = ping {
                yield Ok(Frame::of(Wire::Ping(ping)));
            }
            match standing(&live, held.as_ref()) {
                Standing::Over { since } => {
                    if let Some(held) = held.take() {
                        held.over();
                    }
                    let left = (since + manner.stay).since(games.ledger().now());
                    if left.is_zero() {
                        yield Ok(Frame::of(Wire::Ended(pb::Ended {})));
                        return;
                    }
                    let end = Instant::now() + left;
                    if end < quiet.deadline() {
                        quiet.as_mut().reset(end);
                    }
                }
                Standing::Ended => {
                    yield Ok(Frame::of(Wire::Ended(pb::Ended {})));
                    return;
                }
                Standing::Elsewhere => {
                    yield Err(Failure::from(live.unknown()).into());
                    return;
                }
                Standing::Away => held.iter().for_each(Held::is_back),
                Standing::Fine => {}
            }
            tokio::select! {
                biased;
                () = changed.changed() => {}
                () = &mut leave => {
                    yield Ok(Frame::of(Wire::Draining(pb::Draining {})));
                    return;
                }
                () = out_of_touch.changed() => {
                    let away = ledger::Unavailable("this replica does not reach the ledger".to_owned());
                    yield Err(platform::status::Failure::from(away).into());
                    return;
                }
                () = &mut quiet => {
                    if Instant::now() < beat {
                        quiet.as_mut().reset(beat);
                        continue;
                    }
                    // Nothing may have been heard for a while: the log is the truth, hints are not.
                    beat = manner.next_beat(opened);
                    if let Err(error) = Box::pin(games.look_again(&live)).await {
                        tracing::debug!(%error, "the log cannot be read; it will be tried again soon");
                        beat = beat.min(Instant::now() + AGAIN);
                    }
                    quiet.as_mut().reset(beat);
                    if matches!(live.missed(seen), Missed::Nothing) {
                        let server_time = Some(to_proto_time(games.ledger().now()));
                        yield Ok(Frame::of(Wire::Heartbeat(pb::Heartbeat { server_time })));
                    }
                }
            }
        }
    })
}

/// The game as it stands, and its last sequence.
fn whole(games: &Games, live: &LiveGame) -> Option<(Sequence, Frame)> {
    let snapshot = live.snapshot(games.ledger().now())?;
    Some((snapshot.sequence, Frame::of(Wire::Snapshot(snapshot))))
}

/// How a game stands for a stream of it.
pub enum Standing {
    /// It goes on.
    Fine,
    /// The game says that the player is gone, without having said so.
    Away,
    /// The game is over; since that moment nothing has happened.
    Over { since: Timestamp },
    /// Nothing can happen any more.
    Ended,
    /// It goes on, but a newer version has written what is not understood here.
    Elsewhere,
}

/// How a game stands for a stream of it; `held` if that is a player's.
pub fn standing(live: &LiveGame, held: Option<&Held>) -> Standing {
    let looked = live.look(|game, _| {
        let away = |held: &Held| matches!(game.presence(held.color()), Presence::Away { left: false, .. });
        match (held, game.rematch()) {
            (_, Some(rematch)) if rematch.game.is_some() => Standing::Ended,
            _ if game.is_corrupt() => Standing::Ended,
            (_, Some(_)) => Standing::Over { since: game.last_stamp() },
            (Some(held), None) if away(held) => Standing::Away,
            _ => Standing::Fine,
        }
    });
    looked.unwrap_or_else(|| if live.is_newer() { Standing::Elsewhere } else { Standing::Ended })
}

/// What came after `after`; none if the client has to begin with a snapshot.
///
/// # Errors
/// When ledger or store are away.
pub async fn resume(games: &Games, live: &LiveGame, after: Sequence) -> Result<Option<Vec<Update>>, Error> {
    if after > live.sequence() {
        // The client saw more than this replica has heard of.
        games.catch_up(live).await?;
    }
    if after > live.sequence() {
        return Ok(None);
    }
    Ok(Some(match live.missed(after) {
        Missed::Nothing => Vec::new(),
        Missed::Updates(updates) => updates,
        Missed::TooMuch => games.updates_since(live.id(), after).await?,
    }))
}
