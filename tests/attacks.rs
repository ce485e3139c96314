//! What an attacker sends, and what may never come of it.
#![allow(missing_docs, reason = "a test")]

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use nigiri_client::{AiLevel, Client, Color, Finding};
use nigiri_proto::{
    matchmaking::v1::{FindMatchRequest, MatchSettings},
    session::v1::{RefreshSessionRequest, session_service_client::SessionServiceClient},
};
use platform::{network::Peer, status::reason_of};
use prost::{Message, encoding::encode_key, encoding::encode_varint};
use prost_types::{DescriptorProto, FileDescriptorSet, field_descriptor_proto::Type};
use testkit::{Process, World, free_port};
use tonic::{
    Code, Request, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

/// What has broken a store, a page, a terminal or a file system somewhere.
const PAYLOADS: [&str; 9] = [
    "'; DROP TABLE players; --",
    "' OR '1'='1",
    "x\r\nFLUSHALL\r\n",
    "{game:1}*?[a-z]",
    "../../../etc/passwd",
    "<script>alert(1)</script>",
    "\u{202e}\u{200b}\u{1b}[2J",
    "nul\0nul",
    "$(reboot)`reboot`%n%s{{7*7}}",
];

/// Messages as they are.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        let all = bytes::Buf::remaining(buffer);
        bytes::Buf::advance(buffer, all);
        Ok(Some(()))
    }
}

/// The API's methods: the path of each with its request's description.
struct Api {
    set: FileDescriptorSet,
}

impl Api {
    fn methods(&self) -> Vec<(String, String)> {
        let mut methods = Vec::new();
        for file in self.set.file.iter().filter(|file| file.package().starts_with("nigiri.")) {
            for service in &file.service {
                let path = |name: &str| format!("/{}.{}/{name}", file.package(), service.name());
                let method = |method: &prost_types::MethodDescriptorProto| {
                    (path(method.name()), method.input_type().to_owned())
                };
                methods.extend(service.method.iter().map(method));
            }
        }
        methods
    }

    fn find(&self, name: &str) -> Option<&DescriptorProto> {
        self.set.file.iter().find_map(|file| {
            let local = name.strip_prefix(&format!(".{}.", file.package()))?;
            file.message_type.iter().find(|message| message.name() == local)
        })
    }

    /// A message with this text in each field that takes one, also within other messages.
    fn fill(&self, name: &str, text: &str, depth: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in self.find(name).into_iter().flat_map(|message| &message.field) {
            let value = match field.r#type() {
                Type::String | Type::Bytes => text.as_bytes().to_vec(),
                Type::Message if depth > 0 => self.fill(field.type_name(), text, depth - 1),
                _ => continue,
            };
            let number = u32::try_from(field.number()).expect("a number");
            encode_key(number, prost::encoding::WireType::LengthDelimited, &mut bytes);
            encode_varint(value.len() as u64, &mut bytes);
            bytes.extend(value);
        }
        bytes
    }
}

fn quick() -> FindMatchRequest {
    let accepts = vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }];
    FindMatchRequest { accepts, allow_ai: true, ..FindMatchRequest::default() }
}

/// Text that breaks out of SQL, of Redis' protocol, of pages, paths and terminals, in every text field of every RPC, from a guest, from a
/// service and from nobody: each is refused or taken as text. Nothing is taken for a bug of ours, and nothing is damaged: sessions, a game
/// and the queue go on.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_in_every_field_does_nothing() {
    let world = World::start().await;
    let player = world.guest("Honinbo").await;
    let begun = player.start_ai_game(AiLevel::Easy, Color::Black).await.expect("a game");
    let attacker = world.guest("Attacker").await;
    let api = Api { set: FileDescriptorSet::decode(nigiri_proto::DESCRIPTOR_SET).expect("descriptors") };
    let service = world.context().channel("attacker", Peer::Game).expect("a channel");
    let token = format!("Bearer {}", attacker.tokens().access_token);
    let mut answered = 0;
    let mut methods = api.methods();
    // What ends the attacker's own account comes last.
    methods.sort_by_key(|(path, _)| path.ends_with("/DeleteAccount"));
    assert!(methods.len() > 40, "{}", methods.len());
    for (path, input) in methods {
        for text in PAYLOADS {
            let message = api.fill(&input, text, 3);
            for caller in ["guest", "service", "nobody"] {
                let mut request = Request::new(message.clone());
                request.set_timeout(Duration::from_secs(10));
                let path = path.parse().expect("a path");
                let status = if caller == "service" {
                    let mut grpc = tonic::client::Grpc::new(service.clone());
                    grpc.ready().await.expect("a connection");
                    first(grpc.server_streaming(request, path, Raw).await).await
                } else {
                    if caller == "guest" {
                        request.metadata_mut().insert("authorization", token.parse().expect("ASCII"));
                    }
                    let mut grpc = tonic::client::Grpc::new(world.channel());
                    grpc.ready().await.expect("a connection");
                    first(grpc.server_streaming(request, path, Raw).await).await
                };
                answered += 1;
                let Some(status) = status else { continue };
                let code = status.code();
                assert!(
                    !matches!(code, Code::Internal | Code::Unknown | Code::DataLoss | Code::Unimplemented),
                    "{text:?} from {caller}: {status:?}"
                );
                assert!(status.message().len() < 1000, "a refusal repeats no long input");
            }
        }
    }
    println!("{answered} calls");
    let game = player.game(begun.game_id.parse().expect("an id"));
    game.play(0, "E5").await.expect("the game goes on");
    let request = RefreshSessionRequest { refresh_token: player.tokens().refresh_token };
    SessionServiceClient::new(world.channel()).refresh_session(request).await.expect("the session goes on");
    let mut search = world.guest("Waiting").await.find_match(quick());
    assert!(matches!(search.next().await, Some(Ok(Finding::Queued(_)))), "the queue goes on");
    world.stop().await;
}

