//! Turning a match into a game: asks the game service until it has an answer. Any replica may do it, and several may at once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use kernel::{GameId, Timestamp};
use nigiri_proto::events::v1::{MatchRefused, MatchStarted, queue_fact::Fact};
use platform::{shutdown::Shutdown, telemetry::trace};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use super::Command;
use crate::{
    games::{GameError, Games},
    queue::Pending,
};

/// The first pause before asking again, and the longest.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What the game service said of a match.
pub(super) struct Outcome {
    pub game: GameId,
    /// Which match of this id: when it was made.
    pub made_at: Timestamp,
    pub fact: Fact,
}

/// Asks for games, one task for each match.
pub(super) struct Launcher {
    games: Games,
    commands: mpsc::UnboundedSender<Command>,
    shutdown: Shutdown,
    running: BTreeMap<GameId, DropGuard>,
}

impl Launcher {
    pub fn new(games: Games, commands: mpsc::UnboundedSender<Command>, shutdown: Shutdown) -> Self {
        Self { games, commands, shutdown, running: BTreeMap::new() }
    }

    /// Whether this replica is at it.
    pub fn is_running(&self, game: GameId) -> bool {
        self.running.contains_key(&game)
    }

    /// The match has its outcome in the log. True if this replica was at it.
    pub fn settled(&mut self, game: GameId) -> bool {
        self.running.remove(&game).is_some()
    }

    /// Gives up all matches but these.
    pub fn retain(&mut self, keep: impl Fn(GameId) -> bool) {
        self.running.retain(|game, _| keep(*game));
    }

    /// Asks for the game of a match, again and again, until there is an answer or the match is settled by another.
    pub fn launch(&mut self, pending: &Pending) {
        let cancel = CancellationToken::new();
        let cancelled = cancel.clone().cancelled_owned();
        self.running.insert(pending.made.game, cancel.drop_guard());
        let (games, commands) = (self.games.clone(), self.commands.clone());
        let stopping = self.shutdown.stopping().clone();
        let pending = pending.clone();
        let span =
            trace::caused("matchmaking.match", pending.tickets.iter().filter_map(|ticket| ticket.trace));
        span.record("game.id", tracing::field::display(pending.made.game));
        let asking = async move {
            tokio::select! {
                biased;
                fact = ask(&games, &pending) => {
                    let outcome = Outcome { game: pending.made.game, made_at: pending.made_at, fact };
                    // When the replica has stopped, another one asks again.
                    let _stopped = commands.send(Command::Launched(Box::new(outcome)));
                }
                () = cancelled => {}
                () = stopping.cancelled() => {}
            }
        };
        self.shutdown.spawn(asking.instrument(span));
    }
}

async fn ask(games: &Games, pending: &Pending) -> Fact {
    let made = Arc::clone(&pending.made);
    let game_id = made.game.to_string();
    let mut pause = PAUSE;
    loop {
        match games.create(&made).await {
            Ok(_) => return Fact::MatchStarted(MatchStarted { game_id }),
            Err(GameError::Away(cause)) if pause > PAUSE => {
                tracing::debug!(game = %made.game, cause, "a game still cannot be made");
            }
            Err(GameError::Away(cause)) => {
                tracing::warn!(game = %made.game, cause, "a game cannot be made yet; trying again");
            }
            Err(GameError::Refused { words, culprit, .. }) => {
                tracing::warn!(game = %made.game, words, "a game was refused");
                let at_fault = |player| culprit.is_none_or(|culprit| culprit == player);
                // Nobody is named: the match itself is at fault, and would be refused again and again.
                let closed = pending.tickets.iter().filter(|ticket| at_fault(ticket.player.id));
                let closed_ticket_ids = closed.map(|ticket| ticket.id.to_string()).collect();
                return Fact::MatchRefused(MatchRefused {
                    game_id,
                    closed_ticket_ids,
                    ..MatchRefused::default()
                });
            }
            Err(error @ GameError::Exists) => {
                tracing::error!(game = %made.game, %error, "a match's game id is taken");
                let closed_ticket_ids = made.tickets.iter().map(ToString::to_string).collect();
                return Fact::MatchRefused(MatchRefused {
                    game_id,
                    closed_ticket_ids,
                    ..MatchRefused::default()
                });
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
