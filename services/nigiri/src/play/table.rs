use futures::{FutureExt, StreamExt, future::BoxFuture};
use nigiri_client::{Error, Game, Watch, Watched};
use tokio::time::{Duration, Interval};

use super::{
    input::{Lines, Wish},
    screen::Screen,
    view::View,
    words::{explain, plain},
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

const HELP: &str = "D5 places a stone (letter, then number); pass; resign; quit leaves, and the game goes on: nigiri play resume";

/// A command that was sent and not answered yet.
type Pending = BoxFuture<'static, Result<u64, Error>>;

/// One who plays or watches a game, from the first look to the end.
pub struct Table<'a> {
    game: &'a Game,
    me: Option<String>,
    screen: &'a mut Screen,
    lines: &'a mut Lines,
    view: Option<View>,
    pending: Option<Pending>,
    /// The ply that one has answered already, though the game's stream may not show it yet.
    answered: Option<u32>,
    /// Whether the stream is broken, as far as is known.
    broken: bool,
}

impl<'a> Table<'a> {
    /// Somebody with this player id, or a watcher.
    pub fn new(game: &'a Game, me: Option<String>, screen: &'a mut Screen, lines: &'a mut Lines) -> Self {
        Self { game, me, screen, lines, view: None, pending: None, answered: None, broken: false }
    }

    /// Plays or watches to the end.
    ///
    /// # Errors
    /// When the game cannot be followed any more, or the screen not written.
    pub async fn sit(mut self) -> anyhow::Result<Ended> {
        let mut watch = self.game.watch(None);
        let mut clock = tokio::time::interval(Duration::from_secs(1));
        loop {
            if self.lines.ended() && (self.lines.terminal() || self.awaits_me()) && self.me.is_some() {
                self.screen.say("There is no more input.")?;
                return Ok(Ended::Left);
            }
            match self.next(&mut watch, &mut clock).await {
                Happened::Tick => self.view.as_ref().map_or(Ok(()), |view| self.screen.tick(view))?,
                Happened::Watched(Some(Ok(watched))) => self.watched(watched)?,
                Happened::Watched(Some(Err(error))) => anyhow::bail!(explain(&error)),
                Happened::Watched(None) => return self.finished(),
                Happened::Answered(answer) => self.answered(answer)?,
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
        let (reads, ticks) = (self.reads(), self.screen.terminal());
        let pending = self.pending.as_mut();
        tokio::select! {
            watched = watch.next() => Happened::Watched(watched),
            Some(answer) = async { Some(pending?.await) } => Happened::Answered(answer),
            line = self.lines.next(), if reads => Happened::Read(line),
            _ = clock.tick(), if ticks => Happened::Tick,
        }
    }

    /// Whether a line would be taken now. Somebody who types may always do so; a script's next line waits for its turn.
    fn reads(&self) -> bool {
        !self.lines.ended() && self.pending.is_none() && (self.lines.terminal() || self.awaits_me())
    }

    fn awaits_me(&self) -> bool {
        let view = self.view.as_ref().filter(|view| view.my_turn() && self.answered != Some(view.state.ply));
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
                view.update(*update);
                self.screen.show(view)
            }
            _ => Ok(()),
        }
    }

    /// Does what was typed. True for leaving.
    fn wish(&mut self, wish: Wish) -> anyhow::Result<bool> {
        let game = self.game.clone();
        let Some(ply) = self.view.as_ref().map(|view| view.state.ply) else {
            return Ok(wish == Wish::Quit);
        };
        let plays = matches!(wish, Wish::Play(_) | Wish::Pass | Wish::Resign);
        if plays && self.me.is_none() {
            self.screen.say("You are watching; `quit` leaves.")?;
            return Ok(false);
        }
        match wish {
            Wish::Play(point) => {
                self.send(Some(ply), async move { game.play(ply, &point.to_string()).await }.boxed())
            }
            Wish::Pass => self.send(Some(ply), async move { game.pass(ply).await }.boxed()),
            // The answer comes before the update that ends the game: until then nothing is left to say.
            Wish::Resign => self.send(Some(ply), async move { game.resign().await }.boxed()),
            Wish::Help => self.screen.say(HELP)?,
            Wish::Unclear(why) => self.screen.say(&plain(&why))?,
            Wish::Nothing => self.view.as_ref().map_or(Ok(()), |view| self.screen.show(view))?,
            Wish::Quit => return Ok(true),
        }
        Ok(false)
    }

    fn send(&mut self, ply: Option<u32>, command: Pending) {
        self.answered = ply.or(self.answered);
        self.pending = Some(command);
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

enum Happened {
    Watched(Option<Result<Watched, Error>>),
    Answered(Result<u64, Error>),
    Read(Option<String>),
    Tick,
}
