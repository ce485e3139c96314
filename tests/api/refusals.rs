//! Refusals that no other test provokes, a table for each situation.

use std::path::Path;

use nigiri_client::{AiLevel, Client, Color, Error, Game, GameId, Session, reason};
use nigiri_proto::{
    game::v1::{
        CreateGameRequest, Seat, WatchRequest, WatchResponse, game_service_client::GameServiceClient,
    },
    matchmaking::v1::{StartAiGameRequest, StartAiGameResponse},
    session::v1::CreateBotRequest,
};
use platform::{network::Peer, status::reason_of};
use testkit::{Cluster, Process, World, eventually, free_port, per_move};
use tonic::{Request, transport::Endpoint};

use crate::{
    caller::{Called, Caller},
    calls::{SOON, caller, quick},
};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

fn assert_refused(what: &str, answer: Result<u64, Error>, reason: &str) {
    let error = answer.expect_err(what);
    assert!(error.is(reason), "{what}: {reason} was due, but: {error}");
}

/// Whoever proposes something, or wants something back, at the wrong time is told so by name, and nothing is changed by it.
#[tokio::test(flavor = "multi_thread")]
async fn proposals_at_the_wrong_time_have_their_reasons() {
    let world = World::with(&["--bots=false"]).await;
    let players = [world.guest("Honinbo").await, world.guest("Meijin").await];
    let [black, white] = world.game("quick", [&players[0], &players[1]], per_move("quick", 7.0, 60)).await;
    let early = black.request_rematch().await.expect_err("a game that goes on");
    assert!(early.is("GAME_NOT_OVER"), "{early}");
    black.play(0, "E5").await.expect("a move");
    assert_refused("nothing played yet", white.request_takeback(1).await, reason::NOTHING_TO_TAKE_BACK);
    assert_refused("no proposal", white.answer(1, 1, true).await, reason::STALE_PROPOSAL);
    white.play(1, "D5").await.expect("a move");
    black.offer_draw(2).await.expect("an offer");
    assert_refused("twice", black.offer_draw(2).await, reason::PROPOSAL_PENDING);
    white.answer(1, 2, false).await.expect("declined");
    assert_refused("again", black.offer_draw(2).await, reason::PROPOSAL_TOO_SOON);
    let moves = black.record().await.expect("a record").entries.len();
    assert_eq!(moves, 5, "creation, two moves, an offer and its answer");
    let [black, white] = world.game("igo", [&players[0], &players[1]], per_move("igo", 6.5, 60)).await;
    assert_refused("no draws here", black.offer_draw(0).await, reason::NOT_IN_THIS_GAME);
    agreeing(&black, &white).await;
    world.stop().await;
}

/// Scores: none, and one that is being agreed on.
async fn agreeing(black: &Game, white: &Game) {
    for (what, answer) in [
        ("accepted", black.accept_score(1).await),
        ("disputed", black.dispute_score(1).await),
        ("marked", black.mark_chain(1, "E5", true).await),
    ] {
        assert_refused(what, answer, reason::NO_SCORE);
    }
    black.play(0, "E5").await.expect("a move");
    white.pass(1).await.expect("a pass");
    black.pass(2).await.expect("a pass");
    assert_refused("a move", white.play(3, "D5").await, reason::SCORE_PROPOSED);
    assert_refused("a pass", white.pass(3).await, reason::SCORE_PROPOSED);
    assert_refused("an empty point", white.mark_chain(1, "A1", true).await, reason::NO_STONE);
    black.accept_score(1).await.expect("accepted");
    assert_refused("twice", black.accept_score(1).await, reason::ALREADY_SO);
}

/// What needs an account, and what is there already.
#[tokio::test(flavor = "multi_thread")]
async fn what_one_may_not_have_is_refused_by_name() {
    let world = World::with(&["--bots=false"]).await;
    let players = [world.guest("Honinbo").await, world.guest("Meijin").await];
    let nobody = Caller { channel: world.channel(), token: String::new(), called: Called::default() };
    let me = caller(&nobody, &players[0]);
    let bot = CreateBotRequest { name: "Machine".into() };
    me.refused("session.v1.SessionService/CreateBot", bot, "ACCOUNT_REQUIRED").await;
    world.game("taken", [&players[0], &players[1]], per_move("quick", 7.0, 60)).await;
    let other = CreateGameRequest {
        game_id: GameId::derive("taken").to_string(),
        settings: Some(per_move("quick", 7.0, 30)),
        seats: seats(&players),
    };
    let channel = world.context().channel("test", Peer::Game).expect("a channel");
    let status = GameServiceClient::new(channel).create_game(other).await.expect_err("another game");
    assert_eq!(reason_of(&status).as_deref(), Some("GAME_EXISTS"), "{status:?}");
    world.stop().await;
}

