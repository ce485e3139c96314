//! Streams that end before their service has said all: their caller is out, or waits no longer.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Body as HttpBody, Frame};
use tonic::{Status, body::Body};

use crate::status::Failure;

/// Ends a stream's answer, with the reason, as soon as there is one.
pub(crate) fn end_with(
    response: Response<Body>,
    reason: impl Future<Output = Failure> + Send + 'static,
) -> Response<Body> {
    response.map(|inner| Body::new(Ending { inner, reason: Box::pin(reason), ended: false }))
}

struct Ending {
    inner: Body,
    reason: Pin<Box<dyn Future<Output = Failure> + Send>>,
    ended: bool,
}

impl HttpBody for Ending {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(failure) = self.reason.as_mut().poll(context) {
            self.ended = true;
            // What the service has is dropped: its stream ends as if the client had gone.
            self.inner = Body::empty();
            let mut trailers = HeaderMap::new();
            return Poll::Ready(match Status::from(failure).add_header(&mut trailers) {
                Ok(()) => Some(Ok(Frame::trailers(trailers))),
                Err(status) => Some(Err(status)),
            });
        }
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.inner.is_end_stream()
    }
}
