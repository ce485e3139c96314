//! The page that people play on: built from `web/` and kept in the binary, so that there is nothing to install beside it.
//!
//! What its first view needs stands in the page itself, in each language once, so that a browser that has never been here asks once.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use axum::{
    Router,
    extract::RawQuery,
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

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

/// Everything comes from here, and nothing of the page's own makes markup out of text. What stands in the page itself is named by its digest.
const POLICY: &str = "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src 'self' data:; connect-src 'self'; \
     manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'";

/// The page in this language is for who reads none of ours.
const USUAL: &str = "en";

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
    let pages: Arc<[(&str, Served)]> =
        FILES.iter().filter_map(|file| Some((language_of(file.path)?, Served::new(file)))).collect();
    if pages.is_empty() {
        return Router::new().route("/", get(|| async { NOT_BUILT }));
    }
    let page = |status: StatusCode| {
        let pages = pages.clone();
        get(move |RawQuery(query): RawQuery, headers: HeaderMap| async move {
            let language = language(query.as_deref(), &headers, &pages);
            let found = pages.iter().find(|(each, _)| *each == language).or_else(|| pages.first());
            let mut answer = found
                .map_or_else(|| StatusCode::NOT_FOUND.into_response(), |(_, page)| page.answer(&headers));
            // That the browser has the page already is said in any case.
            if answer.status() == StatusCode::OK {
                *answer.status_mut() = status;
            }
            answer
        })
    };
    let mut routes = Router::new().route("/", page(StatusCode::OK));
    for section in SECTIONS {
        routes = routes.route(section, page(StatusCode::OK));
    }
    for file in FILES.iter().filter(|file| language_of(file.path).is_none()) {
        let served = Arc::new(Served::new(file));
        routes =
            routes.route(file.path, get(move |headers: HeaderMap| async move { served.answer(&headers) }));
    }
    // Calls have two parts in their path, so that this takes none of them.
    routes
        .route("/{nowhere}", page(StatusCode::NOT_FOUND))
        .route("/assets/{*none}", get(|| async { StatusCode::NOT_FOUND }))
}

/// The language of a file that is the page in one of its languages.
fn language_of(path: &str) -> Option<&str> {
    match path.strip_prefix("/index.")?.strip_suffix("html")? {
        "" => Some(USUAL),
        tag => tag.strip_suffix('.'),
    }
}

/// The language of the page: as its address says (`?lang=`), else the first of the browser's own that there is, else the usual one.
fn language<'a, T>(query: Option<&str>, asked: &HeaderMap, pages: &'a [(&'a str, T)]) -> &'a str {
    let known = |tag: &str| {
        let tag = tag.split('-').next().unwrap_or(tag).trim();
        pages.iter().map(|(each, _)| *each).find(|each| tag.eq_ignore_ascii_case(each))
    };
    let mut said =
        query.into_iter().flat_map(|query| query.split('&')).filter_map(|pair| pair.strip_prefix("lang="));
    if let Some(found) = said.find_map(known) {
        return found;
    }
    let mut best = (0.0, USUAL);
    for item in values(asked, header::ACCEPT_LANGUAGE) {
        let (tag, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse).unwrap_or(0.0);
        if let Some(found) = known(tag).filter(|_| weight > best.0) {
            best = (weight, found);
        }
    }
    best.1
}

/// What to try first, for a line on the terminal.
pub fn invitation(at: &str) -> String {
    if FILES.is_empty() {
        "the page for people is not in this binary: `make web` builds it".to_owned()
    } else {
        format!("play in a browser          {at}")
    }
}

/// A file with what never changes about it.
struct Served {
    file: &'static File,
    /// Tells it from what was at this address in other versions.
    digest: u64,
    policy: HeaderValue,
}

impl Served {
    fn new(file: &'static File) -> Self {
        let mut hasher = DefaultHasher::new();
        file.plain.hash(&mut hasher);
        Self { file, digest: hasher.finish(), policy: policy(file) }
    }

    /// The file, compressed as the browser takes it; or that the browser has it already.
    fn answer(&self, asked: &HeaderMap) -> Response {
        let file = self.file;
        let copies = [("br", file.brotli), ("gzip", file.gzip)];
        let copy = copies
            .into_iter()
            .find_map(|(coding, bytes)| Some((coding, bytes.filter(|_| takes(asked, coding))?)));
        let (coding, bytes) = copy.map_or((None, file.plain), |(coding, bytes)| (Some(coding), bytes));
        let tag = format!("\"{:016x}-{}\"", self.digest, coding.unwrap_or("plain"));
        let mut response =
            if has(asked, &tag) { StatusCode::NOT_MODIFIED.into_response() } else { bytes.into_response() };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(file.path)));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, accept-language"));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        if let Some(coding) = coding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(header::ETAG, tag);
        }
        // The name of a file in `assets` says what is in it: it never changes.
        let lasting = file.path.starts_with("/assets/");
        let cache = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }
}

/// What the browser may run and show with a file: nothing but our files, and what stands in this one.
fn policy(file: &File) -> HeaderValue {
    let text = std::str::from_utf8(file.plain).unwrap_or_default();
    let within = |start: &str, end: &str| {
        let found = text.split_once(start).and_then(|(_, rest)| rest.split_once(end));
        found
            .map(|(inside, _)| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(inside))))
            .unwrap_or_default()
    };
    let (scripts, styles) = if file.path.ends_with(".html") {
        (within("<script type=\"module\">", "</script>"), within("<style>", "</style>"))
    } else {
        Default::default()
    };
    let policy = POLICY.replace("{scripts}", &scripts).replace("{styles}", &styles);
    HeaderValue::try_from(policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}

