//! Many games on one stream: the play service means what the unary calls and `Watch` mean.
#![allow(missing_docs, reason = "a test")]

use std::time::Duration;

use futures::{StreamExt, future::join};
use kernel::Timestamp;
use ledger::{LogName, ManualClock};
use nigiri_client::{Client, GameId, PlayStream, Service, Session, Watched};
use nigiri_proto::{
    events::v1::{QueueEntry, queue_fact::Fact},
    game::v1::{
        Answer, Follow, GameSettings, GameUpdate, PassRequest, Ping, PlayMoveRequest, PlayRequest,
        PlayResponse, RequestRematchRequest, ResignRequest, SignOn, WatchRequest, WatchTurnsRequest,
        game_event::Event, play_request::Request, play_response::Message,
        play_service_client::PlayServiceClient, watch_response,
    },
    matchmaking::v1::{FindMatchRequest, MatchSettings},
};
use platform::{convert::from_proto_time, status::reason_of, telemetry::Metrics, testing::secret};
use prost::Message as _;
use testkit::{World, eventually, per_move};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, Streaming, transport::Endpoint};

const PATIENCE: Duration = Duration::from_secs(20);

/// A stream as it is on the wire.
struct Raw {
    say: mpsc::UnboundedSender<PlayRequest>,
    hear: Streaming<PlayResponse>,
    number: u64,
    /// What came in between and was not repeated.
    pings: Vec<Ping>,
}

impl Raw {
    async fn open(session: &Session) -> Self {
        let (say, said) = mpsc::unbounded_channel();
        let mut client = PlayServiceClient::new(session.channel(Service::Game));
        let hear = client.play(UnboundedReceiverStream::new(said)).await.expect("a stream").into_inner();
        Self { say, hear, number: 0, pings: Vec::new() }
    }

    async fn next(&mut self) -> Option<PlayResponse> {
        loop {
            let next = self.any().await;
            match next.as_ref().and_then(|next| next.message.as_ref()) {
                Some(Message::Ping(ping)) => self.pings.push(ping.clone()),
                _ => return next,
            }
        }
    }

    async fn any(&mut self) -> Option<PlayResponse> {
        let next = tokio::time::timeout(PATIENCE, self.hear.message()).await;
        next.expect("a message in time").expect("the stream goes on")
    }

    async fn ping(&mut self) -> Ping {
        while self.pings.is_empty() {
            if let Some(Message::Ping(ping)) = self.any().await.expect("a ping").message {
                return ping;
            }
        }
        self.pings.remove(0)
    }

    /// What is answered, and what was heard in between.
    async fn ask(&mut self, seat: u32, request: Request) -> (Answer, Vec<PlayResponse>) {
        self.number += 1;
        let message = PlayRequest { number: self.number, seat, request: Some(request) };
        self.say.send(message).expect("the stream is open");
        let mut between = Vec::new();
        loop {
            let heard = self.next().await.expect("an answer");
            match heard.message {
                Some(Message::Answer(answer)) if answer.number == self.number => return (answer, between),
                _ => between.push(heard),
            }
        }
    }

    async fn refused(&mut self, seat: u32, request: Request) -> (Code, String) {
        let (answer, _) = self.ask(seat, request).await;
        let refusal = answer.refusal.expect("a refusal");
        let status = Status::with_details(Code::from_i32(refusal.code), refusal.message, refusal.details);
        (status.code(), reason_of(&status).unwrap_or_default())
    }

    async fn done(&mut self, seat: u32, request: Request) -> u64 {
        let (answer, _) = self.ask(seat, request).await;
        assert_eq!(answer.refusal, None);
        answer.sequence
    }
}

fn follow(game: GameId, after_sequence: Option<u64>) -> Request {
    Request::Follow(Follow { game_id: game.to_string(), after_sequence, ..Follow::default() })
}

fn play(ply: u32, point: &str, id: &str) -> Request {
    let (point, command_id) = (point.into(), id.into());
    Request::PlayMove(PlayMoveRequest { ply, point, command_id, ..Default::default() })
}

fn pass(ply: u32, id: &str) -> Request {
    Request::Pass(PassRequest { ply, command_id: id.into(), ..Default::default() })
}

