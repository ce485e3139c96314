use std::time::Duration;

use nigiri_proto::session::v1::SignInAsGuestRequest;

use crate::world::{Home, World, bearer, reason, tally};

/// The grace, as it is by default.
const GRACE: Duration = Duration::from_secs(60);

/// Longer than anything takes here.
const SOON: Duration = Duration::from_secs(30);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Each refresh gives the same player new tokens that work, long after the first ones have expired.
#[tokio::test]
async fn a_session_goes_on_from_refresh_to_refresh() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let (player, mut tokens) = world.guest("Honinbo").await.unwrap();
        for _ in 0..3 {
            world.advance(DAY * 60);
            let (same, next) = world.refresh(&tokens.refresh_token).await.unwrap();
            assert_eq!(same, player);
            assert!(next.refresh_token != tokens.refresh_token && next.access_token != tokens.access_token);
            assert_eq!(world.player(&player.id, Some(&bearer(&next))).await.unwrap(), player);
            tokens = next;
        }
        world.advance(DAY * 90);
        for _ in 0..2 {
            assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "REFRESH_TOKEN_INVALID");
        }
        world.stop().await;
    }
}

/// A thief and the owner have the same token. Whoever of them comes second after the grace is told, and nobody's next token works any
/// more; the owner's other session is none of it.
#[tokio::test]
async fn reuse_ends_the_session_in_either_order() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let (_, other) = world.guest("Another").await.unwrap();
        for (rounds_before_reuse, later) in [(1, GRACE), (3, Duration::ZERO)] {
            let (player, stolen) = world.guest("Honinbo").await.unwrap();
            let mut latest = stolen.clone();
            for _ in 0..rounds_before_reuse {
                latest = world.refresh(&latest.refresh_token).await.unwrap().1;
            }
            world.advance(later);
            assert_eq!(reason(world.refresh(&stolen.refresh_token).await), "REFRESH_TOKEN_REUSED");
            assert_eq!(reason(world.refresh(&latest.refresh_token).await), "REFRESH_TOKEN_INVALID");
            assert_eq!(reason(world.refresh(&stolen.refresh_token).await), "REFRESH_TOKEN_INVALID");
            // The access token that the thief may have is out too, as soon as the log has told.
            let out = async || loop {
                match world.player(&player.id, Some(&bearer(&latest))).await {
                    Ok(_) => tokio::task::yield_now().await,
                    refused => return reason(refused),
                }
            };
            assert_eq!(tokio::time::timeout(SOON, out()).await.unwrap(), "SESSION_ENDED");
        }
        assert!(world.refresh(&other.refresh_token).await.is_ok());
        world.stop().await;
    }
}

/// An answer that was lost ends nothing: within the grace the same token gives the same successor, until that one is used; when the grace
/// is over it is reuse. The store never has the successor in the clear.
#[tokio::test]
async fn a_lost_answer_is_given_again_within_the_grace() {
    for home in Home::both().await {
        let db = home.open().await;
        let world = World::on(db.clone()).await;
        let (player, first) = world.guest("Honinbo").await.unwrap();
        let (_, lost) = world.refresh(&first.refresh_token).await.unwrap();
        world.advance(GRACE - Duration::from_millis(1));
        let (same, again) = world.refresh(&first.refresh_token).await.unwrap();
        assert_eq!((same, &again.refresh_token), (player, &lost.refresh_token));
        let (_, next) = world.refresh(&again.refresh_token).await.unwrap();
        assert_eq!(reason(world.refresh(&first.refresh_token).await), "REFRESH_TOKEN_REUSED");
        assert_eq!(reason(world.refresh(&next.refresh_token).await), "REFRESH_TOKEN_INVALID");
        world.stop().await;
    }
}

/// A sign-in whose answer was lost leaves no second guest: the same request gives the same player, as long as the first answer was not used
/// and ten minutes have not passed. Another request gets another.
#[tokio::test]
async fn the_same_request_gives_the_same_guest() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let request_id = uuid::Uuid::new_v4().to_string();
        let ask = async |request_id: &str| {
            let nickname = "Honinbo".to_owned();
            let request = SignInAsGuestRequest { nickname, request_id: request_id.to_owned() };
            let answer =
                world.session.clone().sign_in_as_guest(request).await.map(tonic::Response::into_inner);
            answer.map(|answer| (answer.player.unwrap(), answer.tokens.unwrap()))
        };
        let (first, lost) = ask(&request_id).await.unwrap();
        let (same, tokens) = ask(&request_id).await.unwrap();
        assert_eq!((&first, first.name.as_str()), (&same, "Honinbo"));
        assert_eq!(reason(world.refresh(&lost.refresh_token).await), "SESSION_ENDED");
        assert_ne!(ask(&uuid::Uuid::new_v4().to_string()).await.unwrap().0.id, first.id);
        world.refresh(&tokens.refresh_token).await.unwrap();
        assert_eq!(
            reason(ask(&request_id).await),
            "NAME_TAKEN",
            "the answer had arrived: nobody gets it again"
        );
        for wrong in ["1", "67e55044-10b1-126f-9247-bb680e5fe0c8"] {
            assert_eq!(reason(ask(wrong).await), "INVALID_REQUEST");
        }
        world.stop().await;
    }
}

/// Ten uses of one token at the same time are one use: all are given the same successor, which is good.
#[tokio::test(flavor = "multi_thread")]
async fn uses_at_the_same_time_are_one() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        for _ in 0..5 {
            let (_, tokens) = world.guest("Honinbo").await.unwrap();
            let mut uses = tokio::task::JoinSet::new();
            for _ in 0..10 {
                let (mut session, refresh_token) = (world.session.clone(), tokens.refresh_token.clone());
                uses.spawn(async move {
                    let request = nigiri_proto::session::v1::RefreshSessionRequest { refresh_token };
                    let answer = session.refresh_session(request).await.unwrap().into_inner();
                    answer.tokens.unwrap().refresh_token
                });
            }
            let given = tally(uses.join_all().await);
            assert_eq!(given.len(), 1, "{}", given.len());
            let next = given.into_keys().next().unwrap();
            assert!(world.refresh(&next).await.is_ok());
        }
        world.stop().await;
    }
}

/// What is no refresh token of ours is refused, and ends nobody's session: also one cut short, and an access token.
#[tokio::test]
async fn a_malformed_refresh_token_ends_nothing() {
    let world = World::new().await;
    let (_, tokens) = world.guest("Honinbo").await.unwrap();
    let cut = &tokens.refresh_token[..tokens.refresh_token.len() - 1];
    for text in ["", "x", cut, &tokens.access_token, &"x".repeat(5000), &"A".repeat(64)] {
        assert_eq!(reason(world.refresh(text).await), "REFRESH_TOKEN_INVALID");
    }
    assert!(world.refresh(&tokens.refresh_token).await.is_ok());
}
