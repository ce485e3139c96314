//! A small server of one game, over real connections that the test can cut. It follows the API's contract but for the faults that it is
//! told to make.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::Stream;
use hyper_util::rt::TokioIo;
use nigiri_client::{Client, Options};
use nigiri_proto::{
    game::v1::{game_service_server::GameServiceServer, *},
    matchmaking::v1::matchmaking_service_server::MatchmakingServiceServer,
    session::v1::session_service_server::SessionServiceServer,
};
use tokio::{
    io::DuplexStream,
    sync::{mpsc, watch},
    task::AbortHandle,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status,
    transport::{Channel, Endpoint, Server},
};
use tonic_types::{ErrorDetails, StatusExt};
use tower::service_fn;

pub const GAME: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
pub const ME: &str = "11111111-1111-4111-8111-111111111111";

/// What the server has, and the faults that it is to make.
#[derive(Default)]
pub struct State {
    pub log: Vec<RecordEntry>,
    pub finished: bool,
    /// Commands after whose commit the connection is cut.
    pub lose_answers: u32,
    /// After a lost answer the opponent moves at once, and the server forgets the command's id.
    pub forgetful: bool,
    /// Calls that are answered with UNAVAILABLE.
    pub away: u32,
    /// A stream is cut after this many updates.
    pub cut_after: Option<usize>,
    /// A stream says `draining` after this many updates.
    pub drain_after: Option<usize>,
    /// The entry that a stream leaves out.
    pub skip: Option<u64>,
    pub valid_token: u32,
    pub refreshes: u32,
    pub watches: u32,
    pub plays: u32,
    /// How often a terminal's sign-in is still pending.
    pub pending: u32,
    /// When a terminal asked whether the person has agreed, and with which guest's token.
    pub asked: Vec<(tokio::time::Instant, String)>,
    /// What FindMatch answers, call by call.
    pub finds: Vec<Find>,
}

pub enum Find {
    QueuedThenCut,
    Refused(Code, &'static str),
}

/// The server. Clones are the same one.
#[derive(Clone)]
pub struct Fake {
    state: Arc<Mutex<State>>,
    grown: watch::Sender<usize>,
    pipes: Arc<Mutex<Vec<AbortHandle>>>,
}

pub type Reply<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

pub fn refusal(code: Code, reason: &str) -> Status {
    let metadata = HashMap::from([("game_id".to_owned(), GAME.to_owned())]);
    Status::with_error_details(code, "no", ErrorDetails::with_error_info(reason, "nigiri", metadata))
}

impl Fake {
    /// A server whose log has an entry, and a client of it.
    pub fn start() -> (Self, Client) {
        let fake = Self { state: Arc::default(), grown: watch::Sender::new(0), pipes: Arc::default() };
        fake.append(game_event::Event::Created(GameCreated::default()), "");
        let (connections, accepted) = mpsc::channel::<DuplexStream>(16);
        let incoming = tokio_stream::StreamExt::map(ReceiverStream::new(accepted), Ok::<_, std::io::Error>);
        let server = Server::builder()
            .add_service(GameServiceServer::new(fake.clone()))
            .add_service(SessionServiceServer::new(fake.clone()))
            .add_service(MatchmakingServiceServer::new(fake.clone()))
            .serve_with_incoming(incoming);
        tokio::spawn(server);
        let channel = fake.channel(connections);
        let client = Client::from_channels(|_| channel.clone(), Options::default());
        (fake, client)
    }

    /// A channel whose connections go through a copying task each, which can be aborted.
    fn channel(&self, connections: mpsc::Sender<DuplexStream>) -> Channel {
        let pipes = Arc::clone(&self.pipes);
        let connector = service_fn(move |_: http::Uri| {
            let (connections, pipes) = (connections.clone(), Arc::clone(&pipes));
            async move {
                let (ours, mut near) = tokio::io::duplex(1 << 16);
                let (mut far, theirs) = tokio::io::duplex(1 << 16);
                connections.send(theirs).await.map_err(std::io::Error::other)?;
                let copying =
                    tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
                lock(&pipes).push(copying.abort_handle());
                Ok::<_, std::io::Error>(TokioIo::new(ours))
            }
        });
        Endpoint::from_static("http://fake").connect_with_connector_lazy(connector)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        lock(&self.pipes).drain(..).for_each(|pipe| pipe.abort());
    }

