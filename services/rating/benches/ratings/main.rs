//! The figures of `docs/ratings.md`: `cargo bench -p rating --bench ratings -- [games|lag|leaders]...` (all without an argument). A private Redis and a private
//! Postgres, both with everything on disk before they answer.
#![expect(clippy::unwrap_used, reason = "a step that fails ends the measurement")]

mod games;
mod leaders;

use std::time::Duration;

#[tokio::main]
async fn main() {
    let asked: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|arg| arg == name);
    if wants("games") {
        games::per_second().await;
    }
    if wants("lag") {
        games::lag().await;
    }
    if wants("leaders") {
        leaders::look_ups().await;
    }
}

/// The median and the 99th percentile of times, in milliseconds, and how many there are.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part: usize| times.get((times.len() * part / 1_000).min(times.len().saturating_sub(1)));
    let millis = |part| at(part).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    format!(
        "p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms ({} calls)",
        millis(500),
        millis(990),
        millis(1_000),
        times.len()
    )
}
