use std::{net::SocketAddr, time::Duration};

use platform::{status::reason_of, testing::Authority};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Status, transport::Endpoint};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::world::{PATIENCE, World, call, eventually, healthy};

/// An HTTP/2 connection's beginning: the preface and empty settings.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";

/// Connects, says something, and nothing more.
async fn say(address: SocketAddr, words: &[u8]) -> TcpStream {
    let mut tcp = TcpStream::connect(address).await.unwrap();
    tcp.write_all(words).await.unwrap();
    tcp
}

/// Everything that comes until the other side hangs up.
async fn until_cut(mut tcp: TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    let end = tokio::time::timeout(PATIENCE, tcp.read_to_end(&mut all)).await.expect("never cut");
    // A connection that is reset is cut too.
    drop(end);
    all
}

/// Sends a head byte by byte, as slowly as a server might bear, until it is cut.
async fn trickle(address: SocketAddr) {
    let mut tcp = say(address, b"GET / HTTP/1.1\r\nhost: x\r\nx-slow: ").await;
    let trickling = async {
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        loop {
            tick.tick().await;
            if tcp.write_all(b"x").await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, trickling).await.expect("never cut");
}

/// Whoever opens a door and does not walk through it is put out: without a word, in the middle of a head that trickles, and with an
/// HTTP/2 connection that asks for nothing. While all slots are held like that, others are told so in their own protocol; afterwards
/// they are served.
#[tokio::test(flavor = "multi_thread")]
async fn a_door_that_nobody_walks_through_is_shut() {
    let world = World::with(&["--max-connections", "4", "--handshake-time", "2s"]).await;
    let at = world.address;
    let silent = say(at, b"").await;
    let half = say(at, HTTP2).await;
    let other = say(at, HTTP2).await;
    let slow = tokio::spawn(trickle(at));
    let channel = || Endpoint::from_shared(format!("http://{at}")).unwrap().connect_lazy();
    // A connection that breaks before the client has heard why says only that it broke.
    let full = |status: &Status| status.code() == Code::ResourceExhausted;
    eventually("no room", || async { healthy(channel()).await.err().filter(full) }).await;
    let browser = say(at, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let answer = String::from_utf8(until_cut(browser).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after"), "{answer}");

    for tcp in [silent, half, other] {
        until_cut(tcp).await;
    }
    slow.await.unwrap();
    eventually("room again", || async { healthy(channel()).await.ok() }).await;
    world.stop().await;
}

/// A TLS handshake that is never finished holds its slot no longer than any other silence.
#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_never_ends_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let files = Authority::new().unwrap().certify(folder.path(), "server").unwrap();
    let (cert, key) = (files.cert.to_str().unwrap(), files.key.to_str().unwrap());
    let options = ["--tls-cert", cert, "--tls-key", key, "--handshake-time", "500ms"];
    let world = World::with(&options).await;
    // The head of a handshake message that never comes.
    for words in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
        until_cut(say(world.address, words).await).await;
    }
    world.stop().await;
}

/// Whoever has no token holds only so many streams open from one address; one that ends makes room, and calls go through.
#[tokio::test(flavor = "multi_thread")]
async fn streams_without_a_token_are_counted() {
    let world = World::with(&["--limit-streams", "2", "--limit-loopback", "true"]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let watch = async || HealthClient::new(channel.clone()).watch(HealthCheckRequest::default()).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = watch().await.unwrap().into_inner();
        assert!(stream.message().await.unwrap().is_some());
        held.push(stream);
    }
    let refused = watch().await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("TOO_MANY_STREAMS"), "{refused}");
    drop(held);
    eventually("room", || async { watch().await.ok() }).await;
    world.stop().await;
}

/// A connection whose calls have ended is closed when it has been idle; one with an open stream goes on, however silent it is. A call that
/// lasts too long is ended with its reason.
#[tokio::test(flavor = "multi_thread")]
async fn only_idle_connections_are_closed() {
    let world = World::with(&["--idle-time", "500ms", "--limit-call-time", "300ms"]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let mut client = HealthClient::new(channel.clone());
    let mut watch = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let kept_alive = say(world.address, b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let answer = String::from_utf8(until_cut(kept_alive).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let error = call(channel, "/test.Never/Ever").await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert_eq!(reason_of(&error).as_deref(), Some("CALL_TOO_LONG"));
    let health = tokio::spawn(async move { watch.message().await });
    world.stop().await;
    let last = health.await.unwrap().expect("the stream was alive until the server went");
    assert!(last.is_some(), "and told that the server goes");
}
