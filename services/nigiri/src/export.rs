//! `nigiri export` and `nigiri import`: accounts, archive and ratings from one store to another, through a file.
//!
//! The file is JSON Lines: a head, for each table a line with its columns and then its rows, and an end with their number, so that a file that
//! was cut is noticed. It has everything that the store has, signing keys and hashes of secrets too: keep it as the store itself.

mod rows;
mod schema;

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use anyhow::{Context as _, bail, ensure};
use ledger::{Ledger, WriteGate, embedded::EmbeddedLedger};
use platform::{db::Db, on};
use serde::{Deserialize, Serialize};

use crate::archive::Archive;

use rows::Rows;
use schema::Table;

/// What the first line of every file says.
const FORMAT: &str = "nigiri-export";
const VERSION: u32 = 1;

/// From where to where.
#[derive(clap::Args, Clone, Debug)]
pub struct Export {
    /// The data folder of `nigiri dev`, which must not run.
    #[arg(long, env = "NIGIRI_DATA", conflicts_with = "store_url", required_unless_present = "store_url")]
    data: Option<PathBuf>,

    /// Address of Postgres. Nobody may be playing.
    #[arg(long, env = "NIGIRI_STORE_URL", hide_env_values = true)]
    store_url: Option<String>,

    /// Go on although games are being played: they are not in the file.
    #[arg(long, env = "NIGIRI_EXPORT_ABANDON", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    abandon: bool,

    /// The file to write: it must not be there yet, and nobody else can read it.
    file: PathBuf,
}

/// From where to where.
#[derive(clap::Args, Clone, Debug)]
pub struct Import {
    /// A data folder for `nigiri dev`: made if it is not there.
    #[arg(long, env = "NIGIRI_DATA", conflicts_with = "store_url", required_unless_present = "store_url")]
    data: Option<PathBuf>,

    /// Address of an empty Postgres; its schema is brought up to date first.
    #[arg(long, env = "NIGIRI_STORE_URL", hide_env_values = true)]
    store_url: Option<String>,

    /// The file to read.
    file: PathBuf,
}

/// One line of a file that is no row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
enum Line {
    Head { format: String, version: u32, migrations: Vec<i64> },
    Table(Table),
    End { rows: u64 },
}

/// Writes a store into a file.
///
/// # Errors
/// When games are being played or messages wait, or store or file fail.
pub async fn export(args: Export) -> anyhow::Result<()> {
    let archive = Archive::named(args.data.as_deref(), args.store_url.as_deref());
    let archive = archive.context("name a store: --data or --store-url")?;
    let db = archive.open().await?;
    // Whoever has its ledger open is the only one who uses the file.
    let ledger = match &args.data {
        Some(folder) => Some(EmbeddedLedger::open(&folder.join("nigiri.db"), WriteGate::new()).await?),
        None => None,
    };
    if !args.abandon {
        quiet(&db, ledger.as_ref()).await?;
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&args.file);
    let file = file.with_context(|| format!("cannot make {}", args.file.display()))?;
    let rows = write(&db, BufWriter::new(file)).await?;
    if let Some(ledger) = ledger {
        ledger.close().await;
    }
    println!("{rows} rows are in {}.", args.file.display());
    Ok(())
}

/// Checks that nothing is under way that would not be in the file.
async fn quiet(db: &Db, ledger: Option<&EmbeddedLedger>) -> anyhow::Result<()> {
    const LIVE: &str = "SELECT COUNT(*) FROM live_games";
    let live: i64 = on!(db, |pool| sqlx::query_scalar(LIVE).fetch_one(pool).await)?;
    ensure!(
        live == 0,
        "{live} games are being played, and would be lost: let them end, or say --abandon to leave them behind"
    );
    let Some(ledger) = ledger else { return Ok(()) };
    for (topic, group) in ledger.groups().await? {
        // What bots should play belongs to games, of which there are none.
        let waiting = if topic.starts_with("turns.") { 0 } else { ledger.lag(&topic, &group).await? };
        ensure!(
            waiting == 0,
            "{waiting} messages of {topic} wait for {group}: run `nigiri dev` once more, or say --abandon"
        );
    }
    Ok(())
}

async fn write(db: &Db, mut out: impl Write) -> anyhow::Result<u64> {
    let head =
        Line::Head { format: FORMAT.into(), version: VERSION, migrations: schema::migrations(db).await? };
    line(&mut out, &head)?;
    let mut count = 0;
    for table in schema::tables(db).await? {
        line(&mut out, &Line::Table(table.clone()))?;
        count += rows::each(db, &table, |row| line(&mut out, row)).await?;
    }
    line(&mut out, &Line::End { rows: count })?;
    out.flush()?;
    Ok(count)
}

fn line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(out.write_all(b"\n")?)
}

/// Reads a file into an empty store, all of it or nothing.
///
/// # Errors
/// When the store is not empty, the file is damaged or of another version, or one of them fails.
pub async fn import(args: Import) -> anyhow::Result<()> {
    let db = match (&args.data, &args.store_url) {
        (Some(folder), None) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            Db::sqlite(&folder.join("nigiri.db"), WriteGate::new()).await?
        }
        (None, Some(url)) => Db::postgres(url, 2).await?,
        _ => bail!("name a store: --data or --store-url"),
    };
    db.migrate().await?;
    let file = File::open(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let rows = read(&db, BufReader::new(file)).await?;
    db.close().await;
    println!("{rows} rows are in the store.");
    Ok(())
}

/// What is said of a line that cannot be read.
const NO_SENSE: &str = "a line makes no sense: the file was cut or changed";

async fn read(db: &Db, file: impl BufRead) -> anyhow::Result<u64> {
    let mut lines = file.lines();
    let head = lines.next().context("the file is empty")??;
    let Ok(Line::Head { format, version: VERSION, migrations }) = serde_json::from_str(&head) else {
        bail!("this is not a file of `nigiri export`, or one of another version");
    };
    ensure!(format == FORMAT, "this is not a file of `nigiri export`");
    ensure!(
        migrations == schema::migrations(db).await?,
        "the file is of a store with another schema: export and import with the same version of nigiri"
    );
    let ours = schema::tables(db).await?;
    for table in &ours {
        ensure!(rows::is_empty(db, table).await?, "the store is not empty: there are {} in it", table.name);
    }
    let mut rows = Rows::begin(db).await?;
    let mut table: Option<Table> = None;
    for text in lines {
        let text = text?;
        if text.starts_with('[') {
            let table = table.as_ref().context("a row before its table")?;
            rows.add(table, serde_json::from_str(&text).context(NO_SENSE)?).await?;
            continue;
        }
        match serde_json::from_str(&text).context(NO_SENSE)? {
            Line::Table(next) => {
                ensure!(ours.contains(&next), "the table {} is another one here", next.name);
                table = Some(next);
            }
            Line::End { rows: expected } => {
                ensure!(expected == rows.count(), "{expected} rows were written, {} are there", rows.count());
                return rows.commit().await;
            }
            Line::Head { .. } => bail!("a second beginning"),
        }
    }
    bail!("the file has no end: it was cut")
}
