//! The life of one bot: it signs in, offers itself, follows its turns, and answers each.

use std::{collections::HashSet, sync::Arc, time::Duration};

use futures::StreamExt;
use goban::Move;
use kernel::GameId;
use nigiri_client::{Client, Error, Service, Session, Watched, reason};
use nigiri_proto::game::v1::{
    GameSnapshot, PassRequest, PlayMoveRequest, ResignRequest, game_event,
    game_service_client::GameServiceClient,
};
use parking_lot::Mutex;
use platform::{config::Secret, shutdown::Shutdown};
use search::Choice;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::task::TaskTracker;

use crate::{
    Args,
    house::Bot,
    metrics::{self, Refused},
    service::level,
    thinker::Thinker,
    turn::Turn,
};

/// How often a bot says that it is ready; what it says stands for 30 s.
const OFFER_EVERY: Duration = Duration::from_secs(10);

/// Waits before a bot begins anew: doubling from the first to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Thoughts that take longer are given up when the game does not wait for them any more.
const SHORT_THOUGHT: Duration = Duration::from_millis(500);

/// A bot and what it needs.
pub struct Player {
    /// Who it is.
    pub bot: Arc<Bot>,
    /// Where the services are.
    pub client: Client,
    /// What it signs in with.
    pub secret: Secret,
    /// Where it thinks.
    pub thinker: Thinker,
    /// How it behaves.
    pub args: Args,
    /// How the process ends.
    pub shutdown: Shutdown,
}

impl Player {
    /// Lives until the process ends. Whatever breaks, it begins anew.
    pub async fn live(self) {
        let stopping = self.shutdown.stopping().clone();
        stopping.run_until_cancelled(self.begin_again_and_again()).await;
    }

    async fn begin_again_and_again(&self) {
        let draining = self.shutdown.draining();
        let mut wait = FIRST_WAIT;
        while !draining.is_cancelled() {
            let began = Instant::now();
            let Err(error) = self.play().await else { return };
            if began.elapsed() > LONGEST_WAIT {
                wait = FIRST_WAIT;
            }
            metrics::broke(self.bot.level);
            tracing::warn!(bot = self.bot.name, %error, ?wait, "a bot begins anew");
            draining.run_until_cancelled(tokio::time::sleep(wait)).await;
            wait = LONGEST_WAIT.min(wait * 2);
        }
    }

    /// Plays until the process drains and the turns that were taken up are answered.
    async fn play(&self) -> Result<(), Error> {
        let draining = self.shutdown.draining();
        let signing_in = self.client.sign_in_bot(self.bot.name, self.secret.expose());
        let Some(session) = draining.run_until_cancelled(signing_in).await else { return Ok(()) };
        let session = session?;
        self.bot.signed_in(session.player().id);
        tracing::info!(bot = self.bot.name, level = %self.bot.level, "a bot is ready");
        tokio::select! {
            result = self.follow(&session) => result,
            result = self.offer(&session) => result,
        }
    }

    /// Says again and again that the bot is ready.
    async fn offer(&self, session: &Session) -> Result<(), Error> {
        let mut ticks = tokio::time::interval(OFFER_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let draining = self.shutdown.draining();
        while draining.run_until_cancelled(ticks.tick()).await.is_some() {
            match session.offer_bot(level(self.bot.level)).await {
                // Games that have begun go on without matchmaking.
                Err(error @ Error::Unreachable { .. }) => {
                    tracing::warn!(bot = self.bot.name, %error, "a bot cannot offer itself");
                }
                other => _ = other?,
            }
        }
        // It is for `follow` to say when all is done.
        std::future::pending().await
    }

    /// Answers turns as they come, several at once.
    async fn follow(&self, session: &Session) -> Result<(), Error> {
        let mut turns = session.turns(self.args.capacity);
        let (answers, taken) = (TaskTracker::new(), Taken::default());
        let draining = self.shutdown.draining();
        let ended = loop {
            match draining.run_until_cancelled(turns.next()).await {
                Some(Some(Ok(snapshot))) => self.take_up(snapshot, session, &answers, &taken),
                Some(Some(Err(error))) => break Err(error),
                Some(None) | None => break Ok(()),
            }
        };
        // The stream stays open meanwhile: it is what the turns are leased to.
        answers.close();
        answers.wait().await;
        ended
    }

    fn take_up(&self, snapshot: GameSnapshot, session: &Session, answers: &TaskTracker, taken: &Taken) {
        let turn = match Turn::try_from(&snapshot) {
            Ok(turn) => turn,
            Err(error) => {
                tracing::error!(game = snapshot.game_id, %error, "a turn cannot be played");
                return;
            }
        };
        // The same turn can come twice.
        let Some(guard) = taken.take(turn.game, turn.ply) else { return };
        metrics::turn(self.bot.level);
        let answer = Answer {
            bot: Arc::clone(&self.bot),
            session: session.clone(),
            thinker: self.thinker.clone(),
            delay: self.args.delay,
        };
        let stopping = self.shutdown.stopping().clone();
        answers.spawn(async move {
            let _guard = guard;
            stopping.run_until_cancelled(answer.give(Arc::new(turn))).await;
        });
    }
}

/// Turns that are being answered.
#[derive(Clone, Debug, Default)]
struct Taken(Arc<Mutex<HashSet<(GameId, u32)>>>);

/// A turn that is being answered, until this is dropped.
struct TakenTurn(Taken, (GameId, u32));

impl Taken {
    fn take(&self, game: GameId, ply: u32) -> Option<TakenTurn> {
        let key = (game, ply);
        self.0.lock().insert(key).then(|| TakenTurn(self.clone(), key))
    }
}

impl Drop for TakenTurn {
    fn drop(&mut self) {
        self.0.0.lock().remove(&self.1);
    }
}

/// What it takes to answer a turn.
struct Answer {
    bot: Arc<Bot>,
    session: Session,
    thinker: Thinker,
    delay: Duration,
}

impl Answer {
    /// Thinks, waits for as long as is natural, and moves.
    async fn give(&self, turn: Arc<Turn>) {
        let _thinking = self.bot.begin();
        let natural = Instant::now() + turn.natural(self.delay);
        let thought = self.thinker.think(Arc::clone(&turn), self.bot.level);
        let choice = tokio::select! {
            choice = thought => choice,
            () = self.gone_by(&turn) => {
                metrics::refused(self.bot.level, Refused::MovedOn);
                tracing::debug!(game = %turn.game, ply = turn.ply, "a thought is not wanted any more");
                None
            }
        };
        let Some(choice) = choice else { return };
        tokio::time::sleep_until(natural).await;
        let refused = self.send(&turn, choice).await;
        if refused == Some(Refused::Illegal) {
            // A bug of ours; a game that nobody can end would be worse than a lost one.
            self.send(&turn, Choice::Resign).await;
        }
    }

