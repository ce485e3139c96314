//! `nigiri gtp --play`: the server as an engine of the Go Text Protocol, so that any board or engine that speaks it plays people (or our levels).
//!
//! What the controller plays goes to the server as its move, and `genmove` waits for the opponent's. The game begins with the first of the two,
//! and the colour in it says which side the controller is on.

mod commands;
mod table;

use std::{
    io::{self, BufRead, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use goban::Preset;
use gtp::Command;
use nigiri_client::{Client, Session};
use tokio::{runtime::Runtime, sync::mpsc};

use crate::play::{self, Entered, Who};
use commands::Remote;

/// Where the opponents are.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Playing on a server")]
#[group(skip)]
pub struct Args {
    /// Be no engine of our own: `genmove` brings the moves of an opponent on the server at this address (several, separated by commas, if it has several).
    #[arg(long, value_name = "URL", value_delimiter = ',', conflicts_with_all = ["level", "playouts", "seconds", "seed", "threads", "rules"])]
    pub play: Vec<String>,

    /// Who the opponent is.
    #[arg(long, requires = "play", default_value = "person")]
    pub opponent: Opponent,

    /// The rules: quick, territory, weiqi or igo. Default: quick on 9x9, weiqi on larger boards.
    #[arg(long, requires = "play")]
    pub preset: Option<Preset>,

    /// Wait for a person, however long it takes.
    #[arg(long, requires = "play")]
    pub no_ai: bool,

    /// The name to play under; the server may add to it so that nobody else has the same.
    #[arg(long, requires = "play", default_value = "Gtp")]
    pub name: String,

    /// File that keeps who you are, so that a restart is the same player. Default: a new guest each time.
    #[arg(long, requires = "play")]
    pub session_file: Option<PathBuf>,
}

/// Whom one plays.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Whoever is looking for a game; an AI when nobody comes.
    Person,
    /// The easy AI, without a clock.
    Easy,
    /// The normal AI, without a clock.
    Normal,
    /// The hard AI, without a clock.
    Hard,
}

/// Answers commands on standard input until `quit`, or until there are no more.
pub fn run(args: &Args) -> ExitCode {
    match serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nigiri gtp: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: &Args) -> anyhow::Result<()> {
    let runtime = Runtime::new().context("no runtime")?;
    runtime.block_on(async {
        let who = Who::at(args.play.clone(), Some(args.name.clone()), args.session_file.clone());
        let client = play::connect(&who)?;
        let (session, _entered) = sign_in(args, &who, &client).await?;
        eprintln!("nigiri gtp: you are {}", play::plain(&session.player().name));
        answer(Remote::new(session, args.clone())).await
    })
}

/// As who one was before, if that is kept.
async fn sign_in(args: &Args, who: &Who, client: &Client) -> anyhow::Result<(Session, Option<Entered>)> {
    if args.session_file.is_some() {
        let entered = who.quietly(client).await?;
        return Ok((entered.session.clone(), Some(entered)));
    }
    Ok((client.sign_in_as_guest(&args.name).await?, None))
}

/// Answers one command after the other, to `quit`, the end of the input, or until nobody reads the answers.
async fn answer(mut remote: Remote) -> anyhow::Result<()> {
    let mut lines = lines();
    let mut done = Ok(());
    while let Some(line) = lines.recv().await {
        let Some(command) = Command::parse(&line) else { continue };
        let reply = remote.reply(&command.name, &command.arguments).await;
        done = write(&gtp::render(command.id, &reply));
        if command.name == "quit" || done.is_err() {
            break;
        }
    }
    remote.leave().await;
    match done {
        // Whoever asked has gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Lines of standard input. They are read ahead by a thread, which ends with the stream, or with the process.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let read = io::stdin().lock().lines();
        read.map_while(Result::ok).try_for_each(|line| sender.send(line).map_err(drop))
    });
    lines
}
