use std::time::Duration;

use platform::config::span;

/// How long tokens hold.
#[derive(clap::Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub struct Args {
    /// How long an access token holds: a player who is banned plays on for as long, at most.
    #[arg(id = "session_access_lifetime", long = "session-access-lifetime", env = "NIGIRI_SESSION_ACCESS_LIFETIME", default_value = "15m", value_parser = lifetime)]
    pub access_lifetime: Duration,

    /// How long a session lasts without a refresh.
    #[arg(id = "session_refresh_lifetime", long = "session-refresh-lifetime", env = "NIGIRI_SESSION_REFRESH_LIFETIME", default_value = "90d", value_parser = lifetime)]
    pub refresh_lifetime: Duration,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            access_lifetime: Duration::from_secs(15 * 60),
            refresh_lifetime: Duration::from_secs(90 * 24 * 60 * 60),
        }
    }
}

/// Times in a token are whole seconds, so less than one would be none; nobody needs more than ten years.
fn lifetime(text: &str) -> Result<Duration, String> {
    span::<1000, 315_360_000>(text)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Process {
        #[command(flatten)]
        session: Args,
    }

    /// The defaults of the command line are those of the code; a lifetime is taken with its unit and cannot be nothing.
    #[test]
    fn lifetimes_come_from_the_command_line() {
        Process::command().debug_assert();
        let parse =
            |args: &[&str]| Process::try_parse_from([&["session"], args].concat()).map(|it| it.session);
        assert_eq!(parse(&[]).unwrap(), Args::default());
        let day = parse(&["--session-refresh-lifetime", "1d", "--session-access-lifetime=90s"]).unwrap();
        assert_eq!((day.refresh_lifetime.as_secs(), day.access_lifetime.as_secs()), (86_400, 90));
        for wrong in ["0s", "999ms", "5", "soon", "11years"] {
            assert!(parse(&["--session-access-lifetime", wrong]).is_err(), "{wrong}");
        }
    }
}