/// The refusal, or the first message's end.
async fn first(answer: Result<tonic::Response<tonic::Streaming<()>>, Status>) -> Option<Status> {
    match answer {
        Ok(answer) => {
            let mut stream = answer.into_inner();
            // A stream that goes on says nothing more for now.
            let next = tokio::time::timeout(Duration::from_millis(200), stream.message()).await;
            next.ok().and_then(Result::err)
        }
        Err(status) => Some(status),
    }
}

/// No secret of a run is in its log, at the level at which operators look for faults: neither tokens nor what they were had for.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--log", "debug"];
    let mut server = Process::start(Path::new(BINARY), &args, &log).expect("a server");
    let url = format!("http://{address}");
    let client = Client::connect(&url).expect("an address");
    let mut secrets = Vec::new();
    let mut keep = |tokens: nigiri_proto::session::v1::Tokens| {
        let signature = tokens.access_token.rsplit('.').next().expect("a signature").to_owned();
        secrets.extend([tokens.access_token, signature, tokens.refresh_token]);
    };
    let guest = client.sign_in_as_guest("Honinbo").await.expect("a guest");
    keep(guest.tokens());
    let restored = client.restore(&guest.tokens().refresh_token).await.expect("restored");
    keep(restored.tokens());
    let begun = restored.start_ai_game(AiLevel::Easy, Color::Black).await.expect("a game");
    let game = restored.game(begun.game_id.parse().expect("an id"));
    game.play(0, "E5").await.expect("a move");
    // What fails is logged most.
    let wrong = "wrong-secret-of-somebody-0123456789";
    client.restore(wrong).await.expect_err("no good");
    // The answer to the first use may have been lost, so for a moment the token before is good, once more.
    keep(client.restore(&guest.tokens().refresh_token).await.expect("in time").tokens());
    assert!(client.sign_in_bot("Bot", wrong).await.is_err());
    let mut request = Request::new(nigiri_proto::session::v1::ListSessionsRequest {});
    let forged = format!("Bearer {}x", restored.tokens().access_token);
    request.metadata_mut().insert("authorization", forged.parse().expect("ASCII"));
    let channel = tonic::transport::Endpoint::from_shared(url.clone()).expect("an address").connect_lazy();
    let refused = SessionServiceClient::new(channel).list_sessions(request).await.expect_err("forged");
    assert_eq!(refused.code(), Code::Unauthenticated, "{refused} {:?}", reason_of(&refused));
    secrets.push(wrong.to_owned());
    // A player in a terminal, whose log is what it prints.
    let file = folder.path().join("session.json");
    let played = Command::new(BINARY)
        .args(["play", "--server", &url, "--session-file", file.to_str().expect("UTF-8"), "ai"])
        .stdin(Stdio::null())
        .output()
        .expect("nigiri play runs");
    let kept: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a session")).expect("JSON");
    for field in ["access_token", "refresh_token"] {
        secrets.push(kept[field].as_str().expect("a token").to_owned());
    }
    server.kill().expect("killed");

    let mut logged = std::fs::read_to_string(&log).expect("a log");
    assert!(logged.contains("DEBUG") && logged.len() > 1000, "the log says something: {logged}");
    logged.push_str(&String::from_utf8_lossy(&played.stdout));
    logged.push_str(&String::from_utf8_lossy(&played.stderr));
    for secret in secrets {
        assert!(secret.len() > 16 && !logged.contains(&secret), "a secret is in the log");
    }
}

