//! The names of this service's metrics, each with its help.

use ::metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

/// Games that this replica made.
pub const CREATED: &str = "nigiri_game_created";
/// Moves that this replica acknowledged.
pub const MOVES: &str = "nigiri_game_moves";
/// Timeouts that this replica decided.
pub const TIMEOUTS: &str = "nigiri_game_timeouts";
/// Credits for outages that this replica wrote.
pub const CREDITS: &str = "nigiri_game_credits";
/// Games in the cache.
pub const KNOWN: &str = "nigiri_game_known";
/// Open streams of watchers.
pub const WATCHERS: &str = "nigiri_game_watchers";
/// Open streams of bots.
pub const TURN_STREAMS: &str = "nigiri_game_turn_streams";
/// Open streams of many games.
pub const PLAY_STREAMS: &str = "nigiri_game_play_streams";
/// Games that those follow.
pub const SEATS: &str = "nigiri_game_seats";
/// Games that this replica put into the archive.
pub const ARCHIVED: &str = "nigiri_game_archived";
/// Boards whose dead stones this replica estimated.
pub const ESTIMATES: &str = "nigiri_game_estimates";
/// How long an estimate took, without the wait for a thread.
pub const ESTIMATE_TIME: &str = "nigiri_game_estimate_seconds";
/// Seats that this replica minds.
pub const PRESENCES: &str = "nigiri_game_presences";
/// Dead replicas whose players this replica took over.
pub const TAKEN_OVER: &str = "nigiri_game_taken_over";

/// Games that are played now, at all replicas together: the same at each.
pub const LIVE: &str = "nigiri_game_live";
/// How long after its deadline a timeout was found.
pub const LATENESS: &str = "nigiri_game_timeout_late_seconds";
/// Network delays of players that this replica measured.
pub const DELAYS: &str = "nigiri_game_player_delay_seconds";
/// Time that this replica gave back after outages.
pub const CREDITED: &str = "nigiri_game_credited_milliseconds";

/// Says what each of them means.
pub fn describe() {
    describe_counter!(CREATED, "Games made.");
    describe_counter!(MOVES, "Moves acknowledged, passes included.");
    describe_counter!(TIMEOUTS, "Games decided by time.");
    describe_counter!(CREDITS, "Entries that gave time back after an outage of ours.");
    describe_gauge!(KNOWN, "Games in the cache of this replica.");
    describe_gauge!(WATCHERS, "Open streams that follow a game.");
    describe_gauge!(TURN_STREAMS, "Open streams that follow a bot's turns.");
    describe_gauge!(PLAY_STREAMS, "Open streams of many games.");
    describe_gauge!(SEATS, "Games that streams of many games follow.");
    describe_gauge!(PRESENCES, "Seats whose players this replica has streams of, or awaits.");
    describe_counter!(TAKEN_OVER, "Dead replicas whose players were taken over.");
    describe_counter!(ARCHIVED, "Finished games put into the archive.");
    describe_counter!(ESTIMATES, "Boards whose dead stones were estimated.");
    describe_gauge!(LIVE, "Games that are played now, at all replicas together.");
    describe_histogram!(LATENESS, Unit::Seconds, "How long after its deadline a timeout was found.");
    describe_histogram!(
        DELAYS,
        Unit::Seconds,
        "Network delays of players, there and back, as pings measured them."
    );
    describe_counter!(CREDITED, Unit::Milliseconds, "Time that was given back after outages of ours.");
    describe_histogram!(ESTIMATE_TIME, Unit::Seconds, "Time that an estimate of dead stones took.");
    // All of them are there from the start: what is not there cannot be seen to change.
    for name in [CREATED, MOVES, TIMEOUTS, CREDITS, CREDITED, ARCHIVED, ESTIMATES, TAKEN_OVER] {
        counter!(name).increment(0);
    }
    for name in [WATCHERS, TURN_STREAMS, PLAY_STREAMS, SEATS] {
        gauge!(name).increment(0.0);
    }
    for name in [ESTIMATE_TIME, LATENESS, DELAYS] {
        let _there = histogram!(name);
    }
}
