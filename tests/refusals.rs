//! Bad input: each has its code and its reason, and nothing is changed by it.
#![allow(missing_docs, reason = "a test")]

use std::time::Duration;

use futures::StreamExt;
use nigiri_client::{GameId, PlayerId, Session};
use nigiri_proto::{
    game::v1::{
        CreateGameRequest, GetGameRequest, IllegalReason, PassRequest, PlayMoveRequest, ResignRequest,
        WatchRequest, WatchTurnsRequest, game_service_client::GameServiceClient,
    },
    matchmaking::v1::{
        CancelTicketRequest, FindMatchRequest, MatchSettings,
        matchmaking_service_client::MatchmakingServiceClient,
    },
    session::v1::{SignInAsGuestRequest, session_service_client::SessionServiceClient},
};
use platform::status::reason_of;
use testkit::{World, eventually};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

fn quick() -> FindMatchRequest {
    FindMatchRequest {
        accepts: vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }],
        ..FindMatchRequest::default()
    }
}

fn what(status: &Status) -> (Code, String) {
    (status.code(), reason_of(status).unwrap_or_default())
}

fn expected(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

/// Every malformed or forbidden command is refused for its own reason, and the game stands as it stood.
#[tokio::test(flavor = "multi_thread")]
async fn bad_commands_have_their_reasons_and_change_nothing() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    let stranger = world.guest("Stranger").await;
    let nowhere = GameId::derive("nowhere").to_string();
    let (text, nowhere) = (id.to_string(), nowhere.as_str());
    let id = text.as_str();
    let play = |session: &Session, game: &str, ply: u32, point: &str, command: &str| {
        let request = PlayMoveRequest {
            game_id: game.into(),
            ply,
            point: point.into(),
            command_id: command.into(),
            ..Default::default()
        };
        let mut games = session.games();
        async move { games.play_move(request).await.map(|answer| answer.into_inner().sequence) }
    };
    let long = "x".repeat(65);
    let table = [
        ("an unknown game", &black, nowhere, 0, "E5", "a", Code::NotFound, "GAME_NOT_FOUND"),
        ("no game id", &black, "", 0, "E5", "a", Code::InvalidArgument, "INVALID_REQUEST"),
        (
            "a game id that is none",
            &black,
            "'; DROP TABLE games; --",
            0,
            "E5",
            "a",
            Code::InvalidArgument,
            "INVALID_REQUEST",
        ),
        ("a foreign seat", &stranger, id, 0, "E5", "a", Code::PermissionDenied, "NOT_YOUR_SEAT"),
        ("the wrong turn", &white, id, 0, "E5", "a", Code::FailedPrecondition, "NOT_YOUR_TURN"),
        ("column I", &black, id, 0, "I5", "a", Code::InvalidArgument, "MALFORMED_POINT"),
        ("row 10 of 9", &black, id, 0, "K10", "a", Code::InvalidArgument, "OFF_BOARD"),
        ("far away", &black, id, 0, "Z99", "a", Code::InvalidArgument, "MALFORMED_POINT"),
        ("a pass", &black, id, 0, "Pass", "a", Code::InvalidArgument, "MALFORMED_POINT"),
        ("no point", &black, id, 0, "", "a", Code::InvalidArgument, "MALFORMED_POINT"),
        ("no point at all", &black, id, 0, "💥", "a", Code::InvalidArgument, "MALFORMED_POINT"),
        ("a ply to come", &black, id, 1, "E5", "a", Code::Aborted, "STALE_PLY"),
        ("no command id", &black, id, 0, "E5", "", Code::InvalidArgument, "INVALID_REQUEST"),
        ("a long command id", &black, id, 0, "E5", long.as_str(), Code::InvalidArgument, "INVALID_REQUEST"),
        ("control characters", &black, id, 0, "E5", "a\n", Code::InvalidArgument, "INVALID_REQUEST"),
    ];
    for (name, session, game, ply, point, command, code, reason) in table {
        let status = play(session, game, ply, point, command).await.expect_err(name);
        assert_eq!(what(&status), expected(code, reason), "{name}: {}", status.message());
        assert!(status.message().len() < 300, "{name}: {}", status.message());
    }
    assert_eq!(play(&black, id, 0, "E5", "b").await.expect("a legal move"), 2, "nothing came in between");
    let occupied = play(&white, id, 1, "E5", "c").await.expect_err("there is a stone");
    assert_eq!(what(&occupied), expected(Code::FailedPrecondition, "OCCUPIED"));
    let stale = play(&black, id, 0, "D5", "d").await.expect_err("the ply has gone by");
    assert_eq!(what(&stale), expected(Code::Aborted, "STALE_PLY"));
    black
        .games()
        .resign(ResignRequest { game_id: id.into(), command_id: "e".into() })
        .await
        .expect("a resignation");
    let pass = play(&white, id, 1, "pass", "p").await.expect_err("no point");
    assert!(pass.message().contains("a command of its own, Pass"), "{pass}");
    let over = PassRequest { game_id: id.into(), ply: 1, command_id: "f".into(), ..Default::default() };
    let over = white.games().pass(over).await.expect_err("the game is over");
    assert_eq!(what(&over), expected(Code::FailedPrecondition, "GAME_OVER"));
    world.stop().await;
}

