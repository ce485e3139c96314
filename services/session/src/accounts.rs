//! Signing in and staying signed in: names, secrets and tokens come together here.

use std::sync::Arc;

use kernel::{PlayerId, Timestamp};
use platform::{
    auth::{AUDIENCE, Claims, ISSUER, Role},
    clock::Clock,
    config::Secret,
};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    config::Args,
    error::Error,
    keys::Keys,
    metrics,
    nickname::{Nickname, Refusal},
    player::{Kind, Player},
    store::{Rotation, Session, Store},
    token::RefreshToken,
};

/// The players and their sessions. Cheap to clone.
#[derive(Clone)]
pub struct Accounts(Arc<Shared>);

struct Shared {
    store: Store,
    keys: Arc<Keys>,
    args: Args,
    secret: Secret,
    clock: Clock,
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
    /// The accounts of this store.
    pub(crate) fn new(store: Store, keys: Arc<Keys>, args: Args, secret: Secret, clock: Clock) -> Self {
        Self(Arc::new(Shared { store, keys, args, secret, clock }))
    }

    /// Makes a guest with this name, or with a suffix after it when it is taken.
    ///
    /// # Errors
    /// [`Error::Name`] when nobody can have the name; [`Error::NameTaken`] when all names near it are taken.
    pub async fn sign_in_guest(&self, nickname: &str) -> Result<SignedIn, Error> {
        let refused = |refusal| Error::Name { field: "nickname", refusal };
        let name = Nickname::parse(nickname).map_err(refused)?;
        if name.is_reserved() {
            return Err(refused(Refusal::Reserved));
        }
        let now = self.0.clock.now();
        let token = RefreshToken::first();
        let store = &self.0.store;
        let mut player = store.add_guest(std::slice::from_ref(&name), self.session(&token, now), now).await?;
        if player.is_none() {
            let names = name.alternatives(&mut rand::rng());
            player = store.add_guest(&names, self.session(&token, now), now).await?;
        }
        let player = player.ok_or_else(|| Error::NameTaken { name: name.as_str().to_owned() })?;
        tracing::debug!(player.id = %player.id, name = player.name, "a guest signed in");
        metrics::signed_in("guest");
        self.signed_in(player, token, now)
    }

    /// Signs in the bot with this name, and makes its account at the first use. The house's bots may have reserved names.
    ///
    /// # Errors
    /// [`Error::SecretWrong`]; [`Error::Name`]; [`Error::NameTaken`] when a person has the name.
    pub async fn sign_in_bot(&self, name: &str, secret: &str) -> Result<SignedIn, Error> {
        self.check_secret(secret)?;
        let name = Nickname::parse(name).map_err(|refusal| Error::Name { field: "name", refusal })?;
        let now = self.0.clock.now();
        let token = RefreshToken::first();
        let bot = self.0.store.sign_in_bot(&name, self.session(&token, now), now).await?;
        let bot = bot.ok_or_else(|| Error::NameTaken { name: name.as_str().to_owned() })?;
        tracing::debug!(player.id = %bot.id, name = bot.name, "a bot signed in");
        metrics::signed_in("bot");
        self.signed_in(bot, token, now)
    }

    /// A token for the service with this name.
    ///
    /// # Errors
    /// [`Error::SecretWrong`]; [`Error::ServiceName`].
    pub fn sign_in_service(&self, service: &str, secret: &str) -> Result<Tokens, Error> {
        self.check_secret(secret)?;
        let clean = service.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
        if !clean || !(1..=32).contains(&service.len()) {
            return Err(Error::ServiceName);
        }
        let subject = Subject { id: service.to_owned(), name: service, role: Role::Service, guest: false };
        let (access, access_expires) = self.access(subject, self.0.clock.now())?;
        metrics::signed_in("service");
        Ok(Tokens { access, access_expires, refresh: None })
    }

    /// Trades a refresh token for the next pair.
    ///
    /// # Errors
    /// [`Error::RefreshTokenInvalid`]; [`Error::RefreshTokenReused`], and then its session has ended.
    pub async fn refresh(&self, token: &str) -> Result<SignedIn, Error> {
        let now = self.0.clock.now();
        let Ok(used) = token.parse::<RefreshToken>() else {
            metrics::refreshed("invalid");
            return Err(Error::RefreshTokenInvalid);
        };
        let next = used.next();
        match self.0.store.rotate(&used, self.session(&next, now), now).await? {
            Rotation::Rotated(player) => {
                metrics::refreshed("rotated");
                self.signed_in(player, next, now)
            }
            Rotation::Unknown => {
                metrics::refreshed("invalid");
                Err(Error::RefreshTokenInvalid)
            }
            Rotation::Reused => {
                tracing::warn!(session = %used.session(), "a refresh token was used again: its session has been ended");
                metrics::refreshed("reused");
                Err(Error::RefreshTokenReused)
            }
        }
    }

    /// The player with this id.
    ///
    /// # Errors
    /// [`Error::PlayerId`]; [`Error::PlayerNotFound`].
    pub async fn player(&self, id: &str) -> Result<Player, Error> {
        let id: PlayerId = id.parse().map_err(Error::PlayerId)?;
        self.0.store.player(id).await?.ok_or(Error::PlayerNotFound(id))
    }

    /// The public keys, as a JSON Web Key Set.
    pub fn jwks(&self) -> Arc<str> {
        self.0.keys.jwks()
    }

    fn session<'a>(&self, token: &'a RefreshToken, now: Timestamp) -> Session<'a> {
        Session { token, expires: now + self.0.args.refresh_lifetime }
    }

    fn signed_in(&self, player: Player, token: RefreshToken, now: Timestamp) -> Result<SignedIn, Error> {
        let subject = Subject {
            id: player.id.to_string(),
            name: &player.name,
            role: player.kind.role(),
            guest: player.kind == Kind::Guest,
        };
        let (access, access_expires) = self.access(subject, now)?;
        Ok(SignedIn { tokens: Tokens { access, access_expires, refresh: Some(token) }, player })
    }

    fn access(&self, subject: Subject<'_>, now: Timestamp) -> Result<(String, Timestamp), Error> {
        let iat = now.as_millis() / 1000;
        let exp = (now + self.0.args.access_lifetime).as_millis() / 1000;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: subject.id,
            name: subject.name.to_owned(),
            role: subject.role,
            guest: subject.guest,
            iat,
            nbf: iat,
            exp,
        };
        Ok((self.0.keys.sign(&claims, now)?, Timestamp::from_millis(exp.saturating_mul(1000))))
    }

    /// Takes the same time whatever the secret is: hashes are compared, so not even the length shows.
    fn check_secret(&self, secret: &str) -> Result<(), Error> {
        let [given, ours] = [secret, self.0.secret.expose()].map(|text| Sha256::digest(text.as_bytes()));
        if bool::from(given.ct_eq(&ours)) { Ok(()) } else { Err(Error::SecretWrong) }
    }
}

/// Whom an access token speaks for.
struct Subject<'a> {
    id: String,
    name: &'a str,
    role: Role,
    guest: bool,
}
