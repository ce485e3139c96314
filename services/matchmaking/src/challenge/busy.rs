//! Nobody plays two people by a clock at once: who is in such a game accepts no challenge to another, and nobody accepts theirs.
//!
//! The game service lists who plays, but a moment after a game has begun; for that moment the queue's log says who was matched, and the store who has accepted.

use std::time::Duration;

use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{GameSettings, time_control::Control};
use uuid::Uuid;

use super::{Challenge, Challenges, Party};
use crate::{
    error::Error,
    queue::{Place, Queue},
    store::Accepted,
};

/// How often it is looked what becomes of a match, and how long between.
const LOOKS: u32 = 40;
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// So often an acceptance is tried against claims of games that are over.
const ATTEMPTS: u32 = 3;

impl Challenges {
    /// Accepts for a player: the challenge is theirs, or was not open any more.
    ///
    /// # Errors
    /// [`Error::AlreadyPlaying`], [`Error::OpponentPlaying`], [`Error::GameAway`].
    pub(super) async fn take(&self, challenge: &Challenge, party: &Party) -> Result<(), Error> {
        let (own, other) = (party.player.id, challenge.challenger.id);
        let claimed: &[PlayerId] = if is_exclusive(&challenge.settings, party) { &[own, other] } else { &[] };
        if !claimed.is_empty() {
            let (own, other) = tokio::join!(self.playing(own), self.playing(other));
            if let Some(game) = own? {
                return Err(Error::AlreadyPlaying(game));
            }
            if other?.is_some() {
                return Err(Error::OpponentPlaying);
            }
        }
        let mut tried = 0;
        loop {
            tried += 1;
            let taken = self.store.accept(challenge.id, party, claimed, self.handle.now()).await?;
            let Accepted::Busy { player, by } = taken else { return Ok(()) };
            let game = game_of(by);
            if tried < ATTEMPTS && self.goes_on(game).await? == Some(false) {
                self.store.release(by).await?;
                continue;
            }
            return Err(if player == own { Error::AlreadyPlaying(game) } else { Error::OpponentPlaying });
        }
    }

    /// The game against a person, by a clock, in which a player sits now.
    async fn playing(&self, player: PlayerId) -> Result<Option<GameId>, Error> {
        let (pending, recent) = self.handle.look(move |queue, _| matched(queue, player)).await?;
        if pending.is_some() {
            return Ok(pending);
        }
        if let Some(game) = recent
            && self.goes_on(game).await? == Some(true)
        {
            return Ok(Some(game));
        }
        self.games.playing(player).await.map_err(|error| {
            tracing::warn!(%error, "whether a player is in a game cannot be told");
            Error::GameAway
        })
    }

    /// Whether a game goes on; none when there is no such game.
    pub(super) async fn goes_on(&self, game: GameId) -> Result<Option<bool>, Error> {
        let look = self.games.look(game).await.map_err(|_| Error::GameAway)?;
        Ok(look.map(|look| !look.over))
    }

    /// Who of the two that a challenge brings together has meanwhile come to a game by the queue, and to which. Neither the queue nor the store knows of both, so
    /// each side looks at the other after it has said what it is about to do, and at least one of them sees it: a match becomes no game once somebody's acceptance is
    /// in the store ([`Outside`](crate::replica::Outside)), and an acceptance that comes later waits here for what becomes of the match.
    ///
    /// # Errors
    /// [`Error::GameAway`] when that is not known for some seconds, and more.
    pub(super) async fn elsewhere(
        &self,
        challenge: &Challenge,
        opponent: &Party,
    ) -> Result<Option<(PlayerId, GameId)>, Error> {
        if !is_exclusive(&challenge.settings, opponent) {
            return Ok(None);
        }
        let players = [challenge.challenger.id, opponent.player.id];
        for _ in 0..LOOKS {
            let found = self.handle.look_again(move |queue, _| players.map(|player| matched(queue, player)));
            let found = found.await?;
            if found.iter().any(|(pending, _)| pending.is_some()) {
                tokio::time::sleep(LOOK_AGAIN).await;
                continue;
            }
            for (player, (_, recent)) in players.into_iter().zip(found) {
                if let Some(game) = recent
                    && self.goes_on(game).await? == Some(true)
                {
                    return Ok(Some((player, game)));
                }
            }
            return Ok(None);
        }
        Err(Error::GameAway)
    }
}

/// The match with a person in which a player is, if its game is not there yet; and the last that they came to a short while ago. All games of the queue have a clock.
fn matched(queue: &Queue, player: PlayerId) -> (Option<GameId>, Option<GameId>) {
    let pending = match queue.place(player) {
        Some(Place::Matched(game)) => {
            queue.pending_match(game).filter(|pending| pending.made.bot().is_none())
        }
        _ => None,
    };
    let recent = queue.last_game(player).filter(|recent| recent.made.bot().is_none());
    (pending.map(|pending| pending.made.game), recent.map(|recent| recent.made.game))
}

/// The game that comes of a challenge.
pub fn game_of(challenge: Uuid) -> GameId {
    GameId::derive(&format!("challenge:{challenge}"))
}

/// Whether nobody should play anything else beside it: both are people, and a clock runs.
fn is_exclusive(settings: &GameSettings, party: &Party) -> bool {
    let control = settings.time_control.as_ref().and_then(|control| control.control.as_ref());
    !party.bot && !matches!(control, Some(Control::None(_)))
}
