mod making;
#[cfg(test)]
mod tests;
mod words;

use std::{sync::Arc, time::Duration};

use ::metrics::counter;
use kernel::{GameId, PlayerId, Timestamp};
use ledger::{Append, AppendError, Deadline, Guard, Notice, Outage, Refused, Sequence};
use nigiri_proto::events::v1::{CreatedNotice, FinishedNotice, GameEntry, TurnNotice};
use platform::telemetry::trace;
use prost::Message;
use referee::{
    Command, Decision, Event, Found, NETWORK_ALLOWANCE, NextDeadline, Question, Refusal, Seats, Settings,
    decide_knowing, question,
};
use tracing::{Instrument, Span};

use super::Games;
use crate::{
    codec,
    error::Error,
    estimates::Purpose,
    live::{CommandBody, CommandKey, LiveGame, Seen},
    metrics, topics,
};

/// How often a command is tried again when others got in before it, or the ledger did not answer.
const ATTEMPTS: u32 = 12;

/// The first pause before trying again; each one is twice as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Who wants it, and under which id.
#[derive(Clone, Copy)]
pub(super) struct By<'a> {
    pub player: Option<PlayerId>,
    pub command_id: &'a str,
    pub traceparent: &'a str,
    /// What is wanted, in words, where the event does not tell it.
    pub wanted: &'a str,
    /// How long it was on its way, as far as was measured; none for as long as may be.
    pub delay: Option<Duration>,
}

pub(super) const SERVER: By<'static> =
    By { player: None, command_id: "", traceparent: "", wanted: "", delay: None };

/// What was decided, ready to be written.
struct Draft {
    /// The entry that it comes after.
    expected: Sequence,
    decision: Decision,
    entry: GameEntry,
    notices: Vec<Notice>,
}

/// One try.
enum Try {
    Done(Sequence),
    Again,
}

impl Games {
    /// Does what a player wants, without regard to how long it was on its way. Answers with the entry's number, on disk; the same command twice gives
    /// the same answer.
    ///
    /// # Errors
    /// When the referee says no, or the ledger is away.
    pub async fn command(
        &self,
        id: GameId,
        player: PlayerId,
        command_id: &str,
        command: Command<'_>,
        traceparent: &str,
    ) -> Result<Sequence, Error> {
        self.sent(id, player, command_id, command, traceparent, NETWORK_ALLOWANCE).await
    }

    /// Does what a player wants whose network delay is known: a move that comes later after its deadline than that is too late. Otherwise as
    /// [`Games::command`].
    ///
    /// # Errors
    /// As [`Games::command`].
    pub async fn sent(
        &self,
        id: GameId,
        player: PlayerId,
        command_id: &str,
        command: Command<'_>,
        traceparent: &str,
        delay: Duration,
    ) -> Result<Sequence, Error> {
        let live = self.get(id).await?;
        let words = words::words(command);
        let (body, wanted) = match command {
            Command::Play { ply, .. } => (CommandBody::Play(ply, &words), ""),
            Command::Pass { ply } => (CommandBody::Pass(ply), ""),
            Command::Resign => (CommandBody::Resign, ""),
            _ => (CommandBody::Other(&words), words.as_str()),
        };
        let key = CommandKey { player, id: command_id, body };
        let delay = matches!(command, Command::Play { .. } | Command::Pass { .. }).then_some(delay);
        let by = By { player: Some(player), command_id, traceparent, wanted, delay };
        let first = self.persist(&live, command, &by, Some(&key)).await;
        // It may be the seat of a guest who has become part of an account, before the news of it came here.
        let stranger = matches!(&first, Err(Error::Refused { refusal: Refusal::NotASeat, .. }));
        if stranger && self.put_seats_right(&live).await? {
            return self.persist(&live, command, &by, Some(&key)).await;
        }
        first
    }

    /// Claims that the player to move has run out of time.
    ///
    /// # Errors
    /// When it is not so, or the ledger is away.
    pub async fn claim_timeout(&self, id: GameId) -> Result<Sequence, Error> {
        let live = self.get(id).await?;
        let sequence = self.persist(&live, Command::Timeout, &SERVER, None).await?;
        counter!(metrics::TIMEOUTS).increment(1);
        Ok(sequence)
    }

