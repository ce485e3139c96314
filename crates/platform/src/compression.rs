//! Compression of messages by gzip, for all services and kinds of calls, also over gRPC-Web: answers for callers who accept it, requests of
//! callers who send it.
//!
//! tonic can do it too, but compresses every message, and the usual clients (all that are built on gRPC's core: Python, Ruby, C++) say with
//! each call that they accept it. A move's answer of four bytes would be 24 then, and cost more than the move. So this is a layer around the
//! services: a message stays as it is when it is short. gRPC marks each message for itself.

mod answer;

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, future::Either};
use gzip::{Fault, Unpacking};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use self::answer::Packing;
use crate::status::{Failure, Reason};

/// How the messages of a call that are marked as compressed are.
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

/// What else the sender would read.
const ACCEPTED: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// What we read.
const READ: HeaderValue = HeaderValue::from_static("identity,gzip");

/// The longest request that is uncompressed, in bytes: more than any call takes.
const LONGEST: usize = 64 * 1024;

/// Compresses and uncompresses around services.
#[derive(Clone, Copy)]
pub struct CompressionLayer;

impl<S> Layer<S> for CompressionLayer {
    type Service = Compressed<S>;

    fn layer(&self, inner: S) -> Compressed<S> {
        Compressed { inner }
    }
}

/// The service of a [`CompressionLayer`].
#[derive(Clone)]
pub struct Compressed<S> {
    inner: S,
}

impl<S> Service<Request<Body>> for Compressed<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let headers = request.headers_mut();
        match headers.get(ENCODING).map(HeaderValue::as_bytes) {
            None | Some(b"identity") => {}
            Some(b"gzip") => {
                headers.remove(ENCODING);
                request = request.map(|body| Body::new(Unpacking::new(body, LONGEST, refuse)));
            }
            Some(_) => return Either::Right(Box::pin(std::future::ready(Ok(unknown())))),
        }
        let wanted = accepts(request.headers());
        let answer = self.inner.call(request);
        if wanted {
            Either::Right(answer.map(|answer| answer.map(pack)).boxed())
        } else {
            Either::Left(answer)
        }
    }
}

/// What the caller is told of a request that cannot be read.
fn refuse(fault: Fault) -> Status {
    let reason = match fault {
        Fault::TooLong { .. } => Reason::MessageTooLarge,
        Fault::Malformed(_) => Reason::InvalidRequest,
    };
    Failure::new(reason, fault.to_string()).into()
}

/// Whether a caller reads gzip.
fn accepts(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPTED).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|encoding| encoding.trim() == "gzip")
}

/// Compresses what is worth it.
fn pack(mut response: Response<Body>) -> Response<Body> {
    // A refusal has no messages.
    if response.headers().contains_key(Status::GRPC_STATUS) {
        return response;
    }
    response.headers_mut().insert(ENCODING, HeaderValue::from_static("gzip"));
    response.headers_mut().insert(ACCEPTED, READ);
    response.map(|body| Body::new(Packing::new(body)))
}

/// The protocol's answer to a compression that is not known here.
fn unknown() -> Response<Body> {
    let mut response =
        Status::unimplemented("messages may be compressed by gzip and by nothing else").into_http();
    response.headers_mut().insert(ACCEPTED, READ);
    response
}
