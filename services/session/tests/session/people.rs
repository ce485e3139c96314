use std::time::Duration;

use ledger::LogName;
use nigiri_proto::{
    events::v1::{AccountNotice, account_notice::Event},
    session::v1::{
        BanPlayerRequest, CreateBotRequest, DeleteBotRequest, EndSessionRequest, KickPlayerRequest,
        ListBotsRequest, ListSessionsRequest, Player, PlayerKind, RenamePlayerRequest, RotateKeysRequest,
        SignInAsGuestRequest, SignInBotRequest, Tokens, UnbanPlayerRequest,
    },
};
use platform::auth::{ACCOUNTS, Role};
use prost::Message;

use crate::world::{Home, START, World, bearer, by, reason};

const SOON: Duration = Duration::from_secs(30);

/// Asks until a player's tokens are refused, and says why.
async fn out(world: &World, id: &str, tokens: &Tokens) -> String {
    let asking = async || loop {
        match world.player(id, Some(&bearer(tokens))).await {
            Ok(_) => tokio::task::yield_now().await,
            refused => return reason(refused),
        }
    };
    tokio::time::timeout(SOON, asking()).await.unwrap()
}

/// A world with an operator: the first guest, named in the configuration of the second start.
async fn operated(home: &Home) -> (World, Tokens) {
    let world = World::on(home.open().await).await;
    let (operator, tokens) = world.guest("Watchman").await.unwrap();
    world.stop().await;
    let args =
        session::Args { operators: vec![operator.id], guest_bots: true, bots: 2, ..session::Args::default() };
    let world = World::with(home.open().await, args).await;
    let (_, tokens) = world.refresh(&tokens.refresh_token).await.unwrap();
    let identity = world.node.context().verifier().verify(&tokens.access_token, START).await.unwrap();
    assert_eq!(identity.role, Role::Operator);
    (world, tokens)
}

/// A banned player is out at once and learns why, cannot refresh, and is back when the ban ends or is lifted; a kicked one may sign in
/// again. Only operators do this. What happened stands in the log for everybody, in order.
#[tokio::test]
async fn operators_ban_and_kick() {
    for home in Home::both().await {
        let (world, operator) = operated(&home).await;
        let mut session = world.session.clone();
        let (player, tokens) = world.guest("Honinbo").await.unwrap();
        let ban = |seconds: i64, reason: &str| BanPlayerRequest {
            player_id: player.id.clone(),
            duration: Some(prost_types::Duration { seconds, nanos: 0 }),
            reason: reason.to_owned(),
        };
        assert_eq!(reason(session.ban_player(by(&tokens, ban(60, "spite"))).await), "ROLE_REQUIRED");
        for wrong in [ban(0, "stalling"), ban(60, " "), ban(60, &"x".repeat(201)), ban(60, "a\nb")] {
            assert_eq!(reason(session.ban_player(by(&operator, wrong)).await), "INVALID_REQUEST");
        }
        session.ban_player(by(&operator, ban(60, "stalling"))).await.unwrap();
        assert_eq!(out(&world, &player.id, &tokens).await, "BANNED");
        assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "BANNED");
        world.advance(Duration::from_secs(61));
        let (_, tokens) = world.refresh(&tokens.refresh_token).await.unwrap();
        session.ban_player(by(&operator, ban(6000, "stalling"))).await.unwrap();
        assert_eq!(out(&world, &player.id, &tokens).await, "BANNED");
        let unban = UnbanPlayerRequest { player_id: player.id.clone() };
        session.unban_player(by(&operator, unban)).await.unwrap();
        let (_, tokens) = world.refresh(&tokens.refresh_token).await.unwrap();

        let kick = KickPlayerRequest { player_id: player.id.clone() };
        let kicked = session.kick_player(by(&operator, kick)).await.unwrap().into_inner();
        assert_eq!(kicked.ended_sessions, 1);
        assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "SESSION_ENDED");

        let log = LogName::new(ACCOUNTS).unwrap();
        let told = async || loop {
            let entries = world.node.context().ledger.read(&log, 0, 100).await.unwrap();
            if entries.len() == 4 {
                return entries;
            }
            tokio::task::yield_now().await;
        };
        let entries = tokio::time::timeout(SOON, told()).await.unwrap();
        let notices: Vec<_> =
            entries.into_iter().map(|entry| AccountNotice::decode(entry.payload).unwrap()).collect();
        assert!(notices.iter().zip(1..).all(|(notice, revision)| notice.revision == revision));
        let kinds = notices.iter().map(|notice| match notice.event {
            Some(Event::Banned(_)) => "banned",
            Some(Event::Unbanned(_)) => "unbanned",
            Some(Event::SessionsEnded(_)) => "ended",
            _ => "other",
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["banned", "banned", "unbanned", "ended"]);
        world.stop().await;
    }
}

