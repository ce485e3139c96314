//! From the click on "find a game" to the rating, in one trace.

use std::{path::Path, process::Command, time::Duration};

use nigiri_client::{Client, Color, Endpoints, GameId, Options, Session};
use nigiri_proto::{
    matchmaking::v1::{
        FindMatchRequest, MatchSettings, Matched, find_match_response::Message,
        matchmaking_service_client::MatchmakingServiceClient,
    },
    session::v1::{SignInAsGuestRequest, session_service_client::SessionServiceClient},
};
use testkit::{Cluster, Process, eventually, free_port};
use tonic::{Request, transport::Endpoint};

use crate::collector::{Collector, Span};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");
const PATIENCE: Duration = Duration::from_secs(60);

/// The click: a trace that is kept, of a client that has such a thing.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CLICK: &str = "b7ad6b7169203331";

/// A request of the click's.
fn clicked<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let context = format!("00-{TRACE}-{CLICK}-01");
    request.metadata_mut().insert("traceparent", context.parse().expect("ASCII"));
    if !token.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ASCII"));
    }
    request
}

fn rated() -> FindMatchRequest {
    let accepts =
        vec![MatchSettings { preset: "weiqi".into(), board_sizes: vec![9], ..MatchSettings::default() }];
    FindMatchRequest { accepts, rated: true, ..FindMatchRequest::default() }
}

/// Somebody who clicks, whose client traces it, finds an opponent whose client knows nothing of traces; they play, and the game is rated.
async fn play(endpoints: &Endpoints) -> GameId {
    let channel =
        |urls: &[String]| Endpoint::from_shared(urls[0].clone()).expect("an address").connect_lazy();
    let client = Client::with_endpoints(endpoints, Options::default()).expect("a client");
    let request = SignInAsGuestRequest { nickname: "Clicker".into(), ..SignInAsGuestRequest::default() };
    let mut sessions = SessionServiceClient::new(channel(&endpoints.session));
    let signed = sessions.sign_in_as_guest(clicked(request, "")).await.expect("a guest").into_inner();
    let tokens = signed.tokens.expect("tokens");
    let token = tokens.access_token.clone();
    let one = Session::from_tokens(&client, signed.player.expect("a player"), tokens).expect("a session");
    let other = client.sign_in_as_guest("Opponent").await.expect("a guest");

    let mut queue = MatchmakingServiceClient::new(channel(&endpoints.matchmaking));
    let mut mine = queue.find_match(clicked(rated(), &token)).await.expect("a search").into_inner();
    let mut theirs = other.matchmaking().find_match(rated()).await.expect("a search").into_inner();
    let mut matched: Vec<Matched> = Vec::new();
    for stream in [&mut mine, &mut theirs] {
        while let Some(said) = stream.message().await.expect("the stream goes on") {
            if let Some(Message::Matched(found)) = said.message {
                matched.push(found);
            }
        }
    }
    let id: GameId = matched[0].game_id.parse().expect("an id");
    let (black, white) = if matched[0].color() == Color::Black { (&one, &other) } else { (&other, &one) };
    black.game(id).play(0, "E5").await.expect("a move");
    white.game(id).play(1, "C3").await.expect("a move");
    black.game(id).resign().await.expect("a resignation");
    eventually("the rating", PATIENCE, || async {
        let rating = one.rating(one.player_id().ok()?, 9).await.ok()?;
        (rating.games == 1).then_some(())
    })
    .await;
    id
}

/// Ends a process as a system does, and waits until it has said all.
fn stop(process: &mut Process) {
    let kill = Command::new("kill").arg(process.id().to_string()).status().expect("kill runs");
    assert!(kill.success() && process.wait().expect("an end").success());
}

/// The only span of this name.
fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0]
}

