//! `nigiri log`: the entries of a game, for people or as JSON Lines.

mod words;

use std::{
    io::{self, Write as _},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use kernel::GameId;
use nigiri_proto::game::v1::{GetGameRequest, RecordEntry};
use platform::convert::to_proto_time;
use serde::Serialize;

use crate::{archive::Archive, play::Who};

/// Which game, and from where.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The game's id.
    game: GameId,

    /// One line of JSON for each entry.
    #[arg(long)]
    json: bool,

    /// The key of a private game that is not one's own.
    #[arg(long, default_value = "")]
    key: String,

    /// Read the archive in this data folder of `nigiri dev`, and ask no server. Finished games only.
    #[arg(long, conflicts_with = "store_url")]
    data: Option<PathBuf>,

    /// Read the archive in this Postgres, and ask no server. Finished games only.
    #[arg(long)]
    store_url: Option<String>,

    #[command(flatten)]
    who: Who,
}

/// An entry, as it is printed.
#[derive(Serialize)]
struct Line<'a> {
    sequence: u64,
    time: String,
    events: Vec<words::Told>,
    #[serde(skip_serializing_if = "str::is_empty")]
    command_id: &'a str,
}

/// Prints the entries.
///
/// # Errors
/// When there is no such game, or it cannot be had.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let entries = match Archive::named(args.data.as_deref(), args.store_url.as_deref()) {
        Some(archive) => archived(&archive, args.game).await?,
        None => from_server(&args).await?,
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let printed = entries.iter().try_for_each(|entry| print(&mut out, entry, args.json));
    match printed.and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

async fn from_server(args: &Args) -> anyhow::Result<Vec<RecordEntry>> {
    let client = crate::play::connect(&args.who)?;
    let entered = args.who.quietly(&client).await?;
    let request = GetGameRequest { game_id: args.game.to_string(), watch_key: args.key.clone() };
    let mut games = entered.session.games().max_decoding_message_size(64 << 20);
    let answer = games.get_game(request).await.map_err(|status| anyhow::anyhow!("{}", status.message()))?;
    Ok(answer.into_inner().record.unwrap_or_default().entries)
}

async fn archived(archive: &Archive<'_>, id: GameId) -> anyhow::Result<Vec<RecordEntry>> {
    let db = archive.open().await?;
    let entries = game::audit::archived(&db, id).await?;
    let entries = entries.with_context(|| format!("the archive has no game {id}"))?;
    db.close().await;
    let read = |entry: &ledger::Entry| {
        let decoded = game::read_entry(&entry.payload)?;
        Ok(RecordEntry {
            sequence: entry.sequence,
            event_time: Some(to_proto_time(entry.stamp)),
            events: decoded.events,
            command_id: decoded.command_id,
        })
    };
    entries.iter().map(read).collect()
}

fn print(out: &mut impl io::Write, entry: &RecordEntry, json: bool) -> io::Result<()> {
    let events: Vec<_> = entry.events.iter().map(words::tell).collect();
    let time = time(entry.event_time.as_ref());
    if json {
        let line = Line { sequence: entry.sequence, time, events, command_id: &entry.command_id };
        return writeln!(out, "{}", serde_json::to_string(&line)?);
    }
    for (at, told) in events.iter().enumerate() {
        // What happened together stands together.
        let (number, time) =
            if at == 0 { (entry.sequence.to_string(), time.as_str()) } else { (String::new(), "") };
        writeln!(out, "{number:>5}  {time:<24}  {}", told.text)?;
    }
    Ok(())
}

/// A moment in UTC, to the millisecond.
fn time(stamp: Option<&prost_types::Timestamp>) -> String {
    let since = stamp
        .and_then(|stamp| Some(Duration::new(stamp.seconds.try_into().ok()?, stamp.nanos.try_into().ok()?)));
    let moment = SystemTime::UNIX_EPOCH + since.unwrap_or_default();
    humantime::format_rfc3339_millis(moment).to_string()
}