    /// Waits until the game has ended, or moves were taken back. Short thoughts are not worth the question.
    async fn gone_by(&self, turn: &Turn) {
        tokio::time::sleep(SHORT_THOUGHT).await;
        let mut watch = self.session.game(turn.game).watch(Some(turn.sequence));
        while let Some(Ok(watched)) = watch.next().await {
            let gone = match watched {
                Watched::Snapshot(game) => {
                    game.result.is_some() || game.state.is_some_and(|state| state.ply != turn.ply)
                }
                Watched::Update(update) => {
                    use game_event::Event::{Finished, TakenBack};
                    update.events.iter().any(|e| matches!(e.event, Some(Finished(_) | TakenBack(_))))
                }
                _ => false,
            };
            if gone {
                return;
            }
        }
        // What cannot be watched is thought about to the end: the answer to the command will say.
        std::future::pending().await
    }

    async fn send(&self, turn: &Turn, choice: Choice) -> Option<Refused> {
        let level = self.bot.level;
        match self.command(turn, choice).await {
            Ok(sequence) => {
                tracing::debug!(game = %turn.game, ply = turn.ply, sequence, ?choice, "a bot has moved");
                self.bot.moved();
                metrics::moved(level, choice);
                None
            }
            Err(error) => {
                let why = sort(&error);
                metrics::refused(level, why);
                match why {
                    Refused::MovedOn => {
                        tracing::debug!(game = %turn.game, ply = turn.ply, "the turn has gone by")
                    }
                    Refused::Unreachable => {
                        tracing::warn!(game = %turn.game, %error, "a move did not arrive")
                    }
                    Refused::Illegal | Refused::Other => {
                        tracing::error!(game = %turn.game, ply = turn.ply, ?choice, %error, "a bot's move was refused");
                    }
                }
                Some(why)
            }
        }
    }

    /// Sends the command, again and again if need be. It is one command wherever it comes from: see [`Turn::command_id`].
    async fn command(&self, turn: &Turn, choice: Choice) -> Result<u64, Error> {
        let (game_id, ply) = (turn.game.to_string(), turn.ply);
        let command_id = turn.command_id();
        match choice {
            Choice::Move(Move::Play(point)) => {
                let request = PlayMoveRequest {
                    game_id,
                    ply,
                    point: point.to_string(),
                    command_id,
                    ..Default::default()
                };
                let call = self.session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).play_move(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
            Choice::Move(Move::Pass) => {
                let request = PassRequest { game_id, ply, command_id, ..Default::default() };
                let call = self.session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).pass(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
            Choice::Resign => {
                let request = ResignRequest { game_id, command_id };
                let call = self.session.call(Service::Game, |channel| {
                    let request = request.clone();
                    async move { GameServiceClient::new(channel).resign(request).await }
                });
                call.await.map(|answer| answer.sequence)
            }
        }
    }
}

fn sort(error: &Error) -> Refused {
    const MOVED_ON: [&str; 6] = [
        reason::STALE_PLY,
        reason::GAME_OVER,
        reason::NOT_YOUR_TURN,
        reason::OUT_OF_TIME,
        reason::GAME_NOT_FOUND,
        "COMMAND_ID_REUSED",
    ];
    const ILLEGAL: [&str; 4] = [reason::OCCUPIED, reason::SUICIDE, reason::KO, reason::SUPERKO];
    match error {
        Error::Unreachable { .. } => Refused::Unreachable,
        error if MOVED_ON.iter().any(|name| error.is(name)) => Refused::MovedOn,
        error if ILLEGAL.iter().any(|name| error.is(name)) => Refused::Illegal,
        _ => Refused::Other,
    }
}
