//! The proof, after everything has been mended: the archive against what players were told and saw, the rules, and the ratings.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::StreamExt;
use ledger::Ledger;
use nigiri_client::{GameId, Session, Watched, reason};
use nigiri_proto::game::v1::{EndReason, GameRecord};
use tokio::time::Instant;

use crate::{
    arena::{Arena, Played, digest},
    replay::{Replayed, replay},
    world::World,
};

/// How long the archive and the ratings may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often they are asked.
const PAUSE: Duration = Duration::from_secs(1);

/// Both players, and one who looks on.
pub const WATCHERS: usize = 3;

/// Every rating at the start, in millionths of a point.
const INITIAL: i64 = 1_200_000_000;

/// The size of the boards.
const SIDE: u32 = 9;

/// What the proof has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What must not be.
    pub problems: Vec<String>,
    /// Games that ended, by what ended them.
    pub ends: BTreeMap<&'static str, u32>,
    /// Entries of all games.
    pub entries: usize,
}

/// Checks everything. `everywhere` has a session with each of the replicas alone.
pub async fn audit(world: &World, arena: &Arena, session: &Session, everywhere: &[Session]) -> Findings {
    let mut findings = Findings { problems: arena.problems(), ..Findings::default() };
    let until = Instant::now() + PATIENCE;
    let mut replays = Vec::new();
    for (id, played) in arena.games() {
        match one(session, everywhere, id, &played, until, &mut findings).await {
            Ok(replayed) => replays.push((id, replayed)),
            Err(why) => findings.problems.push(format!("game {id}: {why}")),
        }
    }
    for group in ["archive", "rating"] {
        let lag = settled(world, group, until).await;
        let dead = world.ledger.dead_letters("finished", group, 100).await.unwrap_or_default();
        if lag > 0 || !dead.is_empty() {
            let dead: Vec<_> = dead.iter().map(|letter| &letter.error).collect();
            findings.problems.push(format!("{group}: {lag} notices are left, dead letters: {dead:?}"));
        }
    }
    // A game that is counted late changes what those after it are worth: what they changed is read once all have been counted.
    let mut ratings: BTreeMap<String, (i64, u32)> = BTreeMap::new();
    for (id, replayed) in &replays {
        if let Err(why) = rated(session, *id, replayed, until, &mut ratings).await {
            findings.problems.push(format!("game {id}: {why}"));
        }
    }
    if let Err(why) = all_ratings(session, &ratings).await {
        findings.problems.push(why);
    }
    findings
}

