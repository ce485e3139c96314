//! Each call of players, bots and services, in a world in one process.

use std::time::Duration;

use nigiri_client::{Color, Game, Session};
use nigiri_proto::{
    bot::v1 as bot,
    game::v1::{self as game, watch_response::Message as Watched},
    matchmaking::v1 as matchmaking,
    session::v1::{self as session, Tokens},
};
use platform::testing::secret;
use testkit::{World, eventually, per_move};

use crate::{
    agreed,
    caller::{Called, Caller},
};

const SESSION: &str = "session.v1.SessionService";
const GAME: &str = "game.v1.GameService";
const MATCHMAKING: &str = "matchmaking.v1.MatchmakingService";

/// How long something may take that happens in the background.
pub const SOON: Duration = Duration::from_secs(60);

/// What the services of the world in which everything is called need.
pub const OPTIONS: [&str; 2] = ["--session-guest-bots=true", "--game-export-delay=0s"];

/// Calls everything that players, bots and services call, in a new world.
pub async fn call_everything(world: World, called: &Called) {
    let nobody = Caller { channel: world.channel(), token: String::new(), called: called.clone() };
    let players = [world.guest("Honinbo").await, world.guest("Meijin").await];
    accounts(&nobody).await;
    bots(&nobody).await;
    tickets(&nobody, &players[0]).await;
    agreed::call_everything(&nobody, &players).await;
    against_the_ai(&nobody, &players[0]).await;
    counting(&world, &nobody, &players).await;
    a_whole_game(&world, &nobody, &players).await;
    world.stop().await;
}

fn token(tokens: Option<Tokens>) -> String {
    tokens.expect("tokens").access_token
}

/// The caller of a session's player.
pub fn caller(nobody: &Caller, session: &Session) -> Caller {
    nobody.with(session.tokens().access_token)
}

/// Signing in and what becomes of it.
async fn accounts(nobody: &Caller) {
    let path = |call: &str| format!("{SESSION}/{call}");
    let request = session::SignInAsGuestRequest { nickname: "Tengen".into(), ..Default::default() };
    let first: session::SignInAsGuestResponse = nobody.ok(&path("SignInAsGuest"), request).await;
    let refresh_token = first.tokens.expect("tokens").refresh_token;
    let request = session::RefreshSessionRequest { refresh_token };
    let renewed: session::RefreshSessionResponse = nobody.ok(&path("RefreshSession"), request).await;
    let me = nobody.with(token(renewed.tokens));
    let player_id = renewed.player.expect("a player").id;

    let options: session::GetSignInOptionsResponse =
        nobody.ok(&path("GetSignInOptions"), session::GetSignInOptionsRequest {}).await;
    assert!(!options.google && !options.device, "no client id is configured");
    let keys: session::GetKeysResponse = nobody.ok(&path("GetKeys"), session::GetKeysRequest {}).await;
    assert!(keys.jwks.contains("Ed25519"));
    without_a_provider(nobody).await;

    let request = session::GetPlayerRequest { player_id: player_id.clone() };
    let found: session::GetPlayerResponse = me.ok(&path("GetPlayer"), request).await;
    assert_eq!(found.player.expect("a player").id, player_id);
    let request = session::RenamePlayerRequest { name: "Kisei".into() };
    let renamed: session::RenamePlayerResponse = me.ok(&path("RenamePlayer"), request).await;
    assert_eq!(renamed.player.expect("a player").name, "Kisei");
    let listed: session::ListSessionsResponse =
        me.ok(&path("ListSessions"), session::ListSessionsRequest {}).await;
    assert!(listed.sessions.len() == 1 && listed.sessions[0].current);
    let _: session::EndSessionResponse =
        me.ok(&path("EndSession"), session::EndSessionRequest::default()).await;
    let _: session::DeleteAccountResponse =
        me.ok(&path("DeleteAccount"), session::DeleteAccountRequest {}).await;

    let request =
        session::SignInServiceRequest { service: "test".into(), secret: secret().expose().to_owned() };
    let service: session::SignInServiceResponse = nobody.ok(&path("SignInService"), request).await;
    let service = nobody.with(token(service.tokens));
    let request = game::HaveMetRequest { player_id: player_id.clone(), other_id: player_id };
    let met: game::HaveMetResponse = service.ok(&format!("{GAME}/HaveMet"), request).await;
    assert!(!met.met);
    let nothing = uuid::Uuid::new_v4().to_string();
    let request =
        game::FindSeatedRequest { player_ids: vec![nothing.clone()], game_ids: vec![nothing.clone()] };
    let found: game::FindSeatedResponse = service.ok(&format!("{GAME}/FindSeated"), request).await;
    assert!(found.seated.is_empty() && found.over_game_ids == [nothing]);
    // Refused for its settings, not for its caller.
    let create = game::CreateGameRequest { game_id: uuid::Uuid::new_v4().to_string(), ..Default::default() };
    service.refused(&format!("{GAME}/CreateGame"), create, "INVALID_SETTINGS").await;
}

