//! `nigiri verify`: plays every game of the archive again, and says which results do not come out.

use std::{path::PathBuf, process::ExitCode};

use crate::archive::Archive;

/// Which archive.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The data folder of `nigiri dev`.
    #[arg(long, default_value = "nigiri-data")]
    data: PathBuf,

    /// The address of a Postgres, instead of a data folder.
    #[arg(long)]
    store_url: Option<String>,
}

/// Checks the archive. Fails if anything in it does not come out.
///
/// # Errors
/// When the archive cannot be read.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let archive = match &args.store_url {
        Some(url) => Archive::Postgres(url),
        None => Archive::Folder(&args.data),
    };
    let db = archive.open().await?;
    let summary = game::audit::audit(&db, |id, faults| {
        faults.iter().for_each(|fault| println!("{id}: {fault}"));
    })
    .await?;
    db.close().await;
    println!("{} games, {} that do not come out", summary.games, summary.faulty);
    if summary.other_judge > 0 {
        println!(
            "{} were counted by another version of the judge: their dead stones were taken as they stand",
            summary.other_judge
        );
    }
    Ok(if summary.faulty == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