    pub fn append(&self, event: game_event::Event, command_id: &str) -> u64 {
        let mut state = self.state();
        let sequence = state.log.len() as u64 + 1;
        state.finished |= matches!(event, game_event::Event::Finished(_));
        state.log.push(RecordEntry {
            sequence,
            event_time: None,
            events: vec![GameEvent { event: Some(event) }],
            command_id: command_id.to_owned(),
        });
        self.grown.send_replace(state.log.len());
        sequence
    }

    /// Refuses a call whose token is not the valid one, or because the server is away.
    pub fn admit<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let mut state = self.state();
        if state.away > 0 {
            state.away -= 1;
            return Err(refusal(Code::Unavailable, "DRAINING"));
        }
        let valid = format!("Bearer token-{}", state.valid_token);
        let given = request.metadata().get("authorization").and_then(|text| text.to_str().ok());
        if given != Some(&valid) {
            return Err(refusal(Code::Unauthenticated, "TOKEN_EXPIRED"));
        }
        Ok(())
    }

    /// A command: once for each id.
    pub fn command(&self, event: game_event::Event, id: &str) -> Result<u64, Status> {
        let known = self.state().log.iter().find(|entry| entry.command_id == id).map(|entry| entry.sequence);
        if let Some(sequence) = known {
            return if self.state().forgetful {
                Err(refusal(Code::Aborted, "STALE_PLY"))
            } else {
                Ok(sequence)
            };
        }
        let sequence = self.append(event, id);
        let lose = std::mem::replace(&mut self.state().lose_answers, 0);
        if lose > 0 {
            self.state().lose_answers = lose - 1;
            self.cut();
        }
        Ok(sequence)
    }

    /// The stream of a watcher, with the faults that are due.
    pub fn follow(&self, after: Option<u64>) -> Reply<WatchResponse> {
        let (sender, receiver) = mpsc::channel(4);
        let fake = self.clone();
        fake.state().watches += 1;
        tokio::spawn(async move { fake.feed(after, sender).await });
        Box::pin(ReceiverStream::new(receiver))
    }

    async fn feed(self, after: Option<u64>, sender: mpsc::Sender<Result<WatchResponse, Status>>) {
        use watch_response::Message;
        let send =
            async |message| sender.send(Ok(WatchResponse { message: Some(message) })).await.map_err(|_| ());
        let mut next = match after {
            Some(after) => after,
            None => {
                let snapshot = self.snapshot();
                let next = snapshot.sequence;
                if send(Message::Snapshot(snapshot)).await.is_err() {
                    return;
                }
                next
            }
        };
        let mut grown = self.grown.subscribe();
        for sent in 0.. {
            let (cut, drain, skip) = {
                let state = self.state();
                (state.cut_after, state.drain_after, state.skip)
            };
            if cut == Some(sent) {
                idle().await;
                return self.cut();
            }
            if drain == Some(sent) {
                let _gone = send(Message::Draining(Draining {})).await;
                return;
            }
            if skip == Some(next + 1) {
                next += 1;
            }
            loop {
                let (there, finished) = {
                    let state = self.state();
                    (state.log.len() as u64, state.finished)
                };
                if there > next {
                    break;
                }
                if finished || grown.changed().await.is_err() {
                    return;
                }
            }
            let update = self.update(next);
            next += 1;
            if send(Message::Update(update)).await.is_err() {
                return;
            }
        }
    }

    fn update(&self, index: u64) -> GameUpdate {
        let state = self.state();
        let entry = &state.log[index as usize];
        GameUpdate { sequence: entry.sequence, events: entry.events.clone(), ..GameUpdate::default() }
    }

    fn snapshot(&self) -> GameSnapshot {
        let state = self.state();
        let seat = |color: Color, id: &str| Seat {
            color: color.into(),
            player_id: id.to_owned(),
            name: format!("{color:?}"),
            bot: false,
            ..Seat::default()
        };
        GameSnapshot {
            game_id: GAME.to_owned(),
            sequence: state.log.len() as u64,
            settings: Some(GameSettings { rated: true, ..GameSettings::default() }),
            seats: vec![seat(Color::Black, "somebody else"), seat(Color::White, ME)],
            result: state.finished.then(GameResult::default),
            ..GameSnapshot::default()
        }
    }
}

/// Waits until nothing is under way any more: paused time moves on only then.
pub async fn idle() {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
