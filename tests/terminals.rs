//! `nigiri play` as a script uses it: the real binary, lines in, text out.
#![allow(missing_docs, reason = "a test")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

use platform::convert::to_millis;
use serde_json::{Value, json};
use testkit::{Process, free_port};

#[path = "../services/session/tests/session/issuer.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "a test, of which the session service's own tests need more"
)]
mod issuer;

use issuer::{DEVICE_CLIENT, FIRST, Issuer};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

/// One terminal proposes a game and prints what the other has to type; that one is told what is proposed, and both play it.
#[test]
fn a_friend_joins_by_the_code_that_was_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = at("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8")];
    let _server = Process::start(Path::new(BINARY), &args, &at("log")).expect("a server");
    let url = format!("http://{address}");

    let proposal = ["challenge", "--preset", "weiqi", "--color", "white", "--seconds", "60"];
    let mut ann = play(&url, &at("a"), &proposal, &["D5"]);
    let mut output = BufReader::new(ann.stdout.take().expect("a pipe"));
    let mut said = String::new();
    let code = loop {
        let begin = said.len();
        assert!(output.read_line(&mut said).expect("UTF-8") > 0, "no code: {said}");
        if let Some((_, code)) = said[begin..].split_once("nigiri play join ") {
            break code.trim().to_owned();
        }
    };
    let bob = printed(play(&url, &at("b"), &["join", &code], &["E5", "resign"]));
    output.read_to_string(&mut said).expect("UTF-8");
    assert!(ann.wait().expect("ended").success(), "{said}");
    assert!(bob.contains("proposes an unrated weiqi on 9x9, 60 s a move, and has White"), "{bob}");
    assert!(said.contains("has accepted"), "{said}");
    assert_eq!((results(&said), results(&bob)), (vec!["result: W+R"], vec!["result: W+R"]));

    let again = play(&url, &at("c"), &["join", &code], &[]).wait_with_output().expect("ended");
    assert!(!again.status.success());
}

/// Starts `nigiri play` with its session in this file, and gives it all its lines at once.
fn play(server: &str, session: &Path, args: &[&str], lines: &[&str]) -> Child {
    let mut child = Command::new(BINARY)
        .args(["play", "--server", server, "--session-file"])
        .arg(session)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all((lines.join("\n") + "\n").as_bytes()).expect("written");
    child
}

/// What it printed, once it has ended well.
fn printed(child: Child) -> String {
    let out = child.wait_with_output().expect("ended");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(out.status.success(), "{}: {text}", out.status);
    text
}

fn results(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("result: ") || line.starts_with("rating: ")).collect()
}

/// Two terminals that ask for a random opponent meet, are told why a move is refused, play to two passes, and print the same
/// result and the same new ratings. A third one begins a game against an AI, leaves it, and goes on with it where it was.
#[test]
fn two_terminals_meet_and_a_third_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = at("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--bot-delay", "0s"];
    let _server = Process::start(Path::new(BINARY), &args, &at("log")).expect("a server");
    let url = format!("http://{address}");

    let strangers = ["match", "--rated", "--no-ai", "--preset", "territory"];
    let a = play(&url, &at("a"), &strangers, &["I5", "E5", "E5", "pass", "pass", "pass"]);
    let b = play(&url, &at("b"), &strangers, &["E5", "D5", "D5", "pass", "pass", "pass"]);
    let (a, b) = (printed(a), printed(b));
    assert!(a.contains("\"I5\" is not a point"), "{a}");
    assert!(
        a.contains("there is a stone on that point") && b.contains("there is a stone on that point"),
        "{a}{b}"
    );
    assert_eq!((results(&a), results(&a).len()), (results(&b), 3));
    assert!(results(&a)[0].contains("+"), "{a}");

    let left = printed(play(&url, &at("c"), &["ai", "--level", "easy", "--color", "black"], &["E5", "quit"]));
    assert!(left.contains("nigiri play resume"), "{left}");
    let resumed = printed(play(&url, &at("c"), &["resume"], &["resign"]));
    assert!(resumed.contains("X") && resumed.contains("Move 3"), "the game stands where it was: {resumed}");
    assert_eq!(results(&resumed), ["result: W+R"], "{resumed}");
}

