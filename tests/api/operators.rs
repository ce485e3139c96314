//! What only operators may do, and ratings, on a real server whose operator is named when it starts again.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join};
use nigiri_client::{Client, Color, Finding, Game, Session};
use nigiri_proto::{
    game::v1 as game,
    matchmaking::v1::{Matched, WatchChallengesRequest, WatchChallengesResponse},
    operator::v1 as operator,
    rating::v1 as rating,
    session::v1 as session,
};
use platform::status::reason_of;
use testkit::{Process, eventually, free_port};
use tonic::{Streaming, transport::Endpoint};

use crate::{
    caller::{Called, Caller},
    calls::{SOON, caller, quick},
};

const RATING: &str = "rating.v1.RatingService";

/// Calls everything that has to do with ratings, and everything that operators call.
pub async fn call_everything(called: &Called) {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let url = format!("http://{address}");
    let start = |more: &[&str]| {
        let data = folder.path().join("data");
        let args = [&["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8")], more].concat();
        Process::start(Path::new(env!("CARGO_BIN_EXE_nigiri")), &args, &folder.path().join("log"))
            .expect("a server")
    };
    let mut first = start(&[]);
    let client = Client::connect(&url).expect("an address");
    let tower = client.sign_in_as_guest("Gosei").await.expect("signed in");
    first.kill().expect("killed");
    let _server = start(&["--session-operators", &tower.player().id]);
    // The token says who is an operator: the next one does.
    let tower = client.restore(&tower.tokens().refresh_token).await.expect("refreshed");
    let channel = Endpoint::from_shared(url).expect("an address").connect_lazy();
    let nobody = Caller { channel, token: String::new(), called: called.clone() };
    call_all(&nobody, &client, &tower).await;
}

/// Likewise, on a server where nobody has played yet, whose operator this is.
pub async fn call_all(nobody: &Caller, client: &Client, tower: &Session) {
    let players = [client.sign_in_as_guest("Honinbo").await, client.sign_in_as_guest("Meijin").await];
    let players = players.map(|player| player.expect("signed in"));
    let operator_id = tower.player().id;
    let tower = caller(nobody, tower);

    let game_id = rated_game(&players).await;
    ratings(&caller(nobody, &players[0]), &players, &game_id).await;
    annulled(&tower, &game_id).await;
    games(&tower, &players).await;
    acts(&tower, &operator_id).await;
    accounts(&tower, &players[1]).await;
}

/// What was done from the tower is listed: all of it, what was done by one operator, and what to one game.
async fn acts(tower: &Caller, operator_id: &str) {
    let listed = async |operator_id: &str, target: &str| {
        let request = operator::ListActsRequest {
            operator_id: operator_id.to_owned(),
            target: target.to_owned(),
            ..Default::default()
        };
        let page: operator::ListActsResponse =
            tower.ok("operator.v1.OperatorService/ListActs", request).await;
        page.acts
    };
    let all = listed("", "").await;
    assert!(all.len() >= 2, "{all:?}");
    assert_eq!(listed(operator_id, "").await, all);
    let target = all[0].target.clone();
    let on_target: Vec<_> = all.iter().filter(|act| act.target == target).cloned().collect();
    assert!(on_target.len() < all.len());
    assert_eq!(listed("", &target).await, on_target);
    assert_eq!(listed(operator_id, &target).await, on_target);
    assert_eq!(listed(&uuid::Uuid::new_v4().to_string(), "").await, []);
}

/// A rated game that both have moved in: its id, and White's hand on it.
async fn live_game(players: &[Session; 2]) -> (String, Game) {
    let (one, other) = join(matched(&players[0]), matched(&players[1])).await;
    assert_eq!(one.game_id, other.game_id);
    let id = one.game_id.parse().expect("an id");
    let mut games: Vec<Game> = players.iter().map(|player| player.game(id)).collect();
    let (black, white) = if one.color() == Color::Black { (0, 1) } else { (1, 0) };
    games[black].play(0, "E5").await.expect("a move");
    games[white].play(1, "D5").await.expect("a move");
    (one.game_id, games.swap_remove(white))
}

/// A rated game that both have moved in, and Black has won.
async fn rated_game(players: &[Session; 2]) -> String {
    let (id, white) = live_game(players).await;
    white.resign().await.expect("resigned");
    id
}

async fn matched(session: &Session) -> Matched {
    let mut finding = session.find_match(quick(true));
    while let Some(found) = finding.next().await {
        if let Finding::Matched(matched) = found.expect("a search") {
            return matched;
        }
    }
    panic!("no match")
}

