//! What all streams have in common: they are opened, they break, they are opened again where they were.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture};
use tokio::time::{Instant, Sleep};
use tonic::{Response, Status, Streaming};

use crate::{
    Error, Service, Session, SessionChannel,
    error::{Failed, Refusal, Transient, classify, reason},
    retry::Backoff,
    route::Route,
};

/// How long a server may take to end a stream after its last message: what it does then, for example taking a match for told, is not
/// to be cut short.
const ENDING: Duration = Duration::from_secs(1);

/// A stream's own part: how it is opened where it was, and what its messages mean.
pub(crate) trait Source: Send + Unpin + 'static {
    /// What the server sends.
    type Message: Send + 'static;
    /// What the caller gets.
    type Item: Send + 'static;
    /// Who sends it.
    const SERVICE: Service;

    /// Opens the stream after what was received so far.
    fn open(
        &mut self,
        channel: SessionChannel,
    ) -> BoxFuture<'static, Result<Response<Streaming<Self::Message>>, Status>>;

    /// Takes a message.
    fn receive(&mut self, message: Self::Message) -> Step<Self::Item>;

    /// The server has ended the stream with OK, but what is due last has not come.
    fn ended(&mut self) {}

    /// What to do about a refusal. `again`: whether the stream was open before, or may have been.
    fn refused(&mut self, refusal: &Refusal, again: bool) -> Verdict<Self::Item> {
        let _ = (refusal, again);
        Verdict::Fail
    }

    /// What the caller is told when the stream broke.
    fn interrupted(&self, cause: &str) -> Option<Self::Item> {
        let _ = cause;
        None
    }
}

/// What a message means.
pub(crate) enum Step<T> {
    /// It is for the caller.
    Yield(T),
    /// It is for nobody.
    Skip,
    /// The replica is going away.
    Reopen,
    /// It is for the caller, and the last one.
    Last(T),
    /// It is for the caller, and the last one that the caller wants, whatever the server might still say.
    Close(T),
    /// There is nothing more.
    End,
    /// The stream has broken its promise.
    Fail(Error),
}

