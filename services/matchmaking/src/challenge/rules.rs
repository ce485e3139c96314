//! What a proposal may say, and how challenges are named.

use std::time::Duration;

use nigiri_proto::{
    game::v1::{Color, GameSettings},
    matchmaking::v1::CreateChallengeRequest,
};
use platform::{convert::from_proto_duration, status::Violation};
use rand::distr::{Alphanumeric, SampleString};

use crate::{error::Error, request};

/// How long a challenge can be accepted: at least, at most, and when nothing is said.
const SHORTEST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(7 * 86_400);
const USUAL: Duration = Duration::from_secs(86_400);

/// Letters and digits of a code: 131 bits that nobody guesses.
const LENGTH: usize = 22;

/// What a player proposes.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What is played: whether it makes a game says the game service.
    pub settings: GameSettings,
    /// The proposing player's colour; unspecified for one that is dealt.
    pub color: Color,
    /// The name of the player to whom it is addressed; none for whoever gets the link.
    pub opponent: Option<String>,
    /// How long it can be accepted.
    pub valid_for: Duration,
    /// The client's name for the request.
    pub request_id: String,
}

impl Proposal {
    /// The proposal of a request.
    ///
    /// # Errors
    /// [`Error::Invalid`], with everything that is wrong.
    pub fn read(request: CreateChallengeRequest) -> Result<Self, Error> {
        let mut violations = Vec::new();
        let color = request::color(request.color, &mut violations);
        request::request_id(&request.request_id, &mut violations);
        let valid_for = request.valid_for.map_or(USUAL, from_proto_duration);
        if !(SHORTEST..=LONGEST).contains(&valid_for) {
            violations.push(Violation::new("valid_for", "1 minute to 7 days"));
        }
        if request.settings.is_none() {
            violations.push(Violation::new("settings", "missing: say what is played"));
        }
        let (Some(settings), true) = (request.settings, violations.is_empty()) else {
            return Err(Error::Invalid(violations));
        };
        let opponent = Some(request.opponent_name).filter(|name| !name.is_empty());
        Ok(Self { settings, color, opponent, valid_for, request_id: request.request_id })
    }
}

/// A new code: a secret, so it comes from the machine in simulations too.
pub(super) fn code() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes have 22 letters and digits, and none comes twice.
    #[test]
    fn codes_are_long_and_differ() {
        let mut codes: Vec<_> = (0..1_000).map(|_| code()).collect();
        assert!(codes.iter().all(|code| code.len() == 22 && code.chars().all(|c| c.is_ascii_alphanumeric())));
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), 1_000);
    }
}