/// Suicide, ko and superko are refused by name, and the stream names the same points beforehand.
#[tokio::test(flavor = "multi_thread")]
async fn rules_are_refused_by_name() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    let players = [&black, &white];
    let play = |ply: u32, point: &str| {
        let game = players[ply as usize % 2].game(id);
        let point = point.to_owned();
        async move { game.play(ply, &point).await }
    };
    // White's corner at A1 has one liberty less than it needs; a ko stands around D5 and E5.
    for (ply, point) in
        ["B1", "E6", "A2", "E4", "C5", "F5", "D6", "J9", "D4", "J8", "E5", "D5"].into_iter().enumerate()
    {
        play(ply as u32, point).await.expect(point);
    }
    let refused = play(12, "E5").await.expect_err("the ko may not be taken back at once");
    assert_eq!(refused.reason(), Some("KO"));
    play(12, "H1").await.expect("elsewhere");
    let suicide = play(13, "A1").await.expect_err("no liberty there");
    assert_eq!(suicide.reason(), Some("SUICIDE"));

    // Sending two, returning one: White's B1 would restore the board of four moves before.
    let (black, white, id) = world.pair().await;
    let players = [&black, &white];
    for (ply, point) in ["A2", "B1", "B2", "C2", "J9", "D1", "J8", "A1", "C1"].into_iter().enumerate() {
        players[ply % 2].game(id).play(ply as u32, point).await.expect(point);
    }
    let refused = white.game(id).play(9, "B1").await.expect_err("a repetition");
    assert_eq!(refused.reason(), Some("SUPERKO"));
    let mut watch = black.game(id).watch(None);
    let Some(Ok(nigiri_client::Watched::Snapshot(snapshot))) = watch.next().await else {
        panic!("no snapshot")
    };
    let told = snapshot.state.expect("a state").illegal_points;
    assert!(
        told.iter().any(|illegal| illegal.point == "B1" && illegal.reason() == IllegalReason::Superko),
        "{told:?}"
    );
    world.stop().await;
}