/// Where no provider is configured, signing in with one is refused. With one it is tested in the session service, beside a provider that the test plays.
async fn without_a_provider(nobody: &Caller) {
    let path = |call: &str| format!("{SESSION}/{call}");
    let nonce = "0123456789abcdef".to_owned();
    let request = session::SignInWithGoogleRequest { id_token: "x.y.z".into(), nonce, subject: None };
    nobody.refused(&path("SignInWithGoogle"), request, "SIGN_IN_OFF").await;
    let redirect_uri = "https://play.example/signed-in".to_owned();
    nobody.refused(&path("StartSignIn"), session::StartSignInRequest { redirect_uri }, "SIGN_IN_OFF").await;
    nobody.refused(&path("StartDeviceSignIn"), session::StartDeviceSignInRequest {}, "SIGN_IN_OFF").await;
    nobody.refused(&path("FinishSignIn"), session::FinishSignInRequest::default(), "SIGN_IN_UNKNOWN").await;
    let request = session::FinishDeviceSignInRequest::default();
    nobody.refused(&path("FinishDeviceSignIn"), request, "SIGN_IN_UNKNOWN").await;
}

/// A bot of somebody's own, and those of the house.
async fn bots(nobody: &Caller) {
    let path = |call: &str| format!("{SESSION}/{call}");
    let request = session::SignInAsGuestRequest { nickname: "Judan".into(), ..Default::default() };
    let owner: session::SignInAsGuestResponse = nobody.ok(&path("SignInAsGuest"), request).await;
    let owner = nobody.with(token(owner.tokens));
    let request = session::CreateBotRequest { name: "Machine".into() };
    let made: session::CreateBotResponse = owner.ok(&path("CreateBot"), request).await;
    let request = session::SignInBotRequest { name: "Machine".into(), secret: made.secret };
    let signed: session::SignInBotResponse = nobody.ok(&path("SignInBot"), request).await;
    let machine = nobody.with(token(signed.tokens));
    let request = matchmaking::OfferBotRequest {
        level: matchmaking::AiLevel::Hard.into(),
        accepts: vec![matchmaking::BotAccepts { preset: "weiqi".into(), ..Default::default() }],
        max_games: 1,
        leaving: false,
    };
    let offered: matchmaking::OfferBotResponse =
        machine.ok(&format!("{MATCHMAKING}/OfferBot"), request).await;
    assert_eq!(offered.free_places, Some(1));
    by_name(&owner).await;
    let wish = game::WatchTurnsRequest::default();
    drop(machine.stream::<_, game::WatchTurnsResponse>(&format!("{GAME}/WatchTurns"), wish).await);
    let listed: session::ListBotsResponse = owner.ok(&path("ListBots"), session::ListBotsRequest {}).await;
    let bot_id = listed.bots[0].id.clone();
    let _: session::DeleteBotResponse =
        owner.ok(&path("DeleteBot"), session::DeleteBotRequest { bot_id }).await;
    let house: bot::ListBotsResponse = owner.ok("bot.v1.BotService/ListBots", bot::ListBotsRequest {}).await;
    assert_eq!(house.bots.len(), 3);
}

