use std::{
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response, uri::PathAndQuery};
use metrics::{Counter, Histogram, counter, histogram};
use parking_lot::RwLock;
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};
use tracing::{Instrument, Span};

use super::{Metrics, trace};
use crate::{
    auth::is_served,
    status::{Failure, Reason},
};

const CALLS: &str = "nigiri_rpc_calls";
const SECONDS: &str = "nigiri_rpc_seconds";

pub(super) fn describe() {
    metrics::describe_counter!(
        CALLS,
        "Calls by method and gRPC code; a stream counts when it has been opened."
    );
    metrics::describe_histogram!(
        SECONDS,
        metrics::Unit::Seconds,
        "Time to the answer of a call, or to the opening of a stream."
    );
}

/// Rate, errors and duration of every call, one span a call, and clean words for what tonic itself refuses.
#[derive(Clone)]
pub struct RpcLayer {
    methods: Arc<Methods>,
}

/// The metrics of each method that has answered, looked up once: most answers are OK.
#[derive(Default)]
struct Methods(RwLock<HashMap<String, (Counter, Histogram)>>);

impl Methods {
    fn answered(&self, method: &str, code: Code, seconds: f64) {
        if code == Code::Ok
            && let Some((calls, times)) = self.0.read().get(method)
        {
            calls.increment(1);
            times.record(seconds);
            return;
        }
        // A path that is none of ours is a caller's invention: it must not become a label, whoever refused it.
        let known = is_served(method) && code != Code::Unimplemented;
        let name = if known { method } else { "unknown" };
        let calls = counter!(CALLS, "method" => name.to_owned(), "code" => format!("{code:?}"));
        let times = histogram!(SECONDS, "method" => name.to_owned());
        calls.increment(1);
        times.record(seconds);
        if known && code == Code::Ok {
            self.0.write().insert(method.to_owned(), (calls, times));
        }
    }
}

impl RpcLayer {
    /// The layer; the metrics prove that a recorder is there.
    pub fn new(_: &Metrics) -> Self {
        Self { methods: Arc::default() }
    }
}

impl<S> Layer<S> for RpcLayer {
    type Service = Rpc<S>;

    fn layer(&self, inner: S) -> Rpc<S> {
        Rpc { inner, methods: Arc::clone(&self.methods) }
    }
}

/// The service of an [`RpcLayer`].
#[derive(Clone)]
pub struct Rpc<S> {
    inner: S,
    methods: Arc<Methods>,
}

impl<S> Service<Request<Body>> for Rpc<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if !super::is_on() {
            let answer = self.inner.call(request);
            return Box::pin(async move {
                let mut response = answer.await?;
                tidy(&mut response);
                Ok(response)
            });
        }
        // Shares the bytes of the request.
        let path = request.uri().path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let span = trace::of_call(path.path(), request.headers());
        let started = Instant::now();
        let answer = self.inner.call(request);
        let methods = Arc::clone(&self.methods);
        Box::pin(
            async move {
                let mut response = answer.await?;
                tidy(&mut response);
                let known = response
                    .headers()
                    .get("grpc-status")
                    .map_or(Code::Ok, |value| Code::from_bytes(value.as_bytes()));
                let span = Span::current();
                span.record("rpc.grpc.status_code", i64::from(i32::from(known)));
                if known == Code::Internal {
                    span.record("otel.status_code", "ERROR");
                    tracing::error!(method = path.path(), "a call failed by a fault of ours");
                }
                methods.answered(path.path(), known, started.elapsed().as_secs_f64());
                Ok(response)
            }
            .instrument(span),
        )
    }
}

/// What tonic refuses by itself, in its words and without details, is given ours: what is too large (OUT_OF_RANGE), what is no message of the
/// call (INTERNAL, as if it were our fault), and a method that is not there (UNIMPLEMENTED, without a word).
fn tidy(response: &mut Response<Body>) {
    let Some(status) = Status::from_header_map(response.headers()) else { return };
    let message = status.message();
    let garbled = message.starts_with("failed to decode Protobuf") || message.starts_with("Unexpected EOF");
    let refusal = match status.code() {
        Code::OutOfRange if message.starts_with("Error") => {
            // tonic ends with "the limit is: 16384 bytes".
            let limit = message.rsplit("is: ").next().and_then(|rest| rest.split(' ').next());
            let limit = limit.and_then(|limit| limit.parse::<u64>().ok()).unwrap_or_default();
            let words = format!("the request is larger than the {limit} bytes that this call accepts");
            Failure::new(Reason::MessageTooLarge, words).into()
        }
        Code::Internal if garbled => {
            let words = "these bytes are not one of this call: encode it with stubs generated from proto/, in a frame of gRPC";
            Failure::field(Reason::InvalidRequest, "message", words).into()
        }
        Code::Unimplemented if message.is_empty() => Status::unimplemented(
            "this service has no such method: docs/api.md and reflection have all, capitals count",
        ),
        _ => return,
    };
    *response = refusal.into_http();
}
