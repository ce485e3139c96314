//! The turns of a bot: a topic with a consumer group behind a stream. A turn is leased to the stream that got it; when the stream
//! ends without a move, another one takes the turn.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures::Stream;
use kernel::{GameId, PlayerId};
use ledger::{Delivery, DeliveryId, Unavailable};
use nigiri_proto::{
    events::v1::TurnNotice,
    game::v1::{self as pb, watch_turns_response::Message as Wire},
};
use platform::{
    convert::to_proto_time,
    shutdown::Shutdown,
    telemetry::trace::{self, TraceContext},
};
use prost::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::{error::Error, games::Games, live::LiveGame, metrics, topics, watch::Counted};

/// The consumer group of every bot's topic.
const GROUP: &str = "bot";

/// A turn that nobody renews for this long goes to another stream.
const LEASE: Duration = Duration::from_secs(5);

/// A bot that has not moved after this long has lost the turn to another stream.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one fetch waits for a turn.
const WAIT: Duration = Duration::from_secs(2);

/// The messages of one bot's stream.
pub type TurnStream = Pin<Box<dyn Stream<Item = Result<pb::WatchTurnsResponse, Status>> + Send>>;

/// Everything that keeps one bot's stream supplied.
#[derive(Clone)]
struct Keeper {
    games: Games,
    topic: Arc<str>,
    consumer: Arc<str>,
    turns: mpsc::Sender<pb::GameSnapshot>,
    /// Cancelled when the stream has gone.
    gone: CancellationToken,
}

/// Follows a bot's turns, at most `capacity` of them at once.
///
/// # Errors
/// When the ledger is away.
pub async fn watch_turns(
    games: Games,
    bot: PlayerId,
    capacity: usize,
    heartbeat: Duration,
    shutdown: Shutdown,
) -> Result<TurnStream, Unavailable> {
    let topic: Arc<str> = topics::turns(bot).into();
    games.ledger().join(&topic, GROUP).await?;
    let (turns, mut received) = mpsc::channel(1);
    let gone = CancellationToken::new();
    let keeper = Keeper {
        games: games.clone(),
        topic,
        consumer: chance::uuid().to_string().into(),
        turns,
        gone: gone.clone(),
    };
    shutdown.spawn(keeper.run(capacity, shutdown.clone()));
    let mut open = shutdown.stream();
    Ok(Box::pin(async_stream::stream! {
        let _counted = Counted::new(metrics::TURN_STREAMS);
        let _gone = gone.drop_guard();
        loop {
            let wire = tokio::select! {
                turn = received.recv() => match turn {
                    Some(snapshot) => Wire::Turn(snapshot),
                    None => return,
                },
                () = open.asked_to_leave() => {
                    yield Ok(message(Wire::Draining(pb::Draining {})));
                    return;
                }
                () = tokio::time::sleep(heartbeat) => {
                    Wire::Heartbeat(pb::Heartbeat { server_time: Some(to_proto_time(games.ledger().now())) })
                }
            };
            yield Ok(message(wire));
        }
    }))
}

fn message(message: Wire) -> pb::WatchTurnsResponse {
    pb::WatchTurnsResponse { message: Some(message) }
}

