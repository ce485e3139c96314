//! An identity provider that the test starts itself: keys of its own, an HTTP server, and every fault that one may have.

use std::{
    collections::HashMap,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use parking_lot::Mutex;
use rsa::{PrivateKey, pkcs1::EncodeRsaPrivateKey, traits::PublicKeyParts};
use serde_json::{Value, json};
use session::ProviderArgs;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use url::form_urlencoded;

pub const CLIENT: &str = "client-of-the-web";
pub const DEVICE_CLIENT: &str = "client-of-terminals";
pub const REDIRECT: &str = "https://play.example/signed-in";

/// Keys are made once for all tests: 2,048 bits take a while.
static KEYS: LazyLock<[PrivateKey; 3]> = LazyLock::new(|| {
    std::array::from_fn(|_| {
        PrivateKey::new(&mut rsa::rand_core::UnwrapErr(rsa_random::System), 2048).unwrap()
    })
});

mod rsa_random {
    use rsa::rand_core::TryCryptoRng;

    /// The system's randomness.
    pub struct System;

    impl rsa::rand_core::TryRng for System {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(rand::random())
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(rand::random())
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill_with(rand::random);
            Ok(())
        }
    }

    impl TryCryptoRng for System {}
}

/// One of the keys, under a name.
pub struct Key {
    pub kid: &'static str,
    number: usize,
}

pub const FIRST: Key = Key { kid: "first", number: 0 };
pub const SECOND: Key = Key { kid: "second", number: 1 };
/// Of somebody else, under the first one's name.
pub const FOREIGN: Key = Key { kid: "first", number: 2 };

impl Key {
    pub fn jwk(&self) -> Value {
        let key = &KEYS[self.number];
        let text = |number: rsa::BoxedUint| {
            let bytes = number.to_be_bytes();
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            URL_SAFE_NO_PAD.encode(&bytes[zeros..])
        };
        let (n, e) = (text(key.n().as_ref().clone()), text(key.e().clone()));
        json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.kid, "n": n, "e": e })
    }

    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(Some(self.kid), claims)
    }

    pub fn sign_as(&self, kid: Option<&str>, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::RS256);
        header.kid = kid.map(str::to_owned);
        self.sign_by(&header, claims)
    }

    pub fn sign_by(&self, header: &Header, claims: &Value) -> String {
        let der = KEYS[self.number].to_pkcs1_der().unwrap();
        jsonwebtoken::encode(header, claims, &EncodingKey::from_rsa_der(der.as_bytes())).unwrap()
    }
}

/// What the provider answers with its keys.
#[derive(Clone)]
pub enum Published {
    Keys(Vec<Value>),
    Text(String),
    Huge,
    Never,
    Down,
}

struct Shared {
    published: Mutex<Published>,
    asked: AtomicUsize,
    address: String,
    /// Codes, with the challenge and the nonce that they are good for.
    codes: Mutex<HashMap<String, (String, Value)>>,
    /// What the device flow answers, in order.
    device: Mutex<Vec<Value>>,
    /// How often it may be asked, in seconds.
    interval: AtomicU64,
}

#[derive(Clone)]
pub struct Issuer(Arc<Shared>);

impl Issuer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = Self(Arc::new(Shared {
            published: Mutex::new(Published::Keys(vec![FIRST.jwk()])),
            asked: AtomicUsize::new(0),
            address: format!("http://{}", listener.local_addr().unwrap()),
            codes: Mutex::default(),
            device: Mutex::default(),
            interval: AtomicU64::new(1),
        }));
        let routes = Router::new()
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/device", post(device))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        issuer
    }

    pub fn args(&self) -> session::Args {
        let at = |path: &str| format!("{}{path}", self.0.address).parse().unwrap();
        session::Args {
            provider: ProviderArgs {
                oidc_client_ids: vec![CLIENT.to_owned(), "client-of-telephones".to_owned()],
                oidc_redirects: vec![REDIRECT.to_owned()],
                oidc_device_client_id: Some(DEVICE_CLIENT.to_owned()),
                oidc_issuer: "https://accounts.google.com".to_owned(),
                oidc_jwks_url: at("/keys"),
                oidc_authorization_url: at("/authorize"),
                oidc_token_url: at("/token"),
                oidc_device_url: at("/device"),
                ..ProviderArgs::default()
            },
            ..session::Args::default()
        }
    }

    pub fn publish(&self, published: Published) {
        *self.0.published.lock() = published;
    }

    /// How often the keys were asked for.
    pub fn asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// A code for an ID token, good with the verifier of this challenge.
    pub fn grant(&self, code: &str, challenge: &str, claims: Value) {
        self.0.codes.lock().insert(code.to_owned(), (challenge.to_owned(), claims));
    }

    /// How often the device flow may be asked, in seconds.
    pub fn may_be_asked_every(&self, seconds: u64) {
        self.0.interval.store(seconds, Ordering::SeqCst);
    }

    /// What the device flow answers to the next questions.
    pub fn device_answers(&self, answers: impl IntoIterator<Item = Value>) {
        *self.0.device.lock() = answers.into_iter().collect();
    }
}

async fn keys(State(issuer): State<Issuer>) -> Response {
    issuer.0.asked.fetch_add(1, Ordering::SeqCst);
    let published = issuer.0.published.lock().clone();
    let text = match published {
        Published::Keys(keys) => json!({ "keys": keys }).to_string(),
        Published::Text(text) => text,
        Published::Huge => format!("{{\"keys\":[{}]}}", " ".repeat(8 * 1024 * 1024)),
        Published::Never => std::future::pending().await,
        Published::Down => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    ([(header::CACHE_CONTROL, "public, max-age=3600")], text).into_response()
}

fn form(body: &str) -> HashMap<String, String> {
    form_urlencoded::parse(body.as_bytes()).into_owned().collect()
}

async fn token(State(issuer): State<Issuer>, body: String) -> Json<Value> {
    let form = form(&body);
    if form["grant_type"] != "authorization_code" {
        assert_eq!(
            (form["client_id"].as_str(), form["device_code"].as_str()),
            (DEVICE_CLIENT, "a device code")
        );
        return Json(issuer.0.device.lock().remove(0));
    }
    let granted = issuer.0.codes.lock().remove(&form["code"]);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    let known = form["client_id"] == CLIENT && form["redirect_uri"] == REDIRECT;
    match granted {
        Some((wanted, claims)) if wanted == challenge && known => {
            Json(json!({ "id_token": FIRST.sign(&claims) }))
        }
        _ => Json(json!({ "error": "invalid_grant" })),
    }
}

async fn device(State(issuer): State<Issuer>, body: String) -> Json<Value> {
    assert_eq!(form(&body)["client_id"], DEVICE_CLIENT);
    Json(json!({
        "device_code": "a device code",
        "user_code": "GQVQ-JKEC",
        "verification_url": "https://provider.example/device",
        "expires_in": 1800,
        "interval": issuer.0.interval.load(Ordering::SeqCst)
    }))
}
