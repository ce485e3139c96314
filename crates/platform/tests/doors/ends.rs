use std::{net::SocketAddr, sync::atomic::Ordering};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::transport::Endpoint;

use crate::world::{PATIENCE, World, call, eventually};

/// Calls as a page does, with a deadline of 300 ms and an empty message; gives all that comes.
async fn ask(address: SocketAddr, path: &str) -> String {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/grpc-web+proto\r\ngrpc-timeout: 300m\r\n\
         connection: close\r\ncontent-length: 5\r\n\r\n"
    );
    let mut tcp = TcpStream::connect(address).await.unwrap();
    tcp.write_all(&[head.as_bytes(), &[0; 5]].concat()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, tcp.read_to_end(&mut answer)).await.expect("no end").unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// The work of a call ends with its caller: at the deadline that the caller has set, which the server keeps by itself and tells as
/// DEADLINE_EXCEEDED, for streams as well; and at once when the caller goes away.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_when_its_caller_waits_no_longer() {
    let world = World::with(&[]).await;
    let waiting = |count| {
        let never = &world.never;
        async move { (never.load(Ordering::SeqCst) == count).then_some(()) }
    };
    let answer = ask(world.address, "/test.Never/Ever").await;
    assert!(answer.contains("grpc-status: 4"), "{answer}");
    assert_eq!(world.never.load(Ordering::SeqCst), 0, "its work was dropped before it was told so");
    let answer = ask(world.address, "/grpc.health.v1.Health/Watch").await;
    assert!(answer.contains("grpc-status:4"), "{answer}");

    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    let gone = tokio::spawn(call(channel, "/test.Never/Ever"));
    eventually("a call", || waiting(1)).await;
    gone.abort();
    eventually("its end", || waiting(0)).await;
    world.stop().await;
}
