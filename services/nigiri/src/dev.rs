//! `nigiri dev`: every service in one process, on one SQLite file.

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use ledger::{WriteGate, embedded::EmbeddedLedger};
use platform::{
    clock::Clock,
    config::{RatedArgs, Secret, ServerArgs, TelemetryArgs},
    db::Db,
    node::{Node, Parts},
    server::listen,
    shutdown::Signals,
    telemetry,
};
use uuid::Uuid;

use crate::page;

/// How `nigiri dev` runs.
#[derive(clap::Args, Clone, Debug)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    telemetry: TelemetryArgs,

    /// Folder for the data: made if it is not there; a second start goes on where the first stopped.
    #[arg(long, env = "NIGIRI_DATA", default_value = "nigiri-data")]
    data: PathBuf,

    /// Whether guests may play rated games.
    #[arg(long, env = "NIGIRI_RATED_GUESTS", default_value_t = true, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    rated_guests: bool,

    #[command(flatten)]
    session: session::Args,
    #[command(flatten)]
    game: game::Args,
    #[command(flatten)]
    matchmaking: matchmaking::Args,
    #[command(flatten)]
    rating: rating::Args,
    #[command(flatten)]
    bot: bot::Args,
    #[command(flatten)]
    operator: operator::Args,
}

/// Runs everything until a signal.
///
/// # Errors
/// When the address or the folder cannot be had, or serving fails.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let telemetry = telemetry::init(&args.telemetry, "dev")?;
    // The address first: if it is taken, nothing has been touched yet.
    let listener = listen(args.server.listen).await?;
    let file = make_folder(&args.data)?.join("nigiri.db");
    let gate = WriteGate::new();
    let opened = EmbeddedLedger::open(&file, gate.clone()).await;
    let embedded = Arc::new(opened.with_context(|| {
        format!("cannot use {} for the data: choose another folder with --data", file.display())
    })?);
    let db = Db::sqlite(&file, gate).await?;
    db.migrate().await?;
    let mut node = Node::new(Parts {
        ledger: telemetry::observed(embedded.clone()),
        db,
        clock: Clock::system(),
        // Services of one process need no secret that anybody else knows.
        service_secret: Secret::new(format!("{}{}", Uuid::new_v4(), Uuid::new_v4())),
        network: None,
    })?;
    let context = node.context();
    node.server().protect(&args.server).pages(page::routes());
    let rated = RatedArgs { rated_guests: args.rated_guests };
    session::bind(args.session, &context, node.server()).await?;
    game::bind(args.game, &context, node.server()).await?;
    rating::bind(args.rating, &context, node.server()).await?;
    matchmaking::bind(args.matchmaking, rated, &context, node.server()).await?;
    bot::bind(args.bot, &context, node.server()).await?;
    operator::bind(args.operator, &context, node.server()).await?;
    let running = node.start(Some(listener)).await?;
    let signals = Signals::listen()?;
    let address = running.address().unwrap_or(args.server.listen);
    greet(&format!("{}://{address}", args.server.scheme()), &args.data)?;
    let served = crate::run::serve(running, signals, &args.server, "dev").await;
    embedded.close().await;
    telemetry.finish().await;
    served
}

fn make_folder(folder: &Path) -> anyhow::Result<&Path> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the data folder {}: choose another with --data", folder.display())
    })?;
    Ok(folder)
}

/// Says what runs where, and what to try next.
fn greet(at: &str, data: &Path) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "Nigiri {version} is ready: all services on {at}, data in {data}\n\n  \
         {board}\n  \
         a game against the AI      {nigiri} play --server {at} ai\n  \
         a random opponent          {nigiri} play --server {at} match     (twice, in two terminals)\n  \
         many games at once         {nigiri} swarm --server {at} --pairs 20 --seconds 10\n  \
         from your own client       npx @bufbuild/buf curl {http2} --protocol grpc \\\n                             \
         -d '{{\"nickname\":\"Honinbo\"}}' {at}/nigiri.session.v1.SessionService/SignInAsGuest\n\n\
         Also there: reflection, health, /metrics, /.well-known/jwks.json. Stop with Ctrl-C.",
        nigiri = std::env::args().next().unwrap_or_else(|| "nigiri".to_owned()),
        http2 = if at.starts_with("https") { "" } else { "--http2-prior-knowledge" },
        board = page::invitation(at),
        version = env!("CARGO_PKG_VERSION"),
        data = data.display(),
    )?;
    Ok(out.flush()?)
}
