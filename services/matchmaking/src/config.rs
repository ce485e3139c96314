use std::time::Duration;

use clap::Args as ClapArgs;
use platform::config::span;
use url::Url;

use crate::wave::Patience;

/// How matchmaking works. The same values for every replica.
#[derive(ClapArgs, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// Time between two looks at the whole queue.
    #[arg(long, env = "NIGIRI_MATCHMAKING_WAVE", default_value = "500ms", value_parser = span::<20, 60>)]
    pub matchmaking_wave: Duration,

    /// Time after which an AI fills in for a player who allows it.
    #[arg(long, env = "NIGIRI_MATCHMAKING_AI_AFTER", default_value = "20s", value_parser = span::<0, 86_400>)]
    pub matchmaking_ai_after: Duration,

    /// Time after which an AI fills in already when experience says that hardly anybody comes before `--matchmaking-ai-after`.
    #[arg(long, env = "NIGIRI_MATCHMAKING_AI_SOONEST", default_value = "5s", value_parser = span::<0, 86_400>)]
    pub matchmaking_ai_soonest: Duration,

    /// Time for which a ticket stands after its stream has broken.
    #[arg(long, env = "NIGIRI_MATCHMAKING_KEEP", default_value = "10s", value_parser = span::<1000, 600>)]
    pub matchmaking_keep: Duration,

    /// Entries of the queue's log after which a replica writes a snapshot and trims what lies before it.
    #[arg(long, env = "NIGIRI_MATCHMAKING_SNAPSHOT_AFTER", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(10..))]
    pub matchmaking_snapshot_after: u64,

    /// Where browsers find this server, for the addresses of challenges: `https://go.example.org/`. Without it they are paths on the server that was called.
    #[arg(long, env = "NIGIRI_MATCHMAKING_PUBLIC_URL")]
    pub matchmaking_public_url: Option<Url>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            matchmaking_wave: Duration::from_millis(500),
            matchmaking_ai_after: Duration::from_secs(20),
            matchmaking_ai_soonest: Duration::from_secs(5),
            matchmaking_keep: Duration::from_secs(10),
            matchmaking_snapshot_after: 1_000,
            matchmaking_public_url: None,
        }
    }
}

impl Args {
    /// When an AI fills in.
    pub fn patience(&self) -> Patience {
        Patience { usual: self.matchmaking_ai_after, soonest: self.matchmaking_ai_soonest }
    }

    /// How often a replica renews its lease. A lease ends one `keep` after its last renewal.
    pub fn renewal(&self) -> Duration {
        self.matchmaking_keep / 10
    }

    /// A replica that has not renewed its lease for this long is taken to be gone.
    pub fn gone_after(&self) -> Duration {
        self.renewal() * 3
    }
}