/// Plays with the swarm for a while: the 99th percentile from a move to the opponent's notice, in milliseconds.
fn quantile_of_swarm(url: &str) -> f64 {
    let out = Command::new(BINARY)
        .args(["swarm", "--json", "--server", url, "--pairs", "4", "--seconds", "5"])
        .stdin(Stdio::null())
        .output()
        .expect("a swarm");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let report: serde_json::Value =
        serde_json::from_str(text.lines().last().expect("a report")).expect("JSON");
    assert!(out.status.success(), "the swarm found faults: {report}");
    assert!(report["moves_acked"].as_u64() > Some(0), "{report}");
    report["p99_ms"].as_f64().expect("a figure")
}

/// A thousand wrong sign-ins a second from one address: nearly all are refused before anything is looked up, with the time to wait, and people at
/// other addresses sign in and play as before. Prints the p99 of moves without and with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_wrong_sign_ins_disturbs_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args =
        ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--limit-loopback", "true"];
    let _server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let url = format!("http://{address}");
    let quiet = tokio::task::spawn_blocking({
        let url = url.clone();
        move || quantile_of_swarm(&url)
    });
    let quiet = quiet.await.expect("a swarm");

    // Another address of this machine.
    let elsewhere = "127.0.0.2".parse().expect("an address");
    let endpoint = tonic::transport::Endpoint::from_shared(url.clone()).expect("an address");
    let flood = SessionServiceClient::new(endpoint.local_address(Some(elsewhere)).connect_lazy());
    let (sent, turned_away) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let counts = (Arc::clone(&sent), Arc::clone(&turned_away));
    let flooding = tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_millis(10));
        let mut calls = tokio::task::JoinSet::new();
        loop {
            tick.tick().await;
            for _ in 0..10 {
                let (mut flood, counts) = (flood.clone(), counts.clone());
                calls.spawn(async move {
                    let refresh_token = "A".repeat(64);
                    let refused = flood.refresh_session(RefreshSessionRequest { refresh_token }).await;
                    let reason = reason_of(&refused.expect_err("no such token")).unwrap_or_default();
                    counts.0.fetch_add(1, Ordering::Relaxed);
                    counts.1.fetch_add(u64::from(reason == "RATE_LIMITED"), Ordering::Relaxed);
                });
            }
            while calls.try_join_next().is_some() {}
        }
    });
    let begun = std::time::Instant::now();
    let flooded = tokio::task::spawn_blocking(move || quantile_of_swarm(&url)).await.expect("a swarm");
    let (sent, turned_away) = (sent.load(Ordering::Relaxed), turned_away.load(Ordering::Relaxed));
    flooding.abort();
    let rate = sent as f64 / begun.elapsed().as_secs_f64();
    println!(
        "p99 of moves: {quiet:.1} ms without, {flooded:.1} ms with {rate:.0} wrong sign-ins a second, \
         {turned_away} of {sent} turned away"
    );
    assert!(turned_away * 10 > sent * 5, "{turned_away} of {sent}");
}

/// A server that may open few files is beset with connections that say nothing: it does not crash, says so to whoever comes, and those who
/// are in go on. When the others have gone, there is room again.
#[tokio::test(flavor = "multi_thread")]
async fn at_the_limit_of_open_files_those_who_are_in_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let command = format!(
        "ulimit -n 128; exec {BINARY} dev --listen {address} --data {} --handshake-time 1h",
        data.display()
    );
    let log = folder.path().join("log");
    let _server = Process::start(Path::new("/bin/sh"), &["-c", &command], &log).expect("a server");
    let url = format!("http://{address}");
    let player = Client::connect(&url).expect("an address").sign_in_as_guest("Inside").await.expect("in");
    let begun = player.start_ai_game(AiLevel::Easy, Color::Black).await.expect("a game");
    let game = player.game(begun.game_id.parse().expect("an id"));

    let mut besiegers = Vec::new();
    for _ in 0..300 {
        besiegers.push(tokio::net::TcpStream::connect(&address).await.expect("a connection"));
    }
    let newcomer = || {
        SessionServiceClient::new(
            tonic::transport::Endpoint::from_shared(url.clone()).expect("an address").connect_lazy(),
        )
    };
    let request = || nigiri_proto::session::v1::SignInAsGuestRequest {
        nickname: "Outside".to_owned(),
        ..Default::default()
    };
    let refused = testkit::eventually("a clear refusal", Duration::from_secs(30), || async {
        let refused = newcomer().sign_in_as_guest(request()).await.err()?;
        (refused.code() == Code::ResourceExhausted).then_some(refused)
    })
    .await;
    println!("{refused}");
    game.play(0, "E5").await.expect("those who are in go on");
    drop(besiegers);
    testkit::eventually("room again", Duration::from_secs(30), || async {
        newcomer().sign_in_as_guest(request()).await.ok()
    })
    .await;
    let log = std::fs::read_to_string(&log).expect("a log");
    assert!(!log.contains("panicked"), "{log}");
}
