use std::{
    collections::HashSet,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures::future::Either;
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{Bans, Identity, Verifier, guarded, missing};
use crate::{
    clock::Clock,
    status::{Failure, Reason},
};

/// Lets a call through with its caller's [`Identity`] in the extensions, or refuses it. Calls that need no token are listed; all
/// others do, also those of a service that forgets to ask.
#[derive(Clone)]
pub struct AuthLayer {
    shared: Arc<Shared>,
}

struct Shared {
    verifier: Arc<Verifier>,
    bans: Arc<Bans>,
    clock: Clock,
    public: HashSet<String>,
}

impl AuthLayer {
    /// A layer that lets calls to `public` paths (or to whole services, as `/package.Service/`) through without a token.
    pub fn new(
        verifier: Arc<Verifier>,
        bans: Arc<Bans>,
        clock: Clock,
        public: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { shared: Arc::new(Shared { verifier, bans, clock, public: public.into_iter().collect() }) }
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

impl<S> Service<Request<Body>> for Auth<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let stream = guarded::is_stream(request.uri().path());
        match self.shared.admit(request.uri().path(), request.headers()) {
            Ok(Admitted::Public) => Either::Left(self.inner.call(request)),
            Ok(Admitted::Known(identity)) if !stream => {
                request.extensions_mut().insert(identity);
                Either::Left(self.inner.call(request))
            }
            Ok(Admitted::Known(identity)) => {
                request.extensions_mut().insert(Arc::clone(&identity));
                let (answer, shared) = (self.inner.call(request), Arc::clone(&self.shared));
                Either::Right(Box::pin(
                    async move { Ok(guarded::guard(answer.await?, &shared.bans, identity)) },
                ))
            }
            Ok(Admitted::Unverified(token)) => {
                let fresh = self.inner.clone();
                let mut inner = std::mem::replace(&mut self.inner, fresh);
                let shared = Arc::clone(&self.shared);
                Either::Right(Box::pin(async move {
                    let identity = match shared.verify(&token).await {
                        Ok(identity) => identity,
                        Err(failure) => return Ok(Status::from(failure).into_http()),
                    };
                    request.extensions_mut().insert(Arc::clone(&identity));
                    let answer = inner.call(request).await?;
                    Ok(if stream { guarded::guard(answer, &shared.bans, identity) } else { answer })
                }))
            }
            Err(failure) => Either::Right(Box::pin(async move { Ok(Status::from(failure).into_http()) })),
        }
    }
}

/// What is known of a caller before anything is waited for.
enum Admitted {
    /// The call needs no token.
    Public,
    /// The token has been verified before.
    Known(Arc<Identity>),
    /// This token has to be verified.
    Unverified(String),
}

impl Shared {
    /// Looks at the token that a call shows.
    fn admit(&self, path: &str, headers: &HeaderMap) -> Result<Admitted, Failure> {
        if self.is_public(path) {
            return Ok(Admitted::Public);
        }
        let value = headers.get(AUTHORIZATION).ok_or_else(missing)?;
        let token = value
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer ").or_else(|| text.strip_prefix("bearer ")));
        let token = token.map(str::trim).ok_or_else(|| {
            Failure::new(Reason::TokenMalformed, "the metadata `authorization` must read `Bearer <token>`")
        })?;
        Ok(match self.verifier.recall(token, self.clock.now())? {
            Some(identity) => {
                self.bans.check(&identity)?;
                Admitted::Known(identity)
            }
            None => Admitted::Unverified(token.to_owned()),
        })
    }

    async fn verify(&self, token: &str) -> Result<Arc<Identity>, Failure> {
        let identity = self.verifier.verify(token, self.clock.now()).await?;
        self.bans.check(&identity)?;
        Ok(identity)
    }

    fn is_public(&self, path: &str) -> bool {
        let service = path.rfind('/').map_or(path, |end| &path[..=end]);
        self.public.contains(path) || self.public.contains(service)
    }
}
