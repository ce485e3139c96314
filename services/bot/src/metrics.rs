use std::time::Duration;

use ::metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use goban::Move;
use search::{Choice, Level};

const TURNS: &str = "nigiri_bot_turns";
const MOVES: &str = "nigiri_bot_moves";
const REFUSALS: &str = "nigiri_bot_refusals";
const THINKING: &str = "nigiri_bot_thinking_seconds";
const OPEN_TURNS: &str = "nigiri_bot_open_turns";
const BREAKS: &str = "nigiri_bot_breaks";

/// Says what each metric means.
pub fn describe() {
    describe_counter!(TURNS, "Turns that were taken up, by level.");
    describe_counter!(MOVES, "Moves that were acknowledged, by level and kind.");
    describe_counter!(REFUSALS, "Moves that were not accepted, by level and cause.");
    describe_histogram!(THINKING, Unit::Seconds, "Time for choosing a move, by level.");
    describe_gauge!(OPEN_TURNS, "Turns that are thought about or wait for it, by level.");
    describe_counter!(BREAKS, "Times that a bot had to begin anew, by level.");
}

/// A turn was taken up.
pub fn turn(level: Level) {
    counter!(TURNS, "level" => level.name()).increment(1);
}

/// A move was chosen.
pub fn thought(level: Level, took: Duration) {
    histogram!(THINKING, "level" => level.name()).record(took);
}

/// A move was acknowledged.
pub fn moved(level: Level, choice: Choice) {
    let kind = match choice {
        Choice::Move(Move::Play(_)) => "stone",
        Choice::Move(Move::Pass) => "pass",
        Choice::Resign => "resignation",
    };
    counter!(MOVES, "level" => level.name(), "kind" => kind).increment(1);
}

/// Why a move was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The game has moved on or is over: somebody else has answered.
    MovedOn,
    /// The rules forbid it.
    Illegal,
    /// Nobody answered.
    Unreachable,
    /// Anything else.
    Other,
}

/// A move was not accepted.
pub fn refused(level: Level, why: Refused) {
    let cause = match why {
        Refused::MovedOn => "moved_on",
        Refused::Illegal => "illegal",
        Refused::Unreachable => "unreachable",
        Refused::Other => "other",
    };
    counter!(REFUSALS, "level" => level.name(), "cause" => cause).increment(1);
}

/// So many more turns are open.
pub fn open_turns(level: Level, more: f64) {
    gauge!(OPEN_TURNS, "level" => level.name()).increment(more);
}

/// A bot had to begin anew.
pub fn broke(level: Level) {
    counter!(BREAKS, "level" => level.name()).increment(1);
}
