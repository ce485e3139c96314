//! `nigiri gtp`: our player as an engine of the Go Text Protocol; `nigiri gtp-match`: matches between engines; and
//! `nigiri bot --engine`: other engines as bots on the server.

mod accepts;
pub mod bot;
pub mod matches;
mod remote;

use std::{
    io::{self, BufReader},
    process::ExitCode,
    time::Duration,
};

use goban::Preset;
use gtp::{Engine, Options, serve};
use search::Level;

/// How the engine plays.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// How strong: easy, normal or hard.
    #[arg(long, default_value = "hard")]
    level: Level,

    /// Playouts for a move, whatever the clock says: the same game every time. Default: what the level has; for hard, what the clock allows.
    #[arg(long, conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,

    /// Time for a move, in seconds, whatever the clock says.
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,

    /// The seed of the random numbers.
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Threads that search.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,

    /// The rules: the protocol has no word for them.
    #[arg(long, default_value = "chinese-superko")]
    rules: Preset,

    #[command(flatten)]
    remote: remote::Args,
}

/// Answers commands on standard input until `quit`.
pub fn run(args: &Args) -> ExitCode {
    if !args.remote.play.is_empty() {
        return remote::run(&args.remote);
    }
    let options = Options {
        level: args.level,
        playouts: args.playouts,
        time: args.seconds,
        threads: args.threads,
        seed: args.seed,
        rules: args.rules,
    };
    match serve(&mut Engine::new(options), BufReader::new(io::stdin()), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever asked has gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nigiri gtp: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A time in seconds: at least a hundredth, at most a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: seconds from 0.01 to 86400");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.01..=86_400.0).contains(&number) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(number))
}