fn seats(players: &[Session; 2]) -> Vec<Seat> {
    let both = players.iter().zip([Color::Black, Color::White]);
    let seat = |(player, color): (&Session, Color)| Seat {
        color: color.into(),
        player_id: player.player().id,
        name: player.player().name,
        guest: true,
        ..Seat::default()
    };
    both.map(seat).collect()
}

/// A real server refuses pages of other origins, and more streams than a player may have; a stream that ends makes room.
#[tokio::test(flavor = "multi_thread")]
async fn strangers_and_the_greedy_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.path().join("data");
    let data = data.to_str().expect("UTF-8");
    let args = [
        "dev",
        "--listen",
        &address,
        "--data",
        data,
        "--limit-streams",
        "1",
        "--web-origins",
        "https://play.example",
    ];
    let _server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let url = format!("http://{address}");
    let session =
        Client::connect(&url).expect("an address").sign_in_as_guest("Greedy").await.expect("signed in");
    let begun =
        eventually("a bot", SOON, || async { session.start_ai_game(AiLevel::Easy, Color::Black).await.ok() })
            .await;
    let channel = Endpoint::from_shared(url).expect("an address").connect_lazy();
    let me = Caller { channel, token: session.tokens().access_token, called: Called::default() };
    let path = "game.v1.GameService/Watch";
    let watch = || WatchRequest { game_id: begun.game_id.clone(), ..Default::default() };
    let first = me.stream::<_, WatchResponse>(path, watch()).await;
    let second = session.games().watch(watch()).await.expect_err("one is open");
    assert_eq!(reason_of(&second).as_deref(), Some("TOO_MANY_STREAMS"), "{second:?}");
    drop(first);
    let again = || async { session.games().watch(watch()).await.ok() };
    eventually("room", SOON, again).await;

    let mut foreign = Request::new(WatchRequest::default());
    foreign.metadata_mut().insert("origin", "https://evil.example".parse().expect("ASCII"));
    let status = session.games().watch(foreign).await.expect_err("a page of another origin");
    assert_eq!(reason_of(&status).as_deref(), Some("ORIGIN_NOT_ALLOWED"), "{status:?}");
}

/// When the game service is away, matchmaking says so; when the ledger is away, whoever needs it does. Both are UNAVAILABLE: the same call may be sent again.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_away_is_named() {
    let mut cluster = Cluster::start(Path::new(BINARY), 1, &[]).await.expect("a cluster");
    let channel =
        |service: &str| Endpoint::from_shared(cluster.urls(service)).expect("an address").connect_lazy();
    let (sessions, matchmaking) = (channel("session"), channel("matchmaking"));
    let session = Client::from_channel(sessions).sign_in_as_guest("Patient").await.expect("signed in");
    let token = session.tokens().access_token;
    let me = Caller { channel: matchmaking, token, called: Called::default() };
    let begin = async |id: &str| {
        let request =
            StartAiGameRequest { level: AiLevel::Easy.into(), request_id: id.into(), ..Default::default() };
        let answer: Result<StartAiGameResponse, _> =
            me.call("matchmaking.v1.MatchmakingService/StartAiGame", request).await;
        answer.map_err(|status| reason_of(&status).unwrap_or_default())
    };
    eventually("a bot", SOON, || async { begin("first").await.ok() }).await;
    cluster.processes[1].kill().expect("the game service is killed");
    let word = || async { begin("second").await.err().filter(|reason| reason == "PEER_UNAVAILABLE") };
    eventually("word of the game service", SOON, word).await;
    cluster.redis.kill9();
    let search = || async {
        let answer: Result<(), _> =
            me.call("matchmaking.v1.MatchmakingService/FindMatch", quick(false)).await;
        answer.err().as_ref().and_then(reason_of).filter(|reason| reason == "LEDGER_UNAVAILABLE")
    };
    eventually("word of the ledger", SOON, search).await;
}
