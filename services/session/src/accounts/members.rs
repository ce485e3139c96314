//! Signing in with an identity.

use kernel::Timestamp;
use url::Url;

use super::{Accounts, SignedIn, free_name, hash, random_text, request_hash};
use crate::{
    config::ProviderArgs,
    error::Error,
    metrics,
    oidc::{Device, DeviceCode, PATIENCE, Vouched},
    store::{Hash, Identity, Joined, PendingSignIn, pending::Turn},
    token::RefreshToken,
};

/// What a member is called who wishes for no name.
const NAMELESS: &str = "Player";

/// By how much a terminal that asks too soon is slowed down: 5 s (RFC 8628, section 3.5).
const SLOW_DOWN: i64 = 5000;

/// What a sign-in says besides its proof.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The guest's refresh token; empty for none.
    pub guest: String,
    /// The wished name; empty for none.
    pub nickname: String,
    /// The request's id; empty for none.
    pub request: String,
}

/// A sign-in that has begun.
#[derive(Debug)]
pub struct Waiting {
    /// The page to open.
    pub url: Url,
    /// What the client ends it with.
    pub id: String,
    /// What comes back with the code.
    pub state: String,
    /// Until when.
    pub expires: Timestamp,
}

impl Accounts {
    /// The provider's configuration.
    pub fn provider(&self) -> &ProviderArgs {
        self.0.provider.args()
    }

    /// Signs in by an ID token that the client has from the provider.
    ///
    /// # Errors
    /// See `SignInWithGoogle`.
    pub async fn sign_in_vouched(
        &self,
        token: &str,
        nonce: &str,
        subject: &Subject,
    ) -> Result<SignedIn, Error> {
        if !(16..=200).contains(&nonce.len()) {
            return Err(Error::Nonce);
        }
        let now = self.0.clock.now();
        let vouched = self.counted(self.0.provider.verify(token, Some(nonce), now).await)?;
        let proof = Some((hash(nonce), request_hash(&subject.request)?));
        self.join(vouched, proof, subject, now).await
    }

    /// Begins the code flow.
    ///
    /// # Errors
    /// [`Error::SignInOff`]; [`Error::RedirectNotAllowed`].
    pub async fn start_sign_in(&self, redirect_uri: &str) -> Result<Waiting, Error> {
        let now = self.0.clock.now();
        let begun = PendingSignIn {
            secret: random_text(),
            nonce: random_text(),
            redirect_uri: redirect_uri.to_owned(),
            interval: 0,
            expires: now + PATIENCE,
        };
        let (id, state) = (random_text(), random_text());
        let url = self.0.provider.authorization(&begun, &state)?;
        self.0.store.begin(hash(&id), hash(&state), &begun, now).await?;
        Ok(Waiting { url, id, state, expires: begun.expires })
    }

    /// Ends the code flow.
    ///
    /// # Errors
    /// See `FinishSignIn`.
    pub async fn finish_sign_in(
        &self,
        id: &str,
        state: &str,
        code: &str,
        subject: &Subject,
    ) -> Result<SignedIn, Error> {
        let now = self.0.clock.now();
        let begun = self.0.store.take(hash(id), hash(state), now).await?.ok_or(Error::SignInUnknown)?;
        let vouched = self.counted(self.0.provider.exchange(&begun, code, now).await)?;
        self.join(vouched, None, subject, now).await
    }

    /// Begins a terminal's sign-in: what the person types where, and what the terminal ends it with.
    ///
    /// # Errors
    /// [`Error::SignInOff`]; [`Error::Provider`].
    pub async fn start_device(&self) -> Result<(DeviceCode, PendingSignIn, String), Error> {
        let code = self.0.provider.device_code().await?;
        let now = self.0.clock.now();
        let (begun, id) = (code.pending(now), random_text());
        self.0.store.begin(hash(&id), hash(""), &begun, now).await?;
        Ok((code, begun, id))
    }

    /// Ends a terminal's sign-in, if the person has agreed.
    ///
    /// # Errors
    /// See `FinishDeviceSignIn`.
    pub async fn finish_device(&self, id: &str, subject: &Subject) -> Result<SignedIn, Error> {
        let (now, id) = (self.0.clock.now(), hash(id));
        let begun = match self.0.store.turn(id, hash(""), now).await? {
            Turn::Now(begun) => begun,
            Turn::At(at) => return Err(Error::SignInPending(at.since(now))),
            Turn::Unknown => return Err(Error::SignInUnknown),
        };
        let wait =
            |millis: i64| Error::SignInPending(std::time::Duration::from_millis(millis.unsigned_abs()));
        let vouched = match self.0.provider.device(&begun, now).await {
            Ok(Device::Agreed(vouched)) => vouched,
            Ok(Device::Pending) => return Err(wait(begun.interval)),
            Ok(Device::SlowDown) => {
                self.0.store.slow_down(id, SLOW_DOWN).await?;
                return Err(wait(begun.interval + SLOW_DOWN));
            }
            Err(error) => {
                if matches!(error, Error::SignInDenied) {
                    self.0.store.end_pending(id).await?;
                }
                return self.counted(Err(error));
            }
        };
        self.0.store.end_pending(id).await?;
        self.join(vouched, None, subject, now).await
    }

    /// Counts what the provider or its token came to.
    fn counted<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result {
            metrics::identity_refused(match error {
                Error::Provider(_) => "provider_away",
                Error::SignInDenied => "denied",
                Error::SignInOff => "off",
                _ => "id_token",
            });
        }
        result
    }

    async fn join(
        &self,
        vouched: Vouched,
        proof: Option<(Hash, Option<Hash>)>,
        subject: &Subject,
        now: Timestamp,
    ) -> Result<SignedIn, Error> {
        let guest = match subject.guest.as_str() {
            "" => None,
            text => Some(text.parse::<RefreshToken>().map_err(|_| Error::RefreshTokenInvalid)?),
        };
        let wished = if subject.nickname.is_empty() { NAMELESS } else { &subject.nickname };
        let name = free_name("subject.nickname", wished)?;
        let mut names = vec![name.clone()];
        names.extend(name.alternatives(&mut rand::rng()));
        let Vouched { issuer, subject, expires } = vouched;
        let identity = Identity { issuer, subject, proof, expires };
        let token = RefreshToken::first();
        let (session, times) = (self.session(&token, now), self.times(now));
        let joined = self.0.store.join(&identity, guest.as_ref(), &names, session, times).await?;
        let (player, how) = match joined {
            Joined::Made(player) => (player, "member_made"),
            Joined::Upgraded(player) => (player, "guest_upgraded"),
            Joined::Known(player) => (player, "member"),
            Joined::Merged(player) => (player, "guest_merged"),
            Joined::NamesTaken => return Err(Error::NameTaken { name: name.as_str().to_owned() }),
        };
        self.0.told.notify_one();
        tracing::debug!(player.id = %player.id, how, "a member signed in");
        metrics::signed_in(how);
        self.signed_in(player, token, now).await
    }
}
