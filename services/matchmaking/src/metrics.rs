//! What this service measures.

use std::time::Duration;

use metrics::{counter, gauge, histogram};

const OPEN: &str = "nigiri_matchmaking_open_tickets";
const OLDEST: &str = "nigiri_matchmaking_oldest_ticket_seconds";
const WAVES: &str = "nigiri_matchmaking_waves";
const WAVE: &str = "nigiri_matchmaking_wave_seconds";
const MATCHES: &str = "nigiri_matchmaking_matches";
const WAIT: &str = "nigiri_matchmaking_wait_seconds";
const REFUSED: &str = "nigiri_matchmaking_refused_matches";
const BOTS: &str = "nigiri_matchmaking_ready_bots";

/// Says what each metric means.
pub(crate) fn describe() {
    metrics::describe_gauge!(OPEN, "Open tickets in the queue, as this replica knows it.");
    metrics::describe_gauge!(OLDEST, metrics::Unit::Seconds, "How long the oldest open ticket has waited.");
    metrics::describe_counter!(WAVES, "Looks of this replica at the whole queue.");
    metrics::describe_histogram!(WAVE, metrics::Unit::Seconds, "Time that a look at the whole queue takes.");
    metrics::describe_counter!(MATCHES, "Matches that this replica made, by who sits opposite.");
    metrics::describe_histogram!(
        WAIT,
        metrics::Unit::Seconds,
        "How long tickets had waited when this replica matched them."
    );
    metrics::describe_counter!(REFUSED, "Matches of this replica whose game was refused.");
    metrics::describe_gauge!(BOTS, "Bots that are ready to play.");
    // All of them are there from the start: what is not there cannot be seen to change.
    for opponent in ["ai", "person"] {
        counter!(MATCHES, "opponent" => opponent).increment(0);
    }
    for name in [WAVES, REFUSED] {
        counter!(name).increment(0);
    }
    for name in [WAVE, WAIT] {
        let _there = histogram!(name);
    }
}

/// The queue as it stands.
pub(crate) fn queue(open: usize, oldest: Duration, bots: usize) {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let (open, bots) = (open as f64, bots as f64);
    gauge!(OPEN).set(open);
    gauge!(OLDEST).set(oldest.as_secs_f64());
    gauge!(BOTS).set(bots);
}

/// A look at the whole queue, and what it took.
pub(crate) fn wave(took: Duration) {
    counter!(WAVES).increment(1);
    histogram!(WAVE).record(took.as_secs_f64());
}

/// A match that counts.
pub(crate) fn matched(ai: bool, waits: impl Iterator<Item = Duration>) {
    counter!(MATCHES, "opponent" => if ai { "ai" } else { "person" }).increment(1);
    for wait in waits {
        histogram!(WAIT).record(wait.as_secs_f64());
    }
}

/// A match whose game was refused.
pub(crate) fn refused() {
    counter!(REFUSED).increment(1);
}
