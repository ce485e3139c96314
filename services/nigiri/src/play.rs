//! `nigiri play`: a plain terminal client over the public API.

mod agreed;
mod bots;
mod draw;
mod input;
mod screen;
mod settings;
mod sign_in;
mod store;
mod table;
mod view;
mod words;

use std::{io::IsTerminal, path::PathBuf, time::Duration};

use anyhow::{Context as _, bail};
use futures::StreamExt;
use nigiri_client::{Client, Color, Endpoints, Finding, Game, Options, Session, reason};
use nigiri_proto::matchmaking::v1::{CreateChallengeRequest, FindMatchRequest};
use tokio::time::Instant;

use input::Lines;
use screen::Screen;
pub use settings::unrated as unrated_settings;
use store::Place;
use table::{Ended, Table};
pub use words::{explain, plain};

/// Who one is, and where.
#[derive(clap::Args, Clone, Debug)]
pub struct Who {
    /// Address of the server; several, separated by commas, if it has several.
    #[arg(
        long,
        env = "NIGIRI_SERVER",
        default_value = "http://127.0.0.1:7878",
        value_delimiter = ',',
        global = true
    )]
    pub server: Vec<String>,

    /// File with the authorities, in PEM, that certify the server at an https address. Default: the web's usual ones.
    #[arg(long, env = "NIGIRI_CA", global = true)]
    ca: Option<PathBuf>,

    /// The name to play under; the server may add to it so that nobody else has the same.
    #[arg(long, global = true)]
    name: Option<String>,

    /// Sign in with an identity, by a code that you type on a page; a guest who does so keeps their games.
    #[arg(long, global = true)]
    sign_in: bool,

    /// File that keeps who you are, so that a restart goes on. Default: a file in the state folder, one for each terminal.
    #[arg(long, global = true)]
    session_file: Option<PathBuf>,

    /// The state folder, as the desktop standard names it.
    #[arg(long, env = "XDG_STATE_HOME", hide = true, global = true)]
    state_home: Option<PathBuf>,

    /// The home folder.
    #[arg(long, env = "HOME", hide = true, global = true)]
    home: Option<PathBuf>,
}

impl Who {
    /// Somebody at this server; without a file, nothing of it is kept.
    pub fn at(server: Vec<String>, name: Option<String>, session_file: Option<PathBuf>) -> Self {
        Self { server, ca: None, name, sign_in: false, session_file, state_home: None, home: None }
    }

    /// Signs in as who one was before, or as a new guest, for a tool that says nothing of it.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses, or the session's file is in use.
    pub async fn quietly(&self, client: &Client) -> anyhow::Result<Entered> {
        let mut place = store::open(self)?;
        let session = place.enter(client, self, &mut Screen::quiet()).await?;
        Ok(Entered { session, _place: place })
    }
}

/// A session whose file is held.
pub struct Entered {
    /// The session.
    pub session: Session,
    _place: Place,
}

/// How one plays.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    who: Who,

    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum What {
    /// Plays an AI, without a clock.
    Ai {
        /// The name of a bot that is to be it, whatever its level: see `nigiri play bots`.
        #[arg(long)]
        bot: Option<String>,
        /// How strong it is.
        #[arg(long, default_value = "easy")]
        level: Level,
        /// Your colour.
        #[arg(long, default_value = "random")]
        color: Side,
        #[command(flatten)]
        wanted: settings::Wanted,
    },
    /// Plays a random opponent (the default).
    Match {
        /// The result changes both ratings.
        #[arg(long)]
        rated: bool,
        /// Wait for a person, however long it takes.
        #[arg(long)]
        no_ai: bool,
        #[command(flatten)]
        accepted: settings::Accepted,
    },
    /// Proposes a game to a friend: prints a code that one person can play it with.
    Challenge {
        /// The name of the player who alone can play it. Default: whoever has the code.
        #[arg(long)]
        to: Option<String>,
        /// Your colour.
        #[arg(long, default_value = "random")]
        color: Side,
        #[command(flatten)]
        wanted: settings::Wanted,
    },
    /// Plays the game that somebody proposes.
    Join {
        /// The code, or the link that ends with it.
        code: String,
    },
    /// Lists the bots that can be played by name now.
    Bots,
    /// Watches a game.
    Watch {
        /// The game's id.
        game: String,
    },
    /// Goes on with the game that you were in.
    Resume,
}

