//! One port for everything, and what `nigiri dev` says when it cannot have its port or its folder.
#![allow(missing_docs, reason = "a test")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use futures::StreamExt;
use nigiri_proto::session::v1::{
    SignInAsGuestRequest, SignInAsGuestResponse, session_service_client::SessionServiceClient,
};
use prost::Message;
use testkit::{Process, free_port};
use tonic::transport::Endpoint;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

/// One HTTP/1.1 exchange: the head and the body of the answer.
fn http(address: &str, head: &str, body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let head =
        format!("{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    (String::from_utf8_lossy(&answer[..end]).to_lowercase(), answer[end..].to_vec())
}

/// gRPC with reflection and health, gRPC-Web over HTTP/1.1, metrics, probes and the public keys: all on one port, right after the
/// start.
#[tokio::test(flavor = "multi_thread")]
async fn one_port_serves_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8")];
    let mut server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");

    let channel = Endpoint::from_shared(format!("http://{address}")).expect("an address").connect_lazy();
    let check = HealthCheckRequest { service: "nigiri.game.v1.GameService".into() };
    let health = HealthClient::new(channel.clone()).check(check).await.expect("healthy").into_inner();
    assert_eq!(health.status(), ServingStatus::Serving);
    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers =
        ServerReflectionClient::new(channel).server_reflection_info(futures::stream::iter([list])).await;
    let answer = answers.expect("reflection").into_inner().next().await.expect("an answer").expect("a list");
    let Some(MessageResponse::ListServicesResponse(services)) = answer.message_response else {
        panic!("no list")
    };
    let names: Vec<String> = services.service.into_iter().map(|service| service.name).collect();
    for service in ["session", "game", "matchmaking", "rating", "bot"] {
        assert!(
            names.iter().any(|name| name.starts_with(&format!("nigiri.{service}.v1."))),
            "{service} in {names:?}"
        );
    }

    let request = SignInAsGuestRequest { nickname: "Browser".into(), ..Default::default() }.encode_to_vec();
    let frame = [&[0][..], &(request.len() as u32).to_be_bytes(), &request].concat();
    let head = "POST /nigiri.session.v1.SessionService/SignInAsGuest HTTP/1.1\r\ncontent-type: application/grpc-web+proto\r\n\
                x-grpc-web: 1\r\norigin: http://localhost:5173";
    let (head, body) = http(&address, head, &frame);
    assert!(head.starts_with("http/1.1 200") && head.contains("access-control-allow-origin"), "{head}");
    let at = body.windows(5).position(|five| five[0] == 0 && five[1] == 0 && five[2] == 0).expect("a frame");
    let length = u32::from_be_bytes([body[at + 1], body[at + 2], body[at + 3], body[at + 4]]) as usize;
    let answer = SignInAsGuestResponse::decode(&body[at + 5..at + 5 + length]).expect("an answer");
    assert_eq!(answer.player.expect("a player").name, "Browser");

    let get = |path: &str| http(&address, &format!("GET {path} HTTP/1.1"), b"");
    let text = |body: Vec<u8>| String::from_utf8(body).expect("UTF-8");
    let (head, body) = get("/metrics");
    let metrics = text(body);
    assert!(head.starts_with("http/1.1 200") && metrics.contains("nigiri_rpc_calls{"), "{head}{metrics}");
    assert!(!metrics.contains(&answer.tokens.expect("tokens").refresh_token), "a secret in the metrics");
    let (head, page) = get("/");
    assert!(head.starts_with("http/1.1 200") && head.contains("content-security-policy"), "{head}");
    assert!(!head.contains("unsafe"), "{head}");
    let page = text(page);
    if head.contains("text/html") {
        // The page is in the binary: every address of it is the same page, and the scripts that it asks for come compressed.
        assert_eq!(text(get("/game/0191e1d2-0000-7000-8000-000000000000").1), page);
        let said = |wanted: fn(&&str) -> bool| page.split(['"', '`']).find(wanted);
        let folder = said(|part| part.starts_with("/assets/") && part.ends_with('/')).expect("a folder");
        let script = said(|part| part.ends_with(".js") && !part.contains('/')).expect("a script");
        let asked = format!("GET {folder}{script} HTTP/1.1\r\naccept-encoding: gzip, br");
        let (head, _) = http(&address, &asked, b"");
        assert!(head.contains("content-encoding: br") && head.contains("immutable"), "{head}");
        assert!(get("/assets/none.js").0.starts_with("http/1.1 404"));
        let (head, nowhere) = get("/nowhere");
        assert!(head.starts_with("http/1.1 404") && text(nowhere) == page, "{head}");
    } else {
        assert!(page.contains("make web"), "{page}");
    }
    let (head, body) = get("/.well-known/jwks.json");
    assert!(head.starts_with("http/1.1 200") && text(body).contains("\"Ed25519\""), "{head}");
    assert!(
        get("/health/live").0.starts_with("http/1.1 200")
            && get("/health/ready").0.starts_with("http/1.1 200")
    );

    // A second process on the same folder is told so; SIGTERM ends the first one cleanly.
    let second = dev(&["--listen", "127.0.0.1:0", "--data", data.to_str().expect("UTF-8")]);
    assert_says(&second, &["nigiri.db", "another process", "--data"]);
    let kill = Command::new("kill").arg(server.id().to_string()).status().expect("kill runs");
    assert!(kill.success() && server.wait().expect("an end").success());
}

