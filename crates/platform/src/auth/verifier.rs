use std::{collections::HashMap, sync::Arc, time::Duration};

use jsonwebtoken::{Algorithm, DecodingKey, Validation, errors::ErrorKind, jwk::JwkSet};
use kernel::Timestamp;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::{AUDIENCE, Claims, ISSUER, Identity, Role, Subject};
use crate::status::{Failure, Reason};

/// A token longer than this is not one of ours.
const LONGEST_TOKEN: usize = 4096;

/// Tokens that are remembered; past this the memory starts anew.
const REMEMBERED: usize = 100_000;

/// Keys are fetched for an unknown `kid` at most this often.
const REFETCH: Duration = Duration::from_secs(2);

/// After a fetch that failed, those who need one are told so for this long, and nobody is asked.
const RETRY: Duration = Duration::from_millis(250);

/// Keys are fetched anew this often: a key that was withdrawn stops being good everywhere.
const STALE: Duration = Duration::from_secs(20);

/// Where the public keys come from.
#[tonic::async_trait]
pub trait KeySource: Send + Sync + 'static {
    /// The current keys as a JSON Web Key Set.
    async fn keys(&self) -> Result<String, Failure>;
}

/// Verifies access tokens offline. Fetches the public keys when it meets a key that it does not know, and remembers each
/// verified token until it expires, so that a signature is checked once and not at every call.
pub struct Verifier {
    source: Box<dyn KeySource>,
    keys: RwLock<HashMap<String, Arc<DecodingKey>>>,
    fetched: tokio::sync::Mutex<Fetched>,
    remembered: Mutex<HashMap<Box<str>, Arc<Identity>>>,
}

/// When keys were last had, and last asked for in vain since.
#[derive(Default)]
struct Fetched {
    last: Option<Instant>,
    failed: Option<Instant>,
}

impl Fetched {
    fn within(at: Option<Instant>, time: Duration) -> bool {
        at.is_some_and(|at| at.elapsed() < time)
    }
}

impl Verifier {
    /// A verifier with keys from there.
    pub fn new(source: impl KeySource) -> Self {
        Self {
            source: Box::new(source),
            keys: RwLock::default(),
            fetched: tokio::sync::Mutex::default(),
            remembered: Mutex::default(),
        }
    }

    /// Who shows this token at this moment.
    ///
    /// # Errors
    /// A `TOKEN_...` reason; or [`Reason::PeerUnavailable`] when the keys cannot be had.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<Arc<Identity>, Failure> {
        if let Some(identity) = self.recall(token, now)? {
            return Ok(identity);
        }
        if token.len() > LONGEST_TOKEN {
            return Err(Failure::new(Reason::TokenMalformed, "the token is too long to be one of ours"));
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| malformed())?;
        if header.alg != Algorithm::EdDSA {
            return Err(Failure::new(Reason::TokenInvalid, "the token is not signed with EdDSA"));
        }
        let kid = header.kid.ok_or_else(malformed)?;
        let key = self.key(&kid).await?;
        let identity = Arc::new(check(token, &key, now)?);
        let mut remembered = self.remembered.lock();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(token.into(), Arc::clone(&identity));
        Ok(identity)
    }

    /// Who shows this token, if it has been verified before: the way of nearly every call.
    ///
    /// # Errors
    /// [`Reason::TokenExpired`] when it has expired meanwhile.
    pub fn recall(&self, token: &str, now: Timestamp) -> Result<Option<Arc<Identity>>, Failure> {
        let mut remembered = self.remembered.lock();
        match remembered.get(token) {
            Some(identity) if identity.expires > now => Ok(Some(Arc::clone(identity))),
            Some(_) => {
                remembered.remove(token);
                Err(expired())
            }
            None => Ok(None),
        }
    }

    async fn key(&self, kid: &str) -> Result<Arc<DecodingKey>, Failure> {
        let known = |keys: &RwLock<HashMap<String, Arc<DecodingKey>>>| keys.read().get(kid).cloned();
        if let Some(key) = known(&self.keys) {
            return Ok(key);
        }
        // One fetch at a time; whoever waited here looks again first.
        let mut fetched = self.fetched.lock().await;
        if let Some(key) = known(&self.keys) {
            return Ok(key);
        }
        if Fetched::within(fetched.failed, RETRY) {
            return Err(keys_away());
        }
        if !Fetched::within(fetched.last, REFETCH) {
            self.fetch(&mut fetched).await?;
        }
        known(&self.keys)
            .ok_or_else(|| Failure::new(Reason::TokenUnknownKey, "the token's key is not one of ours"))
    }

    /// Keeps up with the keys for as long as it is polled, so that one that was withdrawn stops being good within [`STALE`], also
    /// for tokens that are remembered. While the keys cannot be had, those at hand serve.
    pub async fn follow(self: Arc<Self>) {
        loop {
            tokio::time::sleep(STALE).await;
            let mut fetched = self.fetched.lock().await;
            if fetched.last.is_some()
                && let Err(error) = self.fetch(&mut fetched).await
            {
                tracing::warn!(%error, "cannot look for withdrawn keys: going on with those at hand");
            }
        }
    }

    async fn fetch(&self, fetched: &mut Fetched) -> Result<(), Failure> {
        let asked = self.source.keys().await.and_then(|keys| parse(&keys));
        fetched.failed = asked.is_err().then(Instant::now);
        let new = asked?;
        let withdrawn = {
            let mut keys = self.keys.write();
            let withdrawn = keys.keys().any(|kid| !new.contains_key(kid));
            *keys = new;
            withdrawn
        };
        if withdrawn {
            self.remembered.lock().clear();
        }
        fetched.last = Some(Instant::now());
        Ok(())
    }
}

