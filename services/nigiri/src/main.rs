//! The nigiri binary: every service, alone or all in one process, and the tools.

use std::process::ExitCode;

mod cli;
mod dev;
mod play;
mod run;
mod single;
mod swarm;

fn main() -> ExitCode {
    match cli::Cli::parse() {
        Ok(cli) => cli.run(),
        Err(code) => code,
    }
}
