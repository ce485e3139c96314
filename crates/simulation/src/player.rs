//! A simulated player, and a watcher.

use std::{sync::Arc, time::Duration};

use chance::Rng as _;
use futures::StreamExt;
use nigiri_client::{Error, Finding, GameId, Service, Session, Watched, reason};
use nigiri_proto::{
    game::v1::{PassRequest, PlayMoveRequest, ResignRequest, game_service_client::GameServiceClient},
    matchmaking::v1::{EndedReason, FindMatchRequest, MatchSettings},
};
use tokio::time::Instant;

use crate::{
    arena::{Arena, Seen},
    view::View,
    world::World,
};

/// How long a game may be missing after its match was told.
const MISSING: Duration = Duration::from_secs(20);

/// How long word of a match may take, if the replica that is to tell it was cut off from the ledger: longer than that lasts.
const WORD: Duration = Duration::from_secs(60);

/// Who has heard of their ticket so recently has not been away for the ten seconds that a ticket stands without its player, whatever the
/// network has delayed meanwhile.
const HERE: Duration = Duration::from_secs(3);

/// A simulated player.
pub struct Player {
    /// The world.
    pub world: Arc<World>,
    /// What is noted.
    pub arena: Arc<Arena>,
    /// The player's session.
    pub session: Session,
    /// The same player on another device.
    pub other: Session,
    /// How many players there are.
    pub players: u64,
}

/// What a player intends to do in a game.
struct Plan {
    /// Passes from this ply on.
    pass: u32,
    /// Resigns at this ply.
    resign: u32,
    /// Lets the time run out at this ply.
    dawdle: u32,
}

/// A command.
#[derive(Clone, Debug)]
enum Command {
    Play(u32, String),
    Pass(u32),
    Resign,
}

impl Player {
    /// Plays so many games, or until nobody else is left.
    pub async fn run(self, games: u32) {
        let mut last = None;
        for _ in 0..games {
            let found = tokio::select! {
                biased;
                found = self.find(last) => found,
                () = self.alone() => break,
            };
            match found {
                Ok(game) => {
                    last = Some(game);
                    if self.arena.is_new(game) {
                        let (arena, session) = (Arc::clone(&self.arena), self.other.clone());
                        tokio::spawn(look_on(arena, session, game));
                    }
                    if let Err(error) = Box::pin(self.play(game)).await {
                        self.arena.problem(format!("game {game}: {error}"));
                    }
                }
                Err(error) => self.arena.problem(format!("no match: {error}")),
            }
        }
        self.arena.leaves();
    }

    /// Waits until nobody else looks for games any more, and until word of a match that was made before would have come.
    async fn alone(&self) {
        self.arena.only(self.players).await;
        tokio::time::sleep(WORD).await;
    }