/// Two accounts play several games to their ends on one stream, while another program follows by `Watch`: all see the same, and in order.
#[tokio::test(flavor = "multi_thread")]
async fn several_games_are_played_on_one_stream() {
    let world = World::with(&["--bots=false"]).await;
    let mut stream: Option<PlayStream> = None;
    let mut games = Vec::new();
    for _ in 0..3 {
        let (black, white, id) = world.pair().await;
        let stream = stream.get_or_insert_with(|| black.play_stream()).clone();
        games.push(async move {
            let watching = tokio::spawn(updates(white.game(id).watch(Some(0))));
            let (of_black, of_white) =
                (stream.sit_as(&black, id, Some(0)), stream.sit_as(&white, id, Some(0)));
            let first = of_black.play(0, "E5").await.expect("a legal move");
            let second = of_white.play(1, "D5").await.expect("a legal move");
            assert_eq!((first, second), (2, 3));
            let wrong = of_white.play(2, "C5").await.expect_err("it is Black's turn");
            assert!(wrong.is("NOT_YOUR_TURN"), "{wrong}");
            of_black.pass(2).await.expect("a pass");
            of_white.pass(3).await.expect("a pass");
            let (seen, same) = join(updates(of_black), updates(of_white)).await;
            assert_eq!(seen, same);
            assert_eq!(seen, watching.await.expect("the watcher ends"));
            assert_eq!(seen.iter().map(|update| update.sequence).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
            assert!(matches!(seen[4].events.last().expect("events").event, Some(Event::Finished(_))));
        });
    }
    futures::future::join_all(games).await;
    world.stop().await;
}

/// All updates to the end, without the times of their sending.
async fn updates(
    mut events: impl futures::Stream<Item = Result<Watched, nigiri_client::Error>> + Unpin,
) -> Vec<GameUpdate> {
    let mut all = Vec::new();
    while let Some(watched) = tokio::time::timeout(PATIENCE, events.next()).await.expect("an event in time") {
        if let Watched::Update(update) = watched.expect("the stream goes on") {
            all.push(GameUpdate { server_time: None, ..*update });
        }
    }
    all
}

/// What is wrong on a stream is refused for the reasons of the unary calls, in an answer of its own, and the stream goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_an_answer_and_has_the_reason_of_the_call() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    let mut raw = Raw::open(&black).await;
    let invalid = (Code::InvalidArgument, "INVALID_REQUEST".to_owned());
    assert_eq!(raw.refused(0, follow(id, None)).await, invalid, "seat 0 is none");
    assert_eq!(raw.refused(3, play(0, "E5", "1")).await, invalid, "nobody sits there");
    let unknown = follow(GameId::derive("no game"), None);
    assert_eq!(raw.refused(3, unknown).await, (Code::NotFound, "GAME_NOT_FOUND".into()));
    let stranger = Follow { game_id: id.to_string(), player_id: white.player().id, ..Follow::default() };
    let not_signed_on = (Code::Unauthenticated, "TOKEN_MISSING".to_owned());
    assert_eq!(raw.refused(3, Request::Follow(stranger.clone())).await, not_signed_on);
    let garbage = SignOn { access_token: "garbage".into() };
    let malformed = (Code::Unauthenticated, "TOKEN_MALFORMED".to_owned());
    assert_eq!(raw.refused(0, Request::SignOn(garbage)).await, malformed);
    assert_eq!(raw.done(1, follow(id, None)).await, 0);
    assert_eq!(raw.refused(1, play(0, "Z99", "1")).await.1, "MALFORMED_POINT");
    assert_eq!(raw.refused(1, play(0, "K10", "1")).await.1, "OFF_BOARD");
    assert_eq!(raw.refused(1, play(5, "E5", "1")).await, (Code::Aborted, "STALE_PLY".into()));
    assert_eq!(raw.refused(1, play(0, "E5", "")).await, invalid, "a command without an id");
    let named = PassRequest { game_id: id.to_string(), ply: 0, command_id: "1".into(), ..Default::default() };
    assert_eq!(raw.refused(1, Request::Pass(named.clone())).await, invalid, "the seat says which game");

    // The same command twice is one move; the same id for another is refused, as by a call.
    assert_eq!(raw.done(1, play(0, "E5", "1")).await, 2);
    assert_eq!(raw.done(1, play(0, "E5", "1")).await, 2);
    assert_eq!(raw.refused(1, play(0, "D5", "1")).await, (Code::Aborted, "COMMAND_ID_REUSED".into()));
    assert_eq!(raw.refused(1, pass(1, "2")).await.1, "NOT_YOUR_TURN");
    let token = white.tokens().access_token;
    raw.done(0, Request::SignOn(SignOn { access_token: token })).await;
    raw.done(2, Request::Follow(stranger)).await;
    assert_eq!(raw.refused(2, play(1, "E5", "3")).await.1, "OCCUPIED");
    assert_eq!(raw.done(2, play(1, "D5", "3")).await, 3);
    // Without a seat, the call's own player acts in the game that the command names.
    let pass = PassRequest { ply: 2, command_id: "4".into(), ..named };
    assert_eq!(raw.done(0, Request::Pass(pass)).await, 4);
    let early = RequestRematchRequest { game_id: String::new(), command_id: "5".into() };
    assert_eq!(raw.refused(1, Request::RequestRematch(early)).await.1, "GAME_NOT_OVER");
    world.stop().await;
}

