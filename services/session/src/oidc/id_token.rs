use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use kernel::Timestamp;
use serde::Deserialize;
use subtle::ConstantTimeEq;

use crate::error::Error;

/// How far the provider's clock and ours may differ.
const LEEWAY: Duration = Duration::from_secs(30);

/// No ID token is older than this: the provider issues it while the person signs in.
const OLDEST: Duration = Duration::from_secs(3600 + 60);

/// A longer token is none.
const LONGEST: usize = 8 * 1024;

/// What is wrong with an ID token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdTokenFault {
    /// Malformed, or not from the provider to us.
    Invalid,
    /// Expired, or not valid yet.
    Expired,
}

/// Somebody whom the provider vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vouched {
    /// The provider, in its configured spelling.
    pub issuer: String,
    /// Whom it means.
    pub subject: String,
    /// Until when the token could be shown again.
    pub expires: Timestamp,
}

#[derive(Deserialize)]
struct IdClaims {
    iss: String,
    aud: Audience,
    azp: Option<String>,
    sub: String,
    exp: u64,
    iat: u64,
    nbf: Option<u64>,
    nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

const INVALID: Error = Error::IdToken(IdTokenFault::Invalid);

/// The name of the key that signed a token: of RS256 and nothing else.
///
/// # Errors
/// [`Error::IdToken`].
pub fn kid(token: &str) -> Result<String, Error> {
    if token.len() > LONGEST {
        return Err(INVALID);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| INVALID)?;
    if header.alg != Algorithm::RS256 {
        return Err(INVALID);
    }
    header.kid.ok_or(INVALID)
}

/// Whom a token vouches for, at this moment.
///
/// # Errors
/// [`Error::IdToken`].
pub fn verify<'a>(
    token: &str,
    key: &DecodingKey,
    issuer: &str,
    audiences: impl Iterator<Item = &'a String> + Clone,
    nonce: Option<&str>,
    now: Timestamp,
) -> Result<Vouched, Error> {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.required_spec_claims.clear();
    // Checked below: two spellings of the issuer, several audiences with `azp`, and times by the given clock.
    (validation.validate_exp, validation.validate_nbf, validation.validate_aud) = (false, false, false);
    let claims = jsonwebtoken::decode::<IdClaims>(token, key, &validation).map_err(|_| INVALID)?.claims;
    let ours = |id: &String| audiences.clone().any(|audience| audience == id);
    let audience = match &claims.aud {
        Audience::One(one) => ours(one),
        // For several audiences the one that asked for the token has to be us (OpenID Connect Core, 3.1.3.7).
        Audience::Many(many) => many.iter().any(&ours) && (many.len() == 1 || claims.azp.is_some()),
    };
    let party = claims.azp.as_ref().is_none_or(&ours);
    let same_nonce = match nonce {
        Some(nonce) => claims.nonce.is_some_and(|given| given.as_bytes().ct_eq(nonce.as_bytes()).into()),
        None => true,
    };
    let issued_by = bare(&claims.iss) == bare(issuer);
    let subject = !claims.sub.is_empty() && claims.sub.len() <= 255;
    if !(audience && party && same_nonce && issued_by && subject) {
        return Err(INVALID);
    }
    let at = |seconds: u64| Timestamp::from_millis(seconds.saturating_mul(1000));
    let begins = at(claims.nbf.unwrap_or(0).max(claims.iat));
    if at(claims.exp) + LEEWAY <= now || begins > now + LEEWAY || at(claims.iat) + OLDEST <= now {
        return Err(Error::IdToken(IdTokenFault::Expired));
    }
    let expires = (at(claims.exp) + LEEWAY).min(at(claims.iat) + OLDEST);
    Ok(Vouched { issuer: issuer.to_owned(), subject: claims.sub, expires })
}

/// Google writes its issuer with and without the scheme.
fn bare(issuer: &str) -> &str {
    issuer.strip_prefix("https://").unwrap_or(issuer)
}
