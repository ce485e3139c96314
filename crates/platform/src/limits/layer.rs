use std::{
    future::Future,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::future::Either;
use http::{HeaderMap, Request, Response};
use http_body::{Body as HttpBody, Frame};
use kernel::PlayerId;
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{Limits, OpenStream};
use crate::{
    auth::{Identity, is_stream, lasts},
    connections::{ConnectedFrom, Held},
    status::Failure,
};

/// Counts calls within the [`crate::auth::AuthLayer`]: by player where there is one, by address where somebody signs in, or opens a stream without a
/// token. Our own services are not counted.
#[derive(Clone)]
pub struct LimitLayer(pub Limits);

impl<S> Layer<S> for LimitLayer {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited { inner, limits: self.0.clone() }
    }
}

/// The service of a [`LimitLayer`].
#[derive(Clone)]
pub struct Limited<S> {
    inner: S,
    limits: Limits,
}

/// The calls by which people and bots sign in. Those of services carry a secret that nobody guesses, and come from few addresses.
fn signs_in(path: &str) -> bool {
    path.strip_prefix("/nigiri.session.v1.SessionService/").is_some_and(|call| {
        matches!(
            call,
            "SignInAsGuest"
                | "RefreshSession"
                | "SignInWithGoogle"
                | "StartSignIn"
                | "FinishSignIn"
                | "StartDeviceSignIn"
                | "FinishDeviceSignIn"
                | "SignInBot"
        )
    })
}

impl<S> Service<Request<Body>> for Limited<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self.admit(&request) {
            Ok(None) if !lasts(request.uri().path()) => Either::Left(self.inner.call(request)),
            Ok(open) => {
                let held = request.extensions().get::<ConnectedFrom>().map(ConnectedFrom::hold);
                let answer = self.inner.call(request);
                Either::Right(Box::pin(async move {
                    Ok(answer.await?.map(|inner| Body::new(Counted { inner, _open: open, _held: held })))
                }))
            }
            Err(failure) => Either::Right(Box::pin(async move { Ok(Status::from(failure).into_http()) })),
        }
    }
}

impl<S> Limited<S> {
    fn admit(&self, request: &Request<Body>) -> Result<Option<OpenStream>, Failure> {
        let path = request.uri().path();
        let identity = request.extensions().get::<Arc<Identity>>();
        let player: Option<PlayerId> = identity.and_then(|identity| identity.player().ok());
        match player {
            Some(player) if is_stream(path) => self.limits.open(player).map(Some),
            Some(player) => self.limits.call(player).map(|()| None),
            None if identity.is_some() => Ok(None),
            None => {
                let address = address(request, usize::from(self.limits.0.args.trusted_proxies));
                match address {
                    Some(address) if signs_in(path) => self.limits.sign_in(address).map(|()| None),
                    Some(address) if lasts(path) => self.limits.open_nameless(address),
                    _ => Ok(None),
                }
            }
        }
    }
}

/// Where a call comes from: what the outermost trusted proxy has seen, or the connection's other end. None within the process.
fn address(request: &Request<Body>, proxies: usize) -> Option<IpAddr> {
    let peer = request.extensions().get::<ConnectedFrom>()?.address;
    Some(forwarded(request.headers(), proxies).unwrap_or(peer))
}

/// The address that the outermost of so many proxies wrote. What stands before it is the client's own invention.
fn forwarded(headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let lines: Vec<_> =
        headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
    let joined = lines.join(",");
    let hops: Vec<_> = joined.split(',').map(str::trim).collect();
    hops.len().checked_sub(proxies).filter(|_| proxies > 0).and_then(|index| hops.get(index)?.parse().ok())
}

/// A stream's answer, which counts until it is dropped.
struct Counted {
    inner: Body,
    _open: Option<OpenStream>,
    _held: Option<Held>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client writes into `x-forwarded-for` itself moves nothing: only as many hops count as there are proxies.
    #[test]
    fn only_trusted_proxies_say_where_a_call_comes_from() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "203.0.113.9, 192.0.2.1, 198.51.100.7".parse().unwrap());
        let seen = |proxies| forwarded(&headers, proxies).map(|address| address.to_string());
        assert_eq!(seen(0), None);
        assert_eq!(seen(1).as_deref(), Some("198.51.100.7"));
        assert_eq!(seen(2).as_deref(), Some("192.0.2.1"));
        assert_eq!(seen(4), None);
    }
}
