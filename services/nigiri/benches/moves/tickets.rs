//! Many who look for an opponent at the same moment: how long until all of them have a game.

use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use nigiri_client::{Client, Finding, Options, Session};
use nigiri_proto::matchmaking::v1::{FindMatchRequest, MatchSettings};

use crate::{Settings, cluster, crowd::endpoints, load};

/// Connections that they share.
const CONNECTIONS: usize = 100;

/// Sign-ins at once, before the measurement.
const AT_ONCE: usize = 64;

/// So many players, each with a ticket, opened as fast as possible.
pub async fn measure(settings: &Settings) {
    let cluster = cluster().await;
    let players = players(&cluster, settings.tickets).await;
    let append = load::append(&cluster, settings).await;
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
        "\n{} tickets opened as fast as possible over {CONNECTIONS} connections: half had a game after {:.2} s, all after {:.2} s; from ticket to match p50 {:.2} s, p99 {:.2} s; {}",
        ends.len(),
        at(&ends, 50),
        at(&ends, 100),
        at(&waits, 50),
        at(&waits, 99),
        append.words("ledger append")
    );
}

/// Guests, many on each connection.
async fn players(cluster: &testkit::Cluster, count: usize) -> Vec<Session> {
    let endpoints = endpoints(cluster);
    let clients: Vec<Client> =
        (0..CONNECTIONS).map(|_| Client::with_endpoints(&endpoints, Options::default()).unwrap()).collect();
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
