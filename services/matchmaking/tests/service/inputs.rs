//! Everything that is refused, with its code and reason.

use ledger::{Append, Deadline, Guard, Ledger, LogName, Notice};
use nigiri_proto::{
    events::v1::{AccountNotice, PlayerBanned, account_notice::Event},
    matchmaking::v1::{
        AiLevel, BotAccepts, CancelTicketRequest, EndedReason, FindMatchRequest, ListReadyBotsRequest,
        MatchSettings, OfferBotRequest, StartAiGameRequest, find_match_response::Message,
    },
};
use platform::{
    auth::{ACCOUNTS, Role},
    status::reason_of,
};
use prost::Message as _;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::world::{World, quick};

#[track_caller]
fn refused<T>(result: Result<T, Status>, code: Code, reason: &str) -> Status {
    let Err(status) = result else { panic!("accepted, and {reason} was expected") };
    assert_eq!((status.code(), reason_of(&status).as_deref()), (code, Some(reason)), "{status}");
    status
}

fn fields(status: &Status) -> Vec<String> {
    let details = status.get_details_bad_request().unwrap();
    details.field_violations.into_iter().map(|violation| violation.field).collect()
}

/// A malformed wish is refused with everything that is wrong in it at once, and names what is to be had.
#[tokio::test]
async fn malformed_wishes_are_refused_with_all_that_is_wrong() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut ann = world.person(&node, "Ann");
    let preset = |name: &str| MatchSettings { preset: name.to_owned(), ..MatchSettings::default() };
    let invalid = |result| refused(result, Code::InvalidArgument, "INVALID_REQUEST");

    let status = invalid(ann.find(FindMatchRequest::default()).await.map(drop));
    assert_eq!(fields(&status), ["accepts"]);
    assert!(status.message().contains("quick"), "{status}");
    let wish = FindMatchRequest {
        accepts: vec![preset("quick"), preset("aga"), preset(""), preset(&"x".repeat(100_000))],
        seen_game_id: Some("not an id".to_owned()),
        ..FindMatchRequest::default()
    };
    let status = invalid(ann.find(wish).await.map(drop));
    assert_eq!(
        fields(&status),
        ["accepts[1].preset", "accepts[2].preset", "accepts[3].preset", "seen_game_id"]
    );
    assert!(status.message().len() < 1_000, "what was sent is not echoed at length");
    let wish = FindMatchRequest { accepts: vec![preset("quick"); 1_000], ..FindMatchRequest::default() };
    assert_eq!(fields(&invalid(ann.find(wish).await.map(drop))), ["accepts"]);

    for (request, expected) in [
        (
            StartAiGameRequest { level: 9, color: -1, ..StartAiGameRequest::default() },
            &["level", "color", "request_id"][..],
        ),
        (
            StartAiGameRequest { level: 1, request_id: "é".repeat(65), ..StartAiGameRequest::default() },
            &["request_id"],
        ),
    ] {
        let status = invalid(ann.client.start_ai_game(request).await.map(drop));
        assert_eq!(fields(&status), expected);
    }
    let mut bot = world.with_role(node.channel(), "Bot", Role::Bot, false);
    for level in [0, 4, -7] {
        let offer = OfferBotRequest { level, ..OfferBotRequest::default() };
        assert_eq!(fields(&invalid(bot.client.offer_bot(offer).await.map(drop))), ["level"]);
    }
    let nonsense =
        BotAccepts { preset: "chess".to_owned(), board_sizes: vec![9, 4], clocks: vec![0], max_handicap: 10 };
    let offer = OfferBotRequest {
        accepts: vec![BotAccepts { preset: "aga".to_owned(), ..BotAccepts::default() }, nonsense],
        max_games: 101,
        ..OfferBotRequest::default()
    };
    let expected =
        ["preset", "board_sizes", "clocks", "max_handicap"].map(|field| format!("accepts[1].{field}"));
    let status = invalid(bot.client.offer_bot(offer).await.map(drop));
    let expected: Vec<_> =
        ["level"].into_iter().chain(expected.iter().map(String::as_str)).chain(["max_games"]).collect();
    assert_eq!(fields(&status), expected);
    let page = ListReadyBotsRequest { page_size: 201, ..ListReadyBotsRequest::default() };
    assert_eq!(fields(&invalid(ann.client.list_ready_bots(page).await.map(drop))), ["page_size"]);
    let (_search, _) = ann.queue(quick()).await;
}