/// Calls of another role, and calls without, with a damaged, or with a foreign token.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_roles_are_checked() {
    let world = World::with(&["--bots=false"]).await;
    let (black, _, id) = world.pair().await;
    let token = black.tokens().access_token;
    let mut games = GameServiceClient::new(world.channel());
    let get = |header: Option<String>| {
        let mut request = Request::new(GetGameRequest { game_id: id.to_string(), ..Default::default() });
        if let Some(header) = header {
            request.metadata_mut().insert("authorization", header.parse().expect("ASCII"));
        }
        request
    };
    let other = World::with(&["--bots=false"]).await;
    let foreign = other.guest("Foreigner").await.tokens().access_token;
    let parts: Vec<&str> = token.split('.').collect();
    let forged = format!("{}.{}.{}", parts[0], parts[1], foreign.split('.').next_back().unwrap_or_default());
    let table = [
        ("no token", None, "TOKEN_MISSING"),
        ("not a bearer", Some(token.clone()), "TOKEN_MALFORMED"),
        ("truncated", Some(format!("Bearer {}", &token[..token.len() / 2])), "TOKEN_MALFORMED"),
        ("rubbish", Some("Bearer rubbish".into()), "TOKEN_MALFORMED"),
        ("of another server", Some(format!("Bearer {foreign}")), "TOKEN_UNKNOWN_KEY"),
        ("with another signature", Some(format!("Bearer {forged}")), "TOKEN_INVALID"),
        ("alg none", Some("Bearer eyJhbGciOiJub25lIn0.e30.".into()), "TOKEN_MALFORMED"),
    ];
    for (name, header, reason) in table {
        let status = games.get_game(get(header)).await.expect_err(name);
        assert_eq!(what(&status), expected(Code::Unauthenticated, reason), "{name}");
    }
    games.get_game(get(Some(format!("Bearer {token}")))).await.expect("the token itself is good");
    let create = CreateGameRequest { game_id: id.to_string(), ..CreateGameRequest::default() };
    let status = black.games().create_game(create).await.expect_err("for services only");
    assert_eq!(what(&status), expected(Code::PermissionDenied, "ROLE_REQUIRED"));
    let status =
        black.games().watch_turns(WatchTurnsRequest { capacity: 1 }).await.expect_err("for bots only");
    assert_eq!(what(&status), expected(Code::PermissionDenied, "ROLE_REQUIRED"));
    other.stop().await;
    world.stop().await;
}

/// What never reaches a service is refused in words that say what would be right, and not as a fault of the server's.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_call_of_ours_is_told_what_would_be_right() {
    let world = World::with(&["--bots=false"]).await;
    let token = world.guest("Newcomer").await.tokens().access_token;
    let session = "/nigiri.session.v1.SessionService";
    let other = refused(&world, &token, &format!("{session}/Signin"), String::new()).await;
    assert_eq!(other.code(), Code::Unimplemented);
    assert!(other.message().contains("no such method"), "{other}");
    let nobody = refused(&world, &token, "/SessionService/SignInAsGuest", String::new()).await;
    assert_eq!(nobody.code(), Code::Unimplemented);
    assert!(nobody.message().contains("/package.Service/Method"), "{nobody}");
    let sign_in = format!("{session}/SignInAsGuest");
    let large = refused(&world, &token, &sign_in, "x".repeat(1 << 20)).await;
    assert_eq!(what(&large), expected(Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));
    assert!(large.message().contains("16384 bytes"), "{large}");
    let garbled = refused(&world, &token, &sign_in, 7_u32).await;
    assert_eq!(what(&garbled), expected(Code::InvalidArgument, "INVALID_REQUEST"));
    let details = garbled.get_details_bad_request().expect("what was wrong");
    assert!(details.field_violations[0].description.contains("proto/"), "{garbled}");
    world.stop().await;
}

/// Calls a method by its path, with a value as the message's first field.
async fn refused<T: prost::Message + 'static>(world: &World, token: &str, path: &str, message: T) -> Status {
    let mut client = tonic::client::Grpc::new(world.channel());
    client.ready().await.expect("a connection");
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ASCII"));
    let codec = tonic_prost::ProstCodec::<T, ()>::default();
    let answer = client.unary(request, path.parse().expect("a path"), codec).await;
    answer.map(|_| ()).expect_err(path)
}

/// Nicknames that are no names.
#[tokio::test(flavor = "multi_thread")]
async fn nicknames_are_checked() {
    let world = World::with(&["--bots=false"]).await;
    let mut sessions = SessionServiceClient::new(world.channel());
    let huge = "x".repeat(10 << 20);
    let long = "x".repeat(500);
    for (nickname, code, reason) in [
        ("", Code::InvalidArgument, "NICKNAME_EMPTY"),
        ("   ", Code::InvalidArgument, "NICKNAME_EMPTY"),
        (long.as_str(), Code::InvalidArgument, "NICKNAME_TOO_LONG"),
        (huge.as_str(), Code::ResourceExhausted, "MESSAGE_TOO_LARGE"),
        ("a\u{7}b", Code::InvalidArgument, "NICKNAME_CHARACTERS"),
        ("a\u{200b}b", Code::InvalidArgument, "NICKNAME_CHARACTERS"),
        ("\u{202e}evil", Code::InvalidArgument, "NICKNAME_CHARACTERS"),
        ("\u{430}dmin", Code::InvalidArgument, "NICKNAME_CONFUSABLE"),
        ("Admin", Code::InvalidArgument, "NICKNAME_RESERVED"),
    ] {
        let request = SignInAsGuestRequest { nickname: nickname.into(), ..Default::default() };
        let status = sessions.sign_in_as_guest(request).await.expect_err("not a name");
        let shown: String = nickname.chars().take(20).collect();
        assert_eq!(what(&status), expected(code, reason), "{shown:?}");
        assert!(status.message().len() < 300, "{shown:?}: {}", status.message());
    }
    world.stop().await;
}

