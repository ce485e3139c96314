use std::time::Duration;

use clap::Args as ClapArgs;
use platform::config::span;

/// How the game service behaves.
#[derive(ClapArgs, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// A stream on which nothing happened says so after this long.
    #[arg(long = "game-heartbeat", env = "NIGIRI_GAME_HEARTBEAT", default_value = "15s", value_parser = span::<1000, 3600>)]
    pub heartbeat: Duration,

    /// A finished game's log is kept this long after the game has been archived.
    #[arg(long = "game-log-keep", env = "NIGIRI_GAME_LOG_KEEP", default_value = "10m", value_parser = span::<1, 2_592_000>)]
    pub log_keep: Duration,
}

impl Default for Args {
    fn default() -> Self {
        Self { heartbeat: Duration::from_secs(15), log_keep: Duration::from_secs(600) }
    }
}
