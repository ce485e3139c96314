//! The proof: the archive's records against what players were told and saw, the rules, and the ratings.

use std::{sync::atomic::Ordering, time::Duration};

use futures::{Stream, StreamExt, stream};
use nigiri_client::{GameId, Session, reason};
use nigiri_proto::{
    game::v1::{Color, EndReason, GameRecord, game_event::Event},
    rating::v1::{RatingChange, RatingVerdict},
};
use tokio::time::Instant;

use super::{
    arena::{Acknowledged, Arena, Command, Run, lock},
    digest::{Seen, digest},
    ratings::{self, Changes},
    replay::{Replayed, replay},
};

/// How long the archive and the ratings may take after the last game.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often they are asked.
const PAUSE: Duration = Duration::from_millis(200);
/// Games that are checked at the same time.
const AT_ONCE: usize = 16;
/// So many problems are told one by one.
const TOLD: usize = 30;

/// What the proof has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Games that have ended.
    pub games_finished: u64,
    /// Those of them that were counted.
    pub games_counted: u64,
    /// Those of them that a player lost on time.
    pub timeouts_lost: u64,
    /// Games that changed ratings.
    pub games_rated: u64,
    /// Acknowledged commands that the records do not have.
    pub moves_lost: u64,
    /// Entries that are missing, doubled, out of order, or were seen differently.
    pub order_violations: u64,
    /// Records that do not follow from the rules.
    pub results_wrong: u64,
    /// Ratings that do not follow from the games.
    pub ratings_wrong: u64,
    /// What could not be checked.
    pub errors: u64,
    problems: Vec<String>,
}

impl Findings {
    /// Tells what was found, on standard error.
    pub fn complain(&self) {
        self.problems.iter().take(TOLD).for_each(|problem| eprintln!("swarm: {problem}"));
        if self.problems.len() > TOLD {
            eprintln!("swarm: and {} more", self.problems.len() - TOLD);
        }
    }

    fn add(&mut self, other: Self) {
        self.games_finished += other.games_finished;
        self.games_counted += other.games_counted;
        self.timeouts_lost += other.timeouts_lost;
        self.games_rated += other.games_rated;
        self.moves_lost += other.moves_lost;
        self.order_violations += other.order_violations;
        self.results_wrong += other.results_wrong;
        self.ratings_wrong += other.ratings_wrong;
        self.errors += other.errors;
        self.problems.extend(other.problems);
    }
}

/// Checks everything.
pub async fn all(arena: &Arena, players: &[Session]) -> Findings {
    let until = Instant::now() + PATIENCE;
    let alone = !arena.met_strangers();
    let checks = arena
        .games()
        .into_iter()
        .zip(players.iter().cycle())
        .map(|((id, run), session)| async move { one(session, id, &run, alone, until).await });
    let mut findings = Findings::default();
    let mut replays = Vec::new();
    let mut checks = stream::iter(checks).buffer_unordered(AT_ONCE);
    while let Some((game, replayed)) = checks.next().await {
        findings.add(game);
        replays.extend(replayed);
    }
    // A game that is counted late changes what those after it are worth. So what they changed is read once all have been counted.
    each_rated(players, &replays, until).for_each(async |_| {}).await;
    let mut changes = Changes::default();
    let mut rated = each_rated(players, &replays, until);
    while let Some((id, changed)) = rated.next().await {
        match changed {
            Ok(changed) => {
                findings.games_rated += u64::from(!changed.is_empty());
                changes.add(&changed);
            }
            Err(why) => {
                findings.ratings_wrong += 1;
                findings.problems.push(format!("game {id}: {why}"));
            }
        }
    }
    match changes.faults(players, alone).await {
        Ok(faults) => {
            findings.ratings_wrong += faults.len() as u64;
            findings.problems.extend(faults);
        }
        Err(error) => {
            findings.errors += 1;
            findings.problems.push(format!("the ratings cannot be read: {error}"));
        }
    }
    findings
}

/// What each game has changed, as soon as it has been counted.
fn each_rated<'a>(
    players: &'a [Session],
    replays: &'a [(GameId, Replayed)],
    until: Instant,
) -> impl Stream<Item = (GameId, Result<Vec<RatingChange>, String>)> + Unpin + 'a {
    let asked = replays.iter().zip(players.iter().cycle()).map(move |((id, replayed), session)| async move {
        (*id, rated(session, *id, replayed, until).await)
    });
    stream::iter(asked).buffer_unordered(AT_ONCE)
}