/// A ban takes a player's bots along, and its end brings them back; what a bot has done itself stands. A guest's request that comes again is no
/// way around it.
#[tokio::test]
async fn a_ban_leaves_no_back_door() {
    for home in Home::both().await {
        let (world, operator) = operated(&home).await;
        let mut session = world.session.clone();
        let request_id = uuid::Uuid::new_v4().to_string();
        let request = SignInAsGuestRequest { nickname: "Honinbo".to_owned(), request_id };
        let answer = session.sign_in_as_guest(request.clone()).await.unwrap().into_inner();
        let (player, tokens) = (answer.player.unwrap(), answer.tokens.unwrap());
        let mut bots = Vec::new();
        for name in ["Robot One", "Robot Two"] {
            let made = session.create_bot(by(&tokens, CreateBotRequest { name: name.into() })).await.unwrap();
            let made = made.into_inner();
            bots.push((made.bot.unwrap(), made.secret));
        }
        let sign_in = async |(bot, secret): &(Player, String)| {
            let request = SignInBotRequest { name: bot.name.clone(), secret: secret.clone() };
            world.session.clone().sign_in_bot(request).await.map(|it| it.into_inner().tokens.unwrap())
        };
        let robot = sign_in(&bots[0]).await.unwrap();
        let ban = async |player_id: &str, seconds: i64, reason: &str| {
            let duration = Some(prost_types::Duration { seconds, nanos: 0 });
            let request = BanPlayerRequest { player_id: player_id.into(), duration, reason: reason.into() };
            world.session.clone().ban_player(by(&operator, request)).await.unwrap();
        };
        ban(&bots[1].0.id, 7200, "its own fault").await;
        ban(&player.id, 3600, "stalling").await;
        assert_eq!(out(&world, &player.id, &tokens).await, "BANNED");
        assert_eq!(out(&world, &bots[0].0.id, &robot).await, "BANNED");
        for bot in &bots {
            assert_eq!(reason(sign_in(bot).await), "BANNED");
        }
        assert_eq!(reason(session.sign_in_as_guest(request).await), "BANNED");

        let unban = UnbanPlayerRequest { player_id: player.id.clone() };
        session.unban_player(by(&operator, unban)).await.unwrap();
        sign_in(&bots[0]).await.unwrap();
        assert_eq!(reason(sign_in(&bots[1]).await), "BANNED");
        world.advance(Duration::from_secs(3601));
        assert_eq!(reason(sign_in(&bots[1]).await), "BANNED", "the longer ban stands");
        world.stop().await;
    }
}

/// A player sees the sessions of all devices, ends one from another, and nobody else's.
#[tokio::test]
async fn sessions_are_listed_and_ended() {
    for home in Home::both().await {
        let (world, owner) = operated(&home).await;
        let mut session = world.session.clone();
        let list = async |tokens: &Tokens| {
            let answer =
                world.session.clone().list_sessions(by(tokens, ListSessionsRequest {})).await.unwrap();
            answer.into_inner().sessions
        };
        let name = "Nobody's robot".to_owned();
        let made = session.create_bot(by(&owner, CreateBotRequest { name })).await.unwrap().into_inner();
        let (bot, secret) = (made.bot.unwrap(), made.secret);
        let sign_in = async |secret: &str| {
            let request = SignInBotRequest { name: bot.name.clone(), secret: secret.to_owned() };
            world.session.clone().sign_in_bot(request).await.map(|it| it.into_inner().tokens.unwrap())
        };
        let [first, second] = [sign_in(&secret).await.unwrap(), sign_in(&secret).await.unwrap()];
        assert_eq!(list(&first).await.len(), 2);
        let current: Vec<_> = list(&first).await.into_iter().filter(|session| session.current).collect();
        assert_eq!(current.len(), 1);
        let end = |session_id: &str| EndSessionRequest { session_id: session_id.to_owned() };
        for foreign in [list(&owner).await[0].id.as_str(), "x"] {
            assert_eq!(reason(session.end_session(by(&first, end(foreign))).await), "SESSION_NOT_FOUND");
        }
        session.end_session(by(&first, end(""))).await.unwrap();
        assert_eq!(out(&world, &bot.id, &second).await, "SESSION_ENDED");
        assert_eq!(reason(world.refresh(&second.refresh_token).await), "SESSION_ENDED");
        assert!(world.refresh(&first.refresh_token).await.is_ok());
        world.stop().await;
    }
}