    /// Writes what the server itself has found of a player: gone, or back. It does not wait for a ledger that is away.
    ///
    /// # Errors
    /// When it is not so, or the ledger is away.
    pub async fn mark(&self, id: GameId, command: Command<'_>) -> Result<Sequence, Error> {
        let live = self.get(id).await?;
        for _ in 0..ATTEMPTS {
            if let Try::Done(sequence) = self.attempt(&live, command, &SERVER, None).await? {
                return Ok(sequence);
            }
        }
        Err(Error::Ledger(ledger::Unavailable("others got in first, again and again".to_owned())))
    }

    /// Tries until it is decided. What its caller has no trace for belongs to the trace of the game's beginning.
    pub(super) async fn persist(
        &self,
        live: &LiveGame,
        command: Command<'_>,
        by: &By<'_>,
        key: Option<&CommandKey<'_>>,
    ) -> Result<Sequence, Error> {
        let Some((span, traceparent)) = joined(live, by) else {
            return self.insist(live, command, by, key).await;
        };
        let by = By { traceparent: &traceparent, ..*by };
        Box::pin(self.insist(live, command, &by, key)).instrument(span).await
    }

    async fn insist(
        &self,
        live: &LiveGame,
        command: Command<'_>,
        by: &By<'_>,
        key: Option<&CommandKey<'_>>,
    ) -> Result<Sequence, Error> {
        let mut pause = FIRST_PAUSE;
        let mut unanswered = None;
        for _ in 0..ATTEMPTS {
            match self.attempt(live, command, by, key).await {
                Ok(Try::Done(sequence)) => return Ok(sequence),
                Ok(Try::Again) => {}
                // What became of it is not known: look again, never guess.
                Err(Error::Ledger(error)) => {
                    tracing::debug!(%error, "a command will be tried again");
                    self.doubt();
                    unanswered = Some(error);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    if let Err(error) = self.catch_up(live).await {
                        tracing::debug!(%error, "the log cannot be read");
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let busy = || ledger::Unavailable("others got in first, again and again".to_owned());
        Err(Error::Ledger(unanswered.unwrap_or_else(busy)))
    }

    async fn attempt(
        &self,
        live: &LiveGame,
        command: Command<'_>,
        by: &By<'_>,
        key: Option<&CommandKey<'_>>,
    ) -> Result<Try, Error> {
        if let Some(key) = key {
            match live.seen(key) {
                Seen::Same(sequence) => return Ok(Try::Done(sequence)),
                Seen::Other => return Err(Error::CommandIdReused),
                Seen::No => {}
            }
        }
        if key.is_some() && self.is_doubtful(live) {
            self.give_back(live).await?;
        }
        let now = self.ledger().now();
        let draft = match self.draft(live, by, command, now).await {
            // The same command, sent at the same time, has come in between.
            Err(Error::Refused { .. }) if key.is_some_and(|key| !matches!(live.seen(key), Seen::No)) => {
                return Ok(Try::Again);
            }
            Err(Error::Refused { refusal, sequence }) if may_be_behind(&refusal) => {
                // The player may have seen more than this replica: the log says so. While it cannot be read nothing is known, and to refuse would be
                // to guess: the player would take it for an answer.
                self.catch_up(live).await?;
                if live.sequence() > sequence {
                    return Ok(Try::Again);
                }
                return Err(Error::Refused { refusal, sequence });
            }
            draft => draft?.on_its_way(by.delay),
        };
        let not_before = draft.decision.guard.not_before;
        match self.append(live, draft).await {
            Ok(sequence) => {
                if matches!(command, Command::Play { .. } | Command::Pass { .. }) {
                    counter!(metrics::MOVES).increment(1);
                }
                if matches!(command, Command::Pass { .. }) {
                    self.foresee(live);
                }
                Ok(Try::Done(sequence))
            }
            Err(AppendError::Unavailable(error)) => Err(Error::Ledger(error)),
            Err(AppendError::Refused(refused)) => self.refused(live, refused, not_before).await,
        }
    }

    /// What to do when the store says no.
    async fn refused(
        &self,
        live: &LiveGame,
        refused: Refused,
        not_before: Option<Timestamp>,
    ) -> Result<Try, Error> {
        let sequence = live.sequence();
        match refused {
            Refused::Conflict { .. } => {
                self.catch_up(live).await?;
                Ok(Try::Again)
            }
            Refused::TooLate { .. } => Err(Error::Refused { refusal: Refusal::OutOfTime, sequence }),
            Refused::TooEarly { .. } => {
                let deadline = not_before.unwrap_or_default();
                Err(Error::Refused { refusal: Refusal::NotDue { deadline }, sequence })
            }
            Refused::Outage { outages, .. } => {
                match self.credit(live, &outages).await {
                    // Somebody else has given it back meanwhile.
                    Err(Error::Refused { refusal: Refusal::NothingToCredit, .. }) => {
                        self.catch_up(live).await?
                    }
                    result => result?,
                }
                Ok(Try::Again)
            }
            Refused::Malformed(cause) => Err(Error::Internal(cause)),
        }
    }

    /// Gives back to the running clock what outages took from it.
    pub(super) async fn credit(&self, live: &LiveGame, outages: &[Outage]) -> Result<(), Error> {
        let outages: Vec<(Timestamp, Timestamp)> =
            outages.iter().map(|outage| (outage.from, outage.to)).collect();
        let now = self.ledger().now();
        let draft = self.draft(live, &SERVER, Command::Credit { outages: &outages }, now).await?;
        let credited = credited(&draft.decision.events);
        match self.append(live, draft).await {
            Ok(_) => {
                counter!(metrics::CREDITS).increment(1);
                counter!(metrics::CREDITED).increment(u64::try_from(credited.as_millis()).unwrap_or(0));
                Ok(())
            }
            // Somebody else did something: the caller looks again.
            Err(AppendError::Refused(_)) => Ok(self.catch_up(live).await?),
            Err(AppendError::Unavailable(error)) => Err(Error::Ledger(error)),
        }
    }

    /// What a command makes of a game as it is known here. What takes long is done elsewhere, and the game may go on meanwhile.
    async fn draft(
        &self,
        live: &LiveGame,
        by: &By<'_>,
        command: Command<'_>,
        now: Timestamp,
    ) -> Result<Draft, Error> {
        let mut known = None;
        loop {
            match draft(live, by, command, now, known.as_ref())? {
                Drafted::Ready(draft) => return Ok(*draft),
                Drafted::Needs(question) => {
                    let found = self.shared.estimates.of(question.clone(), Purpose::Decision).await?;
                    known = Some((question, found));
                }
            }
        }
    }

    /// Writes one decision as one entry, and folds it in.
    async fn append(&self, live: &LiveGame, draft: Draft) -> Result<Sequence, AppendError> {
        let Draft { expected, decision, entry, notices } = draft;
        let append = Append {
            log: live.log().clone(),
            expected,
            payload: codec::write_entry(&entry),
            guard: Guard {
                not_after: decision.guard.not_after,
                not_before: decision.guard.not_before,
                settled_until: decision.guard.settled_until,
            },
            deadline: match decision.deadline {
                NextDeadline::Keep => Deadline::Keep,
                NextDeadline::After(time) => Deadline::After(time),
                NextDeadline::At(moment) => Deadline::At(moment),
                NextDeadline::Clear => Deadline::Clear,
            },
            notices,
        };
        let appended = self.ledger().append(append).await?;
        let (sequence, stamp) = (appended.sequence, appended.stamp);
        if !live.absorb_own(sequence, stamp, entry, &decision.events) {
            // Entries before it have not come here yet. It is on disk all the same.
            if let Err(error) = self.catch_up(live).await {
                tracing::debug!(%error, "the log cannot be read; a hint or a heartbeat will try again");
            }
        }
        Ok(sequence)
    }
}

/// A span within the trace of a game's beginning, for what no other trace has caused, and its place.
fn joined(live: &LiveGame, by: &By<'_>) -> Option<(Span, String)> {
    if !trace::is_on() || !by.traceparent.is_empty() {
        return None;
    }
    let span = trace::caused("game.command", [live.origin()?]);
    span.record("game.id", tracing::field::display(live.id()));
    let place = trace::place(&span)?.to_string();
    Some((span, place))
}

/// Whether a refusal can come from entries that this replica has not read yet: another replica wrote them, or the game is being loaded.
fn may_be_behind(refusal: &Refusal) -> bool {
    // Of the rest an entry can change every one: a credit gives time back, an answer ends a proposal.
    !matches!(
        refusal,
        Refusal::NotASeat
            | Refusal::ServerOnly
            | Refusal::GameOver { .. }
            | Refusal::NotYourTurn { .. }
            | Refusal::OffBoard { .. }
            | Refusal::Illegal { .. }
            | Refusal::NotInThisGame { .. }
            | Refusal::Corrupt
    )
}

/// A draft, or what has to be answered before there can be one.
enum Drafted {
    Ready(Box<Draft>),
    Needs(Question),
}

/// What a command makes of a game as it is known here, with the answer to a question if it is the one that is asked.
fn draft(
    live: &LiveGame,
    by: &By<'_>,
    command: Command<'_>,
    now: Timestamp,
    known: Option<&(Question, Arc<Found>)>,
) -> Result<Drafted, Error> {
    let drafted = live.look(|game, expected| {
        let found = match question(game, by.player, command) {
            None => None,
            Some(asked) => match known {
                Some((question, found)) if *question == asked => Some(&**found),
                _ => return Ok(Drafted::Needs(asked)),
            },
        };
        let decision = decide_knowing(game, by.player, command, now, found)
            .map_err(|refusal| Error::Refused { refusal, sequence: expected })?;
        let (settings, seats) = (*game.settings(), game.seats());
        let draft = Draft::new(live.id(), expected, game.ply(), decision, by, settings, seats);
        Ok(Drafted::Ready(Box::new(draft)))
    });
    drafted.unwrap_or_else(|| Err(live.unknown()))
}

impl Draft {
    /// A move that was on its way for so long.
    fn on_its_way(mut self, delay: Option<Duration>) -> Self {
        if let Some(measured) = delay {
            self.decision = self.decision.with_delay(measured);
        }
        self
    }

    fn new(
        id: GameId,
        expected: Sequence,
        ply: u32,
        decision: Decision,
        by: &By<'_>,
        settings: Settings,
        seats: &Seats,
    ) -> Self {
        let entry = GameEntry {
            events: decision.events.iter().map(|event| codec::event_to_proto(event, settings.size)).collect(),
            command_id: by.command_id.to_owned(),
            player_id: by.player.map(|player| player.to_string()).unwrap_or_default(),
            ply,
            traceparent: by.traceparent.to_owned(),
            wanted: by.wanted.to_owned(),
            format: 0,
        };
        let notices = notices(id, expected + 1, &decision, by, settings, seats);
        Self { expected, decision, entry, notices }
    }
}

/// What other services hear of an entry.
fn notices(
    id: GameId,
    sequence: Sequence,
    decision: &Decision,
    by: &By<'_>,
    settings: Settings,
    seats: &Seats,
) -> Vec<Notice> {
    let finished = decision.events.iter().find_map(|event| match event {
        Event::Finished { outcome, .. } => Some(*outcome),
        _ => None,
    });
    if let Some(outcome) = finished {
        let notice = FinishedNotice {
            game_id: id.to_string(),
            settings: Some(codec::settings_to_proto(&settings)),
            seats: codec::seats_to_proto(seats),
            result: Some(codec::result_to_proto(&outcome)),
            sequence,
            traceparent: by.traceparent.to_owned(),
        };
        return vec![Notice { topic: topics::FINISHED.to_owned(), payload: bytes(&notice) }];
    }
    let mut notices = Vec::new();
    if sequence == 1 {
        let notice = CreatedNotice { game_id: id.to_string(), traceparent: by.traceparent.to_owned() };
        notices.push(Notice { topic: topics::CREATED.to_owned(), payload: bytes(&notice) });
    }
    match decision.turn.map(|(color, ply)| (seats.get(color), ply)) {
        Some((seat, ply)) if seat.bot => {
            let notice = TurnNotice { game_id: id.to_string(), ply, traceparent: by.traceparent.to_owned() };
            notices.push(Notice { topic: topics::turns(seat.player), payload: bytes(&notice) });
        }
        _ => {}
    }
    notices
}

fn bytes(message: &impl Message) -> bytes::Bytes {
    message.encode_to_vec().into()
}

/// How much time these events give back to what runs.
fn credited(events: &[Event]) -> Duration {
    let credit = |event: &Event| match event {
        Event::TimeCredited { credit, .. } => *credit,
        _ => Duration::ZERO,
    };
    events.iter().map(credit).sum()
}
