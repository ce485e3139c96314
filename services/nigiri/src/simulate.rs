//! `nigiri simulate-matchmaking`: waits against gaps, under our pairing and under that of others.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context as _;
use pairing::simulation::{Outcome, Policy, Setting, picture, run as simulate};

/// Simulates the queue of a server with so many players.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Players of the server; several servers with commas between.
    #[arg(long, value_delimiter = ',', default_values_t = [50, 1_000, 20_000, 100_000], value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    players: Vec<u32>,

    /// About so many tickets each.
    #[arg(long, default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    tickets: u32,

    /// Who has waited so long is given an AI.
    #[arg(long, default_value = "120s", value_parser = platform::config::span::<1000, 3_600>)]
    ai_after: Duration,

    /// Where randomness begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where the picture goes, as SVG.
    #[arg(long)]
    picture: Option<PathBuf>,
}

/// Runs all policies and writes a line of JSON for each.
pub fn run(args: &Args) -> ExitCode {
    match try_run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_run(args: &Args) -> anyhow::Result<()> {
    let mut panels = Vec::new();
    for players in args.players.iter().copied() {
        let setting = Setting { players, tickets: args.tickets, ai_after: args.ai_after, seed: args.seed };
        let mut curves = Vec::new();
        for family in Policy::families() {
            let mut points = Vec::new();
            for policy in &family {
                let outcome = simulate(setting, policy);
                println!("{}", json(players, policy, &outcome));
                points.push((outcome.wait, outcome.gaps[0]));
            }
            curves.push((family.first().map_or("", Policy::name), points));
        }
        panels.push((players, curves));
    }
    if let Some(path) = &args.picture {
        std::fs::write(path, picture(&panels)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn json(players: u32, policy: &Policy, outcome: &Outcome) -> serde_json::Value {
    let deciles = outcome.deciles.iter();
    serde_json::json!({
        "players": players,
        "policy": policy.name(),
        "knob": policy.knob(),
        "tickets": outcome.tickets,
        "ai_share": outcome.ai,
        "mean_wait_seconds": outcome.wait,
        "wait_seconds": { "p50": outcome.waits[0], "p90": outcome.waits[1], "p99": outcome.waits[2] },
        "gap_points": { "p50": outcome.gaps[0], "p90": outcome.gaps[1] },
        "deciles": deciles.map(|[wait, gap, ai]| serde_json::json!({ "mean_wait_seconds": wait, "median_gap_points": gap, "ai_share": ai })).collect::<Vec<_>>(),
    })
}
