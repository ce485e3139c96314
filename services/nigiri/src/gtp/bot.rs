//! `nigiri bot --engine`: any engine of the Go Text Protocol as a bot, through the public API.
//!
//! An engine keeps nothing from one turn to the next: before each move it gets the whole game again. So take-backs, restarts of the server,
//! turns that come twice and games side by side are nothing special. An engine that ends or is silent is started anew and asked once
//! more; if that is in vain too, or it answers what the rules forbid, the bot gives the game up and says so.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use futures::StreamExt;
use goban::{Color, Move, Point, Position};
use gtp::{Client as Engine, Failure, name_of, vertex};
use nigiri_client::{AiLevel, Client, Endpoints, Error, Options, Session, komi_of, position_of, reason};
use nigiri_proto::{game::v1::GameSnapshot, matchmaking::v1::OfferBotRequest};
use parking_lot::Mutex;
use platform::config::Secret;
use search::Level;
use tokio::task::JoinSet;

use super::{accepts::Accepts, seconds};

/// Which engine plays where.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The engine's command line.
    #[arg(long)]
    engine: String,

    /// Address of the server; several, separated by commas, if it has several.
    #[arg(long, env = "NIGIRI_SERVER", default_value = "http://127.0.0.1:7878", value_delimiter = ',')]
    server: Vec<String>,

    /// The bot's name, as its owner has made it.
    #[arg(long, env = "NIGIRI_BOT_NAME")]
    name: String,

    /// The bot's secret, as its owner was told it.
    #[arg(long, env = "NIGIRI_BOT_SECRET", value_parser = secret)]
    secret: Secret,

    /// How strong it is said to be to those who look for an AI: easy, normal or hard.
    #[arg(long, env = "NIGIRI_BOT_LEVEL", default_value = "normal")]
    level: Level,

    /// What it would play, the usual game first: PRESET[:SIZES[:CLOCKS[:HANDICAP]]], such as weiqi:9+19:none+fischer:2; several with commas between. Default: anything.
    #[arg(long, env = "NIGIRI_BOT_ACCEPT", value_delimiter = ',')]
    accept: Vec<Accepts>,

    /// How many games it plays at once: the server gives it no more. 0 for any number.
    #[arg(long, env = "NIGIRI_BOT_GAMES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=100))]
    games: u32,

    /// Turns that are thought about at the same time, each by an engine of its own.
    #[arg(long, env = "NIGIRI_BOT_ENGINES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    engines: u32,

    /// The longest time for a move, in seconds.
    #[arg(long, env = "NIGIRI_BOT_LIMIT", default_value = "20", value_parser = seconds)]
    limit: Duration,
}

#[expect(clippy::unnecessary_wraps, reason = "a value parser returns a result")]
fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

/// How often the bot says that it is ready; what it says stands for 30 s.
const OFFER_EVERY: Duration = Duration::from_secs(10);
/// How long it takes at most to say that the bot leaves.
const GOODBYE: Duration = Duration::from_secs(2);
/// How long an engine has for what takes no thought.
const SHORT: Duration = Duration::from_secs(10);

/// Plays until it is interrupted, or the server does not want this bot any more.
///
/// # Errors
/// When the engine cannot be started, or the server refuses the bot.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let pool = Arc::new(Pool { command: args.engine.clone(), limit: args.limit, idle: Mutex::default() });
    // A command line that is wrong should be known before there is a game.
    let first = tokio::task::block_in_place(|| pool.take())?;
    pool.idle.lock().push(first);
    let client = Client::with_endpoints(&Endpoints::everywhere(&args.server), Options::default())?;
    let session =
        client.sign_in_bot(&args.name, args.secret.expose()).await.context("the bot cannot sign in")?;
    println!("{} is ready", session.player().name);
    let offered = offered(&args);
    tokio::select! {
        result = follow(&session, &pool, args.engines) => return result,
        result = offer(&session, &offered) => return result,
        _ = tokio::signal::ctrl_c() => {}
    }
    // Nobody shall be given a bot that has gone. If that cannot be said, the offer ends by itself.
    let leaving = session.offer_bot_of(OfferBotRequest { leaving: true, ..OfferBotRequest::default() });
    let _in_vain = tokio::time::timeout(GOODBYE, leaving).await;
    Ok(())
}

/// What the bot says of itself.
fn offered(args: &Args) -> OfferBotRequest {
    let level = match args.level {
        Level::Easy => AiLevel::Easy,
        Level::Normal => AiLevel::Normal,
        Level::Hard => AiLevel::Hard,
    };
    let accepts = args.accept.iter().map(|accepts| accepts.0.clone()).collect();
    OfferBotRequest { level: level.into(), accepts, max_games: args.games, leaving: false }
}

