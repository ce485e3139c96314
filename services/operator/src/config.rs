use std::time::Duration;

use platform::config::span;

/// How the operator service works.
#[derive(clap::Args, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// For how long acts stay in the audit log.
    #[arg(long, env = "NIGIRI_OPERATOR_ACTS_KEEP", default_value = "400d", value_parser = span::<86_400_000, 315_360_000>)]
    pub operator_acts_keep: Duration,
}

impl Default for Args {
    fn default() -> Self {
        Self { operator_acts_keep: Duration::from_secs(400 * 86_400) }
    }
}
