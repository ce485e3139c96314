use std::time::Duration;

/// How long tokens hold.
#[derive(clap::Args, Clone, Debug)]
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

/// Times in a token are whole seconds, so less than one would be none.
fn lifetime(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time < Duration::from_secs(1) {
        return Err("a token has to hold for a second at least".to_owned());
    }
    Ok(time)
}
