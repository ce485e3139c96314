use std::time::Duration;

use clap::Args as ClapArgs;

/// How the rating service works.
#[derive(ClapArgs, Clone, Debug)]
pub struct Args {
    /// Finished games that one replica counts at once.
    #[arg(long, env = "NIGIRI_RATING_WORKERS", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub rating_workers: u16,

    /// How often the number of games that wait to be counted is measured.
    #[arg(long, env = "NIGIRI_RATING_LAG_INTERVAL", default_value = "5s", value_parser = humantime::parse_duration)]
    pub rating_lag_interval: Duration,
}