/// Checks a game. Gives what came out as well, if it can be told.
async fn one(
    session: &Session,
    id: GameId,
    run: &Run,
    alone: bool,
    until: Instant,
) -> (Findings, Option<(GameId, Replayed)>) {
    let mut findings = Findings::default();
    let mut replayed = None;
    match archived(session, id, until).await {
        Err(why) => {
            findings.errors += 1;
            findings.problems.push(why);
        }
        Ok(record) => {
            findings = compare(&record, run, alone);
            match replay(&record) {
                Err(why) => {
                    findings.results_wrong += 1;
                    findings.problems.push(why);
                }
                Ok(came_out) => {
                    findings.ended(&came_out);
                    replayed = Some((id, came_out));
                }
            }
        }
    }
    findings.problems.iter_mut().for_each(|problem| *problem = format!("game {id}: {problem}"));
    (findings, replayed)
}

/// The record, once it is in the archive.
async fn archived(session: &Session, id: GameId, until: Instant) -> Result<GameRecord, String> {
    loop {
        let record = session.game(id).record().await.map_err(|error| format!("no record: {error}"))?;
        if record.archived {
            return Ok(record);
        }
        if Instant::now() > until {
            return Err(format!("not in the archive {PATIENCE:?} after the last game"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What the game has changed, if it is one that changes ratings.
async fn rated(
    session: &Session,
    id: GameId,
    replayed: &Replayed,
    until: Instant,
) -> Result<Vec<RatingChange>, String> {
    let counts = replayed.rated
        && !matches!(
            replayed.reason,
            EndReason::Abort | EndReason::Repetition | EndReason::UnratedAdjudication | EndReason::Void
        );
    loop {
        match session.game_rating(id).await {
            Ok(_) if !counts => return Err("a game that does not count has changed ratings".to_owned()),
            Ok(answer) if answer.board_size != replayed.board_size => {
                return Err(format!("rated in the pool of board size {}", answer.board_size));
            }
            // Two of the swarm may have played each other too often: then it moves nobody.
            Ok(answer) if answer.verdict() != RatingVerdict::Counted && answer.changes.is_empty() => {
                return Ok(Vec::new());
            }
            Ok(answer) => {
                return ratings::fault(replayed, &answer.changes).map_or(Ok(answer.changes), Err);
            }
            Err(error) if error.is(reason::NOT_RATED) && !counts => return Ok(Vec::new()),
            Err(error) if error.is(reason::NOT_RATED) && Instant::now() < until => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(format!("no rating: {error}")),
        }
    }
}

impl Findings {
    fn ended(&mut self, replayed: &Replayed) {
        self.games_finished += 1;
        match replayed.reason {
            EndReason::Score | EndReason::MoveLimit => self.games_counted += 1,
            EndReason::Time => self.timeouts_lost += 1,
            _ => {}
        }
    }

    fn lost(&mut self, what: String) {
        self.moves_lost += 1;
        self.problems.push(what);
    }

    fn disorder(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.order_violations += count;
            self.problems.push(what.to_owned());
        }
    }
}

/// Compares a record with what its players were told and its watchers saw. `alone`: both players are of the swarm.
fn compare(record: &GameRecord, run: &Run, alone: bool) -> Findings {
    let mut findings = Findings::default();
    let numbers = record.entries.iter().map(|entry| entry.sequence);
    let gaps = numbers.zip(1..).filter(|(sequence, expected)| sequence != expected).count() as u64;
    findings.disorder(gaps, "the record's entries are not numbered 1, 2, 3, ...");
    let digests: Vec<u64> =
        record.entries.iter().map(|entry| digest(&entry.events, entry.event_time.as_ref())).collect();
    for seen in lock(&run.seen).iter() {
        let faults = Seen::faults(seen, &digests);
        findings.disorder(faults, &format!("a watcher saw another sequence of entries: {faults} faults"));
    }
    let made = commands(record);
    let acknowledged = lock(&run.acknowledged);
    let mut told = vec![false; made.len()];
    for one in acknowledged.iter() {
        match made.iter().position(|command| command == one) {
            Some(at) if !told[at] => told[at] = true,
            Some(_) => findings.lost(format!("one entry was acknowledged for two commands: {one:?}")),
            None => findings.lost(format!("acknowledged, but not in the record: {one:?}")),
        }
    }
    let untold = told.iter().filter(|told| !**told).count() as u64;
    let unknown = run.unknown.load(Ordering::Relaxed);
    if alone {
        findings.disorder(untold.saturating_sub(unknown), "the record has commands that nobody sent");
    }
    findings
}

/// All that players did by a record, as it would have been acknowledged.
fn commands(record: &GameRecord) -> Vec<Acknowledged> {
    let mut ply = 0;
    let mut commands = Vec::new();
    for entry in &record.entries {
        let mut moved = false;
        for event in &entry.events {
            let (color, command) = match &event.event {
                Some(Event::MovePlayed(played)) => (played.color(), Command::Play(ply, played.point.clone())),
                Some(Event::Passed(passed)) => (passed.color(), Command::Pass(ply)),
                // An entry of its own that a player's command made: a resignation, or an abort.
                Some(Event::Finished(finished)) if !moved && !entry.command_id.is_empty() => {
                    let winner =
                        finished.result.as_ref().map_or(Color::Unspecified, |result| result.winner());
                    let loser = match winner {
                        Color::Black => Color::White,
                        Color::White => Color::Black,
                        // An abort: only the player to move resigns in a swarm.
                        Color::Unspecified if ply % 2 == 0 => Color::Black,
                        Color::Unspecified => Color::White,
                    };
                    (loser, Command::Resign)
                }
                _ => continue,
            };
            ply += u32::from(command != Command::Resign);
            moved = true;
            commands.push(Acknowledged { sequence: entry.sequence, color, command });
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{
        GameCreated, GameEvent, GameFinished, GameResult, MovePlayed, Passed, RecordEntry,
    };

    use super::*;

    fn record() -> GameRecord {
        let played = |color: Color, point: &str| {
            Event::MovePlayed(MovePlayed {
                color: color.into(),
                point: point.to_owned(),
                captured: Vec::new(),
            })
        };
        let result = GameResult { winner: Color::Black.into(), ..GameResult::default() };
        let events = [
            Event::Created(GameCreated::default()),
            played(Color::Black, "D5"),
            played(Color::White, "E5"),
            Event::Passed(Passed { color: Color::Black.into() }),
            Event::Finished(GameFinished { result: Some(result), verdict: None }),
        ];
        let entry = |(event, sequence)| RecordEntry {
            sequence,
            events: vec![GameEvent { event: Some(event) }],
            command_id: if sequence > 1 { "c".to_owned() } else { String::new() },
            event_time: None,
        };
        GameRecord { entries: events.into_iter().zip(1..).map(entry).collect(), ..GameRecord::default() }
    }

    /// A run in which everything was told and seen as it stands in the record.
    fn true_run() -> Run {
        let run = Run::default();
        *lock(&run.acknowledged) = commands(&record());
        let mut seen = Seen::default();
        for entry in record().entries {
            seen.entry(entry.sequence, &entry.events, entry.event_time.as_ref());
        }
        lock(&run.seen).push(seen);
        run
    }

    /// What was told and seen is found in the record; each way in which it may not be is found as well.
    #[test]
    fn the_record_is_held_against_what_was_told_and_seen() {
        let faults = |record: &GameRecord, run: &Run| {
            let findings = compare(record, run, true);
            (findings.moves_lost, findings.order_violations)
        };
        assert_eq!(lock(&true_run().acknowledged)[3].color, Color::White, "White has resigned");
        assert_eq!(faults(&record(), &true_run()), (0, 0));
        // A move that was acknowledged is not there; what follows it has moved up.
        let mut lost = record();
        lost.entries.remove(2);
        assert!(faults(&lost, &true_run()).0 > 0);
        // A move stands there twice.
        let mut twice = record();
        twice.entries.insert(2, twice.entries[1].clone());
        assert!(faults(&twice, &true_run()).1 > 0);
        // One entry was the answer to two commands.
        let run = true_run();
        let first = lock(&run.acknowledged)[0].clone();
        lock(&run.acknowledged).push(first);
        assert_eq!(faults(&record(), &run), (1, 0));
        // A move that nobody was told of, unless its end was unknown to the player.
        let run = true_run();
        lock(&run.acknowledged).remove(1);
        assert_eq!(faults(&record(), &run), (0, 1));
        run.unknown.store(1, Ordering::Relaxed);
        assert_eq!(faults(&record(), &run), (0, 0));
    }
}
