use std::time::Duration;

use clap::Args as ClapArgs;
use ledger::consumer::Policy;
use platform::config::span;

use crate::elo::Rules;

/// How the rating service works.
#[derive(ClapArgs, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// Finished games that one replica takes at once. Those that wait at the same time are counted together.
    #[arg(long, env = "NIGIRI_RATING_WORKERS", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub rating_workers: u16,

    /// How often the number of games that wait to be counted is measured.
    #[arg(long, env = "NIGIRI_RATING_LAG_INTERVAL", default_value = "5s", value_parser = span::<10, 3600>)]
    pub rating_lag_interval: Duration,

    /// How often players who have not played for 90 days are taken off the leaderboards. Leaderboards are right without it; it keeps them quick.
    #[arg(long, env = "NIGIRI_RATING_LAPSE_INTERVAL", default_value = "1m", value_parser = span::<10, 86_400>)]
    pub rating_lapse_interval: Duration,

    /// Attempts to count a game after which its news is set aside as a dead letter; a store that is away does not use them up.
    #[arg(long, env = "NIGIRI_RATING_ATTEMPTS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rating_attempts: u32,

    /// Time from the first failed attempt to the second; it doubles with each.
    #[arg(long, env = "NIGIRI_RATING_BACKOFF", default_value = "1s", value_parser = span::<1, 600>)]
    pub rating_backoff: Duration,

    /// The first rating, in points. This and all numbers below are fixed by the first rated game.
    #[arg(long, env = "NIGIRI_RATING_INITIAL", default_value_t = Rules::USUAL.initial, value_parser = clap::value_parser!(i64).range(0..=10_000))]
    pub rating_initial: i64,

    /// K, in points, of players who are new to a pool.
    #[arg(long, env = "NIGIRI_RATING_K_NEW", default_value_t = Rules::USUAL.k_new, value_parser = clap::value_parser!(i16).range(1..=400))]
    pub rating_k_new: i16,

    /// K, in points, of everybody else.
    #[arg(long, env = "NIGIRI_RATING_K_USUAL", default_value_t = Rules::USUAL.k_usual, value_parser = clap::value_parser!(i16).range(1..=400))]
    pub rating_k_usual: i16,

    /// K, in points, of players above `--rating-top`.
    #[arg(long, env = "NIGIRI_RATING_K_TOP", default_value_t = Rules::USUAL.k_top, value_parser = clap::value_parser!(i16).range(1..=400))]
    pub rating_k_top: i16,

    /// Rated games until which a player is new to a pool.
    #[arg(long, env = "NIGIRI_RATING_NEW_GAMES", default_value_t = Rules::USUAL.new_games, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub rating_new_games: u32,

    /// The rating, in points, above which ratings move slowly.
    #[arg(long, env = "NIGIRI_RATING_TOP", default_value_t = Rules::USUAL.top, value_parser = clap::value_parser!(i64).range(0..=100_000))]
    pub rating_top: i64,

    /// Rated games until which a rating is provisional.
    #[arg(long, env = "NIGIRI_RATING_PROVISIONAL_GAMES", default_value_t = Rules::USUAL.provisional_games, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rating_provisional_games: u32,
}

impl Default for Args {
    fn default() -> Self {
        let usual = Rules::USUAL;
        Self {
            rating_workers: 64,
            rating_lag_interval: Duration::from_secs(5),
            rating_lapse_interval: Duration::from_secs(60),
            rating_attempts: 8,
            rating_backoff: Duration::from_secs(1),
            rating_initial: usual.initial,
            rating_k_new: usual.k_new,
            rating_k_usual: usual.k_usual,
            rating_k_top: usual.k_top,
            rating_new_games: usual.new_games,
            rating_top: usual.top,
            rating_provisional_games: usual.provisional_games,
        }
    }
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

    /// The numbers of the system.
    pub fn rules(&self) -> Rules {
        Rules {
            initial: self.rating_initial,
            k_new: self.rating_k_new,
            k_usual: self.rating_k_usual,
            k_top: self.rating_k_top,
            new_games: self.rating_new_games,
            top: self.rating_top,
            provisional_games: self.rating_provisional_games,
        }
    }
}
