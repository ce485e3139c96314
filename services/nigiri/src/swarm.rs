//! `nigiri swarm`: many games at once over the public API, and afterwards a proof from the records that everything was counted right.

mod arena;
mod audit;
mod board;
mod digest;
mod line;
mod player;
mod ratings;
mod replay;
mod report;
mod stats;

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context as _;
use futures::{StreamExt, TryStreamExt, stream};
use nigiri_client::{Client, Endpoints, Options, PlayStream, Session};
use tokio::task::JoinSet;

use arena::Arena;
use player::Player;
use report::Report;

/// How big the swarm is and where it flies.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Address of the server; several, separated by commas, if it has several.
    #[arg(long, env = "NIGIRI_SERVER", default_value = "http://127.0.0.1:7878", value_delimiter = ',')]
    server: Vec<String>,

    /// Addresses of the session service, where it has its own.
    #[arg(long, value_delimiter = ',')]
    session: Vec<String>,

    /// Addresses of the game service, where it has its own.
    #[arg(long, value_delimiter = ',')]
    game: Vec<String>,

    /// Addresses of the matchmaking service, where it has its own.
    #[arg(long, value_delimiter = ',')]
    matchmaking: Vec<String>,

    /// Addresses of the rating service, where it has its own.
    #[arg(long, value_delimiter = ',')]
    rating: Vec<String>,

    /// Pairs of players: so many games at once.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pairs: u32,

    /// For how long new games begin, in seconds; games that run then are finished.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,

    /// Connections to each service that the players share. Default: one for every ten pairs.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: Option<u32>,

    /// Play on one stream for each connection, which carries the commands and events of all games of its players, instead of by a call for
    /// each command and a stream for each game.
    #[arg(long)]
    stream: bool,

    /// The seed of the random moves. Default: a random one, which is reported.
    #[arg(long)]
    seed: Option<u64>,

    /// Print nothing but the report on standard output.
    #[arg(long)]
    json: bool,
}

/// Guests that sign in at the same time.
const SIGN_INS: usize = 32;
/// How long after the end of the time every task must have ended.
const PATIENCE: Duration = Duration::from_secs(120);

/// Plays, checks, reports.
///
/// # Errors
/// When the server cannot be reached at all, or an address is wrong. What is found wrong in the games is in the report and makes the exit
/// code 1.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let connections = args.connections.unwrap_or_else(|| args.pairs.div_ceil(10));
    let endpoints = endpoints(&args);
    let clients = (0..connections)
        .map(|_| Client::with_endpoints(&endpoints, Options::default()))
        .collect::<Result<Vec<_>, _>>()?;
    let seed = args.seed.unwrap_or_else(rand::random);
    eprintln!("swarm: {} players sign in over {connections} connections (seed {seed})", 2 * args.pairs);
    let players = sign_in(&clients, "swarm", 2 * args.pairs as usize).await?;
    let spectators = sign_in(&clients, "watcher", clients.len().min(players.len())).await?;
    let arena = Arc::new(Arena::new(&players, spectators, Duration::from_secs(args.seconds))?);
    play(&arena, &players, args.stream.then_some(clients.len()), seed).await?;
    eprintln!("swarm: checking {} games", arena.games().len());
    let findings = audit::all(&arena, &players).await;
    let report = Report::new(&arena, &findings, &args, connections, seed);
    findings.complain();
    report.print(args.json)?;
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn endpoints(args: &Args) -> Endpoints {
    let or_server = |own: &Vec<String>| if own.is_empty() { args.server.clone() } else { own.clone() };
    Endpoints {
        session: or_server(&args.session),
        game: or_server(&args.game),
        matchmaking: or_server(&args.matchmaking),
        rating: or_server(&args.rating),
    }
}

async fn sign_in(clients: &[Client], name: &str, count: usize) -> anyhow::Result<Vec<Session>> {
    let tag: u16 = rand::random();
    stream::iter((0..count).zip(clients.iter().cycle()))
        .map(|(number, client)| async move {
            client.sign_in_as_guest(&format!("{name}-{tag:04x}-{number}")).await
        })
        .buffered(SIGN_INS)
        .try_collect()
        .await
        .context("the players cannot sign in")
}

/// Lets everybody play until all have ended, on so many streams if any; players share connections in turn.
async fn play(
    arena: &Arc<Arena>,
    players: &[Session],
    streams: Option<usize>,
    seed: u64,
) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    // The first player of each connection opens its stream.
    let openers = players.iter().take(streams.unwrap_or_default());
    let streams: Vec<PlayStream> = openers.map(Session::play_stream).collect();
    let mut turns = streams.iter().cycle();
    for (session, number) in players.iter().zip(1..) {
        let stream = turns.next().cloned();
        let player = Player::new(Arc::clone(arena), session.clone(), stream, seed.wrapping_add(number))?;
        tasks.spawn(player.run());
    }
    let ended = async {
        while let Some(task) = tasks.join_next().await {
            if let Err(error) = task {
                arena.error(&format!("a player's task failed: {error}"));
            }
        }
        arena.spectators_end().await;
    };
    let watched = async {
        let mut second =
            tokio::time::interval_at(arena.start() + Duration::from_secs(1), Duration::from_secs(1));
        loop {
            second.tick().await;
            eprintln!("{}", report::progress(arena));
        }
    };
    tokio::select! {
        () = ended => {}
        () = watched => {}
        () = tokio::time::sleep_until(arena.deadline() + PATIENCE) => {
            arena.error(&format!("{} players had not ended {PATIENCE:?} after the time was up", tasks_left(arena)));
        }
    }
    Ok(())
}

fn tasks_left(arena: &Arena) -> usize {
    arena.stats.playing()
}
