use std::{
    collections::HashSet,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{Verifier, missing};
use crate::{
    clock::Clock,
    status::{Failure, Reason},
};

/// Lets a call through with its caller's [`super::Identity`] in the extensions, or refuses it. Calls that need no token are listed; all
/// others do, also those of a service that forgets to ask.
#[derive(Clone)]
pub struct AuthLayer {
    shared: Arc<Shared>,
}

struct Shared {
    verifier: Arc<Verifier>,
    clock: Clock,
    public: HashSet<String>,
}

impl AuthLayer {
    /// A layer that lets calls to `public` paths (or to whole services, as `/package.Service/`) through without a token.
    pub fn new(verifier: Arc<Verifier>, clock: Clock, public: impl IntoIterator<Item = String>) -> Self {
        Self { shared: Arc::new(Shared { verifier, clock, public: public.into_iter().collect() }) }
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = Auth<S>;

    fn layer(&self, inner: S) -> Auth<S> {
        Auth { inner, shared: Arc::clone(&self.shared) }
    }
}

/// The service of an [`AuthLayer`].
#[derive(Clone)]
pub struct Auth<S> {
    inner: S,
    shared: Arc<Shared>,
}

impl<S> Service<Request<axum::body::Body>> for Auth<S>
where
    S: Service<Request<axum::body::Body>, Response = Response<axum::body::Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<axum::body::Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<axum::body::Body>) -> Self::Future {
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let token = match shared.token(request.uri().path(), request.headers()) {
                Ok(Some(token)) => shared.verifier.verify(&token, shared.clock.now()).await.map(Some),
                Ok(None) => Ok(None),
                Err(failure) => Err(failure),
            };
            match token {
                Ok(Some(identity)) => {
                    request.extensions_mut().insert(identity);
                    inner.call(request).await
                }
                Ok(None) => inner.call(request).await,
                Err(failure) => Ok(Status::from(failure).into_http::<Body>().map(axum::body::Body::new)),
            }
        })
    }
}

impl Shared {
    /// The token that a call shows; none for a public call.
    fn token(&self, path: &str, headers: &HeaderMap) -> Result<Option<String>, Failure> {
        if self.is_public(path) {
            return Ok(None);
        }
        let value = headers.get(AUTHORIZATION).ok_or_else(missing)?;
        let token = value
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer ").or_else(|| text.strip_prefix("bearer ")));
        match token {
            Some(token) => Ok(Some(token.trim().to_owned())),
            None => Err(Failure::new(
                Reason::TokenMalformed,
                "the metadata `authorization` must read `Bearer <token>`",
            )),
        }
    }

    fn is_public(&self, path: &str) -> bool {
        let service = path.rfind('/').map_or(path, |end| &path[..=end]);
        self.public.contains(path) || self.public.contains(service)
    }
}