/// The bot is listed, and played by its name by its usual game; it wants one game at a time.
async fn by_name(owner: &Caller) {
    let path = |call: &str| format!("{MATCHMAKING}/{call}");
    let all = matchmaking::ListReadyBotsRequest::default();
    let listed: matchmaking::ListReadyBotsResponse = owner.ok(&path("ListReadyBots"), all).await;
    let named = |bot: &&matchmaking::ReadyBot| bot.player.as_ref().is_some_and(|seat| seat.name == "Machine");
    let machine = listed.bots.iter().find(named).expect("it is listed");
    assert_eq!((machine.owner_name.as_str(), machine.free_places), ("Judan", Some(1)));
    let start = |request_id: &str, preset: &str| matchmaking::StartAiGameRequest {
        request_id: request_id.into(),
        bot_name: "machine".into(),
        settings: (!preset.is_empty()).then(|| per_move(preset, 7.0, 60)),
        ..Default::default()
    };
    let begun: matchmaking::StartAiGameResponse = owner.ok(&path("StartAiGame"), start("1", "")).await;
    assert_eq!(begun.opponent.expect("an opponent").name, "Machine");
    owner.refused(&path("StartAiGame"), start("2", ""), "BOT_FULL").await;
    owner.refused(&path("StartAiGame"), start("3", "quick"), "BOT_DECLINES").await;
    let nobody = matchmaking::StartAiGameRequest { bot_name: "Judan".into(), ..start("4", "") };
    owner.refused(&path("StartAiGame"), nobody, "PLAYER_NOT_FOUND").await;
}

/// The wish for a `quick` game.
pub fn quick(rated: bool) -> matchmaking::FindMatchRequest {
    let accepts = vec![matchmaking::MatchSettings { preset: "quick".into(), ..Default::default() }];
    matchmaking::FindMatchRequest { accepts, rated, ..Default::default() }
}

/// A ticket that is opened and cancelled.
async fn tickets(nobody: &Caller, player: &Session) {
    let me = caller(nobody, player);
    let mut stream = me.stream(&format!("{MATCHMAKING}/FindMatch"), quick(false)).await;
    let first: matchmaking::FindMatchResponse = stream.message().await.expect("a ticket").expect("a message");
    assert!(matches!(first.message, Some(matchmaking::find_match_response::Message::Queued(_))), "{first:?}");
    let _: matchmaking::CancelTicketResponse =
        me.ok(&format!("{MATCHMAKING}/CancelTicket"), matchmaking::CancelTicketRequest {}).await;
}

/// A game against the AI, in which a move is taken back.
async fn against_the_ai(nobody: &Caller, player: &Session) {
    let me = caller(nobody, player);
    let request = matchmaking::StartAiGameRequest {
        level: matchmaking::AiLevel::Easy.into(),
        color: Color::Black.into(),
        request_id: "one".into(),
        ..Default::default()
    };
    let begin = || async {
        // The house's bots need a moment to be ready.
        me.call::<_, matchmaking::StartAiGameResponse>(&format!("{MATCHMAKING}/StartAiGame"), request.clone())
            .await
            .ok()
    };
    let begun = eventually("a bot", SOON, begin).await;
    me.called.note(&format!("{MATCHMAKING}/StartAiGame"));
    let game_id = begun.game_id;
    let request = game::PlayMoveRequest {
        game_id: game_id.clone(),
        ply: 0,
        point: "E5".into(),
        command_id: "a".into(),
        ..Default::default()
    };
    let _: game::PlayMoveResponse = me.ok(&format!("{GAME}/PlayMove"), request).await;
    let request = game::RequestTakebackRequest { game_id, ply: 1, command_id: "b".into() };
    let _: game::RequestTakebackResponse = me.ok(&format!("{GAME}/RequestTakeback"), request).await;
}