async fn ratings(me: &Caller, players: &[Session; 2], game_id: &str) {
    let path = |call: &str| format!("{RATING}/{call}");
    let counted = || async {
        let request = rating::GetGameRatingRequest { game_id: game_id.to_owned() };
        me.call::<_, rating::GetGameRatingResponse>(&path("GetGameRating"), request).await.ok()
    };
    let changes = eventually("the game to count", SOON, counted).await.changes;
    me.called.note(&path("GetGameRating"));
    assert_eq!(
        changes[0].after_micros - changes[0].before_micros,
        changes[1].before_micros - changes[1].after_micros
    );
    let (player_id, board_size) = (changes[0].player_id.clone(), 9);
    let request = rating::GetRatingRequest { player_id: player_id.clone(), board_size, bots: false };
    let one: rating::GetRatingResponse = me.ok(&path("GetRating"), request).await;
    assert_eq!(one.rating.expect("a rating").micros, changes[0].after_micros);
    let player_ids = players.iter().map(|player| player.player().id).collect();
    let request = rating::BatchGetRatingsRequest { player_ids, board_size, bots: false };
    let both: rating::BatchGetRatingsResponse = me.ok(&path("BatchGetRatings"), request).await;
    assert_eq!(both.ratings.len(), 2);
    let request = rating::ListPlayerRatingsRequest { player_id: player_id.clone() };
    let all: rating::ListPlayerRatingsResponse = me.ok(&path("ListPlayerRatings"), request).await;
    assert_eq!(all.ratings.len(), 1);

    let include_provisional = true;
    let request = rating::ListLeadersRequest { board_size, include_provisional, ..Default::default() };
    let leaders: rating::ListLeadersResponse = me.ok(&path("ListLeaders"), request).await;
    assert_eq!(leaders.leaders.len(), 2);
    let request = rating::ListLeadersAroundRequest {
        player_id: player_id.clone(),
        board_size,
        include_provisional,
        ..Default::default()
    };
    let around: rating::ListLeadersAroundResponse = me.ok(&path("ListLeadersAround"), request).await;
    assert_eq!(around.leaders, leaders.leaders);
    let rank =
        rating::GetRankRequest { player_id: player_id.clone(), board_size, include_provisional, bots: false };
    let found: rating::GetRankResponse = me.ok(&path("GetRank"), rank.clone()).await;
    assert_eq!(found.players, 2);
    let provisional = rating::GetRankRequest { include_provisional: false, ..rank };
    me.refused(&path("GetRank"), provisional, "NOT_RANKED").await;
    let request =
        rating::ListRatingPointsRequest { player_id: player_id.clone(), board_size, ..Default::default() };
    let points: rating::ListRatingPointsResponse = me.ok(&path("ListRatingPoints"), request).await;
    assert_eq!(points.points[0].game_id, game_id);
    let request = rating::GetStatisticsRequest { player_id: player_id.clone(), board_size, bots: false };
    let statistics: rating::GetStatisticsResponse = me.ok(&path("GetStatistics"), request).await;
    assert_eq!(statistics.cells.len(), 1);
    let ban: rating::GetRatedBanResponse =
        me.ok(&path("GetRatedBan"), rating::GetRatedBanRequest { player_id: player_id.clone() }).await;
    assert_eq!(ban.end_time, None);
    let request = rating::BatchGetRatedBansRequest { player_ids: vec![player_id] };
    let bans: rating::BatchGetRatedBansResponse = me.ok(&path("BatchGetRatedBans"), request).await;
    assert_eq!(bans.bans, []);
}

async fn annulled(tower: &Caller, game_id: &str) {
    let path = |call: &str| format!("{RATING}/{call}");
    let request = rating::AnnulGameRequest { game_id: game_id.to_owned(), reason: "a test".into() };
    let trail: rating::AnnulGameResponse = tower.ok(&path("AnnulGame"), request).await;
    assert_eq!(trail.annulment.expect("a trail").corrections.len(), 2);
    let listed: rating::ListAnnulmentsResponse =
        tower.ok(&path("ListAnnulments"), rating::ListAnnulmentsRequest::default()).await;
    assert_eq!(listed.annulments[0].game_id, game_id);
    let flags: rating::ListFlagsResponse =
        tower.ok(&path("ListFlags"), rating::ListFlagsRequest::default()).await;
    assert!(flags.flags.is_empty());
    let flag_id = uuid::Uuid::new_v4().to_string();
    let request = rating::ResolveFlagRequest { flag_id, note: String::new() };
    tower.refused(&path("ResolveFlag"), request, "FLAG_NOT_FOUND").await;
}

