use futures::{FutureExt, StreamExt, future::BoxFuture};
use nigiri_client::{Error, Game, Watch, Watched};
use nigiri_proto::game::v1::game_event::Event;
use tokio::time::{Duration, Instant, Interval, MissedTickBehavior};

use super::{
    input::{Lines, Wish},
    screen::Screen,
    view::View,
    words::{self, explain, plain},
};

/// How it ended.
pub enum Ended {
    /// One has left; the game goes on.
    Left,
    /// The game is over.
    Finished {
        /// The result as record keepers write it.
        result: String,
        /// Whether it changes ratings.
        rated: bool,
        /// Ids and names of both players.
        names: Vec<(String, String)>,
    },
}

const HELP: &str = "D5 places a stone (letter, then number); pass; resign; draw; undo takes your last move back; yes and no answer the opponent; \
score counts the board as it is.\nWhen a score is proposed: accept; dispute, and play goes on; dead D5, alive D5 where territory is counted.\n\
quit leaves, and the game goes on: nigiri play resume";

const AI_AWAY: &str = "The AI is unavailable. It is asked again until it answers; you can wait, resign, or come back: nigiri play resume";

/// A seat that became one's own by a sign-in is shown as such within a second; it is looked for a little longer.
const SEAT_PATIENCE: Duration = Duration::from_secs(5);

/// A command that was sent and not answered yet.
type Pending = BoxFuture<'static, Result<u64, Error>>;

/// A score that was asked for.
type Counting = BoxFuture<'static, Result<String, Error>>;

/// One who plays or watches a game, from the first look to the end.
pub struct Table<'a> {
    game: &'a Game,
    me: Option<String>,
    screen: &'a mut Screen,
    lines: &'a mut Lines,
    view: Option<View>,
    pending: Option<Pending>,
    counting: Option<Counting>,
    /// What one has answered already, though the game's stream may not show it yet.
    answered: Option<(u32, u32, u32)>,
    /// Whether it was said that the AI is unavailable.
    silent: bool,
    /// Moves were taken back: the game has to be looked at anew.
    stale: bool,
    /// Whether the stream is broken, as far as is known.
    broken: bool,
    /// When one sat down.
    since: Instant,
}

impl<'a> Table<'a> {
    /// Somebody with this player id, or a watcher.
    pub fn new(game: &'a Game, me: Option<String>, screen: &'a mut Screen, lines: &'a mut Lines) -> Self {
        Self {
            game,
            me,
            screen,
            lines,
            view: None,
            pending: None,
            counting: None,
            answered: None,
            silent: false,
            stale: false,
            broken: false,
            since: Instant::now(),
        }
    }

