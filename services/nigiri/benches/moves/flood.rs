//! What a flood of wrong sign-ins does to those who play.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nigiri_proto::session::v1::{RefreshSessionRequest, session_service_client::SessionServiceClient};
use testkit::Cluster;

use crate::{Settings, load, median};

/// Pairs that play meanwhile; few, so that the limit on sign-ins from one address lets them all in.
const PAIRS: usize = 10;

/// Wrong sign-ins in each hundredth of a second.
const BURST: usize = 10;

/// Turn about without and with a thousand wrong sign-ins a second, from another address of this machine.
pub async fn measure(settings: &Settings) {
    let options: [(&str, &[&str]); 2] =
        [("matchmaking", &["--rated-guests"]), ("session", &["--limit-loopback", "true"])];
    let cluster = Cluster::start(Path::new(&crate::binary()), 1, &options).await.unwrap();
    let settings = &Settings { pairs: PAIRS, connections: PAIRS, ..*settings };
    let (mut quiet, mut flooded) = (Vec::new(), Vec::new());
    for round in 1..=settings.rounds {
        let without = load::moves(&cluster, settings, false);
        let flood = Flood::start(cluster.urls("session"));
        let with = tokio::task::block_in_place(|| load::moves(&cluster, settings, false));
        println!("round {round}: {}; {}; {}", without.words("without"), with.words("with"), flood.stop());
        quiet.push(without);
        flooded.push(with);
    }
    for (name, rates) in [("without", quiet), ("with", flooded)] {
        let of = |get: &dyn Fn(&load::Rate) -> f64| median(rates.iter().map(get).collect());
        println!(
            "{name} the flood, median: {:.0} moves/s, p99 {:.1} ms",
            of(&|r| r.per_second),
            of(&|r| r.p99)
        );
    }
}

struct Flood {
    begun: Instant,
    refused: Arc<AtomicU64>,
    calls: tokio::task::JoinHandle<()>,
}

impl Flood {
    fn start(url: String) -> Self {
        let endpoint = tonic::transport::Endpoint::from_shared(url).unwrap();
        let endpoint = endpoint.local_address(Some("127.0.0.2".parse().unwrap()));
        let session = SessionServiceClient::new(endpoint.connect_lazy());
        let refused = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&refused);
        let calls = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(10));
            let mut calls = tokio::task::JoinSet::new();
            loop {
                ticks.tick().await;
                for _ in 0..BURST {
                    let (mut session, count) = (session.clone(), Arc::clone(&count));
                    calls.spawn(async move {
                        let request = RefreshSessionRequest { refresh_token: "A".repeat(64) };
                        session.refresh_session(request).await.unwrap_err();
                        count.fetch_add(1, Ordering::Relaxed);
                    });
                }
                while calls.try_join_next().is_some() {}
            }
        });
        Self { begun: Instant::now(), refused, calls }
    }

    fn stop(self) -> String {
        self.calls.abort();
        let rate = self.refused.load(Ordering::Relaxed) as f64 / self.begun.elapsed().as_secs_f64();
        format!("{rate:.0} wrong sign-ins a second were refused")
    }
}
