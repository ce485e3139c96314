//! What somebody's own client meets at `nigiri dev`: the way from connecting to a first move, and the way back after a connection that broke.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join};
use nigiri_client::{AiLevel, Client, Color, Game, Session, Watch, Watched};
use nigiri_proto::{
    game::v1::{PerMove, TimeControl, time_control::Control},
    matchmaking::v1::CreateChallengeRequest,
    session::v1::{GetSignInOptionsRequest, session_service_client::SessionServiceClient},
};
use testkit::{Process, free_port, per_move};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::AbortHandle,
};
use tonic::transport::Endpoint;

/// How long bytes take in each direction on the way that is measured.
const DELAY: Duration = Duration::from_millis(10);

/// How long a stream is open before it is broken.
const OPEN: Duration = Duration::from_millis(1100);

/// Measures both, with so many clients and so many breaks.
pub async fn measure(clients: usize, breaks: usize) {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", free_port().unwrap());
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().unwrap()];
    let log = folder.path().join("log");
    let _server = Process::start(Path::new(&crate::binary()), &args, &log).unwrap();
    let url = format!("http://{address}");
    let mut cold = Vec::new();
    for _ in 0..clients {
        cold.push(first_move(&url).await);
    }
    println!("\n{clients} cold clients, from connecting to the first move acknowledged: {}", words(cold));
    comeback(&url, address, breaks).await;
}

/// A client that has never been there: it connects, signs in, begins a game against the AI and moves.
async fn first_move(url: &str) -> Duration {
    let since = Instant::now();
    let session = Client::connect(url).unwrap().sign_in_as_guest("Newcomer").await.unwrap();
    let begun = session.start_ai_game(AiLevel::Easy, Color::Black).await.unwrap();
    let game = session.game(begun.game_id.parse().unwrap());
    game.play(0, "E5").await.unwrap();
    let took = since.elapsed();
    // The AI is not to think while others are measured.
    game.resign().await.unwrap();
    took
}

/// Over a way with a delay: a call, a fresh `Watch` over a new connection, and a [`Watch`] whose connection is cut, to what it has missed.
async fn comeback(url: &str, address: String, breaks: usize) {
    let way = Way::before(address).await;
    let [black, white] = pair(url).await;
    let session = black.0.clone();
    let behind = Client::connect(&way.url).unwrap();
    let tokens = |client: &Client| Session::from_tokens(client, session.player(), session.tokens()).unwrap();
    let mut watch = tokens(&behind).game(black.1.id()).watch(None);
    let mut seen = sequence(&mut watch).await;
    let endpoint = Endpoint::from_shared(way.url.clone()).unwrap();
    let mut options = SessionServiceClient::new(endpoint.connect().await.unwrap());
    let (mut calls, mut fresh, mut resumed) = (Vec::new(), Vec::new(), Vec::new());
    for ply in 0..breaks {
        let since = Instant::now();
        options.get_sign_in_options(GetSignInOptionsRequest {}).await.unwrap();
        calls.push(since.elapsed());

        let since = Instant::now();
        let new = Client::connect(&way.url).unwrap();
        let mut first = tokens(&new).game(black.1.id()).watch(None);
        sequence(&mut first).await;
        fresh.push(since.elapsed());
        drop((first, new));

        tokio::time::sleep(OPEN).await;
        way.hold();
        let game = if ply % 2 == 0 { &black.1 } else { &white.1 };
        game.play(u32::try_from(ply).unwrap(), &point(ply)).await.unwrap();
        let since = Instant::now();
        way.cut();
        let next = sequence(&mut watch).await;
        resumed.push(since.elapsed());
        assert_eq!(next, seen + 1, "nothing is missed");
        seen = next;
        options = SessionServiceClient::new(endpoint.connect().await.unwrap());
    }
    println!(
        "{breaks} times, over a way of {DELAY:?} in each direction: a call {}; a fresh watch over a new connection {}; from a cut \
         connection to what was missed {}",
        words(calls),
        words(fresh),
        words(resumed)
    );
}

/// The number of the next entry that a stream tells of.
async fn sequence(watch: &mut Watch) -> u64 {
    loop {
        match watch.next().await.unwrap().unwrap() {
            Watched::Snapshot(snapshot) => return snapshot.sequence,
            Watched::Update(update) => return update.sequence,
            _ => {}
        }
    }
}

/// A game of two who do not meet on the board.
async fn pair(url: &str) -> [(Session, Game); 2] {
    let guest = async |name: &str| Client::connect(url).unwrap().sign_in_as_guest(name).await.unwrap();
    let (black, white) = join(guest("Black"), guest("White")).await;
    let hour = Some(prost_types::Duration { seconds: 600, nanos: 0 });
    let mut settings = per_move("weiqi", 7.5, 60);
    settings.board_size = 19;
    settings.move_limit = 0;
    settings.time_control = Some(TimeControl { control: Some(Control::PerMove(PerMove { time: hour })) });
    let request = CreateChallengeRequest {
        settings: Some(settings),
        color: Color::Black.into(),
        ..CreateChallengeRequest::default()
    };
    let code = black.create_challenge(request).await.unwrap().code;
    let id = white.accept_challenge(&code).await.unwrap().game_id.parse().unwrap();
    let games = [black.game(id), white.game(id)];
    let [of_black, of_white] = games;
    [(black, of_black), (white, of_white)]
}

/// Black fills the left side and White the right one, row by row.
fn point(ply: usize) -> String {
    let (columns, number) = (if ply.is_multiple_of(2) { "ABCDEFGH" } else { "LMNOPQRS" }, ply / 2);
    let column = columns.chars().nth(number % 8).unwrap();
    format!("{column}{}", 1 + number / 8)
}

/// A way to the server on which bytes take their time, and which can be held and cut.
struct Way {
    url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: bool,
    open: Vec<AbortHandle>,
}

impl Way {
    async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                client.set_nodelay(true).unwrap();
                let server = TcpStream::connect(&server).await.unwrap();
                server.set_nodelay(true).unwrap();
                let carrying = tokio::spawn(carry(client, server, Arc::clone(&shared)));
                shared.lock().unwrap().open.push(carrying.abort_handle());
            }
        });
        Self { url, state }
    }

    /// From now on nothing comes from the server any more.
    fn hold(&self) {
        self.state.lock().unwrap().held = true;
    }

    /// Cuts every connection; new ones work.
    fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.held = false;
        state.open.drain(..).for_each(|open| open.abort());
    }
}

async fn carry(client: TcpStream, server: TcpStream, state: Arc<Mutex<State>>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let up = slowly(from_client, to_server, || false);
    let down = slowly(from_server, to_client, move || state.lock().unwrap().held);
    join(up, down).await;
}

/// Carries bytes with a delay, and drops those that come while `held` says so.
async fn slowly(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    held: impl Fn() -> bool,
) {
    let (sender, mut due) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let reading = async move {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            if !held() && sender.send((Instant::now() + DELAY, buffer[..count].to_vec())).is_err() {
                break;
            }
        }
    };
    let writing = async move {
        while let Some((at, bytes)) = due.recv().await {
            tokio::time::sleep_until(at.into()).await;
            if to.write_all(&bytes).await.is_err() {
                break;
            }
        }
    };
    join(reading, writing).await;
}

fn words(mut all: Vec<Duration>) -> String {
    all.sort();
    let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)].as_secs_f64() * 1000.0;
    format!("median {:.1} ms, p99 {:.1} ms", at(50), at(99))
}
