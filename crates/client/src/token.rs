use std::time::{Duration, UNIX_EPOCH};

use http::HeaderValue;
use nigiri_proto::session::v1::{Player, Tokens};
use tokio::time::Instant;

use crate::Error;

/// How long before its end a token is renewed, if it lives long enough.
const MARGIN: Duration = Duration::from_secs(60);
/// How long to wait after a renewal that nobody answered, while the old token still holds.
const PAUSE: Duration = Duration::from_secs(5);

/// Who is signed in, and what proves it.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub player: Player,
    pub tokens: Tokens,
    /// The metadata `authorization`.
    pub header: HeaderValue,
    /// Counts renewals.
    pub generation: u64,
    /// When to renew, if the machine's clock and the server's agree enough to say.
    renew_at: Option<Instant>,
    /// Whether the server has refused the token as expired.
    pub rejected: bool,
}

impl Credentials {
    /// Tokens that were received at this moment.
    pub fn new(player: Player, tokens: Tokens, generation: u64, at: Instant) -> Result<Self, Error> {
        let mut header = HeaderValue::try_from(format!("Bearer {}", tokens.access_token))
            .map_err(|_| Error::Malformed("an access token with characters that metadata cannot carry"))?;
        header.set_sensitive(true);
        let renew_at = lifetime(&tokens, wall_clock()).map(|life| at + life - MARGIN.min(life / 5));
        Ok(Self { player, tokens, header, generation, renew_at, rejected: false })
    }

    /// Whether the token is to be renewed before it is used.
    pub fn is_due(&self, now: Instant) -> bool {
        self.rejected || self.renew_at.is_some_and(|at| at <= now)
    }

    /// Puts a renewal off that nobody answered.
    pub fn put_off(&mut self, now: Instant) {
        self.renew_at = Some(now + PAUSE);
    }
}

/// How long the access token holds from now on; none when this machine's clock cannot tell, so that only the server's refusal says
/// when to renew (a clock that is ahead by more than the token's life would have it renewed before each call).
fn lifetime(tokens: &Tokens, now: Duration) -> Option<Duration> {
    let expires = tokens.access_expire_time.as_ref()?;
    let expires = Duration::new(expires.seconds.try_into().ok()?, expires.nanos.try_into().ok()?);
    expires.checked_sub(now).filter(|life| !life.is_zero())
}

/// The machine's clock, since the Unix epoch.
fn wall_clock() -> Duration {
    #[expect(clippy::disallowed_methods, reason = "a client has no other clock to compare the server's with")]
    let now = std::time::SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(expires: i64) -> Tokens {
        Tokens {
            access_token: "a".to_owned(),
            access_expire_time: Some(prost_types::Timestamp { seconds: expires, nanos: 0 }),
            refresh_token: "r".to_owned(),
        }
    }

    /// A token is renewed a minute before its end; a short one after four fifths of its life; and one that seems to have expired
    /// already is used until the server refuses it.
    #[tokio::test(start_paused = true)]
    async fn tokens_are_renewed_before_they_expire() {
        let now = wall_clock().as_secs().cast_signed();
        let at = Instant::now();
        let due_after = |life: i64, after: u64| {
            Credentials::new(Player::default(), tokens(now + life), 0, at)
                .unwrap()
                .is_due(at + Duration::from_secs(after))
        };
        assert!(!due_after(900, 830) && due_after(900, 841));
        assert!(!due_after(10, 6) && due_after(10, 9));
        assert!(!due_after(-5, 0) && !due_after(-5, 100_000));
        let mut rejected = Credentials::new(Player::default(), tokens(now - 5), 0, at).unwrap();
        rejected.rejected = true;
        assert!(rejected.is_due(at));
        let text = format!("{:?}", rejected.header);
        assert!(!text.contains("Bearer"), "the token must not print: {text}");
    }
}
