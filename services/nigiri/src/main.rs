//! The nigiri binary: every service, alone or all in one process, and the tools.

use std::process::ExitCode;

mod admin;
mod archive;
mod cli;
mod dev;
mod export;
mod gtp;
mod judge;
mod log;
#[cfg(feature = "next")]
mod next;
mod page;
mod play;
mod ratings;
mod run;
mod simulate;
mod single;
mod swarm;
mod top;
mod verify;

/// A move is many small allocations on several threads; in a profile of the game service the usual allocator was a fifth of its time.
/// What this one saves by itself has not been measured apart.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::Cli::parse() {
        Ok(cli) => cli.run(),
        Err(code) => code,
    }
}
