//! What is kept of games and who may see it: lists, records, files, private games; and the tools that read the archive.
#![allow(missing_docs, reason = "a test")]

use std::{path::Path, process::Command, time::Duration};

use futures::StreamExt;
use goban::sgf::{Collection, Record};
use nigiri_client::{Client, Color, Game, GameId, Session, Watched};
use nigiri_proto::game::v1::{
    CheckSettingsRequest, CreateGameRequest, ExportSgfRequest, GameSettings, GameSummary, GetGameRequest,
    ListGamesRequest, ListLiveGamesRequest, PreviewScoreRequest, Seat, TimeControl, WatchRequest,
    game_service_client::GameServiceClient, time_control::Control,
};
use platform::{network::Peer, status::reason_of};
use testkit::{Process, World, eventually, free_port, per_move};
use tonic::{Code, Status};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");
const PATIENCE: Duration = Duration::from_secs(60);

fn settings(preset: &str, board_size: u32, watch_key: &str) -> GameSettings {
    GameSettings { board_size, watch_key: watch_key.to_owned(), ..per_move(preset, 6.5, 60) }
}

async fn end(players: &[Game; 2]) {
    players[0].play(0, "C3").await.expect("a move");
    players[1].play(1, "D4").await.expect("a move");
    players[0].resign().await.expect("a resignation");
}

fn ids(games: &[GameSummary]) -> Vec<&str> {
    games.iter().map(|game| game.game_id.as_str()).collect()
}

async fn live(session: &Session, request: ListLiveGamesRequest) -> (Vec<GameSummary>, String) {
    let answer = session.games().list_live_games(request).await.expect("a list").into_inner();
    (answer.games, answer.next_page_token)
}

async fn finished(session: &Session, request: ListGamesRequest) -> (Vec<GameSummary>, String) {
    let answer = session.games().list_games(request).await.expect("a list").into_inner();
    (answer.games, answer.next_page_token)
}

