use std::time::Duration;

use clap::Args as ClapArgs;
use platform::config::span;

use crate::{presence::Patience, watch::Manner};

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

    /// For so long the last stream of a player may be gone and the opponent is not told: a short break.
    #[arg(long = "game-short-break", env = "NIGIRI_GAME_SHORT_BREAK", default_value = "5s", value_parser = span::<1000, 600>)]
    pub short_break: Duration,

    /// For so long a player's first stream may take to come after a game was made, before the opponent is told.
    #[arg(long = "game-arrival", env = "NIGIRI_GAME_ARRIVAL", default_value = "30s", value_parser = span::<1000, 3600>)]
    pub arrival: Duration,

    /// A replica of which the others hear nothing for this long is taken for dead, and its players are awaited elsewhere.
    #[arg(long = "game-presence-lease", env = "NIGIRI_GAME_PRESENCE_LEASE", default_value = "10s", value_parser = span::<2000, 600>)]
    pub presence_lease: Duration,

    /// A finished game is exported to those who collect games this long after its end, so that the archive has taken in what finished before it.
    #[arg(long = "game-export-delay", env = "NIGIRI_GAME_EXPORT_DELAY", default_value = "10m", value_parser = span::<0, 604_800>)]
    pub export_delay: Duration,

    /// The network delay of a player is measured when a stream begins, and anew with a turn that begins this long after the last time.
    #[arg(long = "game-ping-every", env = "NIGIRI_GAME_PING_EVERY", default_value = "1m", value_parser = span::<0, 600>)]
    pub ping_every: Duration,
}

impl Args {
    /// After the end streams stay open for as long as the log does: a rematch is an entry of it.
    pub(crate) fn manner(&self) -> Manner {
        let ping = Some(self.ping_every);
        Manner {
            heartbeat: self.heartbeat,
            beats_since: None,
            stay: self.log_keep,
            settle: self.export_delay,
            ping,
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience { away: self.short_break, arrival: self.arrival, lease: self.presence_lease }
    }
}

impl Default for Args {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(15),
            log_keep: Duration::from_secs(600),
            short_break: Duration::from_secs(5),
            arrival: Duration::from_secs(30),
            presence_lease: Duration::from_secs(10),
            export_delay: Duration::from_secs(600),
            ping_every: Duration::from_secs(60),
        }
    }
}
