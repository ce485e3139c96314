//! Games that begin: by another service's word, or by a rematch.

use ::metrics::counter;
use kernel::{GameId, PlayerId, Timestamp};
use ledger::{AppendError, Sequence};
use referee::{Command, Event, Game, Refusal, Seats, Settings, decide_knowing};

use super::{ATTEMPTS, By, Draft, FIRST_PAUSE, LONGEST_PAUSE, SERVER};
use crate::{codec, error::Error, games::Games, live::LiveGame, metrics};

impl Games {
    /// Makes a game, or finds that it is there. True if this call made it.
    ///
    /// # Errors
    /// When the settings do not fit, another game has this id, or ledger or store are away.
    pub async fn create(
        &self,
        id: GameId,
        settings: Settings,
        seats: Seats,
        traceparent: &str,
    ) -> Result<bool, Error> {
        let decision = Game::create(settings, seats.clone())
            .map_err(|found| Error::Settings(found.iter().map(codec::violation).collect()))?;
        let same = |game: &Game, _| *game.settings() == settings && *game.seats() == seats;
        let mut pause = FIRST_PAUSE;
        for _ in 0..ATTEMPTS {
            // The archive first: a finished game must not be made anew when its log has gone.
            match self.get(id).await {
                Ok(live) => {
                    return match live.look(same) {
                        Some(true) => Ok(false),
                        Some(false) => Err(Error::Exists(id)),
                        None => Err(live.unknown()),
                    };
                }
                Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
            let live = self.entry(id)?;
            let by = By { traceparent, ..SERVER };
            let draft = Draft::new(id, 0, 0, decision.clone(), &by, settings, &seats);
            match self.append(&live, draft).await {
                Ok(_) => {
                    counter!(metrics::CREATED).increment(1);
                    return Ok(true);
                }
                Err(AppendError::Refused(_)) => {}
                Err(AppendError::Unavailable(error)) => {
                    tracing::debug!(%error, "creation will be tried again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        Err(Error::Ledger(ledger::Unavailable("no answer to the creation of a game".to_owned())))
    }

    /// Asks for another game after the end, and makes it once both have asked. The same game however often both ask.
    ///
    /// # Errors
    /// When the referee says no, or ledger or store are away.
    pub async fn rematch(
        &self,
        id: GameId,
        player: PlayerId,
        command_id: &str,
        traceparent: &str,
    ) -> Result<(Sequence, Option<GameId>), Error> {
        let command = Command::RequestRematch { game: id };
        let live = self.get(id).await?;
        // The game before the news of it, so that whoever hears the news can enter it.
        if let Some((next, (settings, seats))) = agreed_by(&live, player, command, self.ledger().now()) {
            self.create(next, settings, seats, traceparent).await?;
        }
        let asked = self.command(id, player, command_id, command, traceparent).await;
        let sequence = match asked {
            Ok(sequence) => sequence,
            Err(Error::Refused { refusal: Refusal::RematchAgreed { .. } | Refusal::AlreadySo, sequence }) => {
                sequence
            }
            Err(error) => return Err(error),
        };
        // The other may have asked at another replica, of which this one has heard only now.
        let agreed = live.look(|game, _| {
            let next = game.rematch().and_then(|rematch| rematch.game);
            next.map(|next| (next, game.next_game()))
        });
        let Some((next, (settings, seats))) = agreed.flatten() else { return Ok((sequence, None)) };
        self.create(next, settings, seats, traceparent).await?;
        Ok((sequence, Some(next)))
    }
}

/// The next game, if this command is what is wanting for both to have asked for it, as far as is known here.
fn agreed_by(
    live: &LiveGame,
    player: PlayerId,
    command: Command<'_>,
    now: Timestamp,
) -> Option<(GameId, (Settings, Seats))> {
    let agreed = live.look(|game, _| {
        let decision = decide_knowing(game, Some(player), command, now, None).ok()?;
        let next = decision.events.iter().find_map(|event| match event {
            Event::RematchAgreed { game } => Some(*game),
            _ => None,
        })?;
        Some((next, game.next_game()))
    });
    agreed.flatten()
}
