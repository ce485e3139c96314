//! One connection of a stream.

use std::time::Duration;

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use nigiri_proto::game::v1::{PlayResponse, play_response::Message};
use tokio::time::Instant;
use tonic::{Code, Status, Streaming};

use super::driver::Driver;
use crate::{
    Error,
    error::{Failed, Transient, classify},
    resume::Step,
    retry::Backoff,
};

/// How long to wait before something is tried again that the server could not do just now.
pub(super) const RETRY: Duration = Duration::from_millis(200);

/// What is tried again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Later {
    /// To follow the game of this seat.
    Follow(u32),
    /// To send the message with this number.
    Send(u64),
}

/// What has been put off.
pub(super) struct Laters(FuturesUnordered<BoxFuture<'static, Later>>);

impl Laters {
    pub fn new() -> Self {
        Self(FuturesUnordered::new())
    }

    pub fn put_off(&mut self, later: Later) {
        self.0.push(tokio::time::sleep(RETRY).map(move |()| later).boxed());
    }
}

impl Driver {
    /// Talks until the connection breaks, and says why it did; none when nobody orders anything any more.
    pub(super) async fn talk(
        &mut self,
        mut stream: Streaming<PlayResponse>,
        backoff: &mut Backoff,
    ) -> Option<Transient> {
        backoff.opened();
        let limit = self.silence();
        let mut heard = Instant::now();
        let silence = tokio::time::sleep(limit);
        tokio::pin!(silence);
        let mut draining = false;
        loop {
            tokio::select! {
                message = stream.message() => {
                    let message = match message {
                        Ok(Some(message)) => message,
                        Ok(None) => return Some(Transient::connection("the stream ended")),
                        Err(status) => return Some(broken(&status)),
                    };
                    backoff.succeeded();
                    heard = Instant::now();
                    if matches!(message.message, Some(Message::Draining(_))) {
                        // What was sent before is still answered; the rest waits for the next connection.
                        (draining, self.out) = (true, None);
                    }
                    self.received(message).await;
                    if std::mem::take(&mut self.too_old) {
                        // What it refuses another replica does: all goes on there.
                        return Some(Transient::connection("this replica is too old for a game"));
                    }
                }
                order = self.orders.recv() => match order {
                    Some(order) => self.take(order).await,
                    None => return None,
                },
                Some(later) = self.laters.0.next(), if !draining => self.do_later(later).await,
                () = &mut silence => {
                    if heard.elapsed() >= limit {
                        return Some(Transient::connection("nothing was heard for too long"));
                    }
                    // Moved only when it fires, so that a message costs no timer.
                    silence.as_mut().reset(heard + limit);
                }
            }
        }
    }

    async fn received(&mut self, message: PlayResponse) {
        let seat = message.seat;
        match message.message {
            Some(Message::Answer(answer)) => self.answered(answer).await,
            Some(Message::Update(update)) => self.tell(seat, |source| source.update(update)),
            Some(Message::Snapshot(snapshot)) => self.tell(seat, |source| source.snapshot(snapshot)),
            Some(Message::Closed(closed)) => {
                let failed = closed.refusal.map(|refusal| {
                    let code = Code::from_i32(refusal.code);
                    classify(&Status::with_details(code, refusal.message, refusal.details))
                });
                match failed {
                    None => self.tell(seat, |_| Step::End),
                    Some(Failed::Transient(failure)) => {
                        self.too_old |= failure.elsewhere;
                        self.laters.put_off(Later::Follow(seat));
                    }
                    Some(Failed::Final(refusal)) => self.tell(seat, |_| Step::Fail(Error::refused(refusal))),
                }
            }
            Some(Message::Ping(ping)) => self.repeat(ping),
            Some(Message::Heartbeat(_) | Message::Draining(_)) | None => {}
        }
    }
}

fn broken(status: &Status) -> Transient {
    match classify(status) {
        Failed::Transient(failure) => failure,
        Failed::Final(refusal) => Transient::connection(refusal.message),
    }
}