/// Who comes back with the last sequence gets what was missed and nothing else; a seat is free after the end; and a replica that goes away says so
/// and ends its streams.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_resumes_ends_its_seats_and_drains() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    let mut raw = Raw::open(&black).await;
    raw.done(1, follow(id, None)).await;
    let snapshot = raw.next().await.expect("a snapshot");
    assert!(matches!(&snapshot.message, Some(Message::Snapshot(s)) if s.sequence == 1), "{snapshot:?}");
    raw.done(1, play(0, "E5", "1")).await;
    drop(raw);
    white.game(id).play(1, "D5").await.expect("a legal move");
    let mut raw = Raw::open(&black).await;
    raw.done(7, follow(id, Some(2))).await;
    let missed = raw.next().await.expect("what was missed");
    assert!(
        matches!(&missed, PlayResponse { seat: 7, message: Some(Message::Update(u)) } if u.sequence == 3),
        "{missed:?}"
    );
    let resign = ResignRequest { game_id: String::new(), command_id: "2".into() };
    let (answer, between) = raw.ask(7, Request::Resign(resign)).await;
    assert_eq!(answer.sequence, 4);
    let mut heard = between;
    while heard.len() < 2 {
        heard.push(raw.next().await.expect("the end"));
    }
    assert!(matches!(&heard[0].message, Some(Message::Update(u)) if u.sequence == 4), "{heard:?}");
    assert!(matches!(&heard[1].message, Some(Message::Closed(c)) if c.refusal.is_none()), "{heard:?}");
    assert_eq!(raw.refused(7, pass(2, "3")).await.1, "INVALID_REQUEST", "the seat is free");
    let (stopped, ()) = join(world.stop(), async {
        let last = raw.next().await.expect("a word of parting");
        assert!(matches!(last.message, Some(Message::Draining(_))), "{last:?}");
        assert!(raw.next().await.is_none());
    })
    .await;
    stopped
}