    /// Plays or watches to the end.
    ///
    /// # Errors
    /// When the game cannot be followed any more, or the screen not written.
    pub async fn sit(mut self) -> anyhow::Result<Ended> {
        let mut watch = self.game.watch(None);
        let mut clock = tokio::time::interval(Duration::from_secs(1));
        clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            if std::mem::take(&mut self.stale) {
                watch = self.game.watch(None);
            }
            if self.lines.ended() && (self.lines.terminal() || self.awaits_me()) && self.me.is_some() {
                self.screen.say("There is no more input.")?;
                return Ok(Ended::Left);
            }
            match self.next(&mut watch, &mut clock).await {
                Happened::Tick => self.tick()?,
                Happened::Watched(Some(Ok(watched))) => self.watched(watched)?,
                Happened::Watched(Some(Err(error))) => anyhow::bail!(explain(&error)),
                Happened::Watched(None) => return self.finished(),
                Happened::Answered(answer) => self.answered(answer)?,
                Happened::Counted(score) => self.counted(score)?,
                Happened::Read(None) => {}
                Happened::Read(Some(line)) => {
                    if self.wish(Wish::read(&line))? {
                        return Ok(Ended::Left);
                    }
                }
            }
        }
    }

    async fn next(&mut self, watch: &mut Watch, clock: &mut Interval) -> Happened {
        let (reads, ticks) = (self.reads(), self.screen.terminal() || self.looks_for_seat());
        let (pending, counting) = (self.pending.as_mut(), self.counting.as_mut());
        tokio::select! {
            watched = watch.next() => Happened::Watched(watched),
            Some(answer) = async { Some(pending?.await) } => Happened::Answered(answer),
            Some(score) = async { Some(counting?.await) } => Happened::Counted(score),
            line = self.lines.next(), if reads => Happened::Read(line),
            _ = clock.tick(), if ticks => Happened::Tick,
        }
    }

    /// Whether a line would be taken now. Somebody who types may always do so; a script's next line waits for its turn.
    fn reads(&self) -> bool {
        !self.lines.ended() && self.pending.is_none() && (self.lines.terminal() || self.awaits_me())
    }

    /// Whether one plays here and has been shown no seat of one's own yet: a stream keeps the seats that it began with.
    fn looks_for_seat(&self) -> bool {
        let unseated = |view: &View| view.me.is_none() && view.result.is_none();
        self.me.is_some() && self.view.as_ref().is_some_and(unseated) && self.since.elapsed() < SEAT_PATIENCE
    }

    fn awaits_me(&self) -> bool {
        let asked = |view: &&View| view.awaits_me() && self.answered != Some(view.question());
        let view = self.view.as_ref().filter(asked);
        view.is_some() && self.pending.is_none()
    }

    fn watched(&mut self, watched: Watched) -> anyhow::Result<()> {
        if let Watched::Interrupted(why) = watched {
            let known = std::mem::replace(&mut self.broken, true);
            let text =
                format!("The connection broke ({}); going on as soon as the server is back.", plain(&why));
            return if known { Ok(()) } else { self.screen.say(&text) };
        }
        if std::mem::take(&mut self.broken) {
            self.screen.say("The connection is back.")?;
        }
        match (watched, &mut self.view) {
            (Watched::Snapshot(snapshot), view) => {
                let view = view.insert(View::new(*snapshot, self.me.as_deref()));
                self.screen.show(view)
            }
            (Watched::Update(update), Some(view)) => {
                let last = update.events.last().and_then(|event| event.event.as_ref());
                let passed = matches!(last, Some(Event::Passed(_)));
                self.stale |=
                    update.events.iter().any(|event| matches!(event.event, Some(Event::TakenBack(_))));
                view.update(*update);
                if self.stale {
                    return Ok(());
                }
                self.screen.show(view)?;
                // Whoever is asked to end the game sees what that would give.
                if passed {
                    self.count();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A second has gone by.
    fn tick(&mut self) -> anyhow::Result<()> {
        if self.looks_for_seat() {
            self.stale = true;
            return Ok(());
        }
        let Some(view) = &self.view else { return Ok(()) };
        let silent = view.waits_for_program(Instant::now()).is_some();
        if silent && !std::mem::replace(&mut self.silent, true) {
            return self.screen.say(AI_AWAY);
        }
        self.silent = silent;
        self.screen.tick(view)
    }

    /// Does what was typed. True for leaving.
    fn wish(&mut self, wish: Wish) -> anyhow::Result<bool> {
        let Some(view) = &self.view else { return Ok(wish == Wish::Quit) };
        match wish {
            Wish::Help => self.screen.say(HELP)?,
            Wish::Unclear(why) => self.screen.say(&plain(&why))?,
            Wish::Nothing => self.screen.show(view)?,
            Wish::Quit => return Ok(true),
            Wish::Score => self.count(),
            _ if self.me.is_none() => self.screen.say("You are watching; `quit` leaves.")?,
            wish => {
                let question = view.question();
                match command(self.game.clone(), view, &wish) {
                    Ok(command) => {
                        self.answered = Some(question);
                        self.pending = Some(command);
                    }
                    Err(why) => self.screen.say(why)?,
                }
            }
        }
        Ok(false)
    }

    /// Asks what the board would count to.
    fn count(&mut self) {
        let game = self.game.clone();
        self.counting =
            Some(async move { game.preview_score().await.map(|score| words::preview(&score)) }.boxed());
    }

    fn counted(&mut self, score: Result<String, Error>) -> anyhow::Result<()> {
        self.counting = None;
        match score {
            Ok(words) => self.screen.say(&words),
            Err(error) => self.screen.say(&format!("Not counted: {}.", explain(&error))),
        }
    }

    fn answered(&mut self, answer: Result<u64, Error>) -> anyhow::Result<()> {
        self.pending = None;
        match answer {
            Ok(_) => Ok(()),
            Err(error) => {
                self.answered = None;
                self.screen.say(&format!("Not played: {}.", explain(&error)))
            }
        }
    }

    fn finished(self) -> anyhow::Result<Ended> {
        let Some(View { result: Some(result), settings, seats, .. }) = self.view else {
            anyhow::bail!("the game's stream ended, but not the game");
        };
        let names = seats.into_iter().map(|seat| (seat.player_id, seat.name)).collect();
        let counts = settings.rated && !result.text.eq_ignore_ascii_case("void");
        Ok(Ended::Finished { result: result.text, rated: counts, names })
    }
}

/// What a wish is for the server, in the game as it is seen; or why it is nothing.
fn command(game: Game, view: &View, wish: &Wish) -> Result<Pending, &'static str> {
    let ply = view.state.ply;
    let score = view.agreement().map(|agreement| agreement.version).ok_or("No score is proposed now.");
    let proposed = view.proposed().map(|proposal| (proposal.proposal_id, proposal.version));
    Ok(match *wish {
        Wish::Play(point) => async move { game.play(ply, &point.to_string()).await }.boxed(),
        Wish::Pass => async move { game.pass(ply).await }.boxed(),
        // The answer comes before the update that ends the game: until then nothing is left to say.
        Wish::Resign => async move { game.resign().await }.boxed(),
        Wish::Draw => async move { game.offer_draw(ply).await }.boxed(),
        Wish::Undo => async move { game.request_takeback(ply).await }.boxed(),
        Wish::Yes | Wish::No => {
            let (id, version) = proposed.ok_or("The opponent proposes nothing now.")?;
            let accept = *wish == Wish::Yes;
            async move { game.answer(id, version, accept).await }.boxed()
        }
        Wish::Accept => {
            let version = score?;
            async move { game.accept_score(version).await }.boxed()
        }
        Wish::Dispute => {
            let version = score?;
            async move { game.dispute_score(version).await }.boxed()
        }
        Wish::Mark(point, dead) => {
            let version = score?;
            async move { game.mark_chain(version, &point.to_string(), dead).await }.boxed()
        }
        Wish::Help | Wish::Quit | Wish::Nothing | Wish::Score | Wish::Unclear(_) => return Err(""),
    })
}

enum Happened {
    Watched(Option<Result<Watched, Error>>),
    Answered(Result<u64, Error>),
    Counted(Result<String, Error>),
    Read(Option<String>),
    Tick,
}
