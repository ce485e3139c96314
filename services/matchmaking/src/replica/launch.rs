//! Turning a match into a game: asks the game service until it has an answer. Any replica may do it, and several may at once.
//!
//! What is not in the log may have changed since the tickets were opened, or be known to other replicas otherwise, so it counts here again: who has blocked
//! whom, and in rated games how strong the two are now.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use kernel::{GameId, Timestamp};
use nigiri_proto::events::v1::{MatchRefused, MatchStarted, TicketRerated, queue_fact::Fact};
use platform::{shutdown::Shutdown, telemetry::trace};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use super::{Command, Outside};
use crate::{
    challenge::game_of,
    games::GameError,
    kinds::SIDES,
    queue::Pending,
    ticket::{Match, Ticket},
    wave,
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
    outside: Outside,
    commands: mpsc::UnboundedSender<Command>,
    shutdown: Shutdown,
    running: BTreeMap<GameId, DropGuard>,
}

impl Launcher {
    pub fn new(outside: Outside, commands: mpsc::UnboundedSender<Command>, shutdown: Shutdown) -> Self {
        Self { outside, commands, shutdown, running: BTreeMap::new() }
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
        let (outside, commands) = (self.outside.clone(), self.commands.clone());
        let stopping = self.shutdown.stopping().clone();
        let pending = pending.clone();
        let span =
            trace::caused("matchmaking.match", pending.tickets.iter().filter_map(|ticket| ticket.trace));
        span.record("game.id", tracing::field::display(pending.made.game));
        let asking = async move {
            tokio::select! {
                biased;
                fact = ask(&outside, &pending) => {
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

async fn ask(outside: &Outside, pending: &Pending) -> Fact {
    let made = Arc::clone(&pending.made);
    let mut pause = PAUSE;
    loop {
        let answer = match outside.look(pending).await {
            Ok(None) => outside.games.create(&made).await.map(|_| None),
            refused_or_away => refused_or_away,
        };
        match answer {
            Ok(None) => return Fact::MatchStarted(MatchStarted { game_id: made.game.to_string() }),
            Ok(Some(refused)) => return Fact::MatchRefused(refused),
            Err(GameError::Away(cause)) if pause > PAUSE => {
                tracing::debug!(game = %made.game, cause, "a game still cannot be made");
            }
            Err(GameError::Away(cause)) => {
                tracing::warn!(game = %made.game, cause, "a game cannot be made yet; trying again");
            }
            Err(error) => return Fact::MatchRefused(refusal(pending, &error)),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// A refusal of the game service: who is to blame is out, and all are if nobody is named, since the match itself would be refused again and again.
fn refusal(pending: &Pending, error: &GameError) -> MatchRefused {
    let game = pending.made.game;
    let culprit = match error {
        GameError::Refused { words, culprit, .. } => {
            tracing::warn!(%game, words, "a game was refused");
            *culprit
        }
        GameError::Exists | GameError::Away(_) => {
            tracing::error!(%game, %error, "a match's game id is taken");
            None
        }
    };
    let at_fault = |ticket: &&Ticket| culprit.is_none_or(|culprit| culprit == ticket.player.id);
    let closed = pending.tickets.iter().filter(at_fault);
    MatchRefused {
        game_id: game.to_string(),
        closed_ticket_ids: closed.map(|ticket| ticket.id.to_string()).collect(),
        ..MatchRefused::default()
    }
}

impl Outside {
    /// Whether two who were matched still may meet. If not, both go back, each with their waiting time; but whoever is about to play somebody else, by a challenge,
    /// is out.
    async fn look(&self, pending: &Pending) -> Result<Option<MatchRefused>, GameError> {
        let [a, b] = pending.tickets.as_slice() else { return Ok(None) };
        let game_id = pending.made.game.to_string();
        let apart = async { Ok(self.blocked.is_between(a.player.id, b.player.id).await?) };
        let (a_plays, b_plays, apart) = tokio::try_join!(self.is_promised(a), self.is_promised(b), apart)?;
        let playing = [(a, a_plays), (b, b_plays)].into_iter().filter(|(_, plays)| *plays);
        let closed_ticket_ids: Vec<_> = playing.map(|(ticket, _)| ticket.id.to_string()).collect();
        if !closed_ticket_ids.is_empty() {
            tracing::info!(game = %pending.made.game, "a match is undone: somebody plays by a challenge");
            return Ok(Some(MatchRefused { game_id, closed_ticket_ids, ..MatchRefused::default() }));
        }
        if apart {
            tracing::info!(game = %pending.made.game, "a match of two of whom one blocks the other is undone");
            return Ok(Some(MatchRefused { game_id, apart, ..MatchRefused::default() }));
        }
        let rerated = if pending.made.settings.rated { self.rerated(pending, a, b).await } else { None };
        Ok(rerated.map(|rerated| MatchRefused { game_id, rerated, ..MatchRefused::default() }))
    }

    /// Whether a player has a game by a challenge that the game service may not list yet.
    async fn is_promised(&self, ticket: &Ticket) -> Result<bool, GameError> {
        let Some(challenge) = self.promised.by(ticket.player.id).await? else { return Ok(false) };
        let game = self.games.look(game_of(challenge)).await?;
        // One that is not there is still to be made.
        Ok(game.is_none_or(|game| !game.over))
    }

    /// Both tickets with the ratings of now, if by these they would not have met.
    async fn rerated(&self, pending: &Pending, a: &Ticket, b: &Ticket) -> Option<Vec<TicketRerated>> {
        let board = board_of(&pending.made)?;
        let now = |ticket: &Ticket| self.ratings.on(ticket.player.id, SIDES[board]);
        // A rating that cannot be had has not changed.
        let (now_a, now_b) = tokio::join!(now(a), now(b));
        let fresh = [(a, now_a?.0), (b, now_b?.0)].map(|(ticket, rating)| {
            let mut ticket = ticket.clone();
            ticket.ratings[board] = rating;
            ticket
        });
        let changed = fresh[0].ratings != a.ratings || fresh[1].ratings != b.ratings;
        if !changed || wave::may_meet(&fresh[0], &fresh[1], board, pending.made_at) {
            return None;
        }
        let rerated = fresh.map(|ticket| TicketRerated {
            ticket_id: ticket.id.to_string(),
            board_ratings: ticket.ratings.map(|rating| rating.0).to_vec(),
        });
        Some(rerated.into())
    }
}

fn board_of(made: &Match) -> Option<usize> {
    SIDES.iter().position(|side| u32::from(*side) == made.settings.board_size)
}
