//! What metrics, logs and traces cost: processor time of all services for a move, with them and without, turn about.

use std::{path::Path, time::Duration};

use testkit::{Cluster, Process};

use crate::{Settings, binary, load, median, processor};

/// The services of a cluster, in the order of its processes.
const SERVICES: [&str; 5] = ["session", "game", "matchmaking", "rating", "bot"];

/// As many rounds each way as are asked for; the processes live through all of them, so that both see the same noise. With instruments, logs are lines of
/// JSON, and a hundredth of the traces and the metrics are sent to another process, which is asked for what it does not know and says so; and somebody scrapes.
pub async fn measure(settings: &Settings) {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", testkit::free_port().unwrap());
    let data = folder.path().join("data");
    let args = ["dev", "--listen", &address, "--data", data.to_str().unwrap(), "--log=off"];
    let sink = Process::start(Path::new(&binary()), &args, &folder.path().join("log")).unwrap();
    let endpoint = format!("--otlp-endpoint=http://{address}");
    let on = ["--log=info", "--log-format=json", &endpoint, "--otlp-metrics-interval=5s"];
    let off = ["--log=off", "--instruments=false"];
    let with = start(&on).await;
    let without = start(&off).await;
    let mut costs: [Vec<f64>; 2] = Default::default();
    for round in 1..=settings.rounds {
        for (which, cluster) in [&with, &without].into_iter().enumerate() {
            let scraping = (which == 0).then(|| scrape(cluster));
            let before = busy(cluster);
            let rate = load::moves(cluster, settings, false);
            let cost =
                (busy(cluster) - before).as_secs_f64() * 1e6 / (rate.per_second * settings.seconds as f64);
            if let Some(scraping) = scraping {
                scraping.abort();
            }
            println!(
                "round {round}, {}: {:.0} moves/s, {cost:.0} µs of the services a move",
                ["with", "without"][which],
                rate.per_second
            );
            costs[which].push(cost);
        }
    }
    let pairs: Vec<f64> = costs[0].iter().zip(&costs[1]).map(|(on, off)| on / off).collect();
    let [on, off] = costs.map(median);
    println!(
        "\ninstruments, {} pairs, median of {}: {on:.0} µs of all services a move with them, {off:.0} without; round by round {:.3} times as much",
        settings.pairs,
        settings.rounds,
        median(pairs)
    );
    drop(sink);
}

async fn start(options: &[&str]) -> Cluster {
    let options: Vec<(&str, Vec<&str>)> = SERVICES
        .map(|service| {
            let rated: &[&str] = if service == "matchmaking" { &["--rated-guests"] } else { &[] };
            (service, [options, rated].concat())
        })
        .to_vec();
    let options: Vec<(&str, &[&str])> = options.iter().map(|(service, all)| (*service, &all[..])).collect();
    Cluster::start(Path::new(&binary()), 1, &options).await.unwrap()
}

/// Processor time of all services so far.
fn busy(cluster: &Cluster) -> Duration {
    cluster.processes.iter().map(|process| processor(process.id())).sum()
}

/// Reads the metrics of all services every five seconds, as Prometheus does.
fn scrape(cluster: &Cluster) -> tokio::task::JoinHandle<()> {
    let urls: Vec<String> = SERVICES.map(|service| cluster.urls(service)).to_vec();
    tokio::spawn(async move {
        loop {
            for url in &urls {
                crate::scrape(url).await;
            }
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    })
}
