//! The archive, checked against itself: every game is played again from its record, and whatever does not come out is told.

use goban::JUDGE_VERSION;
use kernel::{GameId, Timestamp};
use ledger::Entry;
use platform::db::Db;
use referee::{Event, Game, recount};
use uuid::Uuid;

use crate::{
    codec::{self, result_to_proto},
    store::{Store, read_record},
};

/// Games that are read at once.
const PAGE: i64 = 50;

/// What a whole check has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games in the archive.
    pub games: u64,
    /// Games of which something does not come out.
    pub faulty: u64,
    /// Games whose dead stones another version of the judge found: they were counted anew, but not found anew.
    pub other_judge: u64,
}

/// A game as its row in the archive tells it.
#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    black_id: Uuid,
    white_id: Uuid,
    board_size: i16,
    rated: bool,
    result: String,
    created_at: i64,
    finished_at: i64,
    preset: String,
    private: bool,
    reason: i32,
    moves: i32,
    record: Vec<u8>,
}

/// Checks every game of the archive. `fault` is told the game and everything in it that does not come out, in words.
///
/// # Errors
/// When the store is away.
pub async fn audit(db: &Db, mut fault: impl FnMut(GameId, &[String])) -> Result<Summary, sqlx::Error> {
    let mut summary = Summary::default();
    let mut after = Uuid::nil();
    loop {
        let rows: Vec<Row> = platform::on!(db, |pool| {
            sqlx::query_as(
                "SELECT id, black_id, white_id, board_size, rated, result, created_at, finished_at, preset, private, reason,
                        moves, record
                 FROM games WHERE id > $1 ORDER BY id LIMIT $2",
            )
            .bind(after)
            .bind(PAGE)
            .fetch_all(pool)
            .await
        })?;
        let Some(last) = rows.last() else { return Ok(summary) };
        after = last.id;
        for row in rows {
            let id = GameId::from_uuid(row.id);
            // Seconds of work for a thousand games: not on a thread that serves others.
            let checked = tokio::task::spawn_blocking(move || check(&row)).await;
            let (faults, other_judge) = checked.unwrap_or_else(|error| (vec![error.to_string()], false));
            summary.games += 1;
            summary.other_judge += u64::from(other_judge);
            if !faults.is_empty() {
                summary.faulty += 1;
                fault(id, &faults);
            }
        }
    }
}

/// Everything that is wrong with a game, and whether another judge found its dead stones.
fn check(row: &Row) -> (Vec<String>, bool) {
    let mut faults = Vec::new();
    let entries = match read_record(&row.record) {
        Ok(entries) => entries,
        Err(error) => return (vec![format!("the record cannot be read: {error}")], false),
    };
    let Some(game) = play(&entries, &mut faults) else {
        faults.push("the record does not begin with the game's creation".to_owned());
        return (faults, false);
    };
    if let Some(cause) = game.corruption() {
        faults.push(format!("the record makes no game: {cause}"));
    } else {
        compare(row, &game, &mut faults);
    }
    let other_judge = game.verdict().is_some_and(|verdict| verdict.version != JUDGE_VERSION);
    (faults, other_judge)
}

/// Plays a record again and notes what does not come out. None if it has no beginning.
fn play(entries: &[Entry], faults: &mut Vec<String>) -> Option<Game> {
    let mut game: Option<Game> = None;
    let mut last = Timestamp::default();
    for (index, entry) in entries.iter().enumerate() {
        let mut note = |what: String| faults.push(format!("entry {}: {what}", entry.sequence));
        if entry.sequence != index as u64 + 1 {
            note(format!("out of place: it is number {}", index + 1));
        }
        if entry.stamp < last {
            note("stamped before the one before it".to_owned());
        }
        last = last.max(entry.stamp);
        let decoded = match codec::read_entry(&entry.payload) {
            Ok(decoded) => decoded,
            Err(error) => {
                note(error.to_string());
                continue;
            }
        };
        for event in &decoded.events {
            let size = game.as_ref().map(|game| game.settings().size);
            match (codec::event_from_proto(event, size), &mut game) {
                (None, _) => note("an event that cannot be read".to_owned()),
                (Some(event), None) => game = Game::begin(&event, entry.stamp),
                (Some(event), Some(game)) => apply(game, &event, entry.stamp, &mut note),
            }
        }
    }
    game
}

fn apply(game: &mut Game, event: &Event, stamp: Timestamp, note: &mut impl FnMut(String)) {
    if game.is_corrupt() {
        return;
    }
    if let Err(mismatch) = recount(game, event) {
        note(mismatch.to_string());
    }
    game.apply(event, stamp);
}

/// Compares what stands in the row with what the record makes.
fn compare(row: &Row, game: &Game, faults: &mut Vec<String>) {
    let Some(outcome) = game.outcome() else {
        faults.push("the record has no end".to_owned());
        return;
    };
    let (settings, seats) = (game.settings(), game.seats());
    let mut same = |what: &str, stands: String, computed: String| {
        if stands != computed {
            faults.push(format!("{what}: the archive has {stands}, the record makes {computed}"));
        }
    };
    let player = |uuid: Uuid| uuid.to_string();
    same("the result", row.result.clone(), outcome.to_string());
    same("Black", player(row.black_id), seats.black.player.to_string());
    same("White", player(row.white_id), seats.white.player.to_string());
    same("the board", row.board_size.to_string(), settings.size.columns().to_string());
    same("rated", row.rated.to_string(), settings.rated.to_string());
    same("the beginning", row.created_at.to_string(), game.created_at().as_millis().to_string());
    same("the end", row.finished_at.to_string(), game.last_stamp().as_millis().to_string());
    // Rows of earlier versions have no more than that.
    if !row.preset.is_empty() {
        same("the preset", row.preset.clone(), settings.preset.to_string());
        same("private", row.private.to_string(), settings.watch_key.is_some().to_string());
        same("the reason", row.reason.to_string(), result_to_proto(&outcome).reason.to_string());
        same("the moves", row.moves.to_string(), game.move_number().to_string());
    }
}

/// The record of an archived game; none if it is not in the archive.
///
/// # Errors
/// When the store is away, or the record is damaged.
pub async fn archived(db: &Db, id: GameId) -> Result<Option<Vec<Entry>>, sqlx::Error> {
    Store::new(db.clone()).entries(id).await
}