fn parse(jwks: &str) -> Result<HashMap<String, Arc<DecodingKey>>, Failure> {
    let set: JwkSet = serde_json::from_str(jwks).map_err(Failure::internal)?;
    let mut keys = HashMap::new();
    for jwk in &set.keys {
        if let (Some(kid), Ok(key)) = (&jwk.common.key_id, DecodingKey::from_jwk(jwk)) {
            keys.insert(kid.clone(), Arc::new(key));
        }
    }
    Ok(keys)
}

fn check(token: &str, key: &DecodingKey, now: Timestamp) -> Result<Identity, Failure> {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    // Times are checked below, against the clock that the caller names.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    let claims =
        jsonwebtoken::decode::<Claims>(token, key, &validation).map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature | ErrorKind::InvalidIssuer | ErrorKind::InvalidAudience => {
                Failure::new(Reason::TokenInvalid, "the token's signature, issuer or audience is wrong")
            }
            _ => malformed(),
        })?;
    let claims = claims.claims;
    let expires = Timestamp::from_millis(claims.exp.saturating_mul(1000));
    if expires <= now {
        return Err(expired());
    }
    // Clocks of two machines differ by a little.
    if Timestamp::from_millis(claims.nbf.saturating_mul(1000)) > now + Duration::from_secs(5) {
        return Err(Failure::new(Reason::TokenInvalid, "the token is not valid yet"));
    }
    let subject = match claims.role {
        Role::Service => Subject::Service(claims.sub.into()),
        Role::Player | Role::Bot | Role::Operator => {
            Subject::Player(claims.sub.parse().map_err(|_| malformed())?)
        }
    };
    let Claims { name, role, guest, sid, .. } = claims;
    Ok(Identity { subject, name: name.into(), role, guest, session: sid, expires })
}

/// The keys cannot be had.
pub(crate) fn keys_away() -> Failure {
    let words = "tokens cannot be verified now: the session service is away";
    Failure::new(Reason::PeerUnavailable, words)
}

fn malformed() -> Failure {
    Failure::new(
        Reason::TokenMalformed,
        "this is not an access token of ours: it may have been cut short, or be a refresh token",
    )
}

fn expired() -> Failure {
    Failure::new(Reason::TokenExpired, "the access token has expired: trade the refresh token for a new one")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A session service that is away, and counts who asks.
    struct Away(Arc<AtomicUsize>);

    #[tonic::async_trait]
    impl KeySource for Away {
        async fn keys(&self) -> Result<String, Failure> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Err(keys_away())
        }
    }

    /// While keys cannot be had, whoever shows a token of an unknown key is told so, and however many do, the session service is asked now and
    /// then and not by each of them.
    #[tokio::test(start_paused = true)]
    async fn a_session_service_that_is_away_is_not_stormed() {
        let asked = Arc::new(AtomicUsize::new(0));
        let verifier = Verifier::new(Away(Arc::clone(&asked)));
        // {"alg":"EdDSA","kid":"x"} . {} . nothing
        let token = "eyJhbGciOiJFZERTQSIsImtpZCI6IngifQ.e30.AA";
        for _ in 0..100 {
            let refused = verifier.verify(token, Timestamp::default()).await.unwrap_err();
            assert_eq!(refused.reason(), Reason::PeerUnavailable);
            tokio::time::advance(Duration::from_millis(10)).await;
        }
        assert!((3..=5).contains(&asked.load(Ordering::SeqCst)), "in one second: {asked:?}");
    }
}
