use std::time::Duration;

use crate::world::{Home, World, bearer, reason, tally};

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

/// A thief and the owner have the same token. Whoever of them comes second is told, and nobody's next token works any more; the
/// owner's other session is none of it.
#[tokio::test]
async fn reuse_ends_the_session_in_either_order() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let (_, other) = world.guest("Another").await.unwrap();
        for rounds_before_reuse in [1, 3] {
            let (_, stolen) = world.guest("Honinbo").await.unwrap();
            let mut latest = stolen.clone();
            for _ in 0..rounds_before_reuse {
                latest = world.refresh(&latest.refresh_token).await.unwrap().1;
            }
            assert_eq!(reason(world.refresh(&stolen.refresh_token).await), "REFRESH_TOKEN_REUSED");
            assert_eq!(reason(world.refresh(&latest.refresh_token).await), "REFRESH_TOKEN_INVALID");
            assert_eq!(reason(world.refresh(&stolen.refresh_token).await), "REFRESH_TOKEN_INVALID");
        }
        assert!(world.refresh(&other.refresh_token).await.is_ok());
        world.stop().await;
    }
}

/// Of ten uses of one token at the same time exactly one succeeds, and the reuse is noticed: the session ends.
#[tokio::test(flavor = "multi_thread")]
async fn of_uses_at_the_same_time_one_wins() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        for _ in 0..5 {
            let (_, tokens) = world.guest("Honinbo").await.unwrap();
            let mut uses = tokio::task::JoinSet::new();
            for _ in 0..10 {
                let (mut session, refresh_token) = (world.session.clone(), tokens.refresh_token.clone());
                uses.spawn(async move {
                    let request = nigiri_proto::session::v1::RefreshSessionRequest { refresh_token };
                    session.refresh_session(request).await.map(|answer| answer.into_inner().tokens.unwrap())
                });
            }
            let (won, lost): (Vec<_>, Vec<_>) = uses.join_all().await.into_iter().partition(Result::is_ok);
            assert_eq!(won.len(), 1, "{lost:?}");
            let reasons = tally(lost.into_iter().map(reason));
            assert_eq!(reasons.get("REFRESH_TOKEN_REUSED"), Some(&1), "{reasons:?}");
            assert_eq!(reasons.get("REFRESH_TOKEN_INVALID"), Some(&8), "{reasons:?}");
            let next = won.into_iter().next().unwrap().unwrap();
            assert_eq!(reason(world.refresh(&next.refresh_token).await), "REFRESH_TOKEN_INVALID");
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