impl What {
    /// What is played when nothing was said.
    fn usual() -> Self {
        Self::Match { rated: false, no_ai: false, accepted: settings::Accepted::default() }
    }
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Level {
    Easy,
    Normal,
    Hard,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Side {
    Black,
    White,
    Random,
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
            Side::Random => Self::Unspecified,
        }
    }
}

/// How long a server may be silent before that is said.
const SILENCE: Duration = Duration::from_secs(2);
/// How long the ratings of a finished game are waited for.
const RATING_PATIENCE: Duration = Duration::from_secs(10);

/// Plays one game, or watches one.
///
/// # Errors
/// When the server cannot be reached or refuses, and when the terminal cannot be written to.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = connect(&args.who)?;
    let mut screen = Screen::new(std::io::stdout().is_terminal());
    let mut place = store::open(&args.who)?;
    let session = patiently(place.enter(&client, &args.who, &mut screen), &args.who.server).await?;
    screen.say(&format!("You are {}.", plain(&session.player().name)))?;
    let mut lines = Lines::of_stdin();
    let what = args.what.clone().unwrap_or_else(What::usual);
    let watching = matches!(what, What::Watch { .. });
    let Some(game) = choose(what, &session, &place, &mut screen, &mut lines).await? else { return Ok(()) };
    if !watching {
        place.remember_game(Some(game.id()))?;
        screen.say(&format!("Game {}. Type a point such as D5, pass, resign, help or quit.", game.id()))?;
    }
    let me = (!watching).then(|| session.player().id);
    let ended = Table::new(&game, me, &mut screen, &mut lines).sit().await?;
    screen.leave();
    match ended {
        Ended::Left => {
            let how = if watching { "" } else { ": nigiri play resume" };
            screen.say(&format!("The game goes on{how}"))
        }
        Ended::Finished { result, rated, names } => {
            if !watching {
                place.remember_game(None)?;
            }
            screen.say(&format!("result: {}", plain(&result)))?;
            if rated { ratings(&session, &game, &names, &mut screen).await } else { Ok(()) }
        }
    }
}

/// A client of the server that was named.
pub fn connect(args: &Who) -> anyhow::Result<Client> {
    let read = |file: &PathBuf| {
        std::fs::read(file).with_context(|| format!("cannot read {} (--ca)", file.display()))
    };
    let authorities = args.ca.as_ref().map(read).transpose()?;
    let options = Options { authorities, ..Options::default() };
    Ok(Client::with_endpoints(&Endpoints::everywhere(&args.server), options)?)
}

/// Waits for a server that does not answer at once, and says so.
async fn patiently<T>(entering: impl Future<Output = T>, server: &[String]) -> T {
    let mut entering = std::pin::pin!(entering);
    tokio::select! {
        entered = &mut entering => entered,
        () = tokio::time::sleep(SILENCE) => {
            eprintln!("nigiri: {} does not answer yet; still trying", plain(&server.join(", ")));
            entering.await
        }
    }
}

/// Gets the game that was asked for; none when one has thought better of it.
async fn choose(
    what: What,
    session: &Session,
    place: &Place,
    screen: &mut Screen,
    lines: &mut Lines,
) -> anyhow::Result<Option<Game>> {
    let id = match what {
        What::Watch { game } => game.parse().context("a game's id was expected")?,
        What::Resume => match place.game() {
            Some(game) => game,
            None => bail!("there is no game to go on with: nigiri play match"),
        },
        What::Bots => {
            bots::list(session, screen).await?;
            return Ok(None);
        }
        What::Ai { bot, level, color, wanted } => {
            let begun = bots::begin(session, bot, level, color, &wanted).await?;
            return entered(begun.map(Some), session, screen);
        }
        What::Challenge { to, color, wanted } => {
            let request = CreateChallengeRequest {
                settings: Some(wanted.settings()?),
                color: Color::from(color).into(),
                opponent_name: to.unwrap_or_default(),
                ..CreateChallengeRequest::default()
            };
            match agreed::propose(session, request, screen, lines).await? {
                Some(id) => id,
                None => return Ok(None),
            }
        }
        What::Join { code } => agreed::join(session, &code, screen).await?,
        What::Match { rated, no_ai, accepted } => {
            let request = FindMatchRequest {
                accepts: accepted.accepts(),
                rated,
                allow_ai: !no_ai,
                // Nothing seen: a game that goes on is told again.
                seen_game_id: Some(String::new()),
                ..FindMatchRequest::default()
            };
            let found = find(session, request, screen, lines).await?;
            return entered(found, session, screen);
        }
    };
    Ok(Some(session.game(id)))
}