/// Says again and again that the bot is ready.
async fn offer(session: &Session, offered: &OfferBotRequest) -> anyhow::Result<()> {
    let mut ticks = tokio::time::interval(OFFER_EVERY);
    loop {
        ticks.tick().await;
        match session.offer_bot_of(offered.clone()).await {
            Ok(_) => {}
            // Games that have begun go on without matchmaking.
            Err(error @ Error::Unreachable { .. }) => eprintln!("nigiri bot: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Answers turns as they come.
async fn follow(session: &Session, pool: &Arc<Pool>, engines: u32) -> anyhow::Result<()> {
    let mut turns = session.turns(engines);
    let mut answers = JoinSet::new();
    while let Some(turn) = turns.next().await {
        let turn = turn?;
        let (session, pool) = (session.clone(), Arc::clone(pool));
        answers.spawn(async move {
            let game = turn.game_id.clone();
            if let Err(error) = answer(&session, pool, turn).await {
                eprintln!("nigiri bot: game {game}: {error:#}");
            }
        });
        while answers.try_join_next().is_some() {}
    }
    Ok(())
}

async fn answer(session: &Session, pool: Arc<Pool>, turn: GameSnapshot) -> anyhow::Result<()> {
    let ply = turn.state.as_ref().map_or(0, |state| state.ply);
    let game = session.game(turn.game_id.parse()?);
    let thought = tokio::task::spawn_blocking(move || pool.think(&turn));
    let sent = match thought.await? {
        Ok(Some(Move::Play(point))) => game.play(ply, &point.to_string()).await,
        Ok(Some(Move::Pass)) => game.pass(ply).await,
        Ok(None) => game.resign().await,
        Err(error) => {
            eprintln!("nigiri bot: game {}: {error:#}; the bot gives up", game.id());
            game.resign().await
        }
    };
    match sent {
        // The game has moved on meanwhile: it ended, or a move was taken back.
        Err(error)
            if [reason::STALE_PLY, reason::GAME_OVER, reason::NOT_YOUR_TURN]
                .iter()
                .any(|name| error.is(name)) =>
        {
            Ok(())
        }
        other => other.map(|_| ()).map_err(Into::into),
    }
}

/// Engines that run and have nothing to do.
struct Pool {
    command: String,
    limit: Duration,
    idle: Mutex<Vec<Engine>>,
}

impl Pool {
    /// An idle engine, or a new one.
    fn take(&self) -> Result<Engine, Failure> {
        let idle = self.idle.lock().pop();
        match idle {
            Some(engine) => Ok(engine),
            None => {
                let mut engine = Engine::start(&self.command)?;
                engine.ask("protocol_version", SHORT)?;
                Ok(engine)
            }
        }
    }

    /// What an engine plays; none when it gives up.
    fn think(&self, turn: &GameSnapshot) -> anyhow::Result<Option<Move>> {
        let position = position_of(turn)?;
        let game = Setup::new(turn, &position)?;
        let deadline = Instant::now() + self.limit.min(time_left(turn).unwrap_or(self.limit));
        let mut text = self.ask(&game, deadline);
        if let Err(Failure::Ended | Failure::Overrun { .. } | Failure::Nonsense(_)) = &text
            && deadline > Instant::now()
        {
            eprintln!("nigiri bot: the engine has failed and is started again");
            text = self.ask(&game, deadline);
        }
        let text = text?;
        if text.eq_ignore_ascii_case("resign") {
            return Ok(None);
        }
        let chosen = vertex(&text, position.size()).with_context(|| format!("{text:?} is no move"))?;
        if let Move::Play(point) = chosen {
            position.check(point).with_context(|| format!("the engine plays {chosen}"))?;
        }
        Ok(Some(chosen))
    }

    /// Asks an engine for a move. One that has failed is not used again.
    fn ask(&self, game: &Setup, deadline: Instant) -> Result<String, Failure> {
        let mut engine = self.take()?;
        for command in &game.commands {
            match engine.ask(command, SHORT) {
                // Not every engine has every command for the time.
                Err(Failure::Refused { .. }) if command.starts_with("time_") => {}
                other => _ = other?,
            }
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let seconds = left.as_secs().saturating_sub(1).max(1);
        let color = name_of(game.turn);
        match engine.ask(&format!("time_left {color} {seconds} 1"), SHORT) {
            Err(Failure::Refused { .. }) | Ok(_) => {}
            Err(error) => return Err(error),
        }
        let text = engine.ask(&format!("genmove {color}"), left)?;
        self.idle.lock().push(engine);
        Ok(text)
    }
}

/// What the clock allows for this move, by the server's time; none without a clock. A second is kept back for the way.
fn time_left(turn: &GameSnapshot) -> Option<Duration> {
    let deadline = turn.state.as_ref()?.deadline?;
    let now = turn.server_time?;
    let millis = (deadline.seconds - now.seconds) * 1_000 + i64::from(deadline.nanos - now.nanos) / 1_000_000;
    Some(Duration::from_millis(u64::try_from(millis - 1_000).unwrap_or(0)).max(Duration::from_millis(500)))
}

/// What an engine is told before it is asked for a move.
struct Setup {
    commands: Vec<String>,
    turn: Color,
}

impl Setup {
    fn new(turn: &GameSnapshot, position: &Position) -> anyhow::Result<Self> {
        let settings = turn.settings.as_ref().context("the turn has no settings")?;
        let options = settings.options.as_ref();
        let (stones, free) = options.map_or((0, false), |o| (o.handicap, o.free_placement));
        let size = position.size();
        let mut commands = vec![
            format!("boardsize {}", size.columns()),
            "clear_board".to_owned(),
            format!("komi {}", komi_of(settings)?),
            "time_settings 0 20 1".to_owned(),
        ];
        let fixed = if stones > 0 && !free { u8::try_from(stones).ok() } else { None };
        let fixed = fixed.and_then(|n| goban::handicap_points(size, n)).unwrap_or_default();
        let black = |point: &Point| format!("play black {point}");
        commands.extend(fixed.iter().map(black));
        // Black places a free handicap with so many first moves.
        let placed = if free { usize::try_from(stones)? } else { 0 };
        let mut color = if stones >= 2 && !free { Color::White } else { Color::Black };
        for (number, chosen) in turn.moves.iter().enumerate() {
            commands.push(format!("play {} {chosen}", name_of(color)));
            color = if number + 1 < placed { Color::Black } else { color.opposite() };
        }
        Ok(Self { commands, turn: position.turn() })
    }
}
