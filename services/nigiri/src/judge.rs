//! `nigiri judge`: plays, scores and explains boards: JSON Lines on standard input, or games in SGF files; one line of JSON for each.

mod answer;
mod dead;
mod files;
mod lines;
mod position;
mod refusal;
mod request;
mod rules;

use std::{
    io::{self, BufReader, Write as _},
    num::NonZeroUsize,
    path::PathBuf,
    process::ExitCode,
    thread,
};

use dead::Dead;
use goban::Preset;

/// What is judged, and how.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// SGF files: each game is judged at the end of its main line. Without any, requests are read from standard input, one a line.
    files: Vec<PathBuf>,

    /// The rules of games in SGF files that name none that we know.
    #[arg(long, default_value = "weiqi")]
    preset: Preset,

    /// Which stones of games in SGF files are dead: clear, estimate or none.
    #[arg(long, default_value = "estimate")]
    dead: Dead,

    /// How many lines are worked on at the same time. Default: one for each processor.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

/// Judges the files, or standard input to its end.
pub fn run(args: &Args) -> ExitCode {
    let done = if args.files.is_empty() {
        let threads =
            args.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        lines::judge(BufReader::new(io::stdin()), io::BufWriter::new(io::stdout().lock()), threads)
            .map(|()| true)
    } else {
        let mut out = io::BufWriter::new(io::stdout().lock());
        files::judge(args, &mut out).and_then(|all_right| out.flush().map(|()| all_right))
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever reads the answers has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nigiri: {error}");
            ExitCode::FAILURE
        }
    }
}