/// The game that was begun, or that one was in already; none when one has thought better of it.
fn entered(
    begun: Result<Option<String>, nigiri_client::Error>,
    session: &Session,
    screen: &mut Screen,
) -> anyhow::Result<Option<Game>> {
    let id = match begun {
        Ok(Some(id)) => id.parse()?,
        Ok(None) => return Ok(None),
        Err(error) => under_way(&error, screen)?,
    };
    Ok(Some(session.game(id)))
}

/// The game that one is in already, if that is why another was refused.
fn under_way(error: &nigiri_client::Error, screen: &mut Screen) -> anyhow::Result<nigiri_client::GameId> {
    let Some(game) = error.game() else { bail!(explain(error)) };
    screen.say("You are in a game already: here it is.")?;
    Ok(game)
}

/// Looks for an opponent. None when one has said `quit` meanwhile.
async fn find(
    session: &Session,
    request: FindMatchRequest,
    screen: &mut Screen,
    lines: &mut Lines,
) -> anyhow::Result<Result<Option<String>, nigiri_client::Error>> {
    let mut broken = false;
    let mut finding = session.find_match(request);
    loop {
        let found = tokio::select! {
            found = finding.next() => found,
            line = lines.next(), if lines.terminal() => match line.as_deref().map(str::trim) {
                None | Some("quit") => {
                    // A match that was made in this instant stays: `resume` finds it.
                    let cancelled = session.cancel_ticket().await;
                    return Ok(match cancelled {
                        Err(error) if !error.is(reason::NO_TICKET) => Err(error),
                        _ => Ok(None),
                    });
                }
                Some(_) => {
                    screen.say("Still looking; `quit` gives up.")?;
                    continue;
                }
            },
        };
        match found {
            Some(Ok(Finding::Matched(matched))) => {
                let opponent = matched.opponent.unwrap_or_default();
                let ai = if opponent.bot { " (an AI)" } else { "" };
                screen.say(&format!("You meet {}{ai}.", plain(&opponent.name)))?;
                return Ok(Ok(Some(matched.game_id)));
            }
            Some(Ok(Finding::Ended(reason))) => bail!("the search has ended: {reason:?}"),
            Some(Ok(Finding::Interrupted(_))) if std::mem::replace(&mut broken, true) => {}
            Some(Ok(other)) => {
                broken = matches!(other, Finding::Interrupted(_));
                if let Some(text) = words::search(&other) {
                    screen.say(&text)?;
                }
            }
            Some(Err(error)) => return Ok(Err(error)),
            None => bail!("the search ended without a game"),
        }
    }
}

/// Says what a rated game has changed.
async fn ratings(
    session: &Session,
    game: &Game,
    names: &[(String, String)],
    screen: &mut Screen,
) -> anyhow::Result<()> {
    let since = Instant::now();
    let answer = loop {
        match session.game_rating(game.id()).await {
            Err(error) if error.is(reason::NOT_RATED) && since.elapsed() < RATING_PATIENCE => {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            answer => break answer,
        }
    };
    match answer {
        Ok(answer) => answer.changes.iter().try_for_each(|change| {
            let name = names.iter().find(|(id, _)| *id == change.player_id).map_or("?", |(_, name)| name);
            screen.say(&words::rating(name, change.before_micros, change.after_micros))
        }),
        Err(error) if error.is(reason::NOT_RATED) => screen.say("rating: the game has not counted"),
        Err(error) => screen.say(&format!("rating: {}", explain(&error))),
    }
}