/// Games are in the list of live games from soon after their beginning to their end, and then in their players' lists; both are filtered, and paged so that games that
/// come and go between two pages neither repeat a game nor hide one.
#[tokio::test(flavor = "multi_thread")]
async fn games_are_listed_while_they_live_and_after() {
    let world = World::with(&["--bots=false"]).await;
    let (a, b, c) = (world.guest("A").await, world.guest("B").await, world.guest("C").await);
    let mut games = Vec::new();
    for (name, players, preset, size) in [
        ("1", [&a, &b], "quick", 9),
        ("2", [&b, &a], "weiqi", 13),
        ("3", [&c, &b], "weiqi", 9),
        ("4", [&a, &c], "igo", 19),
    ] {
        games.push(world.game(name, players, settings(preset, size, "")).await);
        // One after the other, so that the order is known.
        let known = games.len();
        eventually("the list", PATIENCE, || async {
            (live(&a, ListLiveGamesRequest::default()).await.0.len() == known).then_some(())
        })
        .await;
    }
    let id = |n: usize| games[n - 1][0].id().to_string();
    let of = |player: &Session| ListLiveGamesRequest { player_id: player.player().id, ..Default::default() };
    let (all, none) = live(&c, ListLiveGamesRequest::default()).await;
    assert_eq!((ids(&all), none.as_str()), (vec![id(4).as_str(), &id(3), &id(2), &id(1)], ""));
    assert_eq!(all[0].settings.as_ref().map(|settings| settings.preset.as_str()), Some("igo"));
    assert_eq!(all[0].seats[0].name, a.player().name);
    assert!(all[0].result.is_none() && all[0].create_time.is_some());
    assert_eq!(ids(&live(&c, of(&c)).await.0), [id(4), id(3)]);
    let weiqi = ListLiveGamesRequest { preset: "weiqi".into(), ..Default::default() };
    assert_eq!(ids(&live(&c, weiqi.clone()).await.0), [id(3), id(2)]);
    assert_eq!(ids(&live(&c, ListLiveGamesRequest { board_size: 9, ..weiqi }).await.0), [id(3)]);
    let rated = ListLiveGamesRequest { rated: Some(true), ..Default::default() };
    assert!(live(&c, rated).await.0.is_empty());

    let page =
        |token: &str| ListLiveGamesRequest { page_size: 2, page_token: token.into(), ..Default::default() };
    let (first, next) = live(&c, page("")).await;
    assert_eq!(ids(&first), [id(4), id(3)]);
    end(&games[3]).await;
    world.game("5", [&a, &b], settings("quick", 9, "")).await;
    let (second, last) = live(&c, page(&next)).await;
    assert_eq!((ids(&second), last.as_str()), (vec![id(2).as_str(), &id(1)], ""));

    end(&games[0]).await;
    let mine = || ListGamesRequest::default();
    eventually("the archive", PATIENCE, || async { (finished(&a, mine()).await.0.len() == 2).then_some(()) })
        .await;
    let (own, _) = finished(&a, mine()).await;
    assert_eq!(ids(&own), [id(1), id(4)], "the last one first");
    let result = own[0].result.as_ref().expect("a result");
    assert_eq!((result.text.as_str(), result.winner(), own[0].moves), ("W+R", Color::White, 2));
    let of_b = ListGamesRequest { player_id: b.player().id, ..Default::default() };
    assert_eq!(ids(&finished(&c, of_b.clone()).await.0), [id(1)]);
    assert!(finished(&c, ListGamesRequest { preset: "igo".into(), ..of_b }).await.0.is_empty());
    let (one, next) = finished(&a, ListGamesRequest { page_size: 1, ..mine() }).await;
    assert_eq!((ids(&one), next.is_empty()), (vec![id(1).as_str()], false));
    let rest = ListGamesRequest { page_size: 1, page_token: next, ..mine() };
    assert_eq!(ids(&finished(&a, rest).await.0), [id(4)]);
    let (now, _) = live(&c, ListLiveGamesRequest::default()).await;
    assert!(!ids(&now).contains(&id(4).as_str()) && !ids(&now).contains(&id(1).as_str()));

    let wrong = ListLiveGamesRequest {
        player_id: "x".into(),
        preset: "go".into(),
        board_size: 4,
        page_size: 1_000,
        page_token: "x".into(),
        ..Default::default()
    };
    let status = c.games().list_live_games(wrong).await.expect_err("wrong");
    let words = status.message();
    assert_eq!(status.code(), Code::InvalidArgument);
    for field in ["player_id", "preset", "board_size", "page_size", "page_token"] {
        assert!(words.contains(field), "{words}");
    }
    world.stop().await;
}

/// Everything that shows a private game shows it to its players and to whoever has its key, and to nobody else, live and archived; it is in no list but its players' own.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_game_is_for_those_who_have_its_link() {
    let world = World::with(&["--bots=false"]).await;
    let (a, b, c) = (world.guest("A").await, world.guest("B").await, world.guest("C").await);
    let key = uuid::Uuid::from_u128(77).to_string();
    let players = world.game("private", [&a, &b], settings("quick", 9, &key)).await;
    let id = players[0].id().to_string();
    let refused = |status: Status| (status.code(), reason_of(&status).unwrap_or_default());
    let no = Err((Code::PermissionDenied, "PRIVATE_GAME".to_owned()));
    let see = |session: Session, key: String| {
        let (game_id, watch_key) = (id.clone(), key);
        async move {
            let mut games = session.games();
            let watch =
                WatchRequest { game_id: game_id.clone(), watch_key: watch_key.clone(), ..Default::default() };
            let get = GetGameRequest { game_id: game_id.clone(), watch_key: watch_key.clone() };
            let sgf = ExportSgfRequest { game_id: game_id.clone(), watch_key: watch_key.clone() };
            let preview = PreviewScoreRequest { game_id, watch_key };
            [
                games.watch(watch).await.map(drop).map_err(refused),
                games.get_game(get).await.map(drop).map_err(refused),
                games.export_sgf(sgf).await.map(drop).map_err(refused),
                games.preview_score(preview).await.map(drop).map_err(refused),
            ]
        }
    };
    let other = uuid::Uuid::from_u128(78).to_string();
    for archived in [false, true] {
        for (who, with, may) in
            [(&a, "", true), (&b, "", true), (&c, &*key, true), (&c, "", false), (&c, &*other, false)]
        {
            let seen = see(who.clone(), with.to_owned()).await;
            let expected = if may { Ok(()) } else { no.clone() };
            assert!(seen.iter().all(|answer| *answer == expected), "archived: {archived}, {with}: {seen:?}");
        }
        let (mine, theirs) = if archived {
            let of_a = ListGamesRequest { player_id: a.player().id, ..Default::default() };
            (finished(&a, of_a.clone()).await.0, finished(&c, of_a).await.0)
        } else {
            eventually("the list", PATIENCE, || async {
                live(&a, ListLiveGamesRequest::default()).await.0.pop()
            })
            .await;
            let everything = ListLiveGamesRequest::default;
            (live(&b, everything()).await.0, live(&c, everything()).await.0)
        };
        assert_eq!((ids(&mine), ids(&theirs)), (vec![id.as_str()], vec![]));
        if !archived {
            end(&players).await;
            eventually("the archive", PATIENCE, || async {
                players[0].record().await.ok().filter(|record| record.archived)
            })
            .await;
        }
    }
    world.stop().await;
}