/// What to do about a refusal.
pub(crate) enum Verdict<T> {
    /// Tell the caller; the stream ends.
    Fail,
    /// It will pass: try again.
    Wait,
    /// The last item comes from elsewhere.
    Resolve(BoxFuture<'static, Result<T, Error>>),
}

/// What the caller is told: an item, an error, or that there is nothing more.
type Told<S> = Option<Result<<S as Source>::Item, Error>>;

enum Phase<S: Source> {
    Closed,
    Waiting(Pin<Box<Sleep>>),
    Opening(usize, BoxFuture<'static, Result<Streaming<S::Message>, Status>>),
    Open(usize, Box<Streaming<S::Message>>),
    Resolving(BoxFuture<'static, Result<S::Item, Error>>),
    /// The last item was given; the server is let end its stream.
    Ending(Box<Streaming<S::Message>>, Pin<Box<Sleep>>),
    Done,
}

/// A stream that goes on by itself. Dropping it ends it; awaiting its next item may be given up at any time.
pub(crate) struct Resuming<S: Source> {
    session: Session,
    route: Arc<Route>,
    source: S,
    phase: Phase<S>,
    backoff: Backoff,
    was_open: bool,
    renewed: bool,
    heard: Instant,
    silence: Pin<Box<Sleep>>,
}

impl<S: Source> Resuming<S> {
    pub fn new(session: Session, source: S) -> Self {
        let options = session.client().options();
        let route = Arc::clone(session.client().route(S::SERVICE));
        let backoff = Backoff::new(options.resume_for, route.len());
        let silence = Box::pin(tokio::time::sleep(options.silence));
        let heard = Instant::now();
        let (phase, was_open, renewed) = (Phase::Closed, false, false);
        Self { session, route, source, phase, backoff, was_open, renewed, heard, silence }
    }

    pub fn source(&self) -> &S {
        &self.source
    }

    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    fn open(&mut self) -> Phase<S> {
        let way = self.route.pick();
        let index = way.index;
        let channel = SessionChannel::new(self.session.clone(), Arc::clone(&self.route), way);
        let limit = self.session.client().options().attempt_timeout;
        let opening = tokio::time::timeout(limit, self.source.open(channel)).map(|answer| match answer {
            Ok(answer) => answer.map(Response::into_inner),
            Err(_) => Err(Status::cancelled("Timeout expired")),
        });
        Phase::Opening(index, opening.boxed())
    }

    /// The stream could not be opened, or broke. Gives what the caller is told, if anything.
    fn failed(&mut self, index: usize, failure: Failed) -> Option<Result<S::Item, Error>> {
        let again = self.was_open || self.backoff.attempts() > 0;
        let failure = match failure {
            Failed::Transient(failure) => failure,
            Failed::Final(refusal) if refusal.reason == reason::TOKEN_EXPIRED && !self.renewed => {
                self.renewed = true;
                self.phase = Phase::Closed;
                return None;
            }
            Failed::Final(refusal) => match self.source.refused(&refusal, again) {
                Verdict::Fail => return Some(self.end(Error::refused(refusal))),
                Verdict::Wait => Transient::connection(refusal.to_string()),
                Verdict::Resolve(item) => {
                    self.phase = Phase::Resolving(item);
                    return None;
                }
            },
        };
        self.route.failed(index);
        match self.backoff.failed(&failure) {
            Ok(wait) => {
                tracing::debug!(cause = failure.cause, ?wait, "a stream broke; it will be taken up again");
                self.phase = Phase::Waiting(Box::pin(tokio::time::sleep(wait)));
                self.source.interrupted(&failure.cause).map(Ok)
            }
            Err(error) => Some(self.end(error)),
        }
    }

    fn end(&mut self, error: Error) -> Result<S::Item, Error> {
        self.phase = Phase::Done;
        Err(error)
    }

    fn received(&mut self, index: usize, message: S::Message) -> Option<Told<S>> {
        self.heard = Instant::now();
        self.backoff.succeeded();
        self.renewed = false;
        match self.source.receive(message) {
            Step::Yield(item) => Some(Some(Ok(item))),
            Step::Skip => None,
            Step::Reopen => self.failed(index, connection("the replica is going away")).map(Some),
            Step::Last(item) => {
                if let Phase::Open(_, stream) = std::mem::replace(&mut self.phase, Phase::Done) {
                    self.phase = Phase::Ending(stream, Box::pin(tokio::time::sleep(ENDING)));
                }
                Some(Some(Ok(item)))
            }
            Step::Close(item) => {
                self.phase = Phase::Done;
                Some(Some(Ok(item)))
            }
            Step::End => {
                self.phase = Phase::Done;
                Some(None)
            }
            Step::Fail(error) => Some(Some(self.end(error))),
        }
    }

    /// Whether nothing has come for too long. Asked when nothing is there.
    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let limit = self.session.client().options().silence;
        loop {
            ready!(self.silence.as_mut().poll(context));
            if self.heard.elapsed() >= limit {
                return Poll::Ready(());
            }
            // Moved only when it fires, so that a message costs no timer.
            self.silence.as_mut().reset(self.heard + limit);
        }
    }
}

fn connection(cause: &str) -> Failed {
    Failed::Transient(Transient::connection(cause))
}

impl<S: Source> Resuming<S> {
    /// Goes one step on. `Ready(None)`: there is another step; `Ready(Some(None))`: the stream has ended.
    fn step(&mut self, context: &mut Context<'_>) -> Poll<Option<Told<S>>> {
        match &mut self.phase {
            Phase::Closed => self.phase = self.open(),
            Phase::Waiting(wait) => {
                ready!(wait.as_mut().poll(context));
                self.phase = Phase::Closed;
            }
            Phase::Opening(index, opening) => {
                let index = *index;
                match ready!(opening.poll_unpin(context)) {
                    Ok(stream) => {
                        self.phase = Phase::Open(index, Box::new(stream));
                        self.was_open = true;
                        self.backoff.opened();
                        self.heard = Instant::now();
                    }
                    Err(status) => return Poll::Ready(self.failed(index, classify(&status)).map(Some)),
                }
            }
            Phase::Open(index, stream) => {
                let index = *index;
                let polled = stream.poll_next_unpin(context);
                return self.polled(index, polled, context);
            }
            Phase::Resolving(item) => {
                let item = ready!(item.poll_unpin(context));
                self.phase = Phase::Done;
                return Poll::Ready(Some(Some(item)));
            }
            Phase::Ending(stream, patience) => match stream.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(None | Some(Err(_))) => self.phase = Phase::Done,
                Poll::Pending => {
                    ready!(patience.as_mut().poll(context));
                    self.phase = Phase::Done;
                }
            },
            Phase::Done => return Poll::Ready(Some(None)),
        }
        Poll::Ready(None)
    }

    /// What an open stream gave.
    fn polled(
        &mut self,
        index: usize,
        polled: Poll<Option<Result<S::Message, Status>>>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Told<S>>> {
        let failure = match polled {
            Poll::Ready(Some(Ok(message))) => return Poll::Ready(self.received(index, message)),
            Poll::Ready(Some(Err(status))) => classify(&status),
            Poll::Ready(None) => {
                self.source.ended();
                connection("the stream ended")
            }
            Poll::Pending => {
                ready!(self.poll_silence(context));
                connection("nothing was heard for too long")
            }
        };
        Poll::Ready(self.failed(index, failure).map(Some))
    }
}

impl<S: Source> Stream for Resuming<S> {
    type Item = Result<S::Item, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(told) = ready!(self.step(context)) {
                return Poll::Ready(told);
            }
        }
    }
}
