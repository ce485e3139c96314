//! Signing in with an OpenID Connect provider, Google by default: the ID token, the code flow with PKCE, and the device flow.
//!
//! An ID token is taken as Google documents it: RS256 only; the key by its `kid` from the provider's JWKS; issuer, audience, expiry, issue
//! time and nonce; and the identity is `sub`, never the e-mail address. Without a client id all of this is off.

mod http;
mod id_token;
mod jwks;

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use kernel::Timestamp;
use platform::config::Secret;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

use crate::{config::ProviderArgs, error::Error, store::PendingSignIn};

pub use id_token::{IdTokenFault, Vouched};

use self::{http::Http, jwks::Jwks};

/// How long a person may take to sign in at the provider.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// How long to wait between two questions when the provider does not say.
const INTERVAL: Duration = Duration::from_secs(5);

/// The provider.
pub struct Provider {
    args: ProviderArgs,
    http: Http,
    jwks: Jwks,
}

/// What the provider's device page needs.
#[derive(Debug, Deserialize)]
pub struct DeviceCode {
    device_code: String,
    /// What the person types.
    pub user_code: String,
    /// Where. Google calls it `verification_url`, the standard (RFC 8628) `verification_uri`.
    #[serde(alias = "verification_uri")]
    pub verification_url: String,
    expires_in: u64,
    interval: Option<u64>,
}

impl DeviceCode {
    /// The sign-in that this begins.
    pub fn pending(&self, now: Timestamp) -> PendingSignIn {
        let interval =
            self.interval.map_or(INTERVAL, Duration::from_secs).clamp(Duration::from_secs(1), PATIENCE);
        PendingSignIn {
            secret: self.device_code.clone(),
            nonce: String::new(),
            redirect_uri: String::new(),
            interval: i64::try_from(interval.as_millis()).unwrap_or(5000),
            expires: now + Duration::from_secs(self.expires_in).min(PATIENCE * 3),
        }
    }
}

/// What the token endpoint answers.
#[derive(Deserialize)]
struct TokenAnswer {
    id_token: Option<String>,
    error: Option<String>,
}

/// What asking for a terminal's ID token came to.
pub enum Device {
    /// The person has agreed.
    Agreed(Vouched),
    /// Not yet.
    Pending,
    /// Not yet, and the question came too soon.
    SlowDown,
}

impl Provider {
    /// The configured provider.
    pub fn new(args: ProviderArgs) -> Self {
        let jwks = Jwks::new(args.oidc_jwks_url.clone());
        Self { args, http: Http::new(), jwks }
    }

    /// How it is configured.
    pub fn args(&self) -> &ProviderArgs {
        &self.args
    }

    fn client_id(&self) -> Result<&str, Error> {
        self.args.oidc_client_ids.first().map(String::as_str).ok_or(Error::SignInOff)
    }

    /// Whom an ID token vouches for.
    ///
    /// # Errors
    /// [`Error::SignInOff`]; [`Error::IdToken`]; [`Error::Provider`] when its key cannot be had.
    pub async fn verify(&self, token: &str, nonce: Option<&str>, now: Timestamp) -> Result<Vouched, Error> {
        self.client_id()?;
        let kid = id_token::kid(token)?;
        let key = self.jwks.key(&self.http, &kid).await?;
        let audiences = self.args.oidc_client_ids.iter().chain(&self.args.oidc_device_client_id);
        id_token::verify(token, &key, &self.args.oidc_issuer, audiences, nonce, now)
    }

    /// The address of the provider's page, for a sign-in that begins now.
    ///
    /// # Errors
    /// [`Error::SignInOff`]; [`Error::RedirectNotAllowed`].
    pub fn authorization(&self, begun: &PendingSignIn, state: &str) -> Result<Url, Error> {
        let client = self.client_id()?;
        if !self.args.oidc_redirects.contains(&begun.redirect_uri) {
            return Err(Error::RedirectNotAllowed);
        }
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&begun.secret));
        let mut url = self.args.oidc_authorization_url.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", client)
            .append_pair("redirect_uri", &begun.redirect_uri)
            .append_pair("scope", "openid")
            .append_pair("state", state)
            .append_pair("nonce", &begun.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Trades a code for whom the provider vouches for.
    ///
    /// # Errors
    /// [`Error::SignInDenied`]; else as [`Provider::verify`].
    pub async fn exchange(
        &self,
        begun: &PendingSignIn,
        code: &str,
        now: Timestamp,
    ) -> Result<Vouched, Error> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", self.client_id()?),
            ("redirect_uri", &begun.redirect_uri),
            ("code_verifier", &begun.secret),
        ];
        form.extend(self.args.oidc_client_secret.as_ref().map(|secret| ("client_secret", secret.expose())));
        let answer: TokenAnswer = self.http.post(&self.args.oidc_token_url, &form).await?;
        let token = answer.id_token.ok_or(Error::SignInDenied)?;
        self.verify(&token, Some(&begun.nonce), now).await
    }

    fn device_client(&self) -> Result<(&str, Option<&Secret>), Error> {
        let id = self.args.oidc_device_client_id.as_deref().ok_or(Error::SignInOff)?;
        Ok((id, self.args.oidc_device_client_secret.as_ref()))
    }

    /// Begins the sign-in of a terminal.
    ///
    /// # Errors
    /// [`Error::SignInOff`]; [`Error::Provider`].
    pub async fn device_code(&self) -> Result<DeviceCode, Error> {
        let (client, _) = self.device_client()?;
        self.http.post(&self.args.oidc_device_url, &[("client_id", client), ("scope", "openid")]).await
    }

    /// Asks whether the person has agreed.
    ///
    /// # Errors
    /// [`Error::SignInDenied`]; else as [`Provider::verify`].
    pub async fn device(&self, begun: &PendingSignIn, now: Timestamp) -> Result<Device, Error> {
        let (client, secret) = self.device_client()?;
        let mut form = vec![
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", begun.secret.as_str()),
            ("client_id", client),
        ];
        form.extend(secret.map(|secret| ("client_secret", secret.expose())));
        let answer: TokenAnswer = self.http.post(&self.args.oidc_token_url, &form).await?;
        match (answer.id_token, answer.error.as_deref()) {
            (Some(token), _) => Ok(Device::Agreed(self.verify(&token, None, now).await?)),
            (None, Some("authorization_pending")) => Ok(Device::Pending),
            (None, Some("slow_down")) => Ok(Device::SlowDown),
            (None, _) => Err(Error::SignInDenied),
        }
    }
}
