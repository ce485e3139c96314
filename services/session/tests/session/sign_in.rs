use nigiri_proto::session::v1::{FindPlayerRequest, PlayerKind, SignInBotRequest, SignInServiceRequest};
use platform::{
    auth::{Role, Subject},
    convert::{from_proto_time, to_proto_time},
    testing::secret,
};
use tonic::Status;

use crate::world::{Home, START, World, bearer, by, reason, refusal};

fn bot_request(name: &str, secret: &str) -> SignInBotRequest {
    SignInBotRequest { name: name.to_owned(), secret: secret.to_owned() }
}

fn service_request(service: &str, secret: &str) -> SignInServiceRequest {
    SignInServiceRequest { service: service.to_owned(), secret: secret.to_owned() }
}

/// A guest gets an account and tokens; the access token passes the layer that every service has, and says who the guest is.
#[tokio::test]
async fn a_guest_signs_in_and_is_known_by_the_token() {
    let world = World::new().await;
    let (player, tokens) = world.guest(" Honinbo ").await.unwrap();
    assert_eq!((player.name.as_str(), player.kind()), ("Honinbo", PlayerKind::Guest));
    assert_eq!(player.create_time, Some(to_proto_time(START)));
    assert_eq!(world.player(&player.id, Some(&bearer(&tokens))).await.unwrap(), player);

    let verifier = world.node.context().verifier();
    let identity = verifier.verify(&tokens.access_token, START).await.unwrap();
    assert_eq!(identity.subject, Subject::Player(player.id.parse().unwrap()));
    assert_eq!((&*identity.name, identity.role, identity.guest), ("Honinbo", Role::Player, true));
    assert_eq!(identity.expires, from_proto_time(tokens.access_expire_time.unwrap()));
    assert_eq!(identity.expires.since(START).as_millis(), 15 * 60 * 1000 - 500, "whole seconds");
}

/// A player is looked up by a well-formed id that somebody has; other ids are refused, each in its way.
#[tokio::test]
async fn players_are_found_by_their_ids_alone() {
    let world = World::new().await;
    let (_, tokens) = world.guest("Honinbo").await.unwrap();
    let token = bearer(&tokens);
    for id in ["", "1", &"x".repeat(5000)] {
        let fields = vec!["player_id".to_owned()];
        assert_eq!(refusal(world.player(id, Some(&token)).await), ("INVALID_REQUEST".to_owned(), fields));
    }
    let nobody = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_eq!(reason(world.player(nobody, Some(&token)).await), "PLAYER_NOT_FOUND");
}

/// Who knows a name finds its player, in either store, however the name is written; what is nobody's name, or can be nobody's, finds none.
#[tokio::test]
async fn players_are_found_by_their_names() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let (player, tokens) = world.guest("Honinbo").await.unwrap();
        let find = async |name: &str| {
            let request = by(&tokens, FindPlayerRequest { name: name.to_owned() });
            Ok::<_, Status>(world.session.clone().find_player(request).await?.into_inner().player)
        };
        for name in ["Honinbo", "honinbo", " HONINBO "] {
            assert_eq!(find(name).await.unwrap().as_ref(), Some(&player));
        }
        for name in ["Honinb", "", "\u{202e}", &"x".repeat(5000)] {
            assert_eq!(reason(find(name).await), "PLAYER_NOT_FOUND");
        }
    }
}

/// A bot has one account however often and from wherever it signs in, may have a reserved name, and cannot have a person's.
#[tokio::test]
async fn a_bot_has_one_account_and_a_role_of_its_own() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let sign_in = async |name: &str, secret: &str| -> Result<_, Status> {
            let answer = world.session.clone().sign_in_bot(bot_request(name, secret)).await?.into_inner();
            Ok((answer.player.unwrap(), answer.tokens.unwrap()))
        };
        let secret = secret();
        let (first, second, third) = tokio::join!(
            sign_in("Nigiri easy", secret.expose()),
            sign_in("Nigiri easy", secret.expose()),
            sign_in("  Nigiri easy", secret.expose()),
        );
        let (player, tokens) = first.unwrap();
        assert_eq!((player.name.as_str(), player.kind()), ("Nigiri easy", PlayerKind::Bot));
        assert_eq!(player, second.unwrap().0);
        assert_eq!(player, third.unwrap().0);
        let identity = world.node.context().verifier().verify(&tokens.access_token, START).await.unwrap();
        assert_eq!((identity.role, identity.guest), (Role::Bot, false));
        assert_eq!(world.refresh(&tokens.refresh_token).await.unwrap().0, player);

        for wrong in ["", "a secret for tests onlY", "a secret for tests only "] {
            assert_eq!(reason(sign_in("Nigiri hard", wrong).await), "SECRET_WRONG");
        }
        let fields = vec!["name".to_owned()];
        assert_eq!(refusal(sign_in("", secret.expose()).await), ("NICKNAME_EMPTY".to_owned(), fields));
        world.guest("Somebody").await.unwrap();
        assert_eq!(reason(sign_in("SOMEB0DY", secret.expose()).await), "NAME_TAKEN");
        world.stop().await;
    }
}

/// A service gets a token with its name against the shared secret, and nothing that lasts.
#[tokio::test]
async fn a_service_signs_in_by_the_shared_secret() {
    let world = World::new().await;
    let sign_in = async |service: &str, secret: &str| -> Result<_, Status> {
        let request = service_request(service, secret);
        Ok(world.session.clone().sign_in_service(request).await?.into_inner().tokens.unwrap())
    };
    let secret = secret();
    let tokens = sign_in("matchmaking", secret.expose()).await.unwrap();
    assert_eq!(tokens.refresh_token, "");
    let identity = world.node.context().verifier().verify(&tokens.access_token, START).await.unwrap();
    assert!(identity.service().is_ok());
    assert_eq!(identity.subject, Subject::Service("matchmaking".into()));

    assert_eq!(reason(sign_in("matchmaking", "").await), "SECRET_WRONG");
    for service in ["", "Matchmaking", "a b", "game\n", &"x".repeat(33)] {
        let fields = vec!["service".to_owned()];
        assert_eq!(refusal(sign_in(service, secret.expose()).await), ("INVALID_REQUEST".to_owned(), fields));
    }
}

/// When the store is away, calls that need it say so and can be sent again; the keys and what they verify still serve.
#[tokio::test]
async fn a_store_that_is_away_is_named() {
    let world = World::new().await;
    let (player, tokens) = world.guest("Honinbo").await.unwrap();
    world.node.context().db.close().await;
    assert_eq!(reason(world.guest("Another").await), "STORE_UNAVAILABLE");
    assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "STORE_UNAVAILABLE");
    assert_eq!(reason(world.player(&player.id, Some(&bearer(&tokens))).await), "STORE_UNAVAILABLE");
    assert_eq!(reason(world.player(&player.id, None).await), "TOKEN_MISSING");
    let service = service_request("game", secret().expose());
    assert!(world.session.clone().sign_in_service(service).await.is_ok());
}
