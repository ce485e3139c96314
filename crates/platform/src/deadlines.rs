//! For how long calls go on: for as long as their callers wait (`grpc-timeout`), and those that are no streams for no longer than calls may.
//!
//! tonic's server has a timer of its own for `grpc-timeout`. It cannot be turned off, says CANCELLED without a reason, and leaves an open
//! stream alone; so ours is set before it, when a call comes in, and is looked at first.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures::{
    FutureExt,
    future::{Either, Map},
};
use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, Timeout, error::Elapsed, sleep_until, timeout_at};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use crate::{
    auth::lasts,
    ending::end_with,
    status::{Failure, Reason},
};

/// When a caller stops waiting; in the extensions of each request that says so.
#[derive(Clone, Copy)]
struct Deadline(Instant);

/// Notes until when the caller waits. To be called as soon as there is a request.
pub(crate) fn note(request: &mut Request<Body>) {
    if let Some(time) = patience(request.headers()) {
        request.extensions_mut().insert(Deadline(Instant::now() + time));
    }
}

/// For how long the caller waits, as `grpc-timeout` has it: at most eight digits and a unit. None if it says nothing that can be read.
fn patience(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// Ends what takes too long: its work is dropped, and the caller told.
#[derive(Clone, Copy)]
pub struct DeadlineLayer {
    /// The longest that a call may take that is no stream.
    pub most: Duration,
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = Timed<S>;

    fn layer(&self, inner: S) -> Timed<S> {
        Timed { inner, most: self.most }
    }
}

/// The service of a [`DeadlineLayer`].
#[derive(Clone)]
pub struct Timed<S> {
    inner: S,
    most: Duration,
}

/// An answer that has to come in time.
type InTime<F, R, E> = Map<Timeout<F>, fn(Result<Result<R, E>, Elapsed>) -> Result<R, E>>;

impl<S> Service<Request<Body>> for Timed<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<
        InTime<S::Future, Self::Response, S::Error>,
        Either<S::Future, Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let wished = request.extensions().get::<Deadline>().map(|deadline| deadline.0);
        let stream = lasts(request.uri().path());
        let answer = self.inner.call(request);
        match wished {
            None if stream => Either::Right(Either::Left(answer)),
            Some(end) if stream => {
                let opening = timeout_at(end, answer).map(too_long);
                Either::Right(Either::Right(Box::pin(async move {
                    let over = async move {
                        sleep_until(end).await;
                        failure()
                    };
                    Ok(end_with(opening.await?, over))
                })))
            }
            _ => {
                let most = Instant::now() + self.most;
                Either::Left(timeout_at(wished.map_or(most, |end| end.min(most)), answer).map(too_long))
            }
        }
    }
}

/// The answer, or that it did not come in time.
fn too_long<E>(answer: Result<Result<Response<Body>, E>, Elapsed>) -> Result<Response<Body>, E> {
    answer.unwrap_or_else(|_| Ok(Status::from(failure()).into_http()))
}

fn failure() -> Failure {
    Failure::new(Reason::CallTooLong, "the call took longer than its caller waits, or than calls may")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caller's deadline is read in each of its units; what is none is as if it were not there.
    #[test]
    fn a_callers_deadline_is_read() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            patience(&headers)
        };
        let seconds = [("1H", 3600), ("2M", 120), ("3S", 3), ("4000m", 4), ("5000000u", 5), ("00000000n", 0)];
        for (text, expected) in seconds {
            assert_eq!(read(text), Some(Duration::from_secs(expected)), "{text}");
        }
        for wrong in ["", "S", "1", "1s", "-1S", "1.5S", "123456789S", "1 S"] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