impl Keeper {
    /// Fetches turns while there is room for one more, and minds those that are out.
    async fn run(self, capacity: usize, shutdown: Shutdown) {
        let room = Arc::new(Semaphore::new(capacity));
        let stop = shutdown.draining().clone();
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&room).acquire_owned() => permit,
                () = self.gone.cancelled() => return,
                () = stop.cancelled() => return,
            };
            let Ok(permit) = permit else { return };
            let next = tokio::select! {
                next = self.next() => next,
                () = self.gone.cancelled() => return,
                () = stop.cancelled() => return,
            };
            match next {
                Ok(Some(delivery)) => {
                    let keeper = self.clone();
                    shutdown.spawn(async move { keeper.mind(delivery, permit).await });
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, "no turns can be had now");
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        }
    }

    /// The next turn: first one that another stream has left, then a new one.
    async fn next(&self) -> Result<Option<Delivery>, Unavailable> {
        let ledger = self.games.ledger();
        let left = ledger.claim(&self.topic, GROUP, &self.consumer, LEASE, 1).await?;
        if let Some(delivery) = left.into_iter().next() {
            return Ok(Some(delivery));
        }
        Ok(ledger.fetch(&self.topic, GROUP, &self.consumer, 1, WAIT).await?.into_iter().next())
    }

    /// Offers one turn to the bot, renews the lease while the bot thinks, and acknowledges it once the game has gone on.
    async fn mind(self, delivery: Delivery, permit: OwnedSemaphorePermit) {
        let _permit = permit;
        let done = match self.offer(&delivery).await {
            Ok(done) => done,
            // A replica that understands the game takes the turn when its lease has run out: whoever gives it back at once is the first to get it again.
            Err(error @ Error::Newer(_)) => {
                return tracing::debug!(%error, "a turn is left to other replicas");
            }
            Err(error) => {
                tracing::debug!(%error, "a turn could not be offered");
                false
            }
        };
        let ledger = self.games.ledger();
        let result = if done {
            ledger.acknowledge(&self.topic, GROUP, &[delivery.id]).await
        } else {
            ledger.release(&self.topic, GROUP, &self.consumer, &delivery.id).await
        };
        if let Err(error) = result {
            tracing::debug!(%error, "a turn's lease runs out by itself");
        }
    }

    /// True when nothing is left to do about this turn.
    async fn offer(&self, delivery: &Delivery) -> Result<bool, Error> {
        let Some((id, ply, cause)) = read(delivery) else {
            tracing::error!("a turn's notice cannot be read; it is dropped");
            return Ok(true);
        };
        // It lasts until the bot has moved.
        let span = trace::caused("game.turn", cause);
        span.record("game.id", tracing::field::display(id));
        let live = match self.games.get(id).await {
            Ok(live) => live,
            Err(Error::NotFound(_)) => return Ok(true),
            Err(error) => return Err(error),
        };
        if live.look(|game, _| game.ply() < ply) == Some(true) {
            self.games.catch_up(&live).await?;
        }
        if gone_by(&live, ply) {
            return Ok(true);
        }
        let Some(snapshot) = live.snapshot(self.games.ledger().now()) else { return Err(live.unknown()) };
        if self.turns.send(snapshot).await.is_err() {
            return Ok(false);
        }
        Ok(self.wait(&live, ply, &delivery.id).await)
    }

    /// Waits for the move. False when the stream has gone, the lease is lost, or patience has run out.
    async fn wait(&self, live: &LiveGame, ply: u32, id: &DeliveryId) -> bool {
        let mut changed = live.subscribe();
        let patience = tokio::time::sleep(PATIENCE);
        tokio::pin!(patience);
        loop {
            if gone_by(live, ply) {
                return true;
            }
            if live.is_newer() {
                return false;
            }
            tokio::select! {
                () = changed.changed() => {}
                () = self.gone.cancelled() => return false,
                () = &mut patience => return false,
                () = tokio::time::sleep(LEASE / 3) => {
                    match self.games.ledger().renew(&self.topic, GROUP, &self.consumer, id).await {
                        Ok(true) => {}
                        Ok(false) => return false,
                        Err(error) => tracing::debug!(%error, "a lease could not be renewed"),
                    }
                    if let Err(error) = self.games.catch_up(live).await {
                        tracing::debug!(%error, "the log cannot be read");
                    }
                }
            }
        }
    }
}

/// The game, the ply, and what made it the bot's turn if that is traced.
fn read(delivery: &Delivery) -> Option<(GameId, u32, Option<TraceContext>)> {
    let notice = TurnNotice::decode(delivery.payload.clone()).ok()?;
    Some((notice.game_id.parse().ok()?, notice.ply, notice.traceparent.parse().ok()))
}

/// Whether the game is past this ply, or over, as far as that is known here.
fn gone_by(live: &LiveGame, ply: u32) -> bool {
    let gone = live.look(|game, _| game.turn().is_none() || game.ply() > ply || game.is_corrupt());
    gone.unwrap_or_else(|| !live.is_newer())
}