/// How many notices of finished games are left when no more are dealt with, or patience has run out.
async fn settled(world: &World, group: &str, until: Instant) -> u64 {
    loop {
        let lag = world.ledger.lag("finished", group).await.unwrap_or_default();
        if lag == 0 || Instant::now() > until {
            return lag;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn one(
    session: &Session,
    everywhere: &[Session],
    id: GameId,
    played: &Played,
    until: Instant,
    findings: &mut Findings,
) -> Result<Replayed, String> {
    let record = archived(session, id, until).await?;
    findings.entries += record.entries.len();
    findings.problems.extend(compare(&record, played).into_iter().map(|why| format!("game {id}: {why}")));
    for session in everywhere {
        let there = session.game(id).record().await.map_err(|error| format!("no record: {error}"))?;
        if there != record {
            findings.problems.push(format!("game {id}: replicas have different records of it"));
        }
    }
    one_end(id, everywhere).await?;
    let replayed = replay(&record)?;
    *findings.ends.entry(replayed.reason.as_str_name()).or_default() += 1;
    if replayed.reason == EndReason::Time && !played.dawdled.contains(&i32::from(replayed.turn)) {
        let why = format!("game {id}: {:?} lost on time through no fault of theirs", replayed.turn);
        findings.problems.push(why);
    }
    if replayed.reason == EndReason::Abandonment {
        findings.problems.push(format!("game {id}: somebody lost for being gone, and nobody leaves"));
    }
    Ok(replayed)
}

/// Every replica shows the game in the same way after its end.
async fn one_end(id: GameId, everywhere: &[Session]) -> Result<(), String> {
    let mut first = None;
    for session in everywhere {
        // To the end first: a replica that is behind begins with what it knows, and goes on from there.
        let mut watch = session.game(id).watch(None);
        while watch.next().await.transpose().map_err(|error| format!("a watcher: {error}"))?.is_some() {}
        let mut watch = session.game(id).watch(None);
        let told = watch.next().await.ok_or("a stream without an end")?;
        let Ok(Watched::Snapshot(mut there)) = told else { return Err(format!("no snapshot but {told:?}")) };
        there.server_time = None;
        if first.get_or_insert_with(|| there.clone()) != &there {
            return Err(format!("replicas show it differently: {first:?}, {there:?}"));
        }
    }
    Ok(())
}

/// The record, once it is in the archive.
async fn archived(session: &Session, id: GameId, until: Instant) -> Result<GameRecord, String> {
    loop {
        let record = session.game(id).record().await.map_err(|error| format!("no record: {error}"))?;
        if record.archived {
            return Ok(record);
        }
        if Instant::now() > until {
            return Err(format!("not in the archive; {} entries", record.entries.len()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Compares a record with what its players were told and its watchers saw.
fn compare(record: &GameRecord, played: &Played) -> Vec<String> {
    let mut problems = Vec::new();
    let numbers = record.entries.iter().map(|entry| entry.sequence);
    if !numbers.eq(1..=record.entries.len() as u64) {
        problems.push("the entries are not numbered 1, 2, 3, ...".to_owned());
    }
    let mut ids = BTreeSet::new();
    for entry in record.entries.iter().filter(|entry| !entry.command_id.is_empty()) {
        if !ids.insert(&entry.command_id) {
            problems.push(format!("entry {}: a command was made twice", entry.sequence));
        }
    }
    let entry = |sequence: u64| record.entries.get(usize::try_from(sequence).ok()?.checked_sub(1)?);
    for (sequence, command_id, what) in &played.acknowledged {
        if entry(*sequence).is_none_or(|entry| entry.command_id != *command_id) {
            problems.push(format!("entry {sequence}: {what} was acknowledged as this entry, and is not"));
        }
    }
    let mut states = BTreeMap::new();
    for (sequence, state) in played.seen.iter().flat_map(|seen| &seen.states) {
        if states.insert(sequence, state).is_some_and(|other| other != state) {
            problems.push(format!("entry {sequence}: two watchers were told different states after it"));
        }
    }
    for seen in &played.seen {
        let mut last = 0;
        for (sequence, seen) in &seen.entries {
            let there = entry(*sequence).map(|entry| digest(&entry.events, entry.event_time.as_ref()));
            if *sequence <= last || there != Some(*seen) {
                problems.push(format!("entry {sequence}: a watcher saw something else after {last}"));
            }
            last = *sequence;
        }
        if seen.last != record.entries.len() as u64 {
            problems.push(format!("a watcher saw {} of {} entries", seen.last, record.entries.len()));
        }
    }
    if played.seen.len() != WATCHERS {
        problems.push(format!("{} of {WATCHERS} watchers saw the end", played.seen.len()));
    }
    problems
}

/// What the game has changed, if it is one that changes ratings.
async fn rated(
    session: &Session,
    id: GameId,
    replayed: &Replayed,
    until: Instant,
    ratings: &mut BTreeMap<String, (i64, u32)>,
) -> Result<(), String> {
    for player in &replayed.players {
        ratings.entry(player.clone()).or_insert((INITIAL, 0));
    }
    loop {
        match session.game_rating(id).await {
            Ok(_) if !replayed.counts => return Err("it changed ratings and does not count".to_owned()),
            Ok(answer) => {
                let gains = answer.changes.iter().map(|change| change.after_micros - change.before_micros);
                let players: BTreeSet<_> =
                    answer.changes.iter().map(|change| change.player_id.clone()).collect();
                if gains.clone().sum::<i64>() != 0 || players != replayed.players {
                    return Err(format!("it changed ratings so: {:?}", answer.changes));
                }
                for (change, gain) in answer.changes.iter().zip(gains) {
                    if let Some((rating, games)) = ratings.get_mut(&change.player_id) {
                        *rating += gain;
                        *games += 1;
                    }
                }
                return Ok(());
            }
            Err(error) if error.is(reason::NOT_RATED) && !replayed.counts => return Ok(()),
            Err(error) if error.is(reason::NOT_RATED) && Instant::now() < until => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(format!("no rating: {error}")),
        }
    }
}

/// Every player's rating is what the games make it, each counted once.
async fn all_ratings(session: &Session, expected: &BTreeMap<String, (i64, u32)>) -> Result<(), String> {
    let players: Vec<_> = expected.keys().filter_map(|id| id.parse().ok()).collect();
    if players.is_empty() {
        return Ok(());
    }
    let ratings = session.ratings_of(&players, SIDE).await.map_err(|error| format!("no ratings: {error}"))?;
    let found = ratings.into_iter().map(|rating| (rating.player_id, (rating.micros, rating.games)));
    let found: BTreeMap<_, _> = found.collect();
    if found == *expected { Ok(()) } else { Err(format!("ratings are {found:?}, not {expected:?}")) }
}
