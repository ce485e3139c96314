use std::time::Duration;

use platform::config::{Secret, span};
use url::Url;

/// How long tokens hold, who may do what, and who vouches for people.
#[derive(clap::Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub struct Args {
    /// How long an access token holds.
    #[arg(id = "session_access_lifetime", long = "session-access-lifetime", env = "NIGIRI_SESSION_ACCESS_LIFETIME", default_value = "15m", value_parser = lifetime)]
    pub access_lifetime: Duration,

    /// How long a session lasts without a refresh.
    #[arg(id = "session_refresh_lifetime", long = "session-refresh-lifetime", env = "NIGIRI_SESSION_REFRESH_LIFETIME", default_value = "90d", value_parser = lifetime)]
    pub refresh_lifetime: Duration,

    /// For how long a refresh token that was used gives the same successor again, so that a lost answer ends no session.
    #[arg(id = "session_refresh_grace", long = "session-refresh-grace", env = "NIGIRI_SESSION_REFRESH_GRACE", default_value = "60s", value_parser = span::<0, 3600>)]
    pub refresh_grace: Duration,

    /// How old a signing key gets before the next one is made.
    #[arg(id = "session_key_lifetime", long = "session-key-lifetime", env = "NIGIRI_SESSION_KEY_LIFETIME", default_value = "90d", value_parser = span::<3_600_000, 315_360_000>)]
    pub key_lifetime: Duration,

    /// How long a player keeps a name before the next rename.
    #[arg(id = "session_rename_pause", long = "session-rename-pause", env = "NIGIRI_SESSION_RENAME_PAUSE", default_value = "7d", value_parser = span::<0, 315_360_000>)]
    pub rename_pause: Duration,

    /// Who the operators are: ids of players, or `sub:` and the provider's id of a person; separated by commas.
    #[arg(
        id = "session_operators",
        long = "session-operators",
        env = "NIGIRI_SESSION_OPERATORS",
        value_delimiter = ','
    )]
    pub operators: Vec<String>,

    /// How many bots a player may own.
    #[arg(id = "session_bots", long = "session-bots", env = "NIGIRI_SESSION_BOTS", default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub bots: u16,

    /// Whether guests may own bots.
    #[arg(id = "session_guest_bots", long = "session-guest-bots", env = "NIGIRI_SESSION_GUEST_BOTS", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub guest_bots: bool,

    /// Who vouches for people.
    #[command(flatten)]
    pub provider: ProviderArgs,
}

/// The OpenID Connect provider: Google unless told otherwise. Off without a client id.
#[derive(clap::Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub struct ProviderArgs {
    /// The client ids of this installation, separated by commas; the first one is for the code flow. None: sign-in is off.
    #[arg(long = "session-oidc-client-ids", env = "NIGIRI_SESSION_OIDC_CLIENT_IDS", value_delimiter = ',')]
    pub oidc_client_ids: Vec<String>,

    /// The secret of the first client id, where the provider wants one for the code flow.
    #[arg(long = "session-oidc-client-secret", env = "NIGIRI_SESSION_OIDC_CLIENT_SECRET", hide_env_values = true, value_parser = secret)]
    pub oidc_client_secret: Option<Secret>,

    /// Where people may be sent back to after the code flow: exact addresses, separated by commas.
    #[arg(long = "session-oidc-redirects", env = "NIGIRI_SESSION_OIDC_REDIRECTS", value_delimiter = ',')]
    pub oidc_redirects: Vec<String>,

    /// The client id for terminals (the device flow). None: terminals cannot sign in.
    #[arg(long = "session-oidc-device-client-id", env = "NIGIRI_SESSION_OIDC_DEVICE_CLIENT_ID")]
    pub oidc_device_client_id: Option<String>,

    /// The secret of that client id.
    #[arg(long = "session-oidc-device-client-secret", env = "NIGIRI_SESSION_OIDC_DEVICE_CLIENT_SECRET", hide_env_values = true, value_parser = secret)]
    pub oidc_device_client_secret: Option<Secret>,

    /// The provider's issuer.
    #[arg(
        long = "session-oidc-issuer",
        env = "NIGIRI_SESSION_OIDC_ISSUER",
        default_value = "https://accounts.google.com"
    )]
    pub oidc_issuer: String,

    /// Where the provider publishes its keys.
    #[arg(long = "session-oidc-jwks-url", env = "NIGIRI_SESSION_OIDC_JWKS_URL", default_value = "https://www.googleapis.com/oauth2/v3/certs", value_parser = endpoint)]
    pub oidc_jwks_url: Url,

    /// Where people sign in.
    #[arg(long = "session-oidc-authorization-url", env = "NIGIRI_SESSION_OIDC_AUTHORIZATION_URL", default_value = "https://accounts.google.com/o/oauth2/v2/auth", value_parser = endpoint)]
    pub oidc_authorization_url: Url,

    /// Where codes are traded for ID tokens.
    #[arg(long = "session-oidc-token-url", env = "NIGIRI_SESSION_OIDC_TOKEN_URL", default_value = "https://oauth2.googleapis.com/token", value_parser = endpoint)]
    pub oidc_token_url: Url,

    /// Where the device flow begins.
    #[arg(long = "session-oidc-device-url", env = "NIGIRI_SESSION_OIDC_DEVICE_URL", default_value = "https://oauth2.googleapis.com/device/code", value_parser = endpoint)]
    pub oidc_device_url: Url,
}

impl Default for Args {
    /// What the command line has without options and variables.
    fn default() -> Self {
        let days = |count: u64| Duration::from_secs(count * 24 * 60 * 60);
        Self {
            access_lifetime: Duration::from_secs(15 * 60),
            refresh_lifetime: days(90),
            refresh_grace: Duration::from_secs(60),
            key_lifetime: days(90),
            rename_pause: days(7),
            operators: Vec::new(),
            bots: 5,
            guest_bots: false,
            provider: ProviderArgs::default(),
        }
    }
}

impl Default for ProviderArgs {
    fn default() -> Self {
        #[expect(clippy::unwrap_used, reason = "constants, which a test compares with the command line's")]
        let url = |text| Url::parse(text).unwrap();
        Self {
            oidc_client_ids: Vec::new(),
            oidc_client_secret: None,
            oidc_redirects: Vec::new(),
            oidc_device_client_id: None,
            oidc_device_client_secret: None,
            oidc_issuer: "https://accounts.google.com".to_owned(),
            oidc_jwks_url: url("https://www.googleapis.com/oauth2/v3/certs"),
            oidc_authorization_url: url("https://accounts.google.com/o/oauth2/v2/auth"),
            oidc_token_url: url("https://oauth2.googleapis.com/token"),
            oidc_device_url: url("https://oauth2.googleapis.com/device/code"),
        }
    }
}

/// A provider's secret is as long as the provider makes it.
#[expect(clippy::unnecessary_wraps, reason = "the shape that the command line wants")]
fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

/// An address of the provider: over TLS, unless it is on this machine.
fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if url.scheme() == "https" || (url.scheme() == "http" && local) {
        Ok(url)
    } else {
        Err("an address of the provider begins with https://".to_owned())
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
        assert!(parse(&["--session-oidc-jwks-url", "http://provider.example/keys"]).is_err());
        assert!(parse(&["--session-oidc-jwks-url", "http://127.0.0.1:9/keys"]).is_ok());
    }
}
