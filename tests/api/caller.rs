//! Calls by path, of which it is kept which have worked.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use platform::status::reason_of;
use prost::Message;
use tonic::{Request, Status, Streaming, client::Grpc, codegen::http::uri::PathAndQuery, transport::Channel};
use tonic_prost::ProstCodec;

/// The calls that have had the answer that they should have.
#[derive(Clone, Default)]
pub struct Called(Arc<Mutex<BTreeSet<String>>>);

impl Called {
    pub fn note(&self, path: &str) {
        self.0.lock().expect("no test panics with it").insert(format!("/nigiri.{path}"));
    }

    pub fn all(&self) -> BTreeSet<String> {
        self.0.lock().expect("no test panics with it").clone()
    }
}

/// Somebody with a token, or nobody with an empty one.
#[derive(Clone)]
pub struct Caller {
    pub channel: Channel,
    pub token: String,
    pub called: Called,
}

impl Caller {
    /// The same connection for somebody else.
    pub fn with(&self, token: impl Into<String>) -> Self {
        Self { token: token.into(), ..self.clone() }
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if !self.token.is_empty() {
            let value = format!("Bearer {}", self.token).parse().expect("ASCII");
            request.metadata_mut().insert("authorization", value);
        }
        request
    }

    /// A connection that takes a call, and where the call goes.
    async fn ready(&self, path: &str) -> (Grpc<Channel>, PathAndQuery) {
        let mut client = Grpc::new(self.channel.clone());
        client.ready().await.expect("a connection");
        (client, format!("/nigiri.{path}").parse().expect("a path"))
    }

    /// A unary call, by its path without `nigiri.` in front.
    pub async fn call<T, R>(&self, path: &str, message: T) -> Result<R, Status>
    where
        T: Message + Send + Sync + 'static,
        R: Message + Default + Send + Sync + 'static,
    {
        let (mut client, uri) = self.ready(path).await;
        client
            .unary(self.request(message), uri, ProstCodec::<T, R>::default())
            .await
            .map(|answer| answer.into_inner())
    }

    /// Likewise, and it must work.
    pub async fn ok<T, R>(&self, path: &str, message: T) -> R
    where
        T: Message + Send + Sync + 'static,
        R: Message + Default + Send + Sync + 'static,
    {
        let answer = self.call(path, message).await.unwrap_or_else(|status| panic!("{path}: {status:?}"));
        self.called.note(path);
        answer
    }

    /// Likewise, but it must be refused for this reason.
    pub async fn refused<T: Message + Send + Sync + 'static>(&self, path: &str, message: T, reason: &str) {
        let answer: Result<(), Status> = self.call(path, message).await;
        let status = answer.expect_err(path);
        assert_eq!(reason_of(&status).as_deref(), Some(reason), "{path}: {status:?}");
        self.called.note(path);
    }

    /// A stream of the server, which must be opened.
    pub async fn stream<T, R>(&self, path: &str, message: T) -> Streaming<R>
    where
        T: Message + Send + Sync + 'static,
        R: Message + Default + Send + Sync + 'static,
    {
        let (mut client, uri) = self.ready(path).await;
        let answer = client.server_streaming(self.request(message), uri, ProstCodec::<T, R>::default()).await;
        let stream = answer.unwrap_or_else(|status| panic!("{path}: {status:?}")).into_inner();
        self.called.note(path);
        stream
    }
}
