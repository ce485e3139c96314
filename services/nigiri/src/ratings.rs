//! `nigiri ratings`: looks after the ratings in the store.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use ledger::WriteGate;
use platform::{config::StoreArgs, db::Db};
use rating::recompute::recompute;

/// Differences that are printed; the rest is counted.
const MOST: usize = 100;

/// `nigiri ratings`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum Command {
    /// Replays every game of the archive and reports each difference to the ratings as they stand; changes nothing. Exit code 1 if there is any.
    Recompute(Recompute),
}

/// `nigiri ratings recompute`.
#[derive(clap::Args, Clone, Debug)]
struct Recompute {
    /// The data folder of `nigiri dev`; without it the Postgres store is looked at.
    #[arg(long, env = "NIGIRI_DATA")]
    data: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

/// Does what was asked for.
///
/// # Errors
/// When the store cannot be reached, or its schema is not up to date.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Command::Recompute(args) = args.command;
    let db = open(&args).await?;
    db.check_schema().await?;
    let report = recompute(&db).await?;
    for difference in report.differences.iter().take(MOST) {
        println!("{difference}");
    }
    let differences = report.differences.len();
    if differences > MOST {
        println!("... and {} more", differences - MOST);
    }
    println!(
        "{} games in the archive, {} agreed to be rated, {} count; {} ratings. Differences: {differences}",
        report.archived, report.agreed, report.counted, report.players
    );
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn open(args: &Recompute) -> anyhow::Result<Db> {
    let Some(folder) = &args.data else {
        return Db::postgres(&args.store.store_url, 2).await;
    };
    let file = folder.join("nigiri.db");
    anyhow::ensure!(
        file.is_file(),
        "there is no {}: give the folder of `nigiri dev` with --data",
        file.display()
    );
    Db::sqlite(&file, WriteGate::new()).await.with_context(|| format!("cannot read {}", file.display()))
}