/// A bot of a player's is marked as one, signs in by its own secret and not by the house's, and ends with its owner's word; there are only so
/// many of them.
#[tokio::test]
async fn players_own_bots() {
    for home in Home::both().await {
        let (world, owner) = operated(&home).await;
        let mut session = world.session.clone();
        let create = |name: &str| by(&owner, CreateBotRequest { name: name.to_owned() });
        let made = session.create_bot(create("Robot One")).await.unwrap().into_inner();
        let bot = made.bot.unwrap();
        assert_eq!(bot.kind(), PlayerKind::Bot);
        let sign_in = async |secret: &str| {
            let request = SignInBotRequest { name: "Robot One".to_owned(), secret: secret.to_owned() };
            world.session.clone().sign_in_bot(request).await.map(|it| it.into_inner().tokens.unwrap())
        };
        let tokens = sign_in(&made.secret).await.unwrap();
        let house = platform::testing::secret();
        for wrong in ["", house.expose(), "x"] {
            assert_eq!(reason(sign_in(wrong).await), "SECRET_WRONG");
        }
        let renewed = session.create_bot(create("Robot One")).await.unwrap().into_inner();
        assert_eq!(renewed.bot.unwrap().id, bot.id);
        assert_eq!(reason(sign_in(&made.secret).await), "SECRET_WRONG");
        assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "SESSION_ENDED");
        session.create_bot(create("Robot Two")).await.unwrap();
        assert_eq!(reason(session.create_bot(create("Robot Three")).await), "TOO_MANY_BOTS");
        assert_eq!(reason(session.create_bot(create("Nigiri easy")).await), "NICKNAME_RESERVED");
        let (_, other) = world.guest("Shusaku").await.unwrap();
        let delete = DeleteBotRequest { bot_id: bot.id.clone() };
        assert_eq!(reason(session.delete_bot(by(&other, delete.clone())).await), "BOT_NOT_FOUND");
        assert_eq!(
            reason(session.create_bot(by(&other, CreateBotRequest { name: "Robot One".into() })).await),
            "NAME_TAKEN"
        );
        session.delete_bot(by(&owner, delete)).await.unwrap();
        let left = session.list_bots(by(&owner, ListBotsRequest {})).await.unwrap().into_inner().bots;
        assert_eq!(left.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["Robot Two"]);
        world.stop().await;
    }
}

/// A rename follows the rules of names, is refused when somebody has the name, and comes once a week; the next token has the new name.
#[tokio::test]
async fn renames_are_limited() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        world.guest("Shusaku").await.unwrap();
        let (player, tokens) = world.guest("Honinbo").await.unwrap();
        let rename = async |tokens: &Tokens, name: &str| {
            let request = by(tokens, RenamePlayerRequest { name: name.to_owned() });
            world.session.clone().rename_player(request).await.map(|it| it.into_inner().player.unwrap().name)
        };
        for (name, expected) in [
            ("", "NICKNAME_EMPTY"),
            ("Admin", "NICKNAME_RESERVED"),
            ("SHUSAKU", "NAME_TAKEN"),
            ("'; DROP TABLE players; --", "NICKNAME_TOO_LONG"),
            ("<script>", "NICKNAME_CHARACTERS"),
        ] {
            assert_eq!(reason(rename(&tokens, name).await), expected);
        }
        assert_eq!(rename(&tokens, "Honinbo").await.unwrap(), "Honinbo", "no rename at all");
        assert_eq!(rename(&tokens, "HONINBO").await.unwrap(), "HONINBO");
        assert_eq!(reason(rename(&tokens, "Dosaku").await), "RENAMED_LATELY");
        world.advance(Duration::from_secs(7 * 24 * 3600));
        let (same, tokens) = world.refresh(&tokens.refresh_token).await.unwrap();
        assert_eq!((same.id, same.name.as_str()), (player.id, "HONINBO"));
        assert_eq!(rename(&tokens, "Dosaku").await.unwrap(), "Dosaku");
        world.stop().await;
    }
}

/// A new key logs nobody out; when the old ones are withdrawn, old access tokens stop being good and the sessions go on.
#[tokio::test]
async fn keys_rotate_without_logging_anyone_out() {
    for home in Home::both().await {
        let (world, operator) = operated(&home).await;
        let (player, tokens) = world.guest("Honinbo").await.unwrap();
        let kid = |tokens: &Tokens| jsonwebtoken::decode_header(&tokens.access_token).unwrap().kid.unwrap();
        let rotate = async |withdraw_old: bool| {
            let request = by(&operator, RotateKeysRequest { withdraw_old });
            world.session.clone().rotate_keys(request).await.unwrap();
        };
        rotate(false).await;
        let (_, same) = world.refresh(&tokens.refresh_token).await.unwrap();
        assert_eq!(kid(&same), kid(&tokens), "not before every replica publishes it");
        world.advance(session::keys::SETTLED);
        let (_, next) = world.refresh(&same.refresh_token).await.unwrap();
        assert_ne!(kid(&next), kid(&tokens));
        wait(Duration::from_secs(3)).await;
        for good in [&tokens, &next] {
            assert_eq!(world.player(&player.id, Some(&bearer(good))).await.unwrap(), player);
        }
        rotate(true).await;
        let (_, fresh) = world.refresh(&next.refresh_token).await.unwrap();
        wait(Duration::from_secs(21)).await;
        assert_eq!(out(&world, &player.id, &next).await, "TOKEN_UNKNOWN_KEY");
        assert_eq!(world.player(&player.id, Some(&bearer(&fresh))).await.unwrap(), player);
        world.stop().await;
    }
}

/// Lets this much time pass for everything that waits.
async fn wait(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