/// A second ticket is refused while the first stream lives; a stream that was dropped in any phase leaves nothing behind that is in
/// the way; a cancelled ticket is gone.
#[tokio::test(flavor = "multi_thread")]
async fn tickets_are_one_a_player() {
    let world = World::with(&["--bots=false"]).await;
    let person = world.guest("Waiting").await;
    let mut raw: MatchmakingServiceClient<_> = person.matchmaking();
    let mut first = raw.find_match(quick()).await.expect("a ticket").into_inner();
    first.message().await.expect("queued").expect("a message");
    let second = raw.clone().find_match(quick()).await;
    let status = match second {
        Err(status) => status,
        Ok(stream) => stream.into_inner().message().await.expect_err("a second ticket"),
    };
    assert_eq!(what(&status), expected(Code::AlreadyExists, "TICKET_EXISTS"));
    drop(first);
    // The stream has gone: the same player takes the ticket up again.
    eventually("the ticket to be free", Duration::from_secs(10), || {
        let mut raw = raw.clone();
        async move { raw.find_match(quick()).await.ok()?.into_inner().message().await.ok()? }
    })
    .await;
    eventually("the cancellation", Duration::from_secs(10), || {
        let mut raw = raw.clone();
        async move { raw.cancel_ticket(CancelTicketRequest {}).await.ok() }
    })
    .await;
    let status = raw.cancel_ticket(CancelTicketRequest {}).await.expect_err("no ticket");
    assert_eq!(what(&status), expected(Code::NotFound, "NO_TICKET"));
    for accepts in [vec![], vec![MatchSettings { preset: "chess".into(), ..MatchSettings::default() }]] {
        let request = FindMatchRequest { accepts, ..quick() };
        let status = match raw.find_match(request).await {
            Err(status) => status,
            Ok(stream) => stream.into_inner().message().await.expect_err("nothing that is offered"),
        };
        assert_eq!(what(&status), expected(Code::InvalidArgument, "INVALID_REQUEST"));
    }
    world.stop().await;
}

/// A watcher who goes away at any moment is no trouble for the game, and streams of games that are not there are refused.
#[tokio::test(flavor = "multi_thread")]
async fn dropped_streams_hurt_nobody() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = world.pair().await;
    let watch = |game: &str, after| WatchRequest {
        game_id: game.into(),
        after_sequence: after,
        ..Default::default()
    };
    let status =
        black.games().watch(watch(&GameId::derive("none").to_string(), None)).await.expect_err("no game");
    assert_eq!(what(&status), expected(Code::NotFound, "GAME_NOT_FOUND"));
    drop(black.games().watch(watch(&id.to_string(), None)).await.expect("a stream"));
    let mut seen =
        white.games().watch(watch(&id.to_string(), Some(9_999))).await.expect("a stream").into_inner();
    let first = seen.message().await.expect("a message").expect("a snapshot");
    assert!(matches!(first.message, Some(nigiri_proto::game::v1::watch_response::Message::Snapshot(_))));
    drop(seen);
    let game = black.game(id);
    game.play(0, "E5").await.expect("the game goes on");
    let unknown: PlayerId = GameId::derive("nobody").to_string().parse().expect("an id");
    let rating = black.rating(unknown, 9).await.expect("whoever has not played has the first rating");
    assert_eq!((rating.points, rating.games), (1200, 0));
    let status = black.rating(unknown, 7777).await.expect_err("no such pool");
    assert_eq!(status.reason(), Some("INVALID_REQUEST"));
    world.stop().await;
}
