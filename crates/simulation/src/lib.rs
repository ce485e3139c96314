//! Deterministic simulation: game, matchmaking, rating and ledger in one thread, on a simulated clock and network, from a seed.
//!
//! **What is real:** the services with all their tasks, three replicas of each, their gRPC API over HTTP/2, the client library, the
//! ledger in memory, the SQL of the archive and the ratings. **What is simulated:** time (it jumps to the next thing that happens),
//! every byte's way ([`network`]), the way to the ledger and to the store ([`ledger`], [`line`]), the death of processes, and the session
//! service ([`session`]). What is random asks the crate `chance`, which has the seed.
//!
//! A replica *dies* by being cut off from everything in the middle of whatever it does: no call of it has an effect any more, no answer
//! reaches it, no destructor says goodbye. That is what others see of a process that is killed.
//!
//! Players look for each other, play whole games, send commands from two devices at once, come back to their streams, resign, and let their
//! time run out on purpose. In the end everything is mended, and [`audit`] holds the archive against what was told and seen.

mod arena;
mod audit;
mod dice;
mod ledger;
mod line;
mod network;
mod player;
mod replay;
mod session;
mod view;
mod weather;
mod world;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use crate::{
    arena::Arena,
    player::Player,
    world::{Rates, World},
};

/// Replicas of every service.
const REPLICAS: usize = 3;

/// A simulation that takes longer, by its own clock, has a game that never ends.
const LONGEST: Duration = Duration::from_secs(600);

/// How a simulation is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Everything that happens is written to standard error.
    pub aloud: bool,
    /// A bug that is there on purpose.
    pub plant: Option<Plant>,
}

/// A bug that is planted, to see whether the simulation would notice one of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The ledger's compare-and-set is broken: an append behind the end of a log is accepted.
    CompareAndSet,
    /// An append to a game is answered before it is made.
    EarlyAnswer,
    /// The store forgets that a game has counted when it is counted again. It does no harm by itself: the players have that game as their last one, or one after it, so that it is
    /// put where it belongs and computed anew.
    ForgottenMark,
    /// It forgets besides which game was its players' last one: a message that comes twice counts twice.
    ForgottenOrder,
}

/// What came of a simulation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What must not be. Empty if all is well.
    pub problems: Vec<String>,
    /// A digest of all that happened.
    pub digest: u64,
    /// How many things happened.
    pub steps: u64,
    /// How long it took by the simulation's own clock.
    pub simulated: Duration,
    /// Games that ended, by what ended them.
    pub ends: BTreeMap<&'static str, u32>,
    /// Entries of all games.
    pub entries: usize,
}

/// Runs the simulation of a seed on this thread.
///
/// # Errors
/// When it cannot be set up. What the simulation finds is in the report.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let folder = tempfile::tempdir_in(memory_folder())?;
    let template = template()?;
    chance::seed_this_thread(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let report = runtime.block_on(simulate(seed, options, &template, folder.path()));
    drop(runtime);
    chance::unseed_this_thread();
    report
}

/// Where files cost least.
fn memory_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

/// An empty store with its schema, made once in the life of the process.
fn template() -> anyhow::Result<PathBuf> {
    static TEMPLATE: OnceLock<Result<(PathBuf, tempfile::TempDir), String>> = OnceLock::new();
    let made = TEMPLATE.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let made = runtime.map_err(anyhow::Error::from).and_then(|runtime| {
            runtime.block_on(async {
                let (db, folder) = platform::testing::sqlite().await?;
                db.close().await;
                Ok((folder.path().join("nigiri.db"), folder))
            })
        });
        made.map_err(|error| format!("{error:#}"))
    });
    match made {
        Ok((path, _)) => Ok(path.clone()),
        Err(error) => anyhow::bail!("no store: {error}"),
    }
}

async fn simulate(seed: u64, options: Options, template: &Path, folder: &Path) -> anyhow::Result<Report> {
    let luck = goban::Rng::new(seed ^ 0x5EED).next_u64();
    let rates = match luck % 4 {
        0 => Rates { lost: 0, slow: 0, cut: 0 },
        1 => Rates { lost: 2, slow: 2, cut: 1 },
        2 => Rates { lost: 10, slow: 5, cut: 2 },
        _ => Rates { lost: 25, slow: 10, cut: 5 },
    };
    let world = World::new(seed, rates, options, template, folder).await?;
    let (arena, began) = (Arc::new(Arena::default()), tokio::time::Instant::now());
    for slot in 0..REPLICAS {
        world.start(slot).await;
    }
    let story = Box::pin(story(&world, &arena));
    let cut_short = |why: &[String]| audit::Findings {
        problems: [&arena.problems(), why].concat(),
        ..audit::Findings::default()
    };
    let findings = tokio::select! {
        biased;
        findings = story => findings.context("the players cannot sign in")?,
        () = tokio::time::sleep(LONGEST) => cut_short(&["something never ends".to_owned()]),
        // Of a planted bug the first sign is enough.
        () = arena.faulty(), if options.plant == Some(Plant::CompareAndSet) => cut_short(&[]),
    };
    let audit::Findings { problems, ends, entries } = findings;
    for problem in &problems {
        world.trace.note(format_args!("{problem}"));
    }
    world.trace.note(format_args!("{ends:?} {entries}"));
    Ok(Report {
        seed,
        problems,
        digest: world.trace.digest(),
        steps: world.trace.count(),
        simulated: began.elapsed(),
        ends,
        entries,
    })
}

/// Players play while things break; then all is mended and looked at.
async fn story(world: &Arc<World>, arena: &Arc<Arena>) -> anyhow::Result<audit::Findings> {
    let dice = &world.dice;
    let (players, games) = (if dice.below(3) == 0 { 4_u32 } else { 2 }, 1 + dice.below(2));
    let mut playing = Vec::new();
    let mut sessions = Vec::new();
    for number in 0..players {
        let name = format!("player {number}");
        let first = dice.below(3) as usize;
        let session = world.client(REPLICAS, first).sign_in_as_guest(&name).await?;
        let other = world.client(REPLICAS, first + 1).sign_in_as_guest(&name).await?;
        sessions.push(session.clone());
        let (world, arena) = (Arc::clone(world), Arc::clone(arena));
        let player = Player { world, arena, session, other, players: players.into() };
        playing.push(tokio::spawn(player.run(games)));
    }
    let stop = CancellationToken::new();
    let weather = tokio::spawn(weather::blow(Arc::clone(world), REPLICAS, stop.clone()));
    for player in playing {
        if let Err(error) = player.await {
            arena.problem(format!("a player's program failed: {error}"));
        }
    }
    stop.cancel();
    weather.await?;
    for _ in 0..60 {
        if arena.games().values().all(|played| played.seen.len() == audit::WATCHERS) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut everywhere = Vec::new();
    for slot in 0..REPLICAS {
        everywhere.push(world.client_of([slot]).sign_in_as_guest("auditor").await?);
    }
    let session = sessions.first().context("no players")?;
    Ok(audit::audit(world, arena, session, &everywhere).await)
}
