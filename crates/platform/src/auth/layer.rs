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

use super::{Bans, Identity, Role, Verifier, guarded, missing};
use crate::{
    clock::Clock,
    connections::ConnectedFrom,
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
    certify: bool,
}

/// The call by which services sign in: public, but for whoever must show a certificate.
const SIGN_IN_SERVICE: &str = "/nigiri.session.v1.SessionService/SignInService";

impl AuthLayer {
    /// A layer that lets calls to `public` paths (or to whole services, as `/package.Service/`) through without a token.
    pub fn new(
        verifier: Arc<Verifier>,
        bans: Arc<Bans>,
        clock: Clock,
        public: impl IntoIterator<Item = String>,
    ) -> Self {
        let public = public.into_iter().collect();
        Self { shared: Arc::new(Shared { verifier, bans, clock, public, certify: false }) }
    }

    /// Lets services call only over connections that have shown a certificate of theirs, or from within the process.
    pub fn certifying_services(mut self) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.certify = true;
        }
        self
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
        let certified = self.shared.certified(&request);
        match self.shared.admit(request.uri().path(), request.headers(), certified) {
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
                    let identity = match shared.verify(&token, certified).await {
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
    fn admit(&self, path: &str, headers: &HeaderMap, certified: bool) -> Result<Admitted, Failure> {
        if self.is_public(path) {
            if !certified && path == SIGN_IN_SERVICE {
                return Err(uncertified());
            }
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
                self.check(&identity, certified)?;
                Admitted::Known(identity)
            }
            None => Admitted::Unverified(token.to_owned()),
        })
    }

    async fn verify(&self, token: &str, certified: bool) -> Result<Arc<Identity>, Failure> {
        let identity = self.verifier.verify(token, self.clock.now()).await?;
        self.check(&identity, certified)?;
        Ok(identity)
    }

    /// Whether the bearer of a token is still in, and came the way that it has to.
    fn check(&self, identity: &Identity, certified: bool) -> Result<(), Failure> {
        if !certified && identity.role == Role::Service {
            return Err(uncertified());
        }
        self.bans.check(identity)
    }

    /// Whether a service may call over a request's connection.
    fn certified(&self, request: &Request<Body>) -> bool {
        !self.certify || request.extensions().get::<ConnectedFrom>().is_none_or(|from| from.certified)
    }

    fn is_public(&self, path: &str) -> bool {
        let service = path.rfind('/').map_or(path, |end| &path[..=end]);
        self.public.contains(path) || self.public.contains(service)
    }
}

fn uncertified() -> Failure {
    let words = "services call over a connection that shows their certificate: see --peer-cert";
    Failure::new(Reason::CertificateRequired, words)
}