    async fn find(&self, last: Option<GameId>) -> Result<GameId, Error> {
        let seen_game_id = Some(last.map_or_else(String::new, |game| game.to_string()));
        let accepts = vec![MatchSettings { preset: "quick".to_owned(), ..MatchSettings::default() }];
        let request = FindMatchRequest { accepts, rated: true, seen_game_id, ..FindMatchRequest::default() };
        loop {
            let mut ticket = Ticket::default();
            let mut finding = self.session.find_match(request.clone());
            while let Some(found) = finding.next().await {
                let found = match found {
                    // The end of the last game has not got about yet.
                    Err(error) if last.is_some() && error.game() == last => break,
                    found => found?,
                };
                ticket.hear(&found, &self.arena);
                match found {
                    Finding::Matched(matched) => {
                        let game = matched.game_id.parse().map_err(|_| Error::Malformed("no game's id"))?;
                        if Some(game) != last {
                            return Ok(game);
                        }
                    }
                    Finding::Ended(_) => break,
                    _ => {}
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn plan(&self) -> Plan {
        let dice = &self.world.dice;
        let sometimes = |times, ply| if dice.per_mille(times) { ply } else { u32::MAX };
        Plan {
            pass: 3 + dice.below(11),
            resign: sometimes(250, dice.below(12)),
            dawdle: sometimes(120, dice.below(10)),
        }
    }

    async fn play(&self, id: GameId) -> Result<(), Error> {
        let (plan, dice, since) = (self.plan(), &self.world.dice, Instant::now());
        let (mut view, mut seen) = (View::new(&self.session.player().id), Seen::default());
        let game = self.session.game(id);
        let mut watch = game.watch(Some(0));
        let mut answered = None;
        while let Some(watched) = watch.next().await {
            match watched {
                // A new stream without a place to begin at may be of a replica that is behind.
                Ok(Watched::Snapshot(snapshot)) if snapshot.sequence >= seen.last => {
                    view.snapshot(&snapshot);
                    seen.last = snapshot.sequence;
                }
                Ok(Watched::Update(update)) => {
                    let new = update.sequence > seen.last;
                    seen.entry(&update);
                    if new {
                        view.update(&update.events, update.state.as_ref());
                    }
                }
                Ok(_) => {}
                Err(error) if error.is(reason::GAME_NOT_FOUND) && since.elapsed() < MISSING => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    watch = game.watch(Some(seen.last));
                }
                Err(error) => return Err(error),
            }
            if view.my_turn() && answered != Some(view.ply) {
                answered = Some(view.ply);
                self.act(id, &view, &plan).await?;
            }
            if !view.finished && dice.per_mille(30) {
                watch = game.watch(dice.per_mille(750).then_some(seen.last));
            }
        }
        self.arena.of(id, |played| played.seen.push(seen));
        Ok(())
    }

    async fn act(&self, id: GameId, view: &View, plan: &Plan) -> Result<(), Error> {
        let dice = &self.world.dice;
        if view.ply >= plan.dawdle {
            self.arena.dawdles(id, view.color);
            return Ok(());
        }
        tokio::time::sleep(dice.millis(0, 1500)).await;
        let command = if view.ply >= plan.resign {
            Command::Resign
        } else if view.ply >= plan.pass {
            Command::Pass(view.ply)
        } else {
            view.choose(dice).map_or(Command::Pass(view.ply), |point| Command::Play(view.ply, point))
        };
        let command_id = format!("{:032x}", chance::rng().random::<u128>());
        if dice.per_mille(100) {
            // From two devices at once.
            let own = self.send(&self.session, id, &command, &command_id);
            let twin = self.send(&self.other, id, &command, &command_id);
            let (own, twin) = tokio::join!(own, twin);
            self.settle(id, &command, &command_id, twin).await?;
            self.settle(id, &command, &command_id, own).await
        } else {
            let answer = self.send(&self.session, id, &command, &command_id).await;
            self.settle(id, &command, &command_id, answer).await
        }
    }

    async fn send(
        &self,
        session: &Session,
        id: GameId,
        command: &Command,
        command_id: &str,
    ) -> Result<u64, Error> {
        let (game_id, command_id) = (id.to_string(), command_id.to_owned());
        match command.clone() {
            Command::Play(ply, point) => {
                let request = PlayMoveRequest { game_id, ply, point, command_id, ..Default::default() };
                let call = session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).play_move(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
            Command::Pass(ply) => {
                let request = PassRequest { game_id, ply, command_id, ..Default::default() };
                let call = session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).pass(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
            Command::Resign => {
                let request = ResignRequest { game_id, command_id };
                let call = session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).resign(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
        }
    }

    /// Notes what a command came to.
    async fn settle(
        &self,
        id: GameId,
        command: &Command,
        command_id: &str,
        answer: Result<u64, Error>,
    ) -> Result<(), Error> {
        match &answer {
            Ok(sequence) => self.world.trace.note(format_args!("{id} {command:?}: entry {sequence}")),
            Err(error) => self.world.trace.note(format_args!("{id} {command:?}: {error}")),
        }
        match answer {
            Ok(sequence) => {
                let what = format!("{command:?}");
                self.arena.of(id, |played| {
                    played.acknowledged.push((sequence, command_id.to_owned(), what));
                });
                Ok(())
            }
            // The opponent has resigned meanwhile, or this is the echo of an attempt whose answer was lost: the stream goes on in both cases.
            Err(error)
                if [reason::GAME_OVER, reason::STALE_PLY, reason::NOT_YOUR_TURN, reason::OUT_OF_TIME]
                    .iter()
                    .any(|name| error.is(name)) =>
            {
                let record = self.session.game(id).record().await?;
                let made = record.entries.iter().any(|entry| entry.command_id == command_id);
                let over = error.is(reason::GAME_OVER) || error.is(reason::OUT_OF_TIME);
                if !made && !over {
                    self.arena.problem(format!("game {id}: {command:?} was refused: {error}"));
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// A search as the player sees it.
#[derive(Default)]
struct Ticket {
    id: String,
    waited: Duration,
    heard: Option<Instant>,
}

impl Ticket {
    /// Notes it when a ticket is lost: it ends by its player, by a game, or by time for which its player was away.
    fn hear(&mut self, found: &Finding, arena: &Arena) {
        let here = self.heard.is_some_and(|heard| heard.elapsed() < HERE);
        match found {
            Finding::Queued(queued) => {
                if here && !self.id.is_empty() && queued.ticket_id != self.id {
                    arena.problem(format!(
                        "ticket {} is lost, {} is there instead",
                        self.id, queued.ticket_id
                    ));
                }
                if queued.ticket_id != self.id {
                    self.waited = Duration::ZERO;
                }
                self.id.clone_from(&queued.ticket_id);
            }
            Finding::Progress(progress) => {
                let waited = progress.waited.and_then(|waited| waited.try_into().ok()).unwrap_or_default();
                if waited < self.waited {
                    arena.problem(format!("ticket {} waited {:?}, then {waited:?}", self.id, self.waited));
                }
                self.waited = waited;
            }
            Finding::Ended(EndedReason::Expired) if !here => {}
            Finding::Ended(reason) => arena.problem(format!("ticket {} ended: {reason:?}", self.id)),
            Finding::Matched(_) => {}
            _ => return,
        }
        self.heard = Some(Instant::now());
    }
}

/// Watches a game from its first entry to its end.
async fn look_on(arena: Arc<Arena>, session: Session, id: GameId) {
    let (mut seen, since) = (Seen::default(), Instant::now());
    let mut watch = session.game(id).watch(Some(0));
    while let Some(watched) = watch.next().await {
        match watched {
            Ok(Watched::Snapshot(snapshot)) => seen.last = snapshot.sequence,
            Ok(Watched::Update(update)) => seen.entry(&update),
            Ok(_) => {}
            Err(error) if error.is(reason::GAME_NOT_FOUND) && since.elapsed() < MISSING => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                watch = session.game(id).watch(Some(seen.last));
            }
            Err(error) => return arena.problem(format!("game {id}, a watcher: {error}")),
        }
    }
    arena.of(id, |played| played.seen.push(seen));
}