/// Whether the browser has the version with this tag.
fn has(asked: &HeaderMap, tag: &str) -> bool {
    values(asked, header::IF_NONE_MATCH).any(|one| one.trim_start_matches("W/") == tag)
}

/// What a header that may be there several times lists.
fn values(asked: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lists = asked.get_all(name).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

/// Whether the browser takes this coding.
fn takes(asked: &HeaderMap, coding: &str) -> bool {
    values(asked, header::ACCEPT_ENCODING).any(|one| {
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

    fn file(path: &'static str, plain: &'static [u8]) -> Served {
        let (gzip, brotli) = (Some(&b"gzip"[..]), Some(&b"br"[..]));
        Served::new(Box::leak(Box::new(File { path, plain, gzip, brotli })))
    }

    fn asking(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    /// A browser has the smallest copy that it takes, and none that it refuses; files with lasting names are kept for ever, the page never.
    #[test]
    fn a_file_comes_as_the_browser_takes_it() {
        let coding = |served: &Served, accepted: &str| {
            let response = served.answer(&asking(header::ACCEPT_ENCODING, accepted));
            response.headers().get(header::CONTENT_ENCODING).map(|coding| coding.to_str().unwrap().to_owned())
        };
        let script = file("/assets/index-abc.js", b"plain");
        assert_eq!(coding(&script, "gzip, deflate, br;q=0.9").as_deref(), Some("br"));
        assert_eq!(coding(&script, "gzip, br;q=0").as_deref(), Some("gzip"));
        assert_eq!(coding(&script, "GZIP; q=0.000, identity"), None);
        let without: &File =
            Box::leak(Box::new(File { path: "/x.js", plain: b"plain", gzip: Some(b"gzip"), brotli: None }));
        assert_eq!(coding(&Served::new(without), "br, gzip").as_deref(), Some("gzip"));
        let cache = |path| file(path, b"").answer(&HeaderMap::new()).headers()[header::CACHE_CONTROL].clone();
        assert!(cache("/assets/index-abc.js").to_str().unwrap().contains("immutable"));
        assert_eq!(cache("/index.html"), "no-cache");
    }

    /// Who has the page is told that it is the same, in the coding that they have it in; another version is sent.
    #[test]
    fn a_page_that_the_browser_has_is_not_sent_again() {
        let (page, next) = (file("/index.html", b"one"), file("/index.html", b"another"));
        let mut asked = asking(header::ACCEPT_ENCODING, "br");
        let tag = page.answer(&asked).headers()[header::ETAG].clone();
        let known = format!("\"of before\", W/{}", tag.to_str().unwrap());
        asked.insert(header::IF_NONE_MATCH, known.parse().unwrap());
        let again = page.answer(&asked);
        assert_eq!((again.status(), &again.headers()[header::ETAG]), (StatusCode::NOT_MODIFIED, &tag));
        assert_eq!(next.answer(&asked).status(), StatusCode::OK);
        asked.insert(header::ACCEPT_ENCODING, "gzip".parse().unwrap());
        assert_eq!(page.answer(&asked).status(), StatusCode::OK);
    }

    /// The page may run no script and no style but its files and what stands in it, word for word, and nobody else's page may frame it.
    #[test]
    fn the_policy_lets_nothing_in() {
        assert!(!POLICY.contains("unsafe") && !POLICY.contains('*') && !POLICY.contains("http"));
        let page = file("/index.html", b"<style>a{}</style><script type=\"module\">go()</script>");
        let policy = page.answer(&HeaderMap::new()).headers()[header::CONTENT_SECURITY_POLICY].clone();
        let policy = policy.to_str().unwrap().to_owned();
        // What `printf 'go()' | openssl dgst -sha256 -binary | base64` says.
        assert!(
            policy.contains("script-src 'self' 'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw=';"),
            "{policy}"
        );
        assert!(
            policy.contains("style-src 'self' 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk=';"),
            "{policy}"
        );
        let script = file("/assets/a.js", b"<style>a{}</style>").policy;
        assert_eq!(script, POLICY.replace("{scripts}", "").replace("{styles}", ""));
    }

    /// The page comes in the language that its address or the browser wants most; whoever wants none of ours has English.
    #[test]
    fn the_page_comes_in_the_language_that_is_wanted() {
        let pages = [("en", ()), ("hi", ()), ("zh", ())];
        let wanted = |query, accepted: &str| {
            language(query, &asking(header::ACCEPT_LANGUAGE, accepted), &pages).to_owned()
        };
        assert_eq!(wanted(None, "fr-FR,fr;q=0.9,en;q=0.4,zh-TW;q=0.8"), "zh");
        assert_eq!(wanted(None, "HI, zh"), "hi");
        assert_eq!(wanted(None, "hi;q=0, fr, zh;q=x"), "en");
        assert_eq!(wanted(Some("a=b&lang=zh"), "hi"), "zh");
        assert_eq!(wanted(Some("lang=fr"), "hi"), "hi");
        assert_eq!(language_of("/index.html"), Some("en"));
        assert_eq!(language_of("/index.hi.html"), Some("hi"));
        assert_eq!(language_of("/icon.svg"), None);
    }
}
