//! Signing in and staying signed in: names, secrets and tokens come together here.

mod bots;
mod members;
mod people;

use std::{sync::Arc, time::Duration};

use kernel::{PlayerId, Timestamp};
use platform::{
    auth::{AUDIENCE, Claims, ISSUER, Role},
    clock::Clock,
    config::Secret,
};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::{
    config::Args,
    error::Error,
    games::Games,
    keys::Keys,
    metrics,
    nickname::{Nickname, Refusal},
    oidc::Provider,
    player::{Kind, Player},
    store::{Hash, Rotation, Session, Store, Times},
    token::RefreshToken,
};

pub use members::{Subject as Joining, Waiting};

/// A guest's request that comes again within this time is the same one.
const SAME_REQUEST: Duration = Duration::from_secs(600);

/// The players and their sessions. Cheap to clone.
#[derive(Clone)]
pub struct Accounts(Arc<Shared>);

struct Shared {
    store: Store,
    games: Games,
    keys: Arc<Keys>,
    provider: Provider,
    args: Args,
    secret: Secret,
    clock: Clock,
    told: Arc<Notify>,
}

/// Proof of who one is.
#[derive(Debug)]
pub struct Tokens {
    /// A signed access token.
    pub access: String,
    /// When it stops being accepted: a whole second.
    pub access_expires: Timestamp,
    /// What the next tokens are had for; services have none.
    pub refresh: Option<RefreshToken>,
}

/// A player who has signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// Who.
    pub player: Player,
    /// What proves it.
    pub tokens: Tokens,
}

impl Accounts {
    /// The accounts of this store. `told` is rung when there is something to tell other services.
    pub(crate) fn new(
        store: Store,
        games: Games,
        keys: Arc<Keys>,
        args: Args,
        secret: Secret,
        clock: Clock,
        told: Arc<Notify>,
    ) -> Self {
        let provider = Provider::new(args.provider.clone());
        Self(Arc::new(Shared { store, games, keys, provider, args, secret, clock, told }))
    }

    /// Makes a new guest with this nickname, or with the nearest to it that nobody has. The same request gives the same guest.
    ///
    /// # Errors
    /// [`Error::Name`]; [`Error::NameTaken`] in the odd case that all names tried are taken; [`Error::RequestId`].
    pub async fn sign_in_guest(&self, nickname: &str, request: &str) -> Result<SignedIn, Error> {
        let name = free_name("nickname", nickname)?;
        let now = self.0.clock.now();
        let since = Timestamp::from_millis(now.as_millis().saturating_sub(SAME_REQUEST.as_secs() * 1000));
        let request = request_hash(request)?.map(|hash| (hash, since));
        let token = RefreshToken::first();
        let (store, session) = (&self.0.store, self.session(&token, now));
        // Most names are free: more of them are thought of only when this one is not.
        let mut player = store.add_guest(std::slice::from_ref(&name), session, request, now).await?;
        if player.is_none() {
            let names = name.alternatives(&mut rand::rng());
            player = store.add_guest(&names, session, request, now).await?;
        }
        let player = player.ok_or_else(|| Error::NameTaken { name: name.as_str().to_owned() })?;
        tracing::debug!(player.id = %player.id, name = player.name, "a guest signed in");
        metrics::signed_in("guest");
        self.signed_in(player, token, now).await
    }

    /// A token for the service with this name.
    ///
    /// # Errors
    /// [`Error::SecretWrong`]; [`Error::ServiceName`].
    pub fn sign_in_service(&self, service: &str, secret: &str) -> Result<Tokens, Error> {
        if !self.is_house(secret) {
            return Err(Error::SecretWrong);
        }
        let clean = service.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
        if !clean || !(1..=32).contains(&service.len()) {
            return Err(Error::ServiceName);
        }
        let bearer = Bearer {
            id: service.to_owned(),
            name: service,
            role: Role::Service,
            guest: false,
            session: None,
        };
        let (access, access_expires) = self.access(bearer, self.0.clock.now())?;
        metrics::signed_in("service");
        Ok(Tokens { access, access_expires, refresh: None })
    }

    /// Trades a refresh token for the next pair; within the grace the same one again.
    ///
    /// # Errors
    /// [`Error::RefreshTokenInvalid`]; [`Error::RefreshTokenReused`], and then its session has ended; [`Error::SessionEnded`];
    /// [`Error::Banned`].
    pub async fn refresh(&self, token: &str) -> Result<SignedIn, Error> {
        let now = self.0.clock.now();
        let Ok(used) = token.parse::<RefreshToken>() else {
            metrics::refreshed("invalid");
            return Err(Error::RefreshTokenInvalid);
        };
        let next = used.next();
        match self.0.store.rotate(&used, self.session(&next, now), self.times(now)).await? {
            Rotation::Rotated(player, token) => {
                metrics::refreshed("rotated");
                self.signed_in(player, token, now).await
            }
            Rotation::Unknown => {
                metrics::refreshed("invalid");
                Err(Error::RefreshTokenInvalid)
            }
            Rotation::Ended(cause) => {
                metrics::refreshed("invalid");
                Err(Error::SessionEnded(cause))
            }
            Rotation::Banned(reason, until) => {
                metrics::refreshed("banned");
                Err(Error::Banned { reason, until })
            }
            Rotation::Reused => {
                tracing::warn!(session = %used.handle(), "a refresh token was used again: its session has been ended");
                metrics::refreshed("reused");
                self.0.told.notify_one();
                Err(Error::RefreshTokenReused)
            }
        }
    }