/// Games are seen and ended from the tower, by the calls for tools and by those that the tower itself makes; an annulment goes through it as well.
async fn games(tower: &Caller, players: &[Session; 2]) {
    let path = |call: &str| format!("game.v1.OversightService/{call}");
    let reason = || "a test".to_owned();
    let (game_id, _white) = live_game(players).await;
    let all: game::ListEveryGameResponse =
        tower.ok(&path("ListEveryGame"), game::ListEveryGameRequest::default()).await;
    assert_eq!((all.total, all.games[0].game_id.as_str()), (1, &*game_id));
    for (preset, board_size, found) in
        [("quick", 0, 1), ("", 9, 1), ("quick", 9, 1), ("weiqi", 0, 0), ("", 19, 0)]
    {
        let request = game::ListEveryGameRequest { preset: preset.into(), board_size, ..Default::default() };
        let some: game::ListEveryGameResponse = tower.ok(&path("ListEveryGame"), request).await;
        assert_eq!(some.games.len(), found, "{preset} {board_size}");
    }
    let request = game::GetGameStateRequest { game_id: game_id.clone() };
    let state: game::GetGameStateResponse = tower.ok(&path("GetGameState"), request).await;
    assert_eq!(
        state.record.expect("a record").entries.len() as u64,
        state.snapshot.expect("a board").sequence
    );
    let request = game::AbortGameRequest { game_id: game_id.clone(), reason: reason() };
    let _: game::AbortGameResponse = tower.ok(&path("AbortGame"), request.clone()).await;
    tower.refused(&path("AbortGame"), request, "GAME_OVER").await;

    let path = |call: &str| format!("operator.v1.OperatorService/{call}");
    let (game_id, _white) = live_game(players).await;
    let request = operator::AbortGameRequest { game_id, reason: reason() };
    let _: operator::AbortGameResponse = tower.ok(&path("AbortGame"), request).await;
    let game_id = rated_game(players).await;
    let request = operator::AnnulGameRequest { game_id: game_id.clone(), reason: reason() };
    let annulled = || async { tower.call(&path("AnnulGame"), request.clone()).await.ok() };
    let trail: operator::AnnulGameResponse = eventually("the game to count", SOON, annulled).await;
    tower.called.note(&path("AnnulGame"));
    let annulment = trail.annulment.expect("a trail");
    assert_eq!((annulment.game_id, annulment.corrections.len()), (game_id, 2));
}

/// Whoever is kicked or banned is out of open streams too, and learns why.
async fn accounts(tower: &Caller, player: &Session) {
    let player_id = player.player().id;
    let path = |call: &str| format!("session.v1.AccountsService/{call}");
    let request = session::GetAccountRequest { player_id: player_id.clone() };
    let account: session::GetAccountResponse = tower.ok(&path("GetAccount"), request).await;
    assert_eq!((account.player.expect("a player").id, account.sessions.len()), (player_id.clone(), 1));
    let request = session::RenameAccountRequest { player_id: player_id.clone(), name: "Judan".into() };
    let renamed: session::RenameAccountResponse = tower.ok(&path("RenameAccount"), request).await;
    assert_eq!(renamed.player.expect("a player").name, "Judan");
    let path = |call: &str| format!("session.v1.SessionService/{call}");
    let mut open = open(&caller(tower, player)).await;
    let request = session::KickPlayerRequest { player_id: player_id.clone() };
    let kicked: session::KickPlayerResponse = tower.ok(&path("KickPlayer"), request).await;
    assert_eq!(kicked.ended_sessions, 1);
    assert_eq!(put_out(&mut open).await, "SESSION_ENDED");

    let again = player.client().sign_in_as_guest("Oteai").await.expect("signed in");
    let mut open = self::open(&caller(tower, &again)).await;
    let player_id = again.player().id;
    let request =
        session::BanPlayerRequest { player_id: player_id.clone(), duration: None, reason: "a test".into() };
    let banned: session::BanPlayerResponse = tower.ok(&path("BanPlayer"), request).await;
    assert_eq!(banned.end_time, None, "for good");
    assert_eq!(put_out(&mut open).await, "BANNED");
    let request = session::UnbanPlayerRequest { player_id };
    let _: session::UnbanPlayerResponse = tower.ok(&path("UnbanPlayer"), request).await;
    let request = session::RotateKeysRequest { withdraw_old: false };
    let _: session::RotateKeysResponse = tower.ok(&path("RotateKeys"), request).await;
}

/// A stream that says nothing by itself.
async fn open(me: &Caller) -> Streaming<WatchChallengesResponse> {
    me.stream("matchmaking.v1.ChallengeService/WatchChallenges", WatchChallengesRequest {}).await
}

/// Why an open stream has ended. A minute is what is promised.
async fn put_out(stream: &mut Streaming<WatchChallengesResponse>) -> String {
    let since = Instant::now();
    let end = async {
        loop {
            match stream.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("ended without a word"),
                Err(status) => break reason_of(&status).expect("a reason"),
            }
        }
    };
    let reason = tokio::time::timeout(Duration::from_secs(60), end).await.expect("within a minute");
    println!("out after {:?}: {reason}", since.elapsed());
    reason
}
