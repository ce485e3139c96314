use std::{collections::HashMap, sync::Arc, time::Duration};

use ::http::{HeaderMap, header};
use jsonwebtoken::{
    DecodingKey,
    jwk::{AlgorithmParameters, JwkSet, KeyAlgorithm, PublicKeyUse},
};
use parking_lot::RwLock;
use tokio::{sync::Mutex, time::Instant};
use url::Url;

use super::http::{Http, away};
use crate::{error::Error, oidc::id_token::IdTokenFault};

/// How long keys are kept when the provider does not say, and the bounds of what it may say.
const USUAL: Duration = Duration::from_secs(3600);
const LEAST: Duration = Duration::from_secs(60);
const MOST: Duration = Duration::from_secs(24 * 3600);

/// For a `kid` that is unknown the keys are fetched at most this often. While there are none that are fresh, a fetch that failed is repeated
/// after [`RETRY`].
const UNKNOWN: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_secs(5);

/// Keys after which a document is not read on.
const MOST_KEYS: usize = 64;

/// The provider's keys, cached as its Cache-Control says. When they cannot be fetched anew, those at hand serve.
pub struct Jwks {
    url: Url,
    cached: RwLock<Cached>,
    fetching: Mutex<()>,
}

#[derive(Clone, Default)]
struct Cached {
    keys: Arc<HashMap<String, DecodingKey>>,
    fresh_until: Option<Instant>,
    /// When the keys were last fetched, or that was tried.
    tried: Option<Instant>,
    failed: bool,
}

impl Cached {
    fn is_fresh(&self) -> bool {
        self.fresh_until.is_some_and(|until| until > Instant::now())
    }

    /// Whether a fetch is worth while now, for a key that is known or not.
    fn wants_fetch(&self, known: bool) -> bool {
        let tried = |ago: Duration| self.tried.is_none_or(|at| at.elapsed() >= ago);
        match (known, self.failed) {
            (_, true) if !self.is_fresh() => tried(RETRY),
            (true, _) => !self.is_fresh(),
            (false, _) => tried(UNKNOWN),
        }
    }
}

impl Jwks {
    /// The keys that are published there.
    pub fn new(url: Url) -> Self {
        Self { url, cached: RwLock::default(), fetching: Mutex::new(()) }
    }

    /// The key of this name.
    ///
    /// # Errors
    /// [`Error::IdToken`] when the provider has none of that name; [`Error::Provider`] when that cannot be found out.
    pub async fn key(&self, http: &Http, kid: &str) -> Result<DecodingKey, Error> {
        let known = |cached: &Cached| cached.keys.get(kid).cloned();
        let cached = self.cached.read().clone();
        if let Some(key) = known(&cached).filter(|_| cached.is_fresh()) {
            return Ok(key);
        }
        // One fetch at a time; whoever waited here looks again first.
        let _fetching = self.fetching.lock().await;
        let cached = self.cached.read().clone();
        let key = known(&cached);
        if key.is_some() && cached.is_fresh() || !cached.wants_fetch(key.is_some()) {
            return key.ok_or_else(|| Self::unknown(&cached));
        }
        if let Err(error) = self.fetch(http).await {
            tracing::warn!(%error, "cannot fetch the identity provider's keys: going on with those at hand");
            let mut cached = self.cached.write();
            (cached.tried, cached.failed) = (Some(Instant::now()), true);
        }
        let cached = self.cached.read().clone();
        known(&cached).ok_or_else(|| Self::unknown(&cached))
    }

    fn unknown(cached: &Cached) -> Error {
        if cached.failed { away("its keys cannot be had") } else { Error::IdToken(IdTokenFault::Invalid) }
    }

    async fn fetch(&self, http: &Http) -> Result<(), Error> {
        let answer = http.get(&self.url).await?;
        if !answer.success {
            return Err(away("it has no keys at the configured address"));
        }
        let set: JwkSet = serde_json::from_slice(&answer.body).map_err(|_| away("its keys are malformed"))?;
        let keys: HashMap<_, _> = set.keys.iter().take(MOST_KEYS).filter_map(rsa_key).collect();
        if keys.is_empty() {
            return Err(away("it publishes no key for RS256"));
        }
        let now = Instant::now();
        let fresh_until = Some(now + max_age(&answer.headers));
        *self.cached.write() = Cached { keys: Arc::new(keys), fresh_until, tried: Some(now), failed: false };
        Ok(())
    }
}

/// A key that may sign ID tokens; others are passed over.
fn rsa_key(jwk: &jsonwebtoken::jwk::Jwk) -> Option<(String, DecodingKey)> {
    let common = &jwk.common;
    let signs = common.public_key_use.as_ref().is_none_or(|it| *it == PublicKeyUse::Signature);
    let rs256 = common.key_algorithm.is_none_or(|it| it == KeyAlgorithm::RS256);
    let rsa = matches!(jwk.algorithm, AlgorithmParameters::RSA(_));
    let kid = common.key_id.clone().filter(|kid| !kid.is_empty() && kid.len() <= 256)?;
    (signs && rs256 && rsa).then(|| DecodingKey::from_jwk(jwk).ok()).flatten().map(|key| (kid, key))
}

/// How long an answer may be kept (RFC 9111, as far as Google uses it).
fn max_age(headers: &HeaderMap) -> Duration {
    let control =
        headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let directives: Vec<_> = control.split(',').map(|it| it.trim().to_ascii_lowercase()).collect();
    if directives.iter().any(|it| it == "no-store" || it == "no-cache") {
        return LEAST;
    }
    let age = directives.iter().find_map(|it| it.strip_prefix("max-age=")?.parse().ok());
    age.map_or(USUAL, Duration::from_secs).clamp(LEAST, MOST)
}
