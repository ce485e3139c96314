//! One player of the swarm: looks for an opponent, plays, looks again.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::Context as _;
use futures::StreamExt;
use goban::Rng;
use nigiri_client::{Error, Finding, GameId, PlayStream, Session, Watched, reason};
use nigiri_proto::{
    game::v1::{GameSnapshot, GameUpdate},
    matchmaking::v1::{FindMatchRequest, MatchSettings},
};
use tokio::time::Instant;

use super::{
    arena::{Acknowledged, Arena, Command, Run, lock},
    board::View,
    digest::Seen,
    line::Line,
};

/// A player drops the stream and comes back after one entry in so many.
const RECONNECT: u32 = 60;
/// How long a game may be missing after its match was told.
const MISSING: Duration = Duration::from_secs(10);
/// How often a search is called off, once the time is up.
const CALL_OFF: Duration = Duration::from_secs(1);

/// A player.
pub struct Player {
    arena: Arc<Arena>,
    session: Session,
    /// The stream of many games that it plays on, if it does.
    stream: Option<PlayStream>,
    id: String,
    rng: Rng,
    last_game: Option<GameId>,
}

impl Player {
    /// A player with this seed for everything random.
    pub fn new(
        arena: Arc<Arena>,
        session: Session,
        stream: Option<PlayStream>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let id = session.player_id().context("a guest without an id")?.to_string();
        let mut rng = Rng::new(seed);
        rng.next_u64();
        Ok(Self { arena, session, stream, id, rng, last_game: None })
    }

