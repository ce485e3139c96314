//! Many games on one stream, for programs that play much.

mod driver;
mod talk;

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use futures::Stream;
use kernel::GameId;
use nigiri_proto::game::v1::{PassRequest, PlayMoveRequest, ResignRequest, play_request::Request};
use tokio::sync::{mpsc, oneshot};

use crate::{Error, Game, Session, Watched, game::new_id, retry::Ended};
use driver::{Driver, Order, Sitting};

/// One stream that carries the commands and events of many games, for one player or for several. It connects when it is first used, and
/// comes back by itself: games go on after the last entry that was seen, and commands that were not answered are sent again under their
/// ids. Cheap to clone; it ends with the last clone and the last [`Seat`].
#[derive(Clone, Debug)]
pub struct PlayStream {
    session: Session,
    orders: mpsc::UnboundedSender<Order>,
    seats: Arc<AtomicU32>,
}

impl PlayStream {
    /// A stream that is opened by this session. Must be called within a tokio runtime.
    pub(crate) fn new(session: Session) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        tokio::spawn(Driver::new(session.clone(), received).run());
        Self { session, orders, seats: Arc::new(AtomicU32::new(1)) }
    }

    /// Plays and follows a game as the stream's own player: from a snapshot, or after the entry with this number.
    pub fn sit(&self, game: GameId, after: Option<u64>) -> Seat {
        self.sit_as(&self.session, game, after)
    }

    /// Likewise, as another player, who signs on to the stream by it.
    pub fn sit_as(&self, session: &Session, game: GameId, after: Option<u64>) -> Seat {
        let number = self.seats.fetch_add(1, Ordering::Relaxed);
        let (events, received) = mpsc::unbounded_channel();
        let order = Order::Sit(Sitting { seat: number, session: session.clone(), game, after, events });
        // Where nobody takes orders any more, the seat's events say so by their end.
        let _ended = self.orders.send(order);
        let game = Game::new(session.clone(), game);
        Seat { number, game, orders: self.orders.clone(), events: received, last: after }
    }
}

/// A game on a [`PlayStream`]: a stream of what happens in it, and commands. Events that are not read are kept until they are; a game has a
/// thousand or so.
#[derive(Debug)]
#[must_use = "a seat that is dropped is left"]
pub struct Seat {
    number: u32,
    game: Game,
    orders: mpsc::UnboundedSender<Order>,
    events: mpsc::UnboundedReceiver<Result<Watched, Error>>,
    last: Option<u64>,
}

impl Seat {
    /// The game's id.
    pub fn id(&self) -> GameId {
        self.game.id()
    }

    /// The number of the last entry that was received: where another seat would go on.
    pub fn last_sequence(&self) -> Option<u64> {
        self.last
    }

    /// As [`Game::play`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn play(&self, ply: u32, point: &str) -> Result<u64, Error> {
        let (command_id, point) = (new_id(), point.to_owned());
        let id = command_id.clone();
        let request = PlayMoveRequest { ply, point, command_id, ..Default::default() };
        self.command(Request::PlayMove(request), &id).await
    }

    /// As [`Game::pass`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn pass(&self, ply: u32) -> Result<u64, Error> {
        let command_id = new_id();
        let id = command_id.clone();
        let request = PassRequest { ply, command_id, ..Default::default() };
        self.command(Request::Pass(request), &id).await
    }

    /// As [`Game::resign`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn resign(&self) -> Result<u64, Error> {
        let command_id = new_id();
        let id = command_id.clone();
        let request = ResignRequest { game_id: String::new(), command_id };
        self.command(Request::Resign(request), &id).await
    }

    /// Any command of the seat's game, whose `game_id` is left empty and whose `command_id` is this one.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn command(&self, request: Request, command_id: &str) -> Result<u64, Error> {
        let (reply, answer) = oneshot::channel();
        // An order that nobody takes is answered by the end of its channel.
        let _ended = self.orders.send(Order::Command(self.number, request, reply));
        let gone = || Ended { result: Err(ended()), uncertain: true };
        let outcome = answer.await.unwrap_or_else(|_| gone());
        self.game.settle(outcome, |sequence| sequence, command_id).await
    }
}

fn ended() -> Error {
    Error::Unreachable { tried_for: Duration::ZERO, cause: "the stream has ended".to_owned() }
}

impl Stream for Seat {
    type Item = Result<Watched, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.events.poll_recv(context);
        if let Poll::Ready(Some(Ok(watched))) = &polled {
            match watched {
                Watched::Snapshot(snapshot) => self.last = Some(snapshot.sequence),
                Watched::Update(update) => self.last = Some(update.sequence),
                _ => {}
            }
        }
        polled
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Nobody to tell: the stream has ended.
        let _ended = self.orders.send(Order::Leave(self.number));
    }
}
