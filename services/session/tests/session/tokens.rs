use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use nigiri_proto::session::v1::GetKeysRequest;
use platform::auth::{AUDIENCE, Claims, ISSUER, Role};

use crate::world::{Home, World, bearer, reason};

/// Claims as ours, for this subject.
fn claims(sub: &str) -> Claims {
    let seconds = 1_800_000_000;
    Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: sub.to_owned(),
        name: "Honinbo".to_owned(),
        role: Role::Player,
        guest: false,
        sid: None,
        iat: seconds,
        nbf: seconds,
        exp: seconds + 600,
    }
}

fn header(algorithm: Algorithm, kid: Option<&str>) -> Header {
    let mut header = Header::new(algorithm);
    header.kid = kid.map(str::to_owned);
    header
}

/// Everything that is not a current token of ours is refused for its own reason: none, another scheme, cut short, changed, without an
/// algorithm, signed with our public key as a shared secret, signed with a foreign key under its own name and under ours.
#[tokio::test]
async fn every_bad_token_has_its_reason() {
    let world = World::new().await;
    let (player, tokens) = world.guest("Honinbo").await.unwrap();
    let good = tokens.access_token.as_str();
    let kid = jsonwebtoken::decode_header(good).unwrap().kid.unwrap();
    let foreign = session::keys::private_key(&[7; 32]);
    let sign = |kid: &str, claims: &Claims| {
        jsonwebtoken::encode(&header(Algorithm::EdDSA, Some(kid)), claims, &foreign).unwrap()
    };
    let parts: Vec<_> = good.split('.').collect();
    let none = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"none","typ":"JWT","kid":"{kid}"}}"#));
    let keys = world.session.clone().get_keys(GetKeysRequest {}).await.unwrap().into_inner().jwks;
    let keys: serde_json::Value = serde_json::from_str(&keys).unwrap();
    let public = URL_SAFE_NO_PAD.decode(keys["keys"][0]["x"].as_str().unwrap()).unwrap();
    let shared = EncodingKey::from_secret(&public).unwrap();
    let hmac =
        jsonwebtoken::encode(&header(Algorithm::HS256, Some(&kid)), &claims(&player.id), &shared).unwrap();
    let other_claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims(&player.id)).unwrap());
    let kidless =
        jsonwebtoken::encode(&header(Algorithm::EdDSA, None), &claims(&player.id), &foreign).unwrap();
    for (token, expected) in [
        (String::new(), "TOKEN_MALFORMED"),
        ("x".repeat(5000), "TOKEN_MALFORMED"),
        (good[..good.len() / 2].to_owned(), "TOKEN_MALFORMED"),
        (format!("{}.{}", parts[0], parts[1]), "TOKEN_MALFORMED"),
        (kidless, "TOKEN_MALFORMED"),
        (good[..good.len() - 4].to_owned(), "TOKEN_MALFORMED"),
        (format!("{}.{other_claims}.{}", parts[0], parts[2]), "TOKEN_INVALID"),
        (hmac, "TOKEN_INVALID"),
        (sign(&kid, &claims(&player.id)), "TOKEN_INVALID"),
        (sign("another", &claims(&player.id)), "TOKEN_UNKNOWN_KEY"),
    ] {
        let refused = reason(world.player(&player.id, Some(&format!("Bearer {token}"))).await);
        assert_eq!(refused, expected, "{token}");
    }
    // Its header has no algorithm that we know, so it is either no token at all or a wrongly signed one.
    for token in [format!("{none}.{}.", parts[1]), format!("{none}.{}.{}", parts[1], parts[2])] {
        let refused = reason(world.player(&player.id, Some(&format!("Bearer {token}"))).await);
        assert!(["TOKEN_MALFORMED", "TOKEN_INVALID"].contains(&refused.as_str()), "{refused}");
    }
    assert_eq!(reason(world.player(&player.id, None).await), "TOKEN_MISSING");
    assert_eq!(reason(world.player(&player.id, Some("Basic Og==")).await), "TOKEN_MALFORMED");
    assert!(world.player(&player.id, Some(&bearer(&tokens))).await.is_ok(), "the good one still holds");
}

/// Even what is signed with our own key counts only if it is ours in every claim: issuer, audience, times, role and subject.
#[tokio::test]
async fn our_own_key_is_not_enough() {
    let home = Home::sqlite().await;
    let db = home.open().await;
    // The one key of the store is one that the test has too.
    let seed = [9; 32];
    let add = "INSERT INTO signing_keys (generation, seed, created_at) VALUES (1, $1, 0)";
    platform::on!(&db, |pool| sqlx::query(add).bind(seed.to_vec()).execute(pool).await.map(|_| ())).unwrap();
    let world = World::on(db).await;
    let (player, tokens) = world.guest("Honinbo").await.unwrap();
    let kid = jsonwebtoken::decode_header(&tokens.access_token).unwrap().kid;
    let key = session::keys::private_key(&seed);
    let ask = async |claims: &serde_json::Value| {
        let token = jsonwebtoken::encode(&header(Algorithm::EdDSA, kid.as_deref()), claims, &key).unwrap();
        world.player(&player.id, Some(&format!("Bearer {token}"))).await
    };
    let good = serde_json::to_value(claims(&player.id)).unwrap();
    assert!(ask(&good).await.is_ok());
    let seconds = 1_800_000_000;
    for (claim, value, expected) in [
        ("iss", "somebody else".into(), "TOKEN_INVALID"),
        ("aud", "somebody else".into(), "TOKEN_INVALID"),
        ("iss", serde_json::Value::Null, "TOKEN_MALFORMED"),
        ("exp", seconds.into(), "TOKEN_EXPIRED"),
        ("exp", serde_json::Value::Null, "TOKEN_MALFORMED"),
        ("nbf", (seconds + 60).into(), "TOKEN_INVALID"),
        ("sub", "'; DROP TABLE players; --".into(), "TOKEN_MALFORMED"),
        ("role", "god".into(), "TOKEN_MALFORMED"),
    ] {
        let mut bad = good.clone();
        bad[claim] = value;
        assert_eq!(reason(ask(&bad).await), expected, "{claim}: {}", bad[claim]);
    }
    world.stop().await;
}

/// A token holds until the second that it names, whether it is remembered or seen for the first time.
#[tokio::test]
async fn a_token_expires_by_the_clock() {
    let world = World::new().await;
    let (player, seen) = world.guest("Honinbo").await.unwrap();
    let (_, unseen) = world.guest("Honinbo").await.unwrap();
    assert!(world.player(&player.id, Some(&bearer(&seen))).await.is_ok());
    world.advance(Duration::from_millis(15 * 60 * 1000 - 501));
    assert!(world.player(&player.id, Some(&bearer(&seen))).await.is_ok());
    world.advance(Duration::from_millis(1));
    for tokens in [seen, unseen] {
        assert_eq!(reason(world.player(&player.id, Some(&bearer(&tokens))).await), "TOKEN_EXPIRED");
    }
}
