use std::collections::HashSet;

use nigiri_proto::session::v1::GetKeysRequest;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::world::{Home, World, bearer};

async fn keys(world: &World) -> String {
    world.session.clone().get_keys(GetKeysRequest {}).await.unwrap().into_inner().jwks
}

/// Four replicas start on an empty store at the same time: they agree on one key, so a token of one is good at all others.
#[tokio::test]
async fn replicas_that_start_together_share_one_key() {
    for home in Home::both().await {
        let db = home.open().await;
        let start = || World::on(db.clone());
        let worlds = <[World; 4]>::from(tokio::join!(start(), start(), start(), start()));
        let mut published = HashSet::new();
        for world in &worlds {
            published.insert(keys(world).await);
        }
        assert_eq!(published.len(), 1, "{published:?}");
        let (player, tokens) = worlds[0].guest("Honinbo").await.unwrap();
        for world in &worlds {
            assert_eq!(world.player(&player.id, Some(&bearer(&tokens))).await.unwrap(), player);
        }
    }
}

/// A new process on the same store knows the old one's keys, players and sessions.
#[tokio::test]
async fn tokens_survive_a_restart() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let (player, tokens) = world.guest("Honinbo").await.unwrap();
        let before = keys(&world).await;
        world.stop().await;
        let world = World::on(home.open().await).await;
        assert_eq!(keys(&world).await, before);
        assert_eq!(world.player(&player.id, Some(&bearer(&tokens))).await.unwrap(), player);
        assert_eq!(world.refresh(&tokens.refresh_token).await.unwrap().0, player);
        assert_ne!(world.guest("honinbo").await.unwrap().0.name, "honinbo");
        world.stop().await;
    }
}

/// The keys over plain HTTP are those over gRPC, as JSON, and hold no private part.
#[tokio::test]
async fn keys_over_http_are_those_over_grpc() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.node.address().unwrap()).await.unwrap();
    let request = "GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/jwk-set+json"), "{head}");
    assert_eq!(body, keys(&world).await);
    let set: serde_json::Value = serde_json::from_str(body).unwrap();
    let key = set["keys"][0].as_object().unwrap();
    let mut members: Vec<_> = key.keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["alg", "crv", "kid", "kty", "use", "x"]);
    assert_eq!((&key["alg"], &key["crv"], &key["kty"]), (&"EdDSA".into(), &"Ed25519".into(), &"OKP".into()));
}
