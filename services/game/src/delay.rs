//! How long what a player says is on its way, as the server has measured it: by pings on the player's own stream.
//!
//! Nothing is kept. A ping carries the moment at which it was sent, and the answer to it gives a proof of what came out, both signed by the replicas' common
//! secret: any replica can take the answer, and any the move that carries the proof. A player who answers late gains no more than one whose network is as slow, and
//! never more than the allowance.

use std::{sync::Arc, time::Duration};

use ::metrics::histogram;
use goban::Color;
use kernel::{GameId, PlayerId, Timestamp};
use ledger::SharedLedger;
use nigiri_proto::game::v1 as pb;
use platform::{
    config::Secret,
    convert::to_proto_duration,
    status::{Failure, Reason},
};
use referee::{Control, Game, NETWORK_ALLOWANCE};
use ring::hmac;
use tokio::time::Instant;

use crate::{live::LiveGame, metrics};

/// How long a ping may be answered.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// How long a measurement counts.
pub const COUNTS_FOR: Duration = Duration::from_secs(600);

/// What is signed.
#[derive(Clone, Copy)]
enum Kind {
    Ping = 1,
    Proof = 2,
}

/// Measures, for one game service of several replicas with the same secret. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Delays(Arc<hmac::Key>);

impl Delays {
    /// With the secret that all replicas have.
    pub fn new(secret: &Secret) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
        // A key of its own, derived from the secret that also serves for other things.
        Self(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&key, b"network delay").as_ref())))
    }

    /// What a stream of this player says now.
    pub fn ping(&self, game: GameId, player: PlayerId, now: Timestamp) -> pb::Ping {
        pb::Ping { token: self.signed(Kind::Ping, game, player, now, Duration::ZERO).into() }
    }

    /// What the answer to a ping says: how long both were on their way.
    ///
    /// # Errors
    /// When this player's streams of this game have not said that, or too long ago.
    pub fn answer(
        &self,
        game: GameId,
        player: PlayerId,
        token: &[u8],
        now: Timestamp,
    ) -> Result<pb::AnswerPingResponse, Failure> {
        let (sent, _) = self.read(Kind::Ping, game, player, token).ok_or_else(not_said)?;
        let took = now.since(sent);
        if took > ANSWER_WITHIN {
            return Err(not_said());
        }
        histogram!(metrics::DELAYS).record(took);
        let delay = took.min(NETWORK_ALLOWANCE);
        Ok(pb::AnswerPingResponse {
            delay: Some(to_proto_duration(delay)),
            proof: self.signed(Kind::Proof, game, player, now, delay).into(),
        })
    }

    /// The delay that is proven; none without a proof that counts.
    pub fn proven(&self, game: GameId, player: PlayerId, proof: &[u8], now: Timestamp) -> Duration {
        let read = if proof.is_empty() { None } else { self.read(Kind::Proof, game, player, proof) };
        let counts = read.filter(|(measured, _)| now.since(*measured) <= COUNTS_FOR);
        counts.map_or(Duration::ZERO, |(_, delay)| delay.min(NETWORK_ALLOWANCE))
    }

    /// A moment in milliseconds (8 bytes), a delay in milliseconds (2), and the signature of both, for this player in this game.
    fn signed(&self, kind: Kind, game: GameId, player: PlayerId, at: Timestamp, delay: Duration) -> Vec<u8> {
        let millis = u16::try_from(delay.as_millis()).unwrap_or(u16::MAX);
        let mut text = at.as_millis().to_be_bytes().to_vec();
        text.extend(millis.to_be_bytes());
        let signature = hmac::sign(&self.0, &content(kind, game, player, &text));
        text.extend(signature.as_ref());
        text
    }

    fn read(&self, kind: Kind, game: GameId, player: PlayerId, text: &[u8]) -> Option<(Timestamp, Duration)> {
        let (said, signature) = text.split_at_checked(10)?;
        let (millis, delay) = said.split_first_chunk::<8>()?;
        let delay = u16::from_be_bytes(*delay.first_chunk()?);
        hmac::verify(&self.0, &content(kind, game, player, said), signature).ok()?;
        Some((Timestamp::from_millis(u64::from_be_bytes(*millis)), Duration::from_millis(delay.into())))
    }
}

