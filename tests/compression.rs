//! What goes over the wire to a client that wishes long answers compressed.
#![allow(missing_docs, reason = "a test")]

#[path = "../examples/rust/random.rs"]
mod random;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

use futures::StreamExt;
use nigiri_client::{
    AiLevel, Client, Color, Endpoints, Options, Session, follow,
    proto::game::v1::{GameEvent, GameRecord, GameSnapshot},
};
use testkit::{Process, free_port};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Moves of ours after which a record is long.
const MOVES: usize = 20;

/// From so many bytes on, messages are compressed: what docs/clients.md says.
const LONG: usize = 1024;

/// A way to the server that keeps what came back over it, connection by connection.
struct Wire {
    url: String,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Wire {
    async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let heard: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let all = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("the server");
                let number = {
                    let mut all = all.lock().expect("no panic");
                    all.push(Vec::new());
                    all.len() - 1
                };
                tokio::spawn(carry(client, server, Arc::clone(&all), number));
            }
        });
        Self { url, heard }
    }

    /// Every message of gRPC that came, as its mark and its length.
    fn messages(&self) -> Vec<(u8, usize)> {
        self.heard.lock().expect("no panic").iter().flat_map(|bytes| messages(bytes)).collect()
    }
}

async fn carry(client: TcpStream, server: TcpStream, all: Arc<Mutex<Vec<Vec<u8>>>>, number: usize) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
        all.lock().expect("no panic")[number].extend_from_slice(&buffer[..count]);
        if to_client.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

/// The messages in the DATA frames of a connection (RFC 9113, section 4.1), whose last frame may not be all there.
fn messages(mut bytes: &[u8]) -> Vec<(u8, usize)> {
    const DATA: u8 = 0;
    const PADDED: u8 = 8;
    let mut streams: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    while let Some(([a, b, c, kind, flags, id @ ..], rest)) = bytes.split_first_chunk::<9>() {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let Some((payload, rest)) = rest.split_at_checked(length) else { break };
        if *kind == DATA {
            assert_eq!(flags & PADDED, 0, "the server pads nothing");
            streams.entry(u32::from_be_bytes(*id)).or_default().extend_from_slice(payload);
        }
        bytes = rest;
    }
    let of_stream = |body: &Vec<u8>| {
        let (mut found, mut rest) = (Vec::new(), &body[..]);
        while let Some((mark, length)) = gzip::head(rest) {
            found.push((mark, length));
            rest = rest.get(gzip::HEAD + length..).unwrap_or_default();
        }
        found
    };
    streams.values().flat_map(of_stream).collect()
}

/// Plays a game against the AI, following it, and gives its record.
async fn play(session: &Session) -> GameRecord {
    let begun = session.start_ai_game(AiLevel::Easy, Color::Black).await.expect("a game");
    let game = session.game(begun.game_id.parse().expect("an id"));
    let (mut watch, mut now) = (game.watch(None), GameSnapshot::default());
    while now.moves.len() < 2 * MOVES && now.result.is_none() {
        let watched = watch.next().await.expect("the game goes on").expect("the game goes on");
        let news = follow(&mut now, watched).expect("a position");
        if news && now.state.as_ref().is_some_and(|state| state.turn() == Color::Black) {
            random::answer(session, &now).await.expect("a move");
        }
    }
    if now.result.is_none() {
        // So that nothing comes any more. The AI may have resigned at this moment.
        let _over = game.resign().await;
    }
    game.record().await.expect("a record")
}

/// What anybody is told of a game.
fn events(record: &GameRecord) -> Vec<(u64, &[GameEvent])> {
    record.entries.iter().map(|entry| (entry.sequence, &entry.events[..])).collect()
}

/// A client that wishes so is sent long messages compressed and short ones as they are, by calls and by streams, and reads the same from
/// them as a client that does not, to whom nothing comes compressed.
#[tokio::test(flavor = "multi_thread")]
async fn long_answers_come_compressed_to_whoever_wishes() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--bot-delay", "0ms"];
    let binary = Path::new(env!("CARGO_BIN_EXE_nigiri"));
    let _server = Process::start(binary, &args, &folder.path().join("log")).expect("a server");
    for gzip in [false, true] {
        let wire = Wire::before(address.clone()).await;
        let options = Options { gzip, ..Options::default() };
        let endpoints = Endpoints::everywhere([wire.url.as_str()]);
        let client = Client::with_endpoints(&endpoints, options).expect("an address");
        let session = client.sign_in_as_guest("Reader").await.expect("signed in");
        let record = play(&session).await;
        let plainly = Client::connect(&format!("http://{address}")).expect("an address");
        let other = plainly.sign_in_as_guest("Other").await.expect("signed in");
        let game = other.game(record.game_id.parse().expect("an id"));
        assert_eq!(events(&game.record().await.expect("a record")), events(&record));

        let heard = wire.messages();
        let long = heard.iter().filter(|(mark, length)| *mark == 0 && *length >= LONG).count();
        let packed: Vec<_> = heard.iter().filter(|(mark, _)| *mark == 1).map(|(_, length)| length).collect();
        let short = heard.iter().filter(|(mark, _)| *mark == 0).count() - long;
        println!("gzip {gzip}: {short} short, {long} long, compressed {packed:?}");
        assert!(short > MOVES, "updates and answers are short");
        assert_eq!((long == 0, packed.is_empty()), (gzip, !gzip));
    }
}
