//! How long what is said on one stream is on its way, as pings on the stream itself measure it. See ADR 7.

use std::time::Duration;

use ::metrics::histogram;
use kernel::{PlayerId, Timestamp};
use nigiri_proto::game::v1::Ping;
use platform::status::Failure;
use referee::{Control, Game, NETWORK_ALLOWANCE};

use crate::{
    delay::{ANSWER_WITHIN, COUNTS_FOR, not_said},
    metrics,
};

/// What a stream knows of its own network delay. Nobody else has to believe it, so that nothing is signed; it ends with the stream.
pub struct Measure {
    /// No more often is a ping said; never if none.
    every: Option<Duration>,
    /// Pings so far, and when the last one was said.
    count: u64,
    said: Option<Timestamp>,
    /// The last one has not come back yet.
    awaited: bool,
    measured: Option<(Timestamp, Duration)>,
}

impl Measure {
    /// Nothing is known yet.
    pub fn new(every: Option<Duration>) -> Self {
        Self { every, count: 0, said: None, awaited: false, measured: None }
    }

    /// What is to be said now that a delay may soon count, if anything.
    pub fn due(&mut self, now: Timestamp) -> Option<Ping> {
        let every = self.every?;
        if self.said.is_some_and(|said| now.since(said) < every) {
            return None;
        }
        (self.count, self.said, self.awaited) = (self.count + 1, Some(now), true);
        Some(Ping { token: self.token() })
    }

    /// The last ping has come back: how long it was on its way.
    ///
    /// # Errors
    /// When it is not the last ping of this stream, has come back before, or is too old.
    pub fn repeated(&mut self, ping: &Ping, now: Timestamp) -> Result<Duration, Failure> {
        let took = self.said.filter(|_| self.awaited).map(|said| now.since(said));
        let took = took.filter(|took| ping.token == self.token() && *took <= ANSWER_WITHIN);
        let took = took.ok_or_else(not_said)?;
        histogram!(metrics::DELAYS).record(took);
        let delay = took.min(NETWORK_ALLOWANCE);
        (self.awaited, self.measured) = (false, Some((now, delay)));
        Ok(delay)
    }

    /// The delay that counts now; none if nothing was measured for long.
    pub fn delay(&self, now: Timestamp) -> Duration {
        let counts = self.measured.filter(|(measured, _)| now.since(*measured) <= COUNTS_FOR);
        counts.map_or(Duration::ZERO, |(_, delay)| delay)
    }

    fn token(&self) -> bytes::Bytes {
        self.count.to_be_bytes().to_vec().into()
    }
}

/// Whether a network delay of this player can decide anything in a game.
pub fn matters(game: &Game, player: PlayerId) -> bool {
    let timed = game.settings().control != Control::None && game.outcome().is_none();
    timed && game.seats().color_of(player).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// What comes back is what counts, for ten minutes and never for more than the allowance; nothing but the last ping comes back, once and within a minute.
    #[test]
    fn only_the_last_ping_of_the_stream_measures() {
        let mut measure = Measure::new(Some(millis(60_000)));
        assert_eq!(measure.delay(at(0)), millis(0));
        let first = measure.due(at(1_000)).unwrap();
        assert_eq!(measure.due(at(60_999)), None, "no more often than once a minute");
        for wrong in [Ping::default(), Ping { token: vec![0; 8].into() }, Ping { token: vec![0; 9].into() }] {
            assert!(measure.repeated(&wrong, at(1_100)).is_err());
        }
        assert_eq!(measure.repeated(&first, at(1_137)).unwrap(), millis(137));
        assert!(measure.repeated(&first, at(1_400)).is_err(), "nobody makes it longer afterwards");
        assert_eq!(measure.delay(at(601_137)), millis(137));
        assert_eq!(measure.delay(at(601_138)), millis(0), "too old");

        let second = measure.due(at(61_000)).unwrap();
        assert!(measure.repeated(&first, at(61_010)).is_err());
        assert_eq!(measure.repeated(&second, at(63_000)).unwrap(), NETWORK_ALLOWANCE);
        let third = measure.due(at(121_000)).unwrap();
        assert!(measure.repeated(&third, at(181_001)).is_err(), "later than a minute");
        assert_eq!(measure.delay(at(181_001)), NETWORK_ALLOWANCE, "what was measured before still counts");
        assert_eq!(Measure::new(None).due(at(1_000)), None);
    }
}
