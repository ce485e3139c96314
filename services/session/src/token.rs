//! Refresh tokens: opaque to clients, good for one use.

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A refresh token: the session's id, and 32 random bytes that are new after each use. In text: both, as base64url.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    session: Uuid,
    secret: [u8; 32],
}

/// What the store knows of a refresh token's secret: its SHA-256. The secret is random, so no salt is needed.
pub type SecretHash = [u8; 32];

/// A successor's secret, readable only with the secret before it.
pub type Sealed = [u8; 32];

/// A text that is no refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a refresh token of ours")]
pub struct MalformedToken;

impl RefreshToken {
    /// The first token of a new session.
    pub fn first() -> Self {
        Self { session: Uuid::new_v4(), secret: rand::random() }
    }

    /// The next token of the same session.
    pub fn next(&self) -> Self {
        Self { session: self.session, secret: rand::random() }
    }

    /// The session that it belongs to.
    pub fn session(&self) -> Uuid {
        self.session
    }

    /// What the store knows of it.
    pub fn hash(&self) -> SecretHash {
        Sha256::digest(self.secret).into()
    }

    /// The session's name in access tokens and lists. It tells nothing of the session's id, which is half of what a guess would need.
    pub fn handle(&self) -> Uuid {
        let hash = Sha256::new().chain_update(b"nigiri session handle").chain_update(self.session).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// The secret of `next`, for the store to keep: whoever has this token reads it, nobody else does. The pad is the hash of a secret
    /// of 256 random bits that seals one successor only.
    pub fn seal(&self, next: &Self) -> Sealed {
        self.pad(&next.secret)
    }

    /// The successor that was sealed with this token.
    pub fn unseal(&self, sealed: &Sealed) -> Self {
        Self { session: self.session, secret: self.pad(sealed) }
    }

    fn pad(&self, text: &[u8; 32]) -> [u8; 32] {
        let pad = Sha256::new().chain_update(b"nigiri successor").chain_update(self.secret).finalize();
        let mut out = *text;
        out.iter_mut().zip(pad).for_each(|(byte, pad)| *byte ^= pad);
        out
    }

    /// The text that the client keeps: a secret.
    pub fn expose(&self) -> String {
        URL_SAFE_NO_PAD.encode([self.session.as_bytes().as_slice(), &self.secret].concat())
    }
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RefreshToken(..)")
    }
}

impl FromStr for RefreshToken {
    type Err = MalformedToken;

    fn from_str(text: &str) -> Result<Self, MalformedToken> {
        // 48 bytes are 64 letters; a longer text is not worth decoding.
        if text.len() != 64 {
            return Err(MalformedToken);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| MalformedToken)?;
        let (session, secret) = bytes.split_first_chunk::<16>().ok_or(MalformedToken)?;
        let secret = secret.try_into().map_err(|_| MalformedToken)?;
        Ok(Self { session: Uuid::from_bytes(*session), secret })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token survives its text, the next one is of the same session with another secret, and neither prints its secret.
    #[test]
    fn refresh_tokens_round_trip_and_stay_secret() {
        let token = RefreshToken::first();
        assert_eq!(token.expose().parse(), Ok(token.clone()));
        let next = token.next();
        assert!(next.session() == token.session() && next.hash() != token.hash());
        assert_eq!(format!("{token:?}"), "RefreshToken(..)");
        let sealed = token.seal(&next);
        assert_eq!(token.unseal(&sealed), next);
        assert!(sealed != next.secret && next.unseal(&sealed) != next, "only its predecessor reads it");
        let long = "A".repeat(10_000);
        for text in ["", "A", &token.expose()[..63], &"*".repeat(64), &long] {
            assert_eq!(text.parse::<RefreshToken>(), Err(MalformedToken));
        }
    }
}