/// Whoever has left rated games again and again gets none, is told until when, and may play unrated ones.
#[tokio::test]
async fn a_rated_ban_is_for_rated_games() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut member = world.with_role(node.channel(), "Leaver", Role::Player, false);
    world.fakes.rated_bans.lock().insert(member.id.to_string(), 1_900_000_000);
    let rated = FindMatchRequest { rated: true, ..quick() };
    let status = refused(member.find(rated).await.map(drop), Code::PermissionDenied, "RATED_BAN");
    let facts = status.get_details_error_info().unwrap().metadata;
    assert_eq!(facts.get("until_millis").map(String::as_str), Some("1900000000000"));
    assert_eq!(facts.get("leaves").map(String::as_str), Some("4"));
    member.queue(quick()).await;
}

/// A player who is banned while they wait has no ticket any more, whichever replica holds it.
#[tokio::test]
async fn a_banned_players_ticket_ends() {
    let world = World::running().await;
    let (one, other) = (world.node().await, world.node().await);
    let mut waiting = world.person(&one, "Waiting");
    let (mut search, _) = waiting.queue(quick()).await;
    let notice = AccountNotice {
        player_id: waiting.id.to_string(),
        event: Some(Event::Banned(PlayerBanned::default())),
        ..AccountNotice::default()
    };
    let payload = notice.encode_to_vec();
    let append = Append {
        log: LogName::new(ACCOUNTS).unwrap(),
        expected: 0,
        payload: payload.clone().into(),
        guard: Guard::default(),
        deadline: Deadline::Keep,
        notices: vec![Notice { topic: ACCOUNTS.to_owned(), payload: payload.into() }],
    };
    world.ledger.append(append).await.unwrap();
    loop {
        if let Message::Ended(ended) = search.next().await {
            assert_eq!(ended.reason(), EndedReason::Cancelled);
            break;
        }
    }
    refused(waiting.cancel().await, Code::NotFound, "NO_TICKET");
    drop(other);
}

/// Calls are for whom they are for: people search, bots offer themselves, services do neither; guests play unrated unless told otherwise.
#[tokio::test]
async fn calls_are_refused_to_other_roles() {
    let mut world = World::paused().await;
    let node = world.node().await;
    let rated = FindMatchRequest { rated: true, ..quick() };
    let mut guest = world.person(&node, "Guest");
    refused(guest.find(rated.clone()).await.map(drop), Code::PermissionDenied, "RATED_NEEDS_ACCOUNT");
    let mut member = world.with_role(node.channel(), "Member", Role::Player, false);
    member.queue(rated.clone()).await;
    let offer = OfferBotRequest { level: AiLevel::Easy.into(), ..OfferBotRequest::default() };
    let denied = |result| refused(result, Code::PermissionDenied, "ROLE_REQUIRED");
    denied(guest.client.offer_bot(offer.clone()).await.map(drop));
    for role in [Role::Bot, Role::Service] {
        let mut other = world.with_role(node.channel(), "Other", role, false);
        denied(other.find(quick()).await.map(drop));
        denied(other.cancel().await);
        let request = StartAiGameRequest { request_id: "1".to_owned(), ..StartAiGameRequest::default() };
        denied(other.client.start_ai_game(request).await.map(drop));
        if role == Role::Service {
            denied(other.client.offer_bot(offer.clone()).await.map(drop));
            let all = ListReadyBotsRequest::default();
            denied(other.client.list_ready_bots(all).await.map(drop));
        }
    }
    let mut bare = nigiri_proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient::new(
        node.channel(),
    );
    refused(bare.cancel_ticket(CancelTicketRequest {}).await, Code::Unauthenticated, "TOKEN_MISSING");
    world.rated_guests = true;
    let lenient = world.node().await;
    world.person(&lenient, "Guest").queue(rated).await;
}