/// Scores that are marked, disputed and accepted.
async fn counting(world: &World, nobody: &Caller, players: &[Session; 2]) {
    let [black, white] = world.game("igo", [&players[0], &players[1]], per_move("igo", 6.5, 60)).await;
    let [me, other] = players.each_ref().map(|player| caller(nobody, player));
    let game_id = black.id().to_string();
    let path = |call: &str| format!("{GAME}/{call}");
    black.play(0, "E5").await.expect("a move");
    let request = game::PassRequest {
        game_id: game_id.clone(),
        ply: 1,
        command_id: "pass".into(),
        ..Default::default()
    };
    let _: game::PassResponse = other.ok(&path("Pass"), request).await;
    black.pass(2).await.expect("a pass");
    let command_id = "mark".to_owned();
    let request = game::MarkChainRequest {
        game_id: game_id.clone(),
        version: 1,
        point: "E5".into(),
        dead: true,
        command_id,
    };
    let _: game::MarkChainResponse = other.ok(&path("MarkChain"), request).await;
    let request = game::DisputeScoreRequest { game_id: game_id.clone(), version: 2, command_id: "no".into() };
    let _: game::DisputeScoreResponse = me.ok(&path("DisputeScore"), request).await;
    white.leave().await.expect("left");

    let [black, white] = world.game("weiqi", [&players[0], &players[1]], per_move("weiqi", 7.5, 60)).await;
    black.pass(0).await.expect("a pass");
    white.pass(1).await.expect("a pass");
    let game_id = black.id().to_string();
    let request = game::AcceptScoreRequest { game_id, version: 1, command_id: "yes".into() };
    let _: game::AcceptScoreResponse = me.ok(&path("AcceptScore"), request).await;
    white.accept_score(1).await.expect("agreed");
}

/// A game from its first move to its record.
async fn a_whole_game(world: &World, nobody: &Caller, players: &[Session; 2]) {
    let [black, white] = world.game("quick", [&players[0], &players[1]], per_move("quick", 7.0, 60)).await;
    let [me, other] = players.each_ref().map(|player| caller(nobody, player));
    let game_id = black.id().to_string();
    let path = |call: &str| format!("{GAME}/{call}");
    let request = game::WatchRequest { game_id: game_id.clone(), ..Default::default() };
    let mut watch = me.stream::<_, game::WatchResponse>(&path("Watch"), request).await;
    let first = watch.message().await.expect("a stream").expect("a message");
    assert!(matches!(first.message, Some(Watched::Snapshot(_))), "{first:?}");
    let second = watch.message().await.expect("a stream").expect("a message");
    let Some(Watched::Ping(ping)) = second.message else { panic!("{second:?}") };
    let request = game::AnswerPingRequest { game_id: game_id.clone(), token: ping.token };
    let answer: game::AnswerPingResponse = me.ok(&path("AnswerPing"), request).await;
    assert!(answer.delay.is_some() && !answer.proof.is_empty(), "{answer:?}");
    on_one_stream(&black, players).await;
    me.called.note("game.v1.PlayService/Play");
    white.play(1, "D5").await.expect("a move");

    let request = game::OfferDrawRequest { game_id: game_id.clone(), ply: 2, command_id: "draw".into() };
    let _: game::OfferDrawResponse = me.ok(&path("OfferDraw"), request).await;
    let request = game::AnswerProposalRequest {
        game_id: game_id.clone(),
        proposal_id: 1,
        version: 2,
        accept: false,
        command_id: "no".into(),
    };
    let _: game::AnswerProposalResponse = other.ok(&path("AnswerProposal"), request).await;
    let request = game::PreviewScoreRequest { game_id: game_id.clone(), ..Default::default() };
    let preview: game::PreviewScoreResponse = me.ok(&path("PreviewScore"), request).await;
    assert_eq!(preview.ply, 2);
    let request = game::CountSpectatorsRequest { game_id: game_id.clone(), ..Default::default() };
    let counted: game::CountSpectatorsResponse = me.ok(&path("CountSpectators"), request).await;
    assert_eq!(counted.spectators, 0);
    let listed = || async {
        let request =
            game::ListLiveGamesRequest { preset: "quick".into(), board_size: 9, ..Default::default() };
        let page: game::ListLiveGamesResponse = me.ok(&path("ListLiveGames"), request).await;
        page.games.iter().any(|game| game.game_id == game_id).then_some(())
    };
    eventually("the list of live games", SOON, listed).await;
    let request = game::LeaveRequest { game_id: game_id.clone(), command_id: "leave".into() };
    let _: game::LeaveResponse = other.ok(&path("Leave"), request).await;
    let request = game::ResignRequest { game_id: game_id.clone(), command_id: "resign".into() };
    let _: game::ResignResponse = other.ok(&path("Resign"), request).await;
    let request = game::RequestRematchRequest { game_id: game_id.clone(), command_id: "again".into() };
    let _: game::RequestRematchResponse = me.ok(&path("RequestRematch"), request).await;
    records(&me, &game_id).await;
}

