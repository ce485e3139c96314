use std::io::Write;

use serde::Serialize;

use super::{Args, arena::Arena, audit::Findings};

/// What a swarm has done and what was wrong, as it is printed.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    games_finished: u64,
    games_counted: u64,
    games_rated: u64,
    moves_acked: u64,
    /// Acknowledged while the time ran, divided by it.
    moves_per_s: f64,
    /// From a move's sending until the opponent's stream told of it.
    p50_ms: f64,
    p99_ms: f64,
    moves_lost: u64,
    order_violations: u64,
    results_wrong: u64,
    ratings_wrong: u64,
    errors: u64,
    pairs: u32,
    connections: u32,
    /// Whether the players played on streams of many games.
    stream: bool,
    seconds: u64,
    reconnects: u64,
    interruptions: u64,
    timeouts_lost: u64,
    seed: u64,
}

impl Report {
    /// The report of a swarm that has ended and was checked.
    pub fn new(arena: &Arena, findings: &Findings, args: &Args, connections: u32, seed: u64) -> Self {
        let stats = &arena.stats;
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let moves_per_s = stats.acked_in_time.get() as f64 / args.seconds as f64;
        Self {
            games_finished: findings.games_finished,
            games_counted: findings.games_counted,
            games_rated: findings.games_rated,
            moves_acked: stats.acked.get(),
            moves_per_s: rounded(moves_per_s),
            p50_ms: rounded(stats.latency.quantile(0.5)),
            p99_ms: rounded(stats.latency.quantile(0.99)),
            moves_lost: findings.moves_lost,
            order_violations: findings.order_violations + stats.order_violations.get(),
            results_wrong: findings.results_wrong,
            ratings_wrong: findings.ratings_wrong,
            errors: findings.errors + stats.errors.get(),
            pairs: args.pairs,
            connections,
            stream: args.stream,
            seconds: args.seconds,
            reconnects: stats.reconnects.get(),
            interruptions: stats.interruptions.get(),
            timeouts_lost: findings.timeouts_lost,
            seed,
        }
    }

    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        [self.moves_lost, self.order_violations, self.results_wrong, self.ratings_wrong, self.errors]
            .iter()
            .all(|&count| count == 0)
    }

    /// Prints it: for people unless only JSON is wanted, and last as one line of JSON.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&self, json_only: bool) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if !json_only {
            write!(out, "{}", self.words())?;
        }
        writeln!(out, "{}", serde_json::to_string(self)?)?;
        Ok(out.flush()?)
    }

    fn words(&self) -> String {
        let verdict = if self.is_clean() { "Everything was counted right." } else { "SOMETHING IS WRONG." };
        format!(
            "{} games ({} counted, {} rated, {} lost on time), {} moves, {} a second.\n\
             From a move to the opponent's notice: {} ms in the middle, {} ms for 99 of 100.\n\
             {} streams were dropped and resumed on purpose, {} broke.\n\
             {verdict} Lost moves {}, order {}, results {}, ratings {}, errors {}.\n",
            self.games_finished,
            self.games_counted,
            self.games_rated,
            self.timeouts_lost,
            self.moves_acked,
            self.moves_per_s,
            self.p50_ms,
            self.p99_ms,
            self.reconnects,
            self.interruptions,
            self.moves_lost,
            self.order_violations,
            self.results_wrong,
            self.ratings_wrong,
            self.errors,
        )
    }
}

/// How it goes, in a line.
pub fn progress(arena: &Arena) -> String {
    let stats = &arena.stats;
    let state = if arena.is_over() { ", time is up" } else { "" };
    format!(
        "swarm: {:>3} s{state}: {} moves, {} players in games, {} games seen to end, p50 {:.1} ms, p99 {:.1} ms, {} broken streams, {} errors",
        arena.start().elapsed().as_secs(),
        stats.acked.get(),
        stats.playing(),
        stats.ended.get() / 2,
        stats.latency.quantile(0.5),
        stats.latency.quantile(0.99),
        stats.interruptions.get(),
        stats.errors.get(),
    )
}

/// To three digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
