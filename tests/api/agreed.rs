//! Challenges and blocks, between two players who know each other's names.

use nigiri_client::{Color, Session};
use nigiri_proto::{
    game::v1 as game,
    matchmaking::v1::{
        self as matchmaking, ChallengeState, block_player_request, watch_challenges_response::Message,
    },
};
use testkit::per_move;

use crate::{caller::Caller, calls::caller};

const CHALLENGES: &str = "matchmaking.v1.ChallengeService";
const BLOCKS: &str = "matchmaking.v1.BlockService";

/// Each call of challenges and blocks.
pub async fn call_everything(nobody: &Caller, players: &[Session; 2]) {
    let [ann, bob] = players.each_ref().map(|player| caller(nobody, player));
    let [ann_is, bob_is] = players.each_ref().map(|player| player.player());
    let code = by_link(&ann, &bob).await;
    by_name(&ann, &bob, &bob_is.name).await;
    blocks(&ann, &bob, &ann_is.name, &bob_is.id).await;
    let accept = matchmaking::AcceptChallengeRequest { code: code.clone() };
    ann.refused(&format!("{CHALLENGES}/AcceptChallenge"), accept, "OWN_CHALLENGE").await;
    let cancel = matchmaking::CancelChallengeRequest { code };
    ann.refused(&format!("{CHALLENGES}/CancelChallenge"), cancel, "CHALLENGE_CLOSED").await;
}

async fn challenge(me: &Caller, request_id: &str, opponent_name: &str) -> matchmaking::Challenge {
    let request = matchmaking::CreateChallengeRequest {
        request_id: request_id.to_owned(),
        settings: Some(per_move("weiqi", 7.5, 60)),
        color: Color::White.into(),
        opponent_name: opponent_name.to_owned(),
        ..Default::default()
    };
    let made: matchmaking::CreateChallengeResponse =
        me.ok(&format!("{CHALLENGES}/CreateChallenge"), request).await;
    made.challenge.expect("a challenge")
}

/// Who has the link sees what is to be played, accepts, and plays.
async fn by_link(ann: &Caller, bob: &Caller) -> String {
    let path = |call: &str| format!("{CHALLENGES}/{call}");
    let code = challenge(ann, "link", "").await.code;
    let request = matchmaking::GetChallengeRequest { code: code.clone() };
    let seen: matchmaking::GetChallengeResponse = bob.ok(&path("GetChallenge"), request.clone()).await;
    let seen = seen.challenge.expect("a challenge");
    assert_eq!((seen.state(), seen.settings), (ChallengeState::Open, Some(per_move("weiqi", 7.5, 60))));
    let accept = matchmaking::AcceptChallengeRequest { code: code.clone() };
    let accepted: matchmaking::AcceptChallengeResponse = bob.ok(&path("AcceptChallenge"), accept).await;
    assert_eq!(accepted.color(), Color::Black);
    let own: matchmaking::GetChallengeResponse = ann.ok(&path("GetChallenge"), request).await;
    assert_eq!(own.challenge.expect("a challenge").game_id, accepted.game_id);
    let command_id = "a".to_owned();
    let request = game::PlayMoveRequest { game_id: accepted.game_id, ply: 0, point: "E5".into(), command_id };
    let played: game::PlayMoveResponse = bob.ok("game.v1.GameService/PlayMove", request).await;
    assert_eq!(played.sequence, 2);
    let request = game::ResignRequest { game_id: own_game(ann, &code).await, command_id: "b".to_owned() };
    let _: game::ResignResponse = ann.ok("game.v1.GameService/Resign", request).await;
    code
}

async fn own_game(me: &Caller, code: &str) -> String {
    let request = matchmaking::GetChallengeRequest { code: code.to_owned() };
    let seen: matchmaking::GetChallengeResponse = me.ok(&format!("{CHALLENGES}/GetChallenge"), request).await;
    seen.challenge.expect("a challenge").game_id
}

/// Challenges by name are listed, followed, declined and withdrawn.
async fn by_name(ann: &Caller, bob: &Caller, bobs_name: &str) {
    let path = |call: &str| format!("{CHALLENGES}/{call}");
    let watch = matchmaking::WatchChallengesRequest {};
    let mut stream =
        bob.stream::<_, matchmaking::WatchChallengesResponse>(&path("WatchChallenges"), watch).await;
    // What changed a moment before is told too.
    let mut heard = async |code: &str| loop {
        let news = stream.message().await.expect("a stream").expect("a message").message;
        match news {
            Some(Message::Challenge(challenge)) if challenge.code == code => break challenge.state(),
            _ => {}
        }
    };
    let code = challenge(ann, "declined", bobs_name).await.code;
    assert_eq!(heard(&code).await, ChallengeState::Open);
    let list = matchmaking::ListChallengesRequest {};
    let listed: matchmaking::ListChallengesResponse = bob.ok(&path("ListChallenges"), list).await;
    assert_eq!(
        listed.challenges.into_iter().map(|one| one.code).collect::<Vec<_>>(),
        std::slice::from_ref(&code)
    );
    let decline = matchmaking::DeclineChallengeRequest { code: code.clone() };
    let _: matchmaking::DeclineChallengeResponse = bob.ok(&path("DeclineChallenge"), decline).await;
    assert_eq!(heard(&code).await, ChallengeState::Declined);
    let code = challenge(ann, "withdrawn", bobs_name).await.code;
    let cancel = matchmaking::CancelChallengeRequest { code };
    let _: matchmaking::CancelChallengeResponse = ann.ok(&path("CancelChallenge"), cancel).await;
}

/// Who is blocked cannot challenge, until the block ends.
async fn blocks(ann: &Caller, bob: &Caller, anns_name: &str, bob_id: &str) {
    let path = |call: &str| format!("{BLOCKS}/{call}");
    let player = Some(block_player_request::Player::PlayerId(bob_id.to_owned()));
    let block = matchmaking::BlockPlayerRequest { player };
    let _: matchmaking::BlockPlayerResponse = ann.ok(&path("BlockPlayer"), block).await;
    let list = matchmaking::ListBlockedPlayersRequest {};
    let listed: matchmaking::ListBlockedPlayersResponse = ann.ok(&path("ListBlockedPlayers"), list).await;
    assert_eq!(listed.blocked.into_iter().map(|one| one.player_id).collect::<Vec<_>>(), [bob_id]);
    let request = matchmaking::CreateChallengeRequest {
        request_id: "blocked".to_owned(),
        settings: Some(per_move("weiqi", 7.5, 60)),
        opponent_name: anns_name.to_owned(),
        ..Default::default()
    };
    bob.refused(&format!("{CHALLENGES}/CreateChallenge"), request, "BLOCKED").await;
    let unblock = matchmaking::UnblockPlayerRequest { player_id: bob_id.to_owned() };
    let _: matchmaking::UnblockPlayerResponse = ann.ok(&path("UnblockPlayer"), unblock).await;
}
