//! The page that people play on: built from `web/` and kept in the binary, so that there is nothing to install beside it.

use std::sync::Arc;

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};

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

/// Everything comes from here, nothing stands in the page itself but what is named by its hash, and nothing of the page's own makes markup out of text.
fn policy(scripts: &str, styles: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src 'self' data:; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'"
    )
}

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

/// The one page, in every language that it was built in.
struct Pages(Vec<Page>);

/// The page in one language, with its script, its style and its words in it.
struct Page {
    /// The tag of the language, as in `hi`.
    language: &'static str,
    file: &'static File,
    policy: HeaderValue,
    /// What it has in it, in short: whoever has it already is not sent it again.
    tag: HeaderValue,
}

impl Page {
    fn new(file: &'static File) -> Option<Self> {
        let language = match file.path.strip_prefix("/index.")?.strip_suffix("html")? {
            "" => "en",
            other => other.strip_suffix('.')?,
        };
        let text = std::str::from_utf8(file.plain).ok()?;
        let (scripts, styles) = (hashes(text, "script"), hashes(text, "style"));
        let tag = format!("W/\"{}\"", STANDARD.encode(&Sha256::digest(file.plain)[..12]));
        Some(Self {
            language,
            file,
            policy: HeaderValue::try_from(policy(&scripts, &styles)).ok()?,
            tag: HeaderValue::try_from(tag).ok()?,
        })
    }
}

impl Pages {
    /// All that were built; none if the page was not.
    fn of(files: &'static [File]) -> Option<Self> {
        let pages: Vec<Page> = files.iter().filter_map(Page::new).collect();
        (!pages.is_empty()).then_some(Self(pages))
    }

    /// The page in the first language that the browser's person reads, else in English.
    fn answer(&self, asked: &HeaderMap) -> Response {
        let wanted = languages(asked);
        let one = |language: &str| self.0.iter().find(|page| page.language == language);
        let found = wanted.iter().find_map(|language| one(language)).or_else(|| one("en"));
        let Some(page) = found.or_else(|| self.0.first()) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
        let is_known = known.flat_map(|list| list.split(',')).any(|one| page.tag == one.trim());
        let mut response =
            if is_known { StatusCode::NOT_MODIFIED.into_response() } else { answer(page.file, asked) };
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, accept-language"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::CONTENT_SECURITY_POLICY, page.policy.clone());
        headers.insert(header::ETAG, page.tag.clone());
        response
    }

    /// The page for an address that is none: in full, whatever the browser has already, since it is not told to show that.
    fn nowhere(&self, mut asked: HeaderMap) -> Response {
        asked.remove(header::IF_NONE_MATCH);
        let mut response = self.answer(&asked);
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().remove(header::ETAG);
        response
    }
}

/// The hashes of what stands in a page in elements of this name, as its policy names them: each with a space before it.
fn hashes(page: &str, name: &str) -> String {
    let (begin, end) = (format!("<{name}"), format!("</{name}>"));
    let elements = page
        .split(begin.as_str())
        .skip(1)
        .filter_map(|rest| rest.split_once('>')?.1.split_once(end.as_str()));
    elements
        .filter(|(text, _)| !text.is_empty())
        .map(|(text, _)| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text))))
        .collect()
}

/// The languages that a browser asks for, without their regions, the most wanted first.
fn languages(asked: &HeaderMap) -> Vec<String> {
    let lists = asked.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|list| list.to_str().ok());
    let mut wanted: Vec<(f32, String)> = lists
        .flat_map(|list| list.split(','))
        .filter_map(|one| {
            let (tag, rest) = one.split_once(';').unwrap_or((one, ""));
            let weight =
                rest.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse().ok())?;
            let short = tag.trim().split('-').next()?.to_ascii_lowercase();
            (weight > 0.0).then_some((weight, short))
        })
        .collect();
    wanted.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    wanted.into_iter().map(|(_, language)| language).collect()
}