/// The refusal of what answers no ping.
pub fn not_said() -> Failure {
    let problem = "it is not what a ping of yours has said here within the last minute";
    Failure::field(Reason::InvalidRequest, "token", problem)
}

/// The pings of one stream of a player.
pub struct Pings {
    delays: Delays,
    game: GameId,
    player: PlayerId,
    color: Color,
    every: Duration,
    last: Option<Instant>,
}

impl Pings {
    /// Of a stream that begins; none where no clock can run out.
    pub fn new(delays: &Delays, game: &Game, id: GameId, color: Color, every: Duration) -> Option<Self> {
        if game.settings().control == Control::None {
            return None;
        }
        let player = game.seats().get(color).player;
        Some(Self { delays: delays.clone(), game: id, player, color, every, last: None })
    }

    /// What the stream has to say now, if anything: at its beginning, and when the player's turn has begun some time after the last ping. So a game in which
    /// nobody moves costs nothing, and between pings the game is not looked at.
    pub fn due(&mut self, live: &LiveGame, ledger: &SharedLedger) -> Option<pb::Ping> {
        if self.last.is_some_and(|last| last.elapsed() < self.every) {
            return None;
        }
        let first = self.last.is_none();
        let due = live.look(|game, _| game.outcome().is_none() && (first || game.turn() == Some(self.color)));
        if due != Some(true) {
            return None;
        }
        self.last = Some(Instant::now());
        Some(self.delays.ping(self.game, self.player, ledger.now()))
    }
}

fn content(kind: Kind, game: GameId, player: PlayerId, text: &[u8]) -> Vec<u8> {
    let mut content = vec![kind as u8];
    content.extend(game.as_uuid().as_bytes());
    content.extend(player.as_uuid().as_bytes());
    content.extend(text);
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(n: u128) -> PlayerId {
        PlayerId::from_uuid(uuid::Uuid::from_u128(n))
    }

    /// What was measured is what is proven, to the same player in the same game and for ten minutes; whatever else is sent, or changed by a bit, proves nothing.
    #[test]
    fn only_what_was_measured_is_proven() {
        let delays = Delays::new(&Secret::new("of all replicas"));
        let other = Delays::new(&Secret::new("of somebody else"));
        let (game, ann, bob) = (GameId::derive("game"), player(1), player(2));
        let at = Timestamp::from_millis;
        let ping = delays.ping(game, ann, at(10_000)).token;
        let answer = delays.answer(game, ann, &ping, at(10_137)).unwrap();
        assert_eq!(answer.delay, Some(to_proto_duration(Duration::from_millis(137))));
        let proven = |player, proof: &[u8], now| delays.proven(game, player, proof, at(now));
        assert_eq!(proven(ann, &answer.proof, 10_200), Duration::from_millis(137));
        assert_eq!(proven(ann, &answer.proof, 610_137), Duration::from_millis(137));
        assert_eq!(proven(ann, &answer.proof, 610_138), Duration::ZERO, "too old");
        assert_eq!(proven(bob, &answer.proof, 10_200), Duration::ZERO, "somebody else's");
        assert_eq!(proven(ann, &ping, 10_200), Duration::ZERO, "a ping proves nothing");
        assert_eq!(proven(ann, b"", 10_200), Duration::ZERO);
        for bit in 0..answer.proof.len() * 8 {
            let mut forged = answer.proof.to_vec();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(proven(ann, &forged, 10_200), Duration::ZERO, "bit {bit}");
        }
        let late = delays.answer(game, ann, &ping, at(15_000)).unwrap();
        assert_eq!(proven(ann, &late.proof, 15_000), NETWORK_ALLOWANCE, "never more than the allowance");
        for (player, token, now) in [(bob, &ping, 10_137), (ann, &answer.proof, 10_137), (ann, &ping, 70_001)]
        {
            assert!(delays.answer(game, player, token, at(now)).is_err());
        }
        assert!(other.answer(game, ann, &ping, at(10_137)).is_err());
    }
}
