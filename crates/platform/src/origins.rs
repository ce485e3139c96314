//! Whose pages may call: CORS and gRPC-Web for the configured origins only.

use std::{str::FromStr, sync::Arc};

use http::{HeaderValue, Request, header, uri::Authority};
use url::Url;

/// Whose pages may call.
#[derive(clap::Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub struct OriginArgs {
    /// Origins whose pages may call, for example https://play.example, separated by commas; `local` for any page of this machine. Pages that
    /// this server itself serves always may.
    #[arg(long, env = "NIGIRI_WEB_ORIGINS", value_delimiter = ',', default_value = "local")]
    pub web_origins: Vec<Origin>,
}

impl Default for OriginArgs {
    fn default() -> Self {
        Self { web_origins: vec![Origin::Local] }
    }
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Any page of this machine.
    Local,
    /// This one exactly.
    Exact(String),
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "local" {
            return Ok(Self::Local);
        }
        let wrong = || "an origin reads like https://play.example, without a path; or `local`".to_owned();
        let url = Url::parse(text).map_err(|_| wrong())?;
        let origin = url.origin().ascii_serialization();
        if origin == text.trim_end_matches('/') { Ok(Self::Exact(origin)) } else { Err(wrong()) }
    }
}

/// The configured origins. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Origins(Arc<Vec<Origin>>);

impl Origins {
    /// These origins.
    pub fn new(args: OriginArgs) -> Self {
        Self(Arc::new(args.web_origins))
    }

    /// Whether pages of this origin may call.
    pub fn allow(&self, origin: &HeaderValue) -> bool {
        let Ok(text) = origin.to_str() else { return false };
        self.0.iter().any(|allowed| match allowed {
            Origin::Exact(exact) => exact == text,
            Origin::Local => is_local(text),
        })
    }

    /// Whether a request comes from a page that may call, or from no page at all.
    pub fn admit<B>(&self, request: &Request<B>) -> bool {
        let Some(origin) = request.headers().get(header::ORIGIN) else { return true };
        self.allow(origin) || host(request).is_some_and(|host| is_own(origin, host))
    }
}

fn is_local(origin: &str) -> bool {
    let url = Url::parse(origin).ok();
    url.as_ref()
        .and_then(Url::host_str)
        .is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"))
}

/// The address that a request is for: HTTP/2, which browsers speak over TLS, has it in the request's own line and no header for it.
fn host<B>(request: &Request<B>) -> Option<&str> {
    let authority = request.uri().authority().map(Authority::as_str);
    authority.or_else(|| request.headers().get(header::HOST)?.to_str().ok())
}

/// Whether the page was served under the address that it calls.
fn is_own(origin: &HeaderValue, host: &str) -> bool {
    origin.to_str().ok().and_then(|origin| origin.split_once("://")).is_some_and(|(_, own)| own == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only what is configured, the machine itself by `local`, and a server's own pages; nothing that merely looks like them.
    #[test]
    fn only_configured_origins_are_let_in() {
        let both = ["local", "https://play.example"].map(|text| text.parse().unwrap());
        let origins = Origins::new(OriginArgs { web_origins: both.into() });
        let ask = |uri: &str, origin: &str, host: Option<&str>| {
            let mut request = Request::post(uri).header(header::ORIGIN, origin);
            if let Some(host) = host {
                request = request.header(header::HOST, host);
            }
            origins.admit(&request.body(()).unwrap())
        };
        // As HTTP/1.1 and as HTTP/2 have the address.
        let admit = |origin: &str| {
            let first = ask("/call", origin, Some("own.example:7878"));
            assert_eq!(ask("http://own.example:7878/call", origin, None), first, "{origin}");
            first
        };
        for fine in
            ["https://play.example", "http://localhost:5173", "http://127.0.0.1:1", "http://own.example:7878"]
        {
            assert!(admit(fine), "{fine}");
        }
        for foreign in [
            "http://play.example",
            "https://play.example.evil.example",
            "https://localhost.evil.example",
            "http://own.example",
            "null",
            "x",
        ] {
            assert!(!admit(foreign), "{foreign}");
        }
        assert!(origins.admit(&Request::new(())), "a program is no page");
        assert!(!ask("/call", "http://own.example:7878", None), "an address that nobody named");
        for wrong in ["play.example", "https://play.example/path", "*", ""] {
            assert!(wrong.parse::<Origin>().is_err(), "{wrong}");
        }
    }
}
