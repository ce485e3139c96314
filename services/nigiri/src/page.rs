//! The page that people play on: built from `web/` and kept in the binary, so that there is nothing to install beside it.

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// Where the one page is served, besides `/`: its script shows what belongs to each address.
const SECTIONS: [&str; 14] = [
    "/game/{id}",
    "/wait",
    "/watch",
    "/player/{id}",
    "/leaders",
    "/rules",
    "/rules/{preset}",
    "/learn",
    "/learn/{number}",
    "/settings",
    "/join/{key}",
    "/sign-in",
    "/ops",
    "/ops/{what}",
];

/// Everything comes from here, nothing stands in the page itself, and nothing of the page's own makes markup out of text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'";

/// What stands at `/` when the page was not built.
const NOT_BUILT: &str = "Nigiri, a Go server. It speaks gRPC and gRPC-Web here (with reflection); also /metrics, /health/ready.\n\
     The page for people is not in this binary: with Node.js 20 or later, `make web` builds it, and the next build of the binary has it.\n";

/// One file of the page, with its compressed copies.
struct File {
    /// Where it is served.
    path: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
    brotli: Option<&'static [u8]>,
}

/// Serves the page; without one, a line that says how to have it.
pub fn routes() -> Router {
    let Some(index) = FILES.iter().find(|file| file.path == "/index.html") else {
        return Router::new().route("/", get(|| async { NOT_BUILT }));
    };
    let mut routes =
        Router::new().route("/", get(move |headers: HeaderMap| async move { answer(index, &headers) }));
    for section in SECTIONS {
        routes = routes.route(section, get(move |headers: HeaderMap| async move { answer(index, &headers) }));
    }
    for file in FILES {
        routes =
            routes.route(file.path, get(move |headers: HeaderMap| async move { answer(file, &headers) }));
    }
    // Calls have two parts in their path, so that this takes none of them.
    let nowhere =
        get(move |headers: HeaderMap| async move { (StatusCode::NOT_FOUND, answer(index, &headers)) });
    routes.route("/{nowhere}", nowhere).route("/assets/{*none}", get(|| async { StatusCode::NOT_FOUND }))
}

/// What to try first, for a line on the terminal.
pub fn invitation(at: &str) -> String {
    if FILES.is_empty() {
        "the page for people is not in this binary: `make web` builds it".to_owned()
    } else {
        format!("play in a browser          {at}")
    }
}

/// The file, compressed as the browser takes it.
fn answer(file: &File, asked: &HeaderMap) -> Response {
    let copies = [("br", file.brotli), ("gzip", file.gzip)];
    let copy = copies
        .into_iter()
        .find_map(|(coding, bytes)| Some((coding, bytes.filter(|_| takes(asked, coding))?)));
    let (coding, bytes) = copy.map_or((None, file.plain), |(coding, bytes)| (Some(coding), bytes));
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(file.path)));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    // The name of a file in `assets` says what is in it: it never changes.
    let lasting = file.path.starts_with("/assets/");
    let cache = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

/// Whether the browser takes this coding.
fn takes(asked: &HeaderMap, coding: &str) -> bool {
    let lists = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let refused =
            parts.any(|part| matches!(part.trim_end_matches('0').trim_end_matches('.'), "q=" | "q=0"));
        named && !refused
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A browser has the smallest copy that it takes, and none that it refuses; files with lasting names are kept for ever, the page never.
    #[test]
    fn a_file_comes_as_the_browser_takes_it() {
        let file = |path| File { path, plain: b"plain", gzip: Some(b"gzip"), brotli: Some(b"br") };
        let coding = |file: &File, accepted: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accepted.parse().unwrap());
            let response = answer(file, &headers);
            response.headers().get(header::CONTENT_ENCODING).map(|coding| coding.to_str().unwrap().to_owned())
        };
        let script = file("/assets/index-abc.js");
        assert_eq!(coding(&script, "gzip, deflate, br;q=0.9").as_deref(), Some("br"));
        assert_eq!(coding(&script, "gzip, br;q=0").as_deref(), Some("gzip"));
        assert_eq!(coding(&script, "GZIP; q=0.000, identity"), None);
        assert_eq!(coding(&File { brotli: None, ..file("/x.js") }, "br, gzip").as_deref(), Some("gzip"));
        let cache = |path| answer(&file(path), &HeaderMap::new()).headers()[header::CACHE_CONTROL].clone();
        assert!(cache("/assets/index-abc.js").to_str().unwrap().contains("immutable"));
        assert_eq!(cache("/index.html"), "no-cache");
    }

    /// The page may run no script and no style but its files, and nobody else's page may frame it.
    #[test]
    fn the_policy_lets_nothing_in() {
        assert!(!POLICY.contains("unsafe") && !POLICY.contains('*') && !POLICY.contains("http"));
        let page = File { path: "/index.html", plain: b"", gzip: None, brotli: None };
        let response = answer(&page, &HeaderMap::new());
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
    }
}