/// A move on a stream is in time as late as the stream's own network was found to be slow, in whichever of its games, and no later; on a stream that does not repeat its ping a move
/// has to come before its deadline.
#[tokio::test(flavor = "multi_thread")]
async fn the_network_delay_is_measured_once_for_a_whole_stream() {
    let clock = ManualClock::new(Timestamp::from_millis(1_800_000_000_000));
    let world = World::by_clock(&["--bots=false"], clock.clock()).await;
    let pass = async |millis: u64| {
        for step in (0..millis).step_by(200).map(|begun| (millis - begun).min(200)) {
            clock.advance(Duration::from_millis(step));
            // The store lives all the time: nothing is given back.
            world.ledger().sweep(0).await.expect("a ledger");
        }
    };
    let (slow, silent) = (world.guest("Slow").await, world.guest("Silent").await);
    // How late both come, in milliseconds after the deadline, and whether a slow player's move counts.
    for (late, counts) in [(299, true), (300, false)] {
        let name = |of: &str| format!("{of} {late}");
        let settings = || per_move("quick", 7.0, 30);
        let [timed, _] = world.game(&name("first"), [&slow, &silent], settings()).await;
        let [other, _] = world.game(&name("second"), [&silent, &slow], settings()).await;
        let (mut of_slow, mut of_silent) = (Raw::open(&slow).await, Raw::open(&silent).await);
        of_slow.done(1, follow(other.id(), None)).await;
        let ping = of_slow.ping().await;
        pass(300).await;
        let (answer, _) = of_slow.ask(0, Request::Ping(ping.clone())).await;
        let delay = answer.delay.expect("a delay");
        assert_eq!((delay.seconds, delay.nanos), (0, 300_000_000), "{answer:?}");
        let invalid = (Code::InvalidArgument, "INVALID_REQUEST".to_owned());
        assert_eq!(of_slow.refused(0, Request::Ping(ping)).await, invalid, "it was repeated before");
        of_slow.done(2, follow(timed.id(), None)).await;
        of_silent.done(1, follow(other.id(), None)).await;
        assert_eq!(of_silent.ping().await.token.len(), 8);

        pass(30_000 - 300 + late).await;
        let in_time = of_slow.ask(2, play(0, "E5", "late")).await.0.refusal.is_none();
        assert_eq!(in_time, counts, "{late} ms late");
        assert!(of_slow.pings.is_empty(), "one ping is enough for all games");
        assert_eq!(of_silent.refused(1, play(0, "E5", "late")).await.1, "OUT_OF_TIME");
    }
    // The client library repeats pings by itself.
    let count = || gauge("nigiri_game_player_delay_seconds_count");
    let [game, _] = world.game("third", [&slow, &silent], per_move("quick", 7.0, 30)).await;
    let (before, stream) = (count(), slow.play_stream());
    let seat = stream.sit(game.id(), None);
    eventually("a ping is repeated", PATIENCE, || async { (count() > before).then_some(()) }).await;
    drop(seat);
    world.stop().await;
}

/// A private game is followed by its players and by whoever has its key, and by nobody else, as with `Watch`.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_game_is_followed_with_its_key() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white) = (world.guest("Honinbo").await, world.guest("Meijin").await);
    let key = uuid::Uuid::from_u128(77).to_string();
    let settings = GameSettings { watch_key: key.clone(), ..per_move("quick", 7.0, 60) };
    let [game, _] = world.game("private stream", [&black, &white], settings).await;
    let with = |watch_key: &str| {
        let (game_id, watch_key) = (game.id().to_string(), watch_key.to_owned());
        Request::Follow(Follow { game_id, watch_key, ..Follow::default() })
    };
    let (mut of_black, mut other) =
        (Raw::open(&black).await, Raw::open(&world.guest("Kibitzer").await).await);
    of_black.done(1, with("")).await;
    let private = (Code::PermissionDenied, "PRIVATE_GAME".to_owned());
    assert_eq!(other.refused(1, with("")).await, private);
    assert_eq!(other.refused(2, with(&uuid::Uuid::from_u128(78).to_string())).await, private);
    other.done(3, with(&key)).await;
    world.stop().await;
}

/// What a gauge of this process shows.
fn gauge(name: &str) -> f64 {
    let text = Metrics::install().render();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_default()
}

/// Waits until a gauge shows this.
async fn shows(name: &str, value: f64) {
    eventually(&format!("{name} {value}"), PATIENCE, || async {
        ((gauge(name) - value).abs() < 0.5).then_some(())
    })
    .await;
}

/// For how long the ticket stands that was let go of last.
async fn released(world: &World) -> Option<Duration> {
    let log = LogName::new("queue:main").expect("a name");
    let entries = world.ledger().read(&log, 0, 1000).await.expect("the queue");
    entries.iter().rev().find_map(|entry| {
        let facts = QueueEntry::decode(entry.payload.clone()).expect("an entry").facts;
        facts.into_iter().find_map(|fact| match fact.fact {
            Some(Fact::TicketReleased(released)) => {
                Some(from_proto_time(released.expire_time?).since(entry.stamp))
            }
            _ => None,
        })
    })
}

