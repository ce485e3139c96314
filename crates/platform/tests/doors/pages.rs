use http::{Request, StatusCode};
use http_body_util::BodyExt;
use platform::status::reason_of;
use tonic::{Code, body::Body, metadata::MetadataMap, transport::Endpoint};
use tower::ServiceExt;

use crate::world::{World, call_with};

/// A page may call the server that it came from, whatever else is configured, also by HTTP/2: there the address that is called stands in no header.
/// A page of another origin may not.
#[tokio::test(flavor = "multi_thread")]
async fn a_servers_own_pages_may_call_it_by_http_2() {
    let world = World::with(&["--web-origins", "https://play.example"]).await;
    let own = format!("http://{}", world.address);
    let channel = Endpoint::from_shared(own.clone()).unwrap().connect_lazy();
    let from = async |origin: &str| {
        let mut metadata = MetadataMap::new();
        metadata.insert("origin", origin.parse().unwrap());
        call_with(channel.clone(), "/test.Nobody/Home", metadata).await.unwrap_err()
    };
    for welcome in [own.as_str(), "https://play.example"] {
        assert_eq!(reason_of(&from(welcome).await).as_deref(), Some("TOKEN_MISSING"), "{welcome}");
    }
    for foreign in ["http://evil.example", "http://127.0.0.1:1", "null"] {
        let refused = from(foreign).await;
        assert_eq!(refused.code(), Code::PermissionDenied);
        assert_eq!(reason_of(&refused).as_deref(), Some("ORIGIN_NOT_ALLOWED"), "{foreign}");
    }
    world.stop().await;
}

/// Whoever calls a method with JSON, or opens it in a browser, is told in words how it is called.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_another_manner_is_told_what_would_be_right() {
    const PATH: &str = "/nigiri.session.v1.SessionService/SignInAsGuest";
    let world = World::with(&[]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let json = Request::post(PATH).header("content-type", "application/json").body(Body::empty()).unwrap();
    let by = |path: &str, content: &str| {
        let request = Request::post(path).header("content-type", content);
        request.header("origin", "http://127.0.0.1").body(Body::empty()).unwrap()
    };
    let web = by(PATH, "application/grpc-web+json");
    let nowhere = by("/nothing", "application/grpc-web+json; charset=utf-8");
    for request in [json, Request::get(PATH).body(Body::empty()).unwrap(), web, nowhere] {
        let answer = channel.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let words = answer.into_body().collect().await.unwrap().to_bytes();
        let words = String::from_utf8(words.to_vec()).unwrap();
        assert!(words.contains("application/grpc-web+proto") && words.contains("docs/clients.md"), "{words}");
    }
    world.stop().await;
}