/// A game's file is read back as the game that was played, live and archived: players, rules, komi, handicap, moves and result; what was taken back is not in it.
#[tokio::test(flavor = "multi_thread")]
async fn a_games_file_is_the_game() {
    let world = World::with(&["--bots=false"]).await;
    let (a, b) = (world.guest("本因坊").await, world.guest("Meijin").await);
    let mut custom = settings("igo", 9, "");
    custom.options = Some(nigiri_proto::game::v1::GameOptions { handicap: 2, ..Default::default() });
    let players = world.game("sgf", [&a, &b], custom).await;
    players[1].play(0, "E5").await.expect("a move");
    players[0].play(1, "C5").await.expect("a move");
    players[1].request_takeback(2).await.expect("asked");
    let version = 2;
    players[0].answer(1, version, true).await.expect("answered");
    let state = snapshot(&players[0]).await;
    players[1].play(state, "E6").await.expect("a move");
    players[0].pass(state + 1).await.expect("a pass");
    let export = |session: Session| {
        let request = ExportSgfRequest { game_id: players[0].id().to_string(), ..Default::default() };
        async move { session.games().export_sgf(request).await.expect("a file").into_inner().sgf }
    };
    let running = export(a.clone()).await;
    players[1].resign().await.expect("a resignation");
    eventually("the archive", PATIENCE, || async {
        players[0].record().await.ok().filter(|record| record.archived)
    })
    .await;
    for (file, result) in [(running, None), (export(b.clone()).await, Some("B+R"))] {
        let parsed = Collection::parse(file.as_bytes()).expect("a file");
        let record = Record::read(parsed.games().next().expect("a game")).expect("a record");
        assert_eq!(record.players.clone().map(|player| player.name), [a.player().name, b.player().name]);
        assert_eq!((record.rules.as_str(), record.handicap, record.steps.len()), ("igo", 2, 2));
        assert_eq!(record.komi.map(|komi| komi.to_string()).as_deref(), Some("6.5"));
        assert_eq!(record.result.map(|result| result.to_string()).as_deref(), result);
        let position = record.play(goban::Preset::Igo.rules()).expect("a playable record");
        assert_eq!(position.stone("E6".parse().expect("a point")), Some(goban::Color::White));
        assert_eq!(position.board().stones(goban::Color::Black).count(), 2);
    }
    world.stop().await;
}

async fn snapshot(game: &Game) -> u32 {
    match game.watch(None).next().await {
        Some(Ok(Watched::Snapshot(snapshot))) => snapshot.state.expect("a state").ply,
        other => panic!("no snapshot: {other:?}"),
    }
}

