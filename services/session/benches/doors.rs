//! The figures of `docs/performance.md`: `cargo bench -p session --bench doors`. What a token costs each call, and how many guests sign in a
//! second on a private Postgres with everything on disk before it answers, beside one insert a transaction in the same Postgres.
#![expect(clippy::unwrap_used, reason = "a step that fails ends the measurement")]

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use ledger::{Clock, memory::MemoryLedger};
use nigiri_proto::session::v1::{SignInAsGuestRequest, session_service_client::SessionServiceClient};
use platform::{
    auth::Verifier,
    db::Db,
    network::RemoteKeys,
    node::{Node, Parts, Running},
    testing::{PostgresServer, secret},
};
use tonic::transport::Endpoint;

/// Callers at a time.
const CALLERS: usize = 32;

/// How long each kind is measured in a round.
const ROUND: Duration = Duration::from_secs(5);

/// The kinds take turns so many times.
const ROUNDS: u32 = 3;

#[tokio::main]
async fn main() {
    let postgres = PostgresServer::start_durable().unwrap();
    let db = postgres.store(CALLERS as u32).await.unwrap();
    let node = serve(postgres.store(CALLERS as u32).await.unwrap()).await;
    let channel = Endpoint::from_shared(format!("http://{}", node.address().unwrap())).unwrap();
    let channel = channel.connect().await.unwrap();
    let token = sign_in(SessionServiceClient::new(channel.clone()), "Honinbo").await;
    verification(&node, &token).await;
    for round in 1..=ROUNDS {
        let (pool, way) = (db.clone(), channel.clone());
        let inserts = measure(move |_| insert(pool.clone())).await;
        let guests = measure(move |number| {
            let session = SessionServiceClient::new(way.clone());
            async move {
                sign_in(session, &format!("Guest{round}x{number}")).await;
            }
        })
        .await;
        println!("round {round}: one insert a transaction: {inserts}");
        println!("round {round}: guests who sign in:       {guests}");
    }
    node.stop(Duration::ZERO, Duration::from_secs(5)).await;
}

async fn serve(db: Db) -> Running {
    let mut node = Node::new(Parts {
        ledger: Arc::new(MemoryLedger::system()),
        db,
        clock: Clock::system(),
        service_secret: secret(),
        network: None,
    })
    .unwrap();
    let context = node.context();
    session::bind(session::Args::default(), &context, node.server()).await.unwrap();
    node.start(Some(tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap())).await.unwrap()
}

async fn sign_in(mut session: SessionServiceClient<tonic::transport::Channel>, name: &str) -> String {
    let request = SignInAsGuestRequest { nickname: name.to_owned(), ..Default::default() };
    session.sign_in_as_guest(request).await.unwrap().into_inner().tokens.unwrap().access_token
}

/// One row of a guest's size, in a transaction of its own.
async fn insert(db: Db) {
    let Db::Postgres(pool) = &db else { unreachable!("it is Postgres") };
    let mut tx = pool.begin().await.unwrap();
    let id = uuid::Uuid::new_v4();
    let name = id.to_string();
    sqlx::query(
        "INSERT INTO players (id, name, skeleton, folded, kind, created_at) VALUES ($1, $2, $2, $2, 1, 0)",
    )
    .bind(id)
    .bind(name)
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// Does something as often as it goes, for a round.
async fn measure<F: Future<Output = ()> + Send + 'static>(
    act: impl Fn(usize) -> F + Send + Sync + 'static,
) -> String {
    let act = Arc::new(act);
    let end = Instant::now() + ROUND;
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let act = Arc::clone(&act);
        callers.spawn(async move {
            let mut times = Vec::new();
            while Instant::now() < end {
                let since = Instant::now();
                act(caller * 1_000_000 + times.len()).await;
                times.push(since.elapsed());
            }
            times
        });
    }
    let mut times = callers.join_all().await.concat();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let rate = times.len() as f64 / ROUND.as_secs_f64();
    format!("{rate:.0} a second, p50 {:.1} ms, p99 {:.1} ms", at(50), at(99))
}

/// What a token costs: at its first call, and at each later one.
async fn verification(node: &Running, token: &str) {
    const FIRST: u32 = 2_000;
    const LATER: u32 = 1_000_000;
    let now = node.context().clock.now();
    let channel = node.channel();
    let since = Instant::now();
    let mut fetching = Duration::ZERO;
    for _ in 0..FIRST {
        let verifier = Verifier::new(RemoteKeys(channel.clone()));
        // Fetching the keys is no part of it: a token that is none is refused after it.
        let fetch = Instant::now();
        let header = token.split('.').next().unwrap();
        assert!(verifier.verify(&format!("{header}.e30.AA"), now).await.is_err());
        fetching += fetch.elapsed();
        verifier.verify(black_box(token), now).await.unwrap();
    }
    println!(
        "a token's first call: {:.1} µs",
        (since.elapsed() - fetching).as_secs_f64() * 1e6 / f64::from(FIRST)
    );
    let verifier = Verifier::new(RemoteKeys(channel));
    verifier.verify(token, now).await.unwrap();
    let since = Instant::now();
    for _ in 0..LATER {
        black_box(verifier.recall(black_box(token), now).unwrap());
    }
    println!("each later one: {:.3} µs", since.elapsed().as_secs_f64() * 1e6 / f64::from(LATER));
}
