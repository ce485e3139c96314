//! Replaying the archive: what every rating must be, computed anew from the records of all finished games, one after another as they finished, and
//! compared with all that the store has. Nothing is changed.

use std::{collections::BTreeMap, fmt};

use kernel::GameId;
use nigiri_proto::{
    events::v1::{ArchivedGame, FinishedNotice, GameEntry},
    game::v1::game_event::Event,
};
use platform::{convert::from_proto_time, db::Db, on};
use prost::Message;
use uuid::Uuid;

use crate::{
    elo::Rules,
    notice::{self, News, RatedGame},
    store::{Position, Store},
};

mod compare;
mod replay;

/// Archived games that are read at a time.
const CHUNK: i64 = 500;

/// Archived games behind one. `$1` game, `$2` how many.
pub const ARCHIVE: &str = "SELECT id, record FROM games WHERE id > $1 ORDER BY id LIMIT $2";

/// What a replay found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Games in the archive.
    pub archived: u64,
    /// Those that were agreed to count, or are between programs.
    pub agreed: u64,
    /// Those that count.
    pub counted: u64,
    /// Players, each in each of their pools.
    pub players: u64,
    /// What the store has otherwise.
    pub differences: Vec<Difference>,
}

/// Something that the store has otherwise than the replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub about: String,
    /// What the store has.
    pub stored: String,
    /// What it must be.
    pub replayed: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: stored {}, replayed {}", self.about, self.stored, self.replayed)
    }
}

impl Report {
    fn differ(&mut self, about: impl fmt::Display, stored: impl fmt::Display, replayed: impl fmt::Display) {
        self.differences.push(Difference {
            about: about.to_string(),
            stored: stored.to_string(),
            replayed: replayed.to_string(),
        });
    }

    /// Compares two values of one thing.
    fn compare<T: PartialEq + fmt::Debug>(&mut self, about: impl fmt::Display, stored: &T, replayed: &T) {
        if stored != replayed {
            self.differ(about, format_args!("{stored:?}"), format_args!("{replayed:?}"));
        }
    }
}

/// Replays the archive of a store and compares. The store should be at rest: a game that finishes meanwhile may be shown as a difference.
///
/// # Errors
/// When the store fails.
pub async fn recompute(db: &Db) -> Result<Report, sqlx::Error> {
    let rules = Store::found_rules(db).await?.unwrap_or(Rules::USUAL);
    let mut report = Report::default();
    let archived = archive(db, &mut report).await?;
    compare::compare(db, rules, archived, &mut report).await?;
    Ok(report)
}

/// The games of the archive that were agreed to count, in their order.
async fn archive(db: &Db, report: &mut Report) -> Result<BTreeMap<Position, RatedGame>, sqlx::Error> {
    let (mut games, mut last) = (BTreeMap::new(), Uuid::nil());
    loop {
        let rows: Vec<(Uuid, Vec<u8>)> =
            on!(db, |db| sqlx::query_as(ARCHIVE).bind(last).bind(CHUNK).fetch_all(db).await?);
        let Some(end) = rows.last() else { return Ok(games) };
        last = end.0;
        for (id, record) in rows {
            report.archived += 1;
            match read(GameId::from_uuid(id), &record) {
                Ok(Some((at, game))) => {
                    report.agreed += 1;
                    games.insert(at, game);
                }
                Ok(None) => {}
                Err(why) => report.differ(format_args!("game {id}"), "in the archive", why),
            }
        }
    }
}

/// A game of the archive, if it was agreed to count: read by the same rules as the news of it.
fn read(id: GameId, record: &[u8]) -> Result<Option<(Position, RatedGame)>, String> {
    let record = ArchivedGame::decode(record).map_err(|error| format!("no record: {error}"))?;
    let mut notice = FinishedNotice { game_id: id.to_string(), ..FinishedNotice::default() };
    let mut finished = None;
    for archived in record.entries {
        let entry = GameEntry::decode(archived.entry).map_err(|error| format!("no entry: {error}"))?;
        for event in entry.events {
            match event.event {
                Some(Event::Created(created)) => {
                    notice.settings = created.settings;
                    notice.seats = created.seats;
                }
                Some(Event::Finished(end)) => {
                    notice.result = end.result;
                    notice.sequence = archived.sequence;
                    finished = archived.event_time.map(from_proto_time);
                }
                _ => {}
            }
        }
    }
    let finished = finished.ok_or("a record without an end")?;
    match notice::judge(notice).map_err(|error| error.to_string())? {
        News::Unrated => Ok(None),
        News::Rated(game) => Ok(Some((Position { finished, game: id }, game))),
    }
}