/// `nigiri log` prints a game's entries from the server and from the archive alike; `nigiri verify` finds nothing wrong with what was played, and ends with a fault
/// when a row, or a record, says something else than the game.
#[tokio::test(flavor = "multi_thread")]
async fn the_tools_read_the_archive_and_find_what_does_not_come_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let url = format!("http://{address}");
    let args = ["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--bot-delay", "0s"];
    let server = Process::start(Path::new(BINARY), &args, &folder.path().join("log")).expect("a server");
    let person = Client::connect(&url).expect("an address").sign_in_as_guest("Clerk").await.expect("a guest");
    let begun = eventually("a bot", PATIENCE, || async {
        person.start_ai_game(nigiri_client::AiLevel::Easy, Color::Black).await.ok()
    })
    .await;
    let game = person.game(begun.game_id.parse().expect("an id"));
    game.play(0, "E5").await.expect("a move");
    let mut watch = game.watch(None);
    while let Some(watched) = watch.next().await {
        let moved = match watched.expect("the stream goes on") {
            Watched::Snapshot(snapshot) => snapshot.state.is_some_and(|state| state.ply == 2),
            Watched::Update(update) => update.state.is_some_and(|state| state.ply == 2),
            _ => false,
        };
        if moved {
            break;
        }
    }
    game.resign().await.expect("a resignation");
    eventually("the archive", PATIENCE, || async { game.record().await.ok().filter(|r| r.archived) }).await;

    let session = folder.path().join("session");
    let session = session.to_str().expect("UTF-8");
    let archive = data.to_str().expect("UTF-8");
    let tool = |args: &[&str]| {
        let out = Command::new(BINARY).args(args).output().expect("it runs");
        (out.status.success(), String::from_utf8(out.stdout).expect("UTF-8"))
    };
    let id = game.id().to_string();
    let (ok, told) = tool(&["log", "--server", &url, "--session-file", session, &id]);
    assert!(ok && told.contains("Black E5") && told.contains("W+R (resignation)"), "{told}");
    assert_eq!(tool(&["log", "--data", archive, &id]), (true, told));
    let (ok, json) = tool(&["log", "--data", archive, "--json", &id]);
    let kinds: Vec<_> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|line| line["events"][0]["kind"].as_str().expect("a kind").to_owned())
        .collect();
    assert!(ok);
    assert_eq!(kinds, ["created", "move_played", "move_played", "finished"]);
    assert!(!tool(&["log", "--data", archive, &GameId::derive("nowhere").to_string()]).0);

    let verify = || tool(&["verify", "--data", archive]);
    assert_eq!(verify(), (true, "1 games, 0 that do not come out\n".to_owned()));
    drop(server);
    let db = platform::db::Db::sqlite(&data.join("nigiri.db"), ledger::WriteGate::new()).await.expect("open");
    let platform::db::Db::Sqlite(lite) = &db else { panic!("SQLite") };
    for (change, back, told) in [
        (
            "UPDATE games SET result = 'B+R'",
            "UPDATE games SET result = 'W+R'",
            "the archive has B+R, the record makes W+R",
        ),
        (
            "UPDATE games SET board_size = 13, moves = 7",
            "UPDATE games SET board_size = 9, moves = 2",
            "the moves: the archive has 7, the record makes 2",
        ),
        ("UPDATE games SET record = substr(record, 1, 40)", "", "the record cannot be read"),
    ] {
        sqlx::query(change).execute(&lite.pool).await.expect("changed");
        let (ok, text) = verify();
        assert!(!ok && text.contains(told) && text.contains(&id), "{change}: {text}");
        assert!(text.contains("1 games, 1 that do not come out"), "{text}");
        if !back.is_empty() {
            sqlx::query(back).execute(&lite.pool).await.expect("changed back");
            assert!(verify().0);
        }
    }
    db.close().await;
}