/// Whoever goes away takes their work along, at once and in every kind of stream: its place among the caller's streams is free, nothing
/// follows the game for it any more, and a ticket stands for ten seconds and no longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_nobody_reads_any_more_ends() {
    const STREAMS: &str = "nigiri_limit_streams";
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    shows(STREAMS, 0.0).await;

    let accepts = vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }];
    let wish = FindMatchRequest { accepts, ..FindMatchRequest::default() };
    let seeker = world.guest("Seeker").await;
    let mut finding = seeker.matchmaking().find_match(wish).await.expect("a search").into_inner();
    assert!(finding.message().await.expect("a message").is_some());
    shows(STREAMS, 1.0).await;
    drop(finding);
    shows(STREAMS, 0.0).await;
    let stands = eventually("the ticket is released", PATIENCE, || released(&world)).await;
    assert!(stands > Duration::from_secs(8) && stands <= Duration::from_secs(10), "{stands:?}");

    let watch = WatchRequest { game_id: id.to_string(), ..WatchRequest::default() };
    let mut watching = black.games().watch(watch).await.expect("a stream").into_inner();
    assert!(watching.message().await.expect("a message").is_some());
    let mut raw = Raw::open(&white).await;
    raw.done(1, follow(id, None)).await;
    let bot = world.client().sign_in_bot("Nigiri Easy", secret().expose()).await.expect("a bot");
    let turns = bot.games().watch_turns(WatchTurnsRequest::default()).await.expect("a stream");
    let gauges = ["nigiri_game_watchers", "nigiri_game_play_streams", "nigiri_game_seats"];
    for (name, value) in gauges.map(|name| (name, 1.0)).into_iter().chain([(STREAMS, 3.0)]) {
        shows(name, value).await;
    }
    drop((watching, raw, turns));
    for name in gauges.into_iter().chain([STREAMS, "nigiri_game_turn_streams"]) {
        shows(name, 0.0).await;
    }
    world.stop().await;
}

/// Over the wire, too, a reader who takes nothing is not written for: however much happens in a game, who begins to read again gets the little that was
/// under way, and then the position as it is. So it is with `Watch` and with a stream of many games.
#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_brought_up_to_date_by_a_snapshot() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    // A window that one snapshot more than fills.
    let narrow = Endpoint::from_static("http://in-process").initial_stream_window_size(256);
    let client = Client::from_channel(world.channel_with(narrow));
    let reader = client.sign_in_as_guest("Sleeper").await.expect("a guest");
    let watch = WatchRequest { game_id: id.to_string(), ..WatchRequest::default() };
    let mut watching = reader.games().watch(watch).await.expect("a stream").into_inner();
    let mut raw = Raw::open(&reader).await;
    let message = PlayRequest { number: 1, seat: 1, request: Some(follow(id, None)) };
    raw.say.send(message).expect("the stream is open");
    shows("nigiri_game_seats", 1.0).await;

    let mut ply = 0;
    let (of_black, of_white) = (black.game(id), white.game(id));
    for row in 1..=3 {
        for column in ["A", "B", "C", "D", "E", "F", "G", "H", "J"] {
            of_black.play(ply, &format!("{column}{row}")).await.expect("a legal move");
            of_white.play(ply + 1, &format!("{column}{}", row + 6)).await.expect("a legal move");
            ply += 2;
        }
    }
    let last = u64::from(ply) + 1;
    let (mut updates, mut snapshots) = (0, Vec::new());
    while snapshots.last() != Some(&last) {
        let heard = tokio::time::timeout(PATIENCE, watching.message()).await.expect("a message in time");
        match heard.expect("the stream goes on").expect("more").message.expect("a message") {
            watch_response::Message::Snapshot(snapshot) => snapshots.push(snapshot.sequence),
            watch_response::Message::Update(_) => updates += 1,
            _ => {}
        }
    }
    assert!(updates < 30, "{updates} of {ply} updates were kept for who did not read: {snapshots:?}");
    let (mut updates, mut snapshots) = (0, Vec::new());
    while snapshots.last() != Some(&last) {
        match raw.next().await.expect("more").message.expect("a message") {
            Message::Snapshot(snapshot) => snapshots.push(snapshot.sequence),
            Message::Update(_) => updates += 1,
            _ => {}
        }
    }
    assert!(updates < 30, "{updates} of {ply} updates were kept for who did not read: {snapshots:?}");
    world.stop().await;
}
