use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture};
use kernel::GameId;
use nigiri_proto::game::v1::{
    GameSnapshot, GameUpdate, WatchRequest, WatchResponse, game_event,
    game_service_client::GameServiceClient, watch_response::Message,
};
use tonic::{Response, Status, Streaming};

use crate::{
    Error, Service, Session, SessionChannel,
    resume::{Resuming, Source, Step},
};

/// What a watcher of a game gets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Watched {
    /// The game as it stands: first, unless the watch began after an entry; and when so much was missed that the server gives the
    /// whole again.
    Snapshot(Box<GameSnapshot>),
    /// The next entry: its number is one more than that of what came before.
    Update(Box<GameUpdate>),
    /// The server lives; by its clock it is now this late.
    Heartbeat(Option<prost_types::Timestamp>),
    /// The stream broke, for this reason; it is being taken up again.
    Interrupted(String),
}

/// Follows a game to its end. After the update (or snapshot) that finishes the game it ends, unless it is to go on ([`Watch::beyond_the_end`]); an error ends
/// it, too.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Watch(Resuming<GameSource>);

impl Watch {
    pub(crate) fn new(session: Session, game: GameId, after: Option<u64>) -> Self {
        Self(Resuming::new(session.clone(), GameSource::new(session, game, after)))
    }

    /// Goes on after the end of the game, with what players do then (ask for another game), until the server says that there is nothing more.
    pub fn beyond_the_end(mut self) -> Self {
        self.0.source_mut().beyond = true;
        self
    }

    /// The number of the last entry that was received: where another watch would go on.
    pub fn last_sequence(&self) -> Option<u64> {
        self.0.source().last
    }
}

impl Stream for Watch {
    type Item = Result<Watched, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

/// Whether an update finishes its game.
pub(crate) fn finishes(update: &GameUpdate) -> bool {
    update.events.iter().any(|event| matches!(event.event, Some(game_event::Event::Finished(_))))
}

pub(crate) struct GameSource {
    session: Session,
    game: GameId,
    last: Option<u64>,
    /// Whether anything came since the stream was opened.
    heard: bool,
    /// The server ended a stream without a word: a snapshot will say whether the game had ended before.
    probing: bool,
    /// The end of the game is not the end of the stream.
    beyond: bool,
}

impl GameSource {
    /// A game after this entry, or from a snapshot.
    pub fn new(session: Session, game: GameId, after: Option<u64>) -> Self {
        Self { session, game, last: after, heard: false, probing: false, beyond: false }
    }

    /// The game's id.
    pub fn game_id(&self) -> String {
        self.game.to_string()
    }

    /// The number of the last entry that was received.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    pub fn snapshot(&mut self, snapshot: GameSnapshot) -> Step<Watched> {
        let finished = snapshot.result.is_some();
        if finished {
            self.session.forget_delay(self.game);
        }
        let probing = std::mem::take(&mut self.probing);
        match self.last {
            Some(last) if snapshot.sequence < last => {
                return Step::Fail(Error::OutOfOrder { expected: last + 1, got: snapshot.sequence });
            }
            Some(last) if probing && snapshot.sequence == last => {
                return if finished { Step::End } else { Step::Skip };
            }
            _ => self.last = Some(snapshot.sequence),
        }
        let watched = Watched::Snapshot(Box::new(snapshot));
        if finished && !self.beyond { Step::Close(watched) } else { Step::Yield(watched) }
    }

    pub fn update(&mut self, update: GameUpdate) -> Step<Watched> {
        let expected = self.last.map_or(1, |last| last + 1);
        if update.sequence != expected {
            return Step::Fail(Error::OutOfOrder { expected, got: update.sequence });
        }
        self.last = Some(expected);
        let finished = finishes(&update);
        if finished {
            self.session.forget_delay(self.game);
        }
        if finished && !self.beyond {
            Step::Close(Watched::Update(Box::new(update)))
        } else {
            Step::Yield(Watched::Update(Box::new(update)))
        }
    }
}

impl Source for GameSource {
    type Message = WatchResponse;
    type Item = Watched;
    const SERVICE: Service = Service::Game;

    fn open(
        &mut self,
        channel: SessionChannel,
    ) -> BoxFuture<'static, Result<Response<Streaming<WatchResponse>>, Status>> {
        self.heard = false;
        let after_sequence = self.last.filter(|_| !self.probing);
        let request = WatchRequest { game_id: self.game_id(), after_sequence, ..Default::default() };
        async move { GameServiceClient::new(channel).watch(request).await }.boxed()
    }

    fn receive(&mut self, message: WatchResponse) -> Step<Watched> {
        self.heard = true;
        match message.message {
            Some(Message::Snapshot(snapshot)) => self.snapshot(snapshot),
            Some(Message::Update(update)) => self.update(update),
            Some(Message::Heartbeat(heartbeat)) => Step::Yield(Watched::Heartbeat(heartbeat.server_time)),
            Some(Message::Draining(_)) => Step::Reopen,
            Some(Message::Ended(_)) => Step::End,
            Some(Message::Ping(ping)) => {
                self.session.answer_ping(self.game, ping.token);
                Step::Skip
            }
            None => Step::Skip,
        }
    }

    fn ended(&mut self) {
        self.probing = !self.heard && self.last.is_some();
    }

    fn interrupted(&self, cause: &str) -> Option<Watched> {
        Some(Watched::Interrupted(cause.to_owned()))
    }
}