/// All spans are of the one trace, and each is the child of what caused it.
fn assert_one_trace(spans: &[Span]) {
    let strangers: Vec<_> = spans.iter().filter(|span| span.trace != TRACE).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let one = |name| named(spans, name);
    let search = one("matchmaking.search");
    let found = one("nigiri.matchmaking.v1.MatchmakingService/FindMatch");
    let created = one("nigiri.game.v1.GameService/CreateGame");
    assert_eq!(one("nigiri.session.v1.SessionService/SignInAsGuest").parent, CLICK);
    assert_eq!(found.parent, CLICK);
    assert_eq!(search.parent, found.id);
    assert_eq!(one("matchmaking.match").parent, search.id);
    assert_eq!(created.parent, one("matchmaking.match").id);
    let commands: Vec<_> = spans.iter().filter(|span| span.name == "game.command").collect();
    assert_eq!(commands.len(), 3, "two moves and a resignation: {commands:?}");
    assert!(commands.iter().all(|command| command.parent == created.id));
    for effect in ["rating.count", "game.archive"] {
        let cause = one(effect).parent.as_str();
        assert!(commands.iter().any(|command| command.id == cause), "{effect}");
    }
    let written = spans.iter().filter(|span| span.name == "ledger");
    let written =
        written.filter(|span| span.parent == created.id || commands.iter().any(|c| c.id == span.parent));
    assert!(written.count() >= 4, "the creation and each command are written");
}

/// In one process: one trace from the click through the streams to the rating, whose parts are children of what caused them; what
/// belongs to no kept trace is not sent; log lines name the trace; and the metrics are sent as well.
#[tokio::test(flavor = "multi_thread")]
async fn one_trace_goes_from_the_click_to_the_rating() {
    let (collector, collects) = Collector::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let collects = format!("--otlp-endpoint={collects}");
    let args = [
        "dev",
        "--rated-guests",
        "--listen",
        &address,
        "--data",
        data.to_str().expect("UTF-8"),
        "--trace-ratio=0",
        "--trace-callers",
        "--log=info,rating=debug",
        "--log-format=json",
        &collects,
    ];
    let mut server = Process::start(Path::new(BINARY), &args, &log).expect("a server");
    let game = play(&Endpoints::everywhere([format!("http://{address}")])).await;
    stop(&mut server);

    assert_one_trace(&collector.spans());
    assert!(collector.spans().iter().all(|span| span.service == "nigiri-dev"));
    assert_eq!(collector.number("nigiri-dev", "nigiri_game_moves"), Some(2.0));
    let log = std::fs::read_to_string(log).expect("a log");
    let line = log.lines().find(|line| line.contains("a game has counted")).expect("a line");
    assert!(line.contains(&format!("\"trace_id\":\"{TRACE}\"")), "{line}");
    assert!(line.contains(&game.to_string()), "{line}");
}

/// So it is when each service is a process of its own: the trace goes along in metadata and in the ledger's streams.
#[tokio::test(flavor = "multi_thread")]
async fn one_trace_goes_through_all_processes() {
    let (collector, collects) = Collector::start().await;
    let collects = format!("--otlp-endpoint={collects}");
    let sent = [collects.as_str(), "--trace-ratio=0", "--trace-callers"];
    let guests = [collects.as_str(), "--trace-ratio=0", "--trace-callers", "--rated-guests"];
    let options: [(&str, &[&str]); 4] =
        [("session", &sent), ("game", &sent), ("matchmaking", &guests), ("rating", &sent)];
    let mut cluster = Cluster::start(Path::new(BINARY), 1, &options).await.expect("a cluster");
    let at = |service: &str| vec![cluster.urls(service)];
    let endpoints = Endpoints {
        session: at("session"),
        game: at("game"),
        matchmaking: at("matchmaking"),
        rating: at("rating"),
    };
    play(&endpoints).await;
    cluster.processes.iter_mut().for_each(stop);

    let spans = collector.spans();
    assert_one_trace(&spans);
    for (name, service) in [
        ("nigiri.session.v1.SessionService/SignInAsGuest", "nigiri-session"),
        ("matchmaking.match", "nigiri-matchmaking"),
        ("nigiri.game.v1.GameService/CreateGame", "nigiri-game"),
        ("rating.count", "nigiri-rating"),
    ] {
        assert_eq!(named(&spans, name).service, service);
    }
    assert_eq!(collector.number("nigiri-game", "nigiri_game_moves"), Some(2.0));
}
