use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use gzip::Unpacking;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header::AUTHORIZATION};
use tonic::{Code, Status, body::Body};
use tower::{Service, ServiceExt};

use crate::{
    Session,
    error::{Failed, classify, reason},
    route::{Picked, Route},
};

/// How an answer's messages that are marked as compressed are.
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

/// What we read, if [`crate::Options::gzip`] is set.
const ACCEPT: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// The longest answer, in bytes. A record of a thousand moves is larger than what tonic takes by default for a hostile answer.
pub(crate) const LONGEST: usize = 64 << 20;

/// A channel whose calls carry the session's token. What the generated clients of [`Session::games`] and its like speak through.
///
/// It stays at the address that was in use when it was made: make one for each call, it costs next to nothing.
#[derive(Clone)]
pub struct SessionChannel {
    session: Session,
    route: Arc<Route>,
    way: Picked,
    timeout: Option<HeaderValue>,
}

impl SessionChannel {
    pub(crate) fn new(session: Session, route: Arc<Route>, way: Picked) -> Self {
        Self { session, route, way, timeout: None }
    }

    /// Tells the server how long the call may take: the value of `grpc-timeout`.
    pub(crate) fn within(self, timeout: HeaderValue) -> Self {
        Self { timeout: Some(timeout), ..self }
    }
}

impl Service<Request<Body>> for SessionChannel {
    type Response = Response<Body>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Self { session, route, way, timeout } = self.clone();
        Box::pin(async move {
            // A status travels as the error itself: tonic finds it there again.
            let (header, generation) = session.authorization().await.map_err(Status::from)?;
            request.headers_mut().insert(AUTHORIZATION, header);
            if let Some(timeout) = timeout {
                request.headers_mut().insert("grpc-timeout", timeout);
            }
            if session.client().options().gzip {
                request.headers_mut().insert(ACCEPT, HeaderValue::from_static("gzip"));
            }
            let answer = way.channel.oneshot(request).await.inspect_err(|_| route.failed(way.index))?;
            if says_expired(answer.headers()) {
                session.reject(generation);
            }
            Ok(unpacked(answer))
        })
    }
}

/// The answer as it was before it was compressed, if it is.
fn unpacked(mut answer: Response<Body>) -> Response<Body> {
    if answer.headers().get(ENCODING).is_none_or(|encoding| encoding != "gzip") {
        return answer;
    }
    answer.headers_mut().remove(ENCODING);
    let refuse = |fault: gzip::Fault| Status::internal(format!("an answer that cannot be read: {fault}"));
    answer.map(|body| Body::new(Unpacking::new(body, LONGEST, refuse)))
}

/// Whether an answer that has no body refuses the token as expired.
fn says_expired(headers: &HeaderMap) -> bool {
    if headers.get("grpc-status").is_none_or(|code| code != "16") {
        return false;
    }
    Status::from_header_map(headers).is_some_and(|status| {
        status.code() == Code::Unauthenticated
            && matches!(classify(&status), Failed::Final(refusal) if refusal.reason == reason::TOKEN_EXPIRED)
    })
}
