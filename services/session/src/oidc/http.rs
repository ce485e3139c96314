use std::time::Duration;

use ::http::{HeaderMap, Method, Request, header};
use axum::body::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::de::DeserializeOwned;
use url::{Url, form_urlencoded};

use crate::error::Error;

/// How long the provider may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest answer.
const LARGEST: usize = 256 * 1024;

/// Calls the provider: over TLS with the roots of Mozilla, without redirects, bounded in time and size.
pub struct Http(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

/// An answer of 2xx or 4xx.
pub struct Answer {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// Whether it was 2xx.
    pub success: bool,
}

impl Http {
    /// A client. Plain HTTP is for a provider on this machine: configuration takes it for nobody else.
    pub fn new() -> Self {
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    /// Gets a document.
    ///
    /// # Errors
    /// [`Error::Provider`].
    pub async fn get(&self, url: &Url) -> Result<Answer, Error> {
        let request = Request::builder().method(Method::GET).uri(url.as_str());
        self.send(request.body(Full::default()).map_err(away)?).await
    }

    /// Posts a form and reads the JSON that comes back, also that of a refusal.
    ///
    /// # Errors
    /// [`Error::Provider`].
    pub async fn post<T: DeserializeOwned>(&self, url: &Url, form: &[(&str, &str)]) -> Result<T, Error> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = Request::builder()
            .method(Method::POST)
            .uri(url.as_str())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        let answer = self.send(request.body(Full::new(body.into())).map_err(away)?).await?;
        serde_json::from_slice(&answer.body).map_err(|_| away("its answer is not the JSON that was expected"))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Answer, Error> {
        let answer = async {
            let (head, body) = self.0.request(request).await.map_err(away)?.into_parts();
            let status = head.status;
            if !status.is_success() && !status.is_client_error() {
                return Err(away(format_args!("it answered {status}")));
            }
            let body = Limited::new(body, LARGEST).collect().await.map_err(away)?.to_bytes();
            Ok(Answer { headers: head.headers, body, success: status.is_success() })
        };
        tokio::time::timeout(TIMEOUT, answer).await.map_err(|_| away("it did not answer in time"))?
    }
}

/// The provider cannot be had; the words are for our log and have no secrets in them.
pub fn away(error: impl std::fmt::Display) -> Error {
    Error::Provider(error.to_string())
}