    /// Plays until the time is up and the last game is over.
    pub async fn run(mut self) {
        while !self.arena.is_over() {
            match self.find().await {
                Ok(Some(game)) if Some(game) == self.last_game => {
                    // The end of the game has not got about yet.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Ok(Some(game)) => {
                    self.last_game = Some(game);
                    self.arena.stats.begun.add();
                    self.play(game).await;
                    self.arena.stats.ended.add();
                }
                Ok(None) => {}
                Err(error) => {
                    self.arena.error(&format!("player {}: no match: {error}", self.id));
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        }
    }

    /// Looks for an opponent; none when the search has ended without one.
    async fn find(&self) -> Result<Option<GameId>, Error> {
        let accepts = vec![MatchSettings { preset: "quick".to_owned(), ..MatchSettings::default() }];
        let seen_game_id = Some(self.last_game.map_or_else(String::new, |game| game.to_string()));
        let mut finding = self.session.find_match(FindMatchRequest {
            accepts,
            rated: true,
            seen_game_id,
            ..FindMatchRequest::default()
        });
        let mut call_off = tokio::time::interval_at(self.arena.deadline(), CALL_OFF);
        loop {
            let found = tokio::select! {
                found = finding.next() => found,
                _ = call_off.tick() => {
                    match self.session.cancel_ticket().await {
                        // Matched, or closed already: the stream tells which.
                        Ok(()) | Err(Error::Refused(_)) => continue,
                        Err(error) => return Err(error),
                    }
                }
            };
            match found {
                Some(Ok(Finding::Matched(matched))) => {
                    self.arena.note_opponent(&matched.opponent.unwrap_or_default().player_id);
                    return matched.game_id.parse().map(Some).map_err(|_| Error::Malformed("no game's id"));
                }
                Some(Ok(Finding::Interrupted(_))) => self.arena.stats.interruptions.add(),
                Some(Ok(Finding::Ended(_))) | None => return Ok(None),
                Some(Ok(_)) => {}
                Some(Err(error)) => return error.game().map(Some).ok_or(error),
            }
        }
    }

    /// Plays a game to its end.
    async fn play(&mut self, id: GameId) {
        let run = self.arena.game(id);
        let mut seat = Seat {
            line: Line::new(&self.session, self.stream.as_ref(), id, Some(0)),
            view: View::new(&self.id),
            seen: Seen::default(),
            answered: None,
            arena: Arc::clone(&self.arena),
            run,
        };
        if let Err(error) = seat.sit(&mut self.rng).await {
            match error {
                Error::OutOfOrder { .. } => self.arena.out_of_order(&format!("game {id}: {error}")),
                _ => self.arena.error(&format!("game {id}: {error}")),
            }
        }
        lock(&seat.run.seen).push(seat.seen);
    }
}

/// A player in a game.
struct Seat {
    arena: Arc<Arena>,
    run: Arc<Run>,
    line: Line,
    view: View,
    seen: Seen,
    answered: Option<u32>,
}

impl Seat {
    async fn sit(&mut self, rng: &mut Rng) -> Result<(), Error> {
        let since = Instant::now();
        // From the first entry on, so that every one of them is seen.
        while let Some(watched) = self.line.next().await {
            match watched {
                Ok(Watched::Snapshot(snapshot)) => self.snapshot(&snapshot),
                Ok(Watched::Update(update)) => self.update(&update),
                Ok(Watched::Interrupted(_)) => self.arena.stats.interruptions.add(),
                Ok(_) => {}
                Err(error) if error.is(reason::GAME_NOT_FOUND) && since.elapsed() < MISSING => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    self.line.follow_again(Some(self.seen.last()));
                }
                Err(error) => return Err(error),
            }
            if self.view.finished {
                break;
            }
            if self.view.my_turn() && self.answered != Some(self.view.ply) {
                self.answered = Some(self.view.ply);
                self.act(rng).await?;
            }
            if rng.below(RECONNECT) == 0 {
                self.arena.stats.reconnects.add();
                let from_snapshot = rng.below(4) == 0;
                self.line.follow_again((!from_snapshot).then(|| self.seen.last()));
            }
        }
        // The stream's end belongs to its promise.
        while let Some(watched) = self.line.next().await {
            watched?;
        }
        Ok(())
    }

    fn snapshot(&mut self, snapshot: &GameSnapshot) {
        self.seen.snapshot(snapshot.sequence);
        self.view.snapshot(snapshot);
    }

    fn update(&mut self, update: &GameUpdate) {
        self.seen.entry(update.sequence, &update.events, update.event_time.as_ref());
        let before = self.view.ply;
        if self.view.update(update)
            && self.view.ply == before + 1
            && let Some(sent) = self.run.sent(before)
        {
            self.arena.stats.latency.record(self.arena.start().elapsed().saturating_sub(sent));
        }
    }

    async fn act(&mut self, rng: &mut Rng) -> Result<(), Error> {
        let ply = self.view.ply;
        let (command, answer) = if self.arena.should_resign(self.line.id()) {
            (Command::Resign, self.line.resign().await)
        } else {
            let chosen = self.view.choose(rng);
            self.run.sending(ply, self.arena.start().elapsed());
            match chosen {
                Some(point) => {
                    let point = point.to_string();
                    let answer = self.line.play(ply, &point).await;
                    (Command::Play(ply, point), answer)
                }
                None => (Command::Pass(ply), self.line.pass(ply).await),
            }
        };
        match answer {
            Ok(sequence) => self.acknowledged(sequence, command),
            // Over by the opponent's resignation or by time: the stream will tell.
            Err(error) if error.is(reason::GAME_OVER) || error.is(reason::OUT_OF_TIME) => {}
            Err(error @ Error::Refused(_)) => {
                self.arena.error(&format!("game {}, {command:?}: {error}", self.line.id()));
                self.line.pass(ply).await.map(|sequence| self.acknowledged(sequence, Command::Pass(ply)))?;
            }
            Err(error) => {
                self.run.unknown.fetch_add(1, Ordering::Relaxed);
                self.arena.error(&format!("game {}, {command:?}: {error}", self.line.id()));
            }
        }
        Ok(())
    }

    fn acknowledged(&self, sequence: u64, command: Command) {
        if command != Command::Resign {
            self.arena.stats.acked.add();
            if !self.arena.is_over() {
                self.arena.stats.acked_in_time.add();
            }
        }
        lock(&self.run.acknowledged).push(Acknowledged { sequence, color: self.view.color(), command });
    }
}