/// A session file of `nigiri play`.
fn kept(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).expect("a session")).expect("JSON")
}

/// What a server says in its options of a provider that the test plays, for terminals.
fn provided(issuer: &Issuer) -> Vec<String> {
    let of = issuer.args().provider;
    let url = |name: &str, value: &str| format!("--session-oidc-{name}={value}");
    vec![
        url("client-ids", &of.oidc_client_ids.join(",")),
        url("device-client-id", DEVICE_CLIENT),
        url("issuer", "https://login.example/realms/go"),
        url("jwks-url", of.oidc_jwks_url.as_str()),
        url("token-url", of.oidc_token_url.as_str()),
        url("device-url", of.oidc_device_url.as_str()),
    ]
}

/// The ID token that the provider gives a terminal whose person has agreed.
fn agreed() -> Value {
    let seconds = to_millis(platform::clock::Clock::system().now()) / 1000;
    let claims = json!({
        "iss": "https://login.example/realms/go", "aud": DEVICE_CLIENT, "azp": DEVICE_CLIENT, "sub": "person-1",
        "iat": seconds, "exp": seconds + 3600, "email": "honinbo@mail.example",
    });
    json!({ "id_token": FIRST.sign(&claims) })
}

/// `nigiri play --sign-in` with a provider that is not Google: a guest who signs in goes on with the game they are in, as a member under
/// the same name; the guest of another terminal becomes part of that member, and that game goes on as well. Neither log nor terminal has a secret.
#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_signs_in_and_its_game_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let issuer = Issuer::start().await;
    issuer.may_be_asked_every(1);
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = at("data");
    let options = provided(&issuer);
    let mut args =
        vec!["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--log", "debug"];
    args.extend(options.iter().map(String::as_str));
    let mut server = Process::start(Path::new(BINARY), &args, &at("log")).expect("a server");
    let url = format!("http://{address}");

    let mut ids = Vec::new();
    let (mut said, mut secrets) = (String::new(), vec!["a device code".to_owned()]);
    let mut keep = |kept: &Value| {
        let tokens =
            ["access_token", "refresh_token"].map(|field| kept[field].as_str().expect("a token").to_owned());
        secrets.extend(tokens);
    };
    for terminal in ["a", "b"] {
        let file = at(terminal);
        let left = play(
            &url,
            &file,
            &["--name", "Honinbo", "ai", "--level", "easy", "--color", "black"],
            &["E5", "quit"],
        );
        said += &tokio::task::spawn_blocking(move || printed(left)).await.expect("played");
        let guest = kept(&file);
        keep(&guest);
        let agreed = agreed();
        let pending = json!({ "error": "authorization_pending" });
        issuer.device_answers([pending, agreed.clone()]);
        let resumed = play(&url, &file, &["--sign-in", "resume"], &["resign"]);
        let resumed = tokio::task::spawn_blocking(move || printed(resumed)).await.expect("played");
        assert!(resumed.contains("Open https://provider.example/device and type GQVQ-JKEC"), "{resumed}");
        assert!(resumed.contains("Move 3"), "the game stands where it was: {resumed}");
        assert_eq!(results(&resumed), ["result: W+R"], "{resumed}");
        said += &resumed;
        let member = kept(&file);
        keep(&member);
        keep(&json!({ "access_token": agreed["id_token"], "refresh_token": agreed["id_token"] }));
        assert_eq!(member["member"], true);
        ids.push((guest["player_id"].clone(), member["player_id"].clone()));
    }
    let [(first, member), (second, same)] = &ids[..] else { panic!("{ids:?}") };
    assert!(first == member && member == same && second != same, "{ids:?}");
    server.kill().expect("killed");
    said += &std::fs::read_to_string(at("log")).expect("a log");
    assert!(said.contains("DEBUG"), "{said}");
    for secret in secrets {
        assert!(secret.len() > 12 && !said.contains(&secret), "a secret is in the log");
    }
    assert!(!said.contains("mail.example"), "neither is an e-mail address");
}
