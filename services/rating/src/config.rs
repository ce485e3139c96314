use std::time::Duration;

use clap::Args as ClapArgs;
use ledger::consumer::Policy;
use platform::config::span;

/// How the rating service works.
#[derive(ClapArgs, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// Finished games that one replica counts at once.
    #[arg(long, env = "NIGIRI_RATING_WORKERS", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub rating_workers: u16,

    /// How often the number of games that wait to be counted is measured.
    #[arg(long, env = "NIGIRI_RATING_LAG_INTERVAL", default_value = "5s", value_parser = span::<10, 3600>)]
    pub rating_lag_interval: Duration,

    /// Attempts to count a game after which its news is set aside as a dead letter; a store that is away does not use them up.
    #[arg(long, env = "NIGIRI_RATING_ATTEMPTS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rating_attempts: u32,

    /// Time from the first failed attempt to the second; it doubles with each.
    #[arg(long, env = "NIGIRI_RATING_BACKOFF", default_value = "1s", value_parser = span::<1, 600>)]
    pub rating_backoff: Duration,
}

impl Args {
    /// How the consumer treats the news.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            max_attempts: self.rating_attempts,
            batch: self.rating_workers.into(),
            backoff: self.rating_backoff,
            ..Policy::default()
        }
    }
}