/// A move by the stream of many games.
async fn on_one_stream(black: &Game, players: &[Session; 2]) {
    let seat = players[0].play_stream().sit(black.id(), None);
    seat.play(0, "E5").await.expect("a move");
}

/// What is kept of a finished game.
async fn records(me: &Caller, game_id: &str) {
    let path = |call: &str| format!("{GAME}/{call}");
    let request = game::GetGameRequest { game_id: game_id.to_owned(), ..Default::default() };
    let got: game::GetGameResponse = me.ok(&path("GetGame"), request).await;
    assert!(got.record.expect("a record").entries.len() > 5);
    let request = game::ExportSgfRequest { game_id: game_id.to_owned(), ..Default::default() };
    let file: game::ExportSgfResponse = me.ok(&path("ExportSgf"), request).await;
    assert!(file.sgf.contains("B[ee]") && file.sgf.contains("W[de]"), "{}", file.sgf);
    let listed = || async {
        let page: game::ListGamesResponse =
            me.ok(&path("ListGames"), game::ListGamesRequest::default()).await;
        page.games.iter().any(|game| game.game_id == game_id).then_some(())
    };
    eventually("the archive", SOON, listed).await;
    exported(me, game_id, &file.sgf).await;
}

/// The export has the game in both forms, tells no ids of players and commands, and goes on where it was broken off.
async fn exported(me: &Caller, game_id: &str, sgf: &str) {
    use nigiri_proto::game::v1::{export_games_response::Message, exported_game::Content};
    let export = async |request: game::ExportGamesRequest| {
        let mut stream = me.stream(&format!("{GAME}/ExportGames"), request).await;
        let mut games = Vec::new();
        while let Some(game::ExportGamesResponse { message }) = stream.message().await.expect("a stream") {
            let Some(Message::Game(game)) = message else { panic!("{message:?}") };
            games.push(game);
        }
        games
    };
    let all = export(game::ExportGamesRequest::default()).await;
    let found = all.iter().find(|game| game.game_id == game_id).expect("the game");
    assert_eq!(found.content, Some(Content::Sgf(sgf.to_owned())));
    let format = game::ExportFormat::Record.into();
    let mut one_by_one = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = game::ExportGamesRequest { format, limit: 1, page_token, ..Default::default() };
        let Some(game) = export(request).await.pop() else { break };
        page_token = game.page_token.clone();
        one_by_one.push(game);
    }
    let ids =
        |games: &[game::ExportedGame]| games.iter().map(|game| game.game_id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&one_by_one), ids(&all));
    for game in one_by_one {
        let Some(Content::Record(record)) = game.content else { panic!("no record") };
        let text = format!("{record:?}");
        // The owner of the bot has played it.
        let is_named = text.contains("Honinbo") || text.contains("Judan");
        assert!(is_named && text.contains("player_id: \"\""), "{text}");
        assert!(record.entries.iter().all(|entry| entry.command_id.is_empty()));
    }
}