/// Serves the page; without one, a line that says how to have it.
pub fn routes() -> Router {
    let Some(pages) = Pages::of(FILES).map(Arc::new) else {
        return Router::new().route("/", get(|| async { NOT_BUILT }));
    };
    let page = || {
        let pages = Arc::clone(&pages);
        get(move |headers: HeaderMap| async move { pages.answer(&headers) })
    };
    let mut routes = Router::new().route("/", page());
    for section in SECTIONS {
        routes = routes.route(section, page());
    }
    for file in FILES.iter().filter(|file| kind(file.path) != HTML) {
        routes =
            routes.route(file.path, get(move |headers: HeaderMap| async move { answer(file, &headers) }));
    }
    // Calls have two parts in their path, so that this takes none of them.
    let nowhere = get(move |headers: HeaderMap| async move { pages.nowhere(headers) });
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
    if let Ok(strict) = HeaderValue::try_from(policy("", "")) {
        headers.insert(header::CONTENT_SECURITY_POLICY, strict);
    }
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

const HTML: &str = "text/html; charset=utf-8";

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => HTML,
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
        assert_eq!(cache("/icon.svg"), "no-cache");
    }

    /// A page with a script, a style and words in it.
    const fn page(path: &'static str, text: &'static str) -> File {
        File { path, plain: text.as_bytes(), gzip: None, brotli: None }
    }

    static FILES: [File; 3] = [
        page("/index.html", "<style>p{}</style><script type=\"module\">1</script>"),
        page("/index.hi.html", "<style>p{}</style><script type=\"module\">2</script>"),
        page("/assets/a.js", "3"),
    ];

    fn asking(name: header::HeaderName, value: &str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        Pages::of(&FILES).unwrap().answer(&headers)
    }

    /// The page may run no script and no style but its files and what is named by its hash, and nobody else's page may frame it.
    #[test]
    fn the_policy_lets_nothing_in() {
        let strict = policy("", "");
        assert!(!strict.contains("unsafe") && !strict.contains('*') && !strict.contains("http"));
        let response = asking(header::ACCEPT_LANGUAGE, "en");
        // The hashes are those that `printf 1 | openssl dgst -sha256 -binary | base64` has, and the same of `p{}`.
        let named = policy(
            " 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='",
            " 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='",
        );
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], named);
    }

    /// Everybody has the page in the first of their languages that there is, and else in English.
    #[test]
    fn the_page_comes_in_the_language_that_is_wanted() {
        let policy_of = |wanted: &str| {
            asking(header::ACCEPT_LANGUAGE, wanted).headers()[header::CONTENT_SECURITY_POLICY].clone()
        };
        let (english, hindi) = (policy_of("en"), policy_of("hi-IN,hi;q=0.9,en;q=0.8"));
        assert_ne!(english, hindi);
        assert_eq!(policy_of("de, en;q=0.5, hi;q=0.7"), hindi);
        for wanted in ["de", "", "hi;q=0", "hi;q=x", ";;,,q="] {
            assert_eq!(policy_of(wanted), english, "{wanted}");
        }
        let vary = asking(header::ACCEPT_LANGUAGE, "hi").headers()[header::VARY].clone();
        assert_eq!(vary, "accept-encoding, accept-language");
    }

    /// Who has the page already is told so, and nothing more; who has another one has this one.
    #[test]
    fn a_page_that_is_known_is_not_sent_again() {
        let tag = asking(header::ACCEPT_LANGUAGE, "en").headers()[header::ETAG].clone();
        let known = asking(header::IF_NONE_MATCH, &format!("\"x\", {}", tag.to_str().unwrap()));
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(known.headers()[header::ETAG], tag);
        assert_eq!(asking(header::IF_NONE_MATCH, "\"x\"").status(), StatusCode::OK);
    }
    /// An address that is none shows the page as well, also to who has the page already.
    #[tokio::test]
    async fn nowhere_is_a_page_each_time() {
        let pages = Pages::of(&FILES).unwrap();
        let tag = pages.answer(&HeaderMap::new()).headers()[header::ETAG].clone();
        let response = pages.nowhere(HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]));
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert!(!response.headers().contains_key(header::ETAG));
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(body, FILES[0].plain);
    }
}