    /// The player with this id.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`].
    pub async fn player(&self, id: &str) -> Result<Player, Error> {
        let id = player_id(id)?;
        self.0.store.player(id).await?.ok_or(Error::PlayerNotFound(id))
    }

    /// The player who has this name now, or one that looks like it.
    ///
    /// # Errors
    /// [`Error::NoSuchName`], also for what can be nobody's name.
    pub async fn named(&self, name: &str) -> Result<Player, Error> {
        let nobody = || Error::NoSuchName(name.chars().take(32).collect());
        let nickname = Nickname::parse(name).map_err(|_| nobody())?;
        self.0.store.named(&nickname).await?.ok_or_else(nobody)
    }

    /// The public keys, as a JSON Web Key Set.
    pub fn jwks(&self) -> Arc<str> {
        self.0.keys.jwks()
    }

    /// Makes a new signing key; `withdraw` also takes the older ones away at once.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn rotate_keys(&self, withdraw: bool) -> Result<(), Error> {
        tracing::warn!(withdraw, "an operator makes a new signing key");
        self.0.keys.rotate(&self.0.store, withdraw, self.0.clock.now()).await
    }

    fn session<'a>(&self, token: &'a RefreshToken, now: Timestamp) -> Session<'a> {
        Session { token, expires: now + self.0.args.refresh_lifetime }
    }

    fn times(&self, now: Timestamp) -> Times {
        Times { now, grace: self.0.args.refresh_grace, access_lifetime: self.0.args.access_lifetime }
    }

    async fn signed_in(
        &self,
        player: Player,
        token: RefreshToken,
        now: Timestamp,
    ) -> Result<SignedIn, Error> {
        let bearer = Bearer {
            id: player.id.to_string(),
            name: &player.name,
            role: self.role(&player).await?,
            guest: player.kind == Kind::Guest,
            session: Some(token.handle()),
        };
        let (access, access_expires) = self.access(bearer, now)?;
        Ok(SignedIn { tokens: Tokens { access, access_expires, refresh: Some(token) }, player })
    }

    /// A person whom the configuration names is an operator, under their id or under the provider's.
    async fn role(&self, player: &Player) -> Result<Role, Error> {
        let operators = &self.0.args.operators;
        if operators.is_empty() || player.kind == Kind::Bot {
            return Ok(player.kind.role());
        }
        let id = player.id.to_string();
        let named = operators.iter().any(|operator| operator.eq_ignore_ascii_case(&id));
        let subjects = self.0.store.subjects(player.id, &self.0.args.provider.oidc_issuer).await?;
        let vouched = operators
            .iter()
            .filter_map(|operator| operator.strip_prefix("sub:"))
            .any(|operator| subjects.iter().any(|subject| subject == operator));
        Ok(if named || vouched { Role::Operator } else { player.kind.role() })
    }

    fn access(&self, bearer: Bearer<'_>, now: Timestamp) -> Result<(String, Timestamp), Error> {
        let iat = now.as_millis() / 1000;
        let exp = (now + self.0.args.access_lifetime).as_millis() / 1000;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: bearer.id,
            name: bearer.name.to_owned(),
            role: bearer.role,
            guest: bearer.guest,
            sid: bearer.session,
            iat,
            nbf: iat,
            exp,
        };
        Ok((self.0.keys.sign(&claims, now)?, Timestamp::from_millis(exp.saturating_mul(1000))))
    }

    /// Whether this is the secret of the house. Takes the same time whatever it is: hashes are compared, so not even the length shows.
    fn is_house(&self, secret: &str) -> bool {
        hash(secret).ct_eq(&hash(self.0.secret.expose())).into()
    }
}

/// Whom an access token speaks for.
struct Bearer<'a> {
    id: String,
    name: &'a str,
    role: Role,
    guest: bool,
    session: Option<Uuid>,
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

/// What the store keeps of a request's id; none when there is none.
fn request_hash(request: &str) -> Result<Option<Hash>, Error> {
    if request.is_empty() {
        return Ok(None);
    }
    let id: Uuid = request.parse().map_err(|_| Error::RequestId)?;
    if id.get_version_num() == 4 { Ok(Some(Sha256::digest(id).into())) } else { Err(Error::RequestId) }
}

fn player_id(text: &str) -> Result<PlayerId, Error> {
    text.parse().map_err(Error::PlayerId)
}

/// A name that people can have.
fn free_name(field: &'static str, text: &str) -> Result<Nickname, Error> {
    let name = Nickname::parse(text).map_err(|refusal| Error::Name { field, refusal })?;
    if name.is_reserved() {
        return Err(Error::Name { field, refusal: Refusal::Reserved });
    }
    Ok(name)
}

/// A secret of 256 random bits, as text.
fn random_text() -> String {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
