//! Many who look for an opponent at the same moment: how long until all of them have a game.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt, TryStreamExt};
use ledger::{WriteGate, embedded::EmbeddedLedger};
use nigiri_client::{Client, Endpoints, Finding, Options, Session};
use nigiri_proto::matchmaking::v1::{FindMatchRequest, MatchSettings};
use testkit::{Process, free_port};

use crate::{Settings, cluster, crowd::endpoints, load};

/// Connections that they share.
const CONNECTIONS: usize = 100;

/// Sign-ins at once, before the measurement.
const AT_ONCE: usize = 64;

/// So many players, each with a ticket, opened as fast as possible: on one process of each service, and on one process of everything.
pub async fn measure(settings: &Settings) {
    let cluster = cluster().await;
    let players = self::players(&endpoints(&cluster), settings.tickets).await;
    let append = load::append(&cluster, settings).await;
    all_find(players, "one process of each service", &append).await;
    drop(cluster);
    in_one_process(settings).await;
}

async fn in_one_process(settings: &Settings) {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", free_port().unwrap());
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().unwrap()];
    let _server = Process::start(Path::new(&crate::binary()), &args, &folder.path().join("log")).unwrap();
    let players =
        self::players(&Endpoints::everywhere([format!("http://{address}")]), settings.tickets).await;
    let alone = EmbeddedLedger::open(folder.path().join("alone.db"), WriteGate::new()).await.unwrap();
    let append = load::append_to(Arc::new(alone), settings).await;
    all_find(players, "one process of everything (nigiri dev)", &append).await;
}

async fn all_find(players: Vec<Session>, where_: &str, append: &load::Rate) {
    let begun = Instant::now();
    let looking: Vec<_> = players.into_iter().map(|player| tokio::spawn(find(player))).collect();
    let (mut ends, mut waits) = (Vec::new(), Vec::new());
    for one in looking {
        let (opened, matched) = one.await.unwrap();
        ends.push((matched - begun).as_secs_f64());
        waits.push((matched - opened).as_secs_f64());
    }
    ends.sort_by(f64::total_cmp);
    waits.sort_by(f64::total_cmp);
    let at = |values: &[f64], part: usize| values[(values.len() * part / 100).min(values.len() - 1)];
    println!(
        "\n{} tickets opened as fast as possible over {CONNECTIONS} connections, on {where_}: half had a game after {:.2} s, all after {:.2} s; from ticket to match p50 {:.2} s, p99 {:.2} s; {}",
        ends.len(),
        at(&ends, 50),
        at(&ends, 100),
        at(&waits, 50),
        at(&waits, 99),
        append.words("ledger append")
    );
}

/// Guests, many on each connection.
async fn players(endpoints: &Endpoints, count: usize) -> Vec<Session> {
    let clients: Vec<Client> =
        (0..CONNECTIONS).map(|_| Client::with_endpoints(endpoints, Options::default()).unwrap()).collect();
    futures::stream::iter(0..count)
        .map(|number| {
            let client = clients[number % CONNECTIONS].clone();
            async move { client.sign_in_as_guest(&format!("Seeker{number}")).await }
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
        .unwrap()
}

/// When the ticket was asked for, and when there was a game.
async fn find(player: Session) -> (Instant, Instant) {
    let request = FindMatchRequest {
        accepts: vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }],
        ..FindMatchRequest::default()
    };
    let opened = Instant::now();
    let mut finding = player.find_match(request);
    let patience = tokio::time::timeout(Duration::from_secs(120), async {
        while let Some(found) = finding.next().await {
            if let Finding::Matched(_) = found.unwrap() {
                return Instant::now();
            }
        }
        panic!("the search ended without a game")
    });
    (opened, patience.await.unwrap())
}