/// A game may have any ruleset, any board from 5 to 19 lines, any komi, handicap and control; what cannot be is refused with everything that is wrong, at once, and
/// no game is made.
#[tokio::test(flavor = "multi_thread")]
async fn custom_games_are_validated_as_a_whole() {
    use nigiri_proto::game::v1::{
        Absolute, Byoyomi, Canadian, DeadStones, Fischer, GameOptions, KoRule, NoClock, Rules, Scoring, Tax,
    };
    let world = World::with(&["--bots=false"]).await;
    let players = [world.guest("A").await, world.guest("B").await];
    let span = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let controls = [
        Control::None(NoClock {}),
        Control::Absolute(Absolute { time: span(60) }),
        Control::Fischer(Fischer { time: span(60), increment: span(5), cap: span(120) }),
        Control::Byoyomi(Byoyomi { time: None, period: span(10), periods: 3 }),
        Control::Canadian(Canadian { time: span(60), period: span(60), stones: 20 }),
    ];
    for (n, side) in (5..=19).enumerate() {
        let rules = Rules {
            ko: [KoRule::Simple, KoRule::Positional, KoRule::Situational][n % 3].into(),
            scoring: [Scoring::Area, Scoring::Territory][n % 2].into(),
            multi_stone_suicide: n % 4 == 0,
            tax: [Tax::None, Tax::Seki, Tax::All][n / 3 % 3].into(),
            ..Rules::default()
        };
        let options = GameOptions {
            rules: Some(rules),
            dead_stones: [DeadStones::Estimate, DeadStones::Agreement][n / 2 % 2].into(),
            handicap: if n % 3 == 0 { 0 } else { n as u32 % 8 + 2 },
            free_placement: n % 3 != 0,
            ..GameOptions::default()
        };
        let custom = GameSettings {
            board_size: side,
            komi: f64::from(side) - 40.5,
            time_control: Some(TimeControl { control: Some(controls[n % controls.len()]) }),
            options: Some(options),
            ..settings("aga", 9, "")
        };
        let [black, _] = world.game(&format!("custom {side}"), [&players[0], &players[1]], custom).await;
        // With a handicap White would be first, but for Black's placements.
        black.play(0, "A1").await.expect("a move");
    }

    let seat = |player: &str, color: Color| Seat {
        color: color.into(),
        player_id: player.into(),
        ..Seat::default()
    };
    let id = GameId::derive("wrong").to_string();
    let wrong = GameSettings {
        board_size: 20,
        komi: 0.3,
        time_control: Some(TimeControl { control: Some(Control::Absolute(Absolute { time: span(0) })) }),
        move_limit: 1,
        options: Some(GameOptions { handicap: 1, ..GameOptions::default() }),
        ..settings("go", 9, "guess me")
    };
    let request = CreateGameRequest {
        game_id: id.clone(),
        settings: Some(wrong),
        seats: vec![seat("nobody", Color::Black), seat("nobody", Color::Black)],
    };
    let fields = |status: &tonic::Status| {
        assert_eq!(reason_of(status).as_deref(), Some("INVALID_SETTINGS"));
        let details = tonic_types::StatusExt::get_details_bad_request(status).expect("violations");
        let mut fields: Vec<_> = details.field_violations.into_iter().map(|v| v.field).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    };
    // Any player may ask about the settings beforehand, and hears the same.
    let check = CheckSettingsRequest { settings: request.settings.clone() };
    let before = players[0].games().check_settings(check).await.expect_err("no game");
    let usual = CheckSettingsRequest { settings: Some(settings("quick", 9, "")) };
    players[0].games().check_settings(usual).await.expect("a game");
    let channel = world.context().channel("test", Peer::Game).expect("a channel");
    let status = GameServiceClient::new(channel).create_game(request).await.expect_err("no game");
    assert_eq!(fields(&status)[0], "seats");
    assert_eq!(fields(&status)[1..], fields(&before));
    assert_eq!(
        fields(&before),
        [
            "settings.board_size",
            "settings.komi",
            "settings.move_limit",
            "settings.options.handicap",
            "settings.preset",
            "settings.time_control.absolute.time",
            "settings.watch_key"
        ]
    );
    let request = GetGameRequest { game_id: id, ..Default::default() };
    let gone = players[0].games().get_game(request).await.expect_err("no game");
    assert_eq!(gone.code(), Code::NotFound);
    world.stop().await;
}