/// The services' traits have a body that refuses for each RPC, which is what fakes of tests want; so a service could forget one.
/// A guest with an empty request is refused in many ways, but by no RPC as one that is not there.
#[tokio::test(flavor = "multi_thread")]
async fn every_rpc_of_the_protos_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8")];
    let _server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let channel = Endpoint::from_shared(format!("http://{address}")).expect("an address").connect_lazy();
    let request = SignInAsGuestRequest { nickname: "Walker".into(), ..Default::default() };
    let answer = SessionServiceClient::new(channel.clone()).sign_in_as_guest(request).await.expect("a guest");
    let token = answer.into_inner().tokens.expect("tokens").access_token;

    let mut paths = paths();
    // What ends the guest comes last.
    paths.sort_by_key(|path| path.ends_with("/DeleteAccount"));
    assert!(paths.len() > 30, "{paths:?}");
    for path in paths {
        let mut request = tonic::Request::new(());
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ASCII"));
        request.set_timeout(Duration::from_secs(5));
        let mut client = tonic::client::Grpc::new(channel.clone());
        client.ready().await.expect("a connection");
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let uri = path.parse().expect("a path");
        let answer = client.server_streaming(request, uri, codec).await;
        let refused = match answer {
            Ok(answer) => answer.into_inner().message().await.err(),
            Err(status) => Some(status),
        };
        let code = refused.map(|status| status.code());
        assert_ne!(code, Some(tonic::Code::Unimplemented), "{path}");
    }
}

/// The paths of all RPCs.
fn paths() -> Vec<String> {
    let set = prost_types::FileDescriptorSet::decode(nigiri_proto::DESCRIPTOR_SET).expect("a descriptor set");
    let mut paths = Vec::new();
    for file in &set.file {
        for service in file.service.iter().filter(|_| file.package().starts_with("nigiri.")) {
            let path = |method: &str| format!("/{}.{}/{method}", file.package(), service.name());
            paths.extend(service.method.iter().map(|method| path(method.name())));
        }
    }
    paths
}

/// The first start and later ones are ready within a second (the quickest of three counts: the machine has other work), and whoever stops the
/// process at that very moment still gets an orderly end.
#[test]
fn it_is_ready_within_a_second_and_can_be_stopped_from_then_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let times = (0..3).map(|_| {
        let begun = Instant::now();
        let data = folder.path().join("data");
        let args = ["dev", "--listen", "127.0.0.1:0", "--data", data.to_str().expect("UTF-8")];
        let mut server =
            Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
        let ready = begun.elapsed();
        let kill = Command::new("kill").arg(server.id().to_string()).status().expect("kill runs");
        let end = server.wait().expect("an end");
        assert!(kill.success() && end.success(), "{end}");
        ready
    });
    let quickest = times.min().expect("three times");
    assert!(quickest < Duration::from_secs(1), "ready after {quickest:?}");
}

fn dev(args: &[&str]) -> Output {
    Command::new(BINARY).arg("dev").args(args).output().expect("the binary runs")
}

fn assert_says(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it should not have started: {said}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} in {said}");
    }
}

/// A port or a folder that cannot be had, and a wrong option, each end the process with an error that says what was wrong and what to
/// do.
#[test]
fn what_cannot_be_had_is_a_clear_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("UTF-8");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    assert_says(&dev(&["--listen", &address, "--data", data]), &[&address, "--listen"]);
    assert!(!Path::new(data).exists(), "nothing was touched");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file");
    let inside = file.join("data");
    assert_says(&dev(&["--listen", "127.0.0.1:0", "--data", inside.to_str().expect("UTF-8")]), &["--data"]);
    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).expect("a folder");
    std::fs::write(foreign.join("nigiri.db"), "no database".repeat(1000)).expect("a file");
    let foreign = foreign.to_str().expect("UTF-8");
    assert_says(
        &dev(&["--listen", "127.0.0.1:0", "--data", foreign]),
        &["nigiri.db", "not a database", "--data"],
    );
    let wrong = dev(&["--listen", "nowhere"]);
    assert_says(&wrong, &["nowhere", "NIGIRI_LISTEN"]);
    assert_eq!(wrong.status.code(), Some(64));
}
