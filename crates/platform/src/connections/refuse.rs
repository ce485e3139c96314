//! What a connection is told that cannot be let in.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::Full;

/// Connections that are being told so at a time; more are closed without a word.
pub const AT_ONCE: usize = 8;

/// How long it may take.
pub const TIME: Duration = Duration::from_secs(1);

/// How an HTTP/2 connection begins.
const PREFACE: &[u8] = b"PRI * HTTP/2.0";

/// Says in the client's own protocol that there is no room. It is closed when this returns.
pub async fn refuse(mut tcp: TcpStream, why: Full) {
    let words = match why {
        Full::Server => "too many connections: try again later",
        Full::Address => "too many connections from this address: use one for many calls",
    };
    let mut begin = [0; 1024];
    // What was sent is read before the answer: closing with unread bytes would take the answer with it.
    let Ok(length) = tcp.read(&mut begin).await else { return };
    let answer = if begin[..length].starts_with(PREFACE) { go_away(words) } else { unavailable(words) };
    if tcp.write_all(&answer).await.is_ok()
        && let Err(error) = tcp.shutdown().await
    {
        tracing::trace!(%error, "a refused connection has gone already");
    }
}

/// HTTP/2 (RFC 9113): empty settings, then GOAWAY with `ENHANCE_YOUR_CALM`, which gRPC clients show as RESOURCE_EXHAUSTED.
fn go_away(words: &str) -> Vec<u8> {
    const SETTINGS: u8 = 4;
    const GOAWAY: u8 = 7;
    const ENHANCE_YOUR_CALM: u8 = 11;
    let length = u8::try_from(8 + words.len()).unwrap_or(8);
    let mut frames = vec![0, 0, 0, SETTINGS, 0, 0, 0, 0, 0];
    frames.extend([0, 0, length, GOAWAY, 0, 0, 0, 0, 0]);
    frames.extend([0, 0, 0, 0, 0, 0, 0, ENHANCE_YOUR_CALM]);
    frames.extend(words.bytes().take(usize::from(length) - 8));
    frames
}

fn unavailable(words: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-type: text/plain\r\n\
         content-length: {}\r\n\r\n{words}\n",
        words.len() + 1
    )
    .into_bytes()
}
