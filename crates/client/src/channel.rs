use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderMap, HeaderValue, Request, Response, header::AUTHORIZATION};
use tonic::{Code, Status, body::Body};
use tower::{Service, ServiceExt};

use crate::{
    Session,
    error::{Failed, classify, reason},
    route::{Picked, Route},
};

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
            let answer = way.channel.oneshot(request).await.inspect_err(|_| route.failed(way.index))?;
            if says_expired(answer.headers()) {
                session.reject(generation);
            }
            Ok(answer)
        })
    }
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
