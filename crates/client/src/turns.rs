use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture};
use nigiri_proto::game::v1::{
    GameSnapshot, WatchTurnsRequest, WatchTurnsResponse, game_service_client::GameServiceClient,
    watch_turns_response::Message,
};
use tonic::{Response, Status, Streaming};

use crate::{
    Error, Service, Session, SessionChannel,
    resume::{Resuming, Source, Step},
};

/// The positions in which a bot is to move. The same one can come twice: its ply makes an answer to it harmless. Ends only by an error.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Turns(Resuming<TurnSource>);

impl Turns {
    pub(crate) fn new(session: Session, capacity: u32) -> Self {
        Self(Resuming::new(session, TurnSource { capacity }))
    }
}

impl Stream for Turns {
    type Item = Result<GameSnapshot, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

struct TurnSource {
    capacity: u32,
}

impl Source for TurnSource {
    type Message = WatchTurnsResponse;
    type Item = GameSnapshot;
    const SERVICE: Service = Service::Game;

    fn open(
        &mut self,
        channel: SessionChannel,
    ) -> BoxFuture<'static, Result<Response<Streaming<WatchTurnsResponse>>, Status>> {
        let request = WatchTurnsRequest { capacity: self.capacity };
        async move { GameServiceClient::new(channel).watch_turns(request).await }.boxed()
    }

    fn receive(&mut self, message: WatchTurnsResponse) -> Step<GameSnapshot> {
        match message.message {
            Some(Message::Turn(turn)) => Step::Yield(turn),
            Some(Message::Heartbeat(_)) | None => Step::Skip,
            Some(Message::Draining(_)) => Step::Reopen,
        }
    }
}
