use std::io::{Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use prost::Message;
use tonic::{
    body::Body,
    transport::{Channel, Endpoint},
};
use tonic_reflection::pb::v1::{ServerReflectionRequest, server_reflection_request::MessageRequest as Ask};
use tower::ServiceExt;

use crate::world::World;

const NATIVE: &str = "application/grpc";
const WEB: &str = "application/grpc-web+proto";

/// What came back.
struct Answer {
    headers: HeaderMap,
    /// Each message, uncompressed, and whether it was compressed.
    messages: Vec<(bool, Vec<u8>)>,
    status: String,
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn framed(mark: u8, message: &[u8]) -> Vec<u8> {
    [&[mark][..], &u32::try_from(message.len()).unwrap().to_be_bytes(), message].concat()
}

/// Calls with these bytes as the request's body, and these headers.
async fn ask(channel: &Channel, kind: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
    let mut request = Request::post(path).header("content-type", kind).header("te", "trailers");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::new(Full::from(body))).unwrap();
    let (head, body) = channel.clone().oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap();
    let text = |headers: &HeaderMap| headers.get("grpc-status").map(|v| v.to_str().unwrap().to_owned());
    let mut status = text(&head.headers).or_else(|| text(body.trailers()?));
    let (bytes, mut messages) = (body.to_bytes(), Vec::new());
    let mut rest = &bytes[..];
    while let Some(([mark, length @ ..], after)) = rest.split_first_chunk::<5>() {
        let (message, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        match mark {
            0 => messages.push((false, message.to_vec())),
            1 => {
                let mut plain = Vec::new();
                GzDecoder::new(message).read_to_end(&mut plain).unwrap();
                messages.push((true, plain));
            }
            _ => {
                let trailers = String::from_utf8(message.to_vec()).unwrap();
                let line = trailers.lines().find_map(|line| line.strip_prefix("grpc-status:"));
                status = line.map(|value| value.trim().to_owned());
            }
        }
        rest = after;
    }
    Answer { headers: head.headers, messages, status: status.unwrap() }
}

/// Requests that come by gzip are read, and long answers go by gzip to whoever says that they accept it: in unary calls and in streams, by gRPC and by gRPC-Web. A
/// short answer stays as it is, and whoever does not ask gets nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn long_answers_go_by_gzip_to_whoever_accepts_it() {
    let world = World::with(&[]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let accepting = ("grpc-accept-encoding", "identity, deflate, gzip");
    let (long, short) = ("abc ".repeat(3000).encode_to_vec(), String::from("abc").encode_to_vec());
    let reflect = Ask::FileContainingSymbol("nigiri.game.v1.GameService".to_owned());
    let reflect = ServerReflectionRequest { host: String::new(), message_request: Some(reflect) };
    let reflect = framed(0, &reflect.encode_to_vec());
    for kind in [NATIVE, WEB] {
        let echo = async |headers: &[(&str, &str)], body| {
            let answer = ask(&channel, kind, "/test.Words/Echo", headers, body).await;
            assert_eq!(answer.status, "0", "{kind}");
            answer
        };
        let answer = echo(&[("grpc-encoding", "gzip"), accepting], framed(1, &gzip(&long))).await;
        assert_eq!(answer.headers["grpc-encoding"], "gzip");
        assert_eq!(answer.messages, [(true, long.clone())]);
        let answer = echo(&[("grpc-encoding", "gzip"), accepting], framed(0, &short)).await;
        assert_eq!(answer.messages, [(false, short.clone())], "each message is marked for itself");
        let answer = echo(&[("grpc-encoding", "gzip")], framed(1, &gzip(&long))).await;
        assert!(!answer.headers.contains_key("grpc-encoding"));
        assert_eq!(answer.messages, [(false, long.clone())]);

        let path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
        let plain = ask(&channel, kind, path, &[], reflect.clone()).await;
        let packed = ask(&channel, kind, path, &[accepting], reflect.clone()).await;
        assert!(packed.messages.iter().all(|(packed, _)| *packed) && !packed.messages.is_empty());
        let messages = |answer: Answer| answer.messages.into_iter().map(|(_, m)| m).collect::<Vec<_>>();
        assert_eq!(messages(plain), messages(packed));
    }
    world.stop().await;
}

/// A small message that would become a huge one is refused before it has, and so is one that is none; and who compresses otherwise is
/// told what is read here.
#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_request_may_be_no_larger_than_another() {
    let world = World::with(&[]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let echo = async |encoding, body| {
        ask(&channel, NATIVE, "/test.Words/Echo", &[("grpc-encoding", encoding)], body).await
    };
    let bomb = gzip(&vec![0; 30 << 20]);
    assert!(bomb.len() < 60_000, "{}", bomb.len());
    assert_eq!(echo("gzip", framed(1, &bomb)).await.status, "8");
    assert_eq!(echo("gzip", framed(0, &vec![0; 100_000])).await.status, "8");
    assert_eq!(echo("gzip", framed(1, b"no gzip at all")).await.status, "3");
    let foreign = echo("zstd", framed(1, b"whatever")).await;
    assert_eq!(foreign.status, "12");
    assert_eq!(foreign.headers["grpc-accept-encoding"], "identity,gzip");
    world.stop().await;
}
