//! Lists of games, page by page. A page goes on where the last one ended, however many games have come since.

use std::{fmt, str::FromStr};

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::game::v1::{GameCreated, game_event::Event};
use platform::convert::from_millis as moment;
use prost::Message;
use referee::Game;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Store, millis};

/// Live games from a source (the table, or a player's part of it), by one more condition. Whether a game is in the archive is asked of each that is listed: as a
/// join it would be asked of the whole archive at once.
macro_rules! live {
    ($source:literal, $condition:literal) => {
        concat!(
            "SELECT id, created, created_at FROM ",
            $source,
            " AS live WHERE ",
            $condition,
            "(created_at, id) < ($1, $2)
               AND (private = FALSE OR $8 = 1 OR black_id = $3 OR white_id = $3)
               AND ($4 = '' OR preset = $4) AND ($5 = 0 OR board_size = $5) AND ($6 = -1 OR rated = ($6 = 1))
               AND (SELECT 1 FROM games WHERE games.id = live.id) IS NULL
             ORDER BY created_at DESC, id DESC LIMIT $7"
        )
    };
}

const LIVE: &str = live!("live_games", "");
// Those of a preset or size that few play have an index of their own.
const LIVE_OF_PRESET: &str = live!("live_games", "preset = $4 AND ");
const LIVE_OF_SIZE: &str = live!("live_games", "board_size = $5 AND ");
// By the indexes of both columns, however many games there are: it is asked at each search for an opponent.
const LIVE_OF_PLAYER: &str = live!(
    "(SELECT id, black_id, white_id, board_size, preset, rated, private, created_at, created FROM live_games WHERE black_id = $9
      UNION ALL
      SELECT id, black_id, white_id, board_size, preset, rated, private, created_at, created FROM live_games WHERE white_id = $9)",
    ""
);

/// Looks up the live games of as many players as there are places.
pub(super) fn seats_of(places: usize) -> String {
    let list = platform::db::list(1, places);
    format!(
        "SELECT id, black_id, white_id, created FROM live_games WHERE black_id IN ({list}) \
         UNION ALL SELECT id, black_id, white_id, created FROM live_games WHERE white_id IN ({list})"
    )
}

/// Which games are wanted. What is empty or none is not asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only games of this player.
    pub player: Option<PlayerId>,
    /// Only games of this preset.
    pub preset: String,
    /// Only games on boards of so many lines; 0 for all.
    pub board_size: i16,
    /// Only rated games, or only the others.
    pub rated: Option<bool>,
    /// Private games of others too, among those that are played.
    pub secret: bool,
}

/// A page of a list.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Where it begins: after this place, newest first.
    pub after: Place,
    /// How many games it has at most.
    pub length: i64,
}

/// A place in a list: a time and a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub(super) time: i64,
    pub(super) id: Uuid,
}

impl Place {
    /// Before all games.
    pub const START: Self = Self { time: i64::MAX, id: Uuid::max() };
    /// Before all games of a list that begins with the oldest.
    pub const OLDEST: Self = Self { time: i64::MIN, id: Uuid::nil() };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.time, self.id)
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (time, id) = text.split_once('.').ok_or(())?;
        Ok(Self { time: time.parse().map_err(drop)?, id: Uuid::try_parse(id).map_err(drop)? })
    }
}

/// What a list says of a game.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The game.
    pub id: GameId,
    /// What is played, and by whom.
    pub created: GameCreated,
    /// When it was made.
    pub created_at: Timestamp,
    /// How it ended, once it has.
    pub finished: Option<Finished>,
    /// Its place in the list.
    pub place: Place,
}

/// How a game ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// When.
    pub at: Timestamp,
    /// The result, as record keepers write it.
    pub result: String,
    /// The number of the reason on the wire.
    pub reason: i32,
    /// Moves that led to the board as it stood at the end.
    pub moves: i32,
}

/// Who sits in a live game.
#[derive(Clone, Debug)]
pub struct Seats {
    /// The game.
    pub id: GameId,
    /// Black and White.
    pub players: [PlayerId; 2],
    /// As it was made.
    pub created: GameCreated,
}

/// A live game that is to be listed.
#[derive(Clone, Debug)]
pub struct Begun {
    id: GameId,
    players: [PlayerId; 2],
    board_size: u8,
    preset: &'static str,
    rated: bool,
    private: bool,
    created_at: Timestamp,
    created: Vec<u8>,
}

impl Begun {
    /// A game as it was made, with its first event.
    pub fn new(id: GameId, game: &Game, created: &GameCreated) -> Self {
        let (settings, seats) = (game.settings(), game.seats());
        Self {
            id,
            players: [seats.black.player, seats.white.player],
            board_size: settings.size.columns(),
            preset: settings.preset.name(),
            rated: settings.rated,
            private: settings.watch_key.is_some(),
            created_at: game.created_at(),
            created: created.encode_to_vec(),
        }
    }
}

/// Lists so many games as played, unless they are over.
pub(super) fn begin(rows: usize) -> String {
    format!(
        "INSERT INTO live_games (id, black_id, white_id, board_size, preset, rated, private, created_at, created) \
         SELECT begun.* FROM (VALUES {}) AS begun WHERE NOT EXISTS (SELECT 1 FROM games WHERE id = begun.column1) \
         ON CONFLICT (id) DO NOTHING",
        platform::db::values(1, rows, 9)
    )
}

impl Store {
    /// Lists games as played, unless they are over. Listing them again changes nothing.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn begun(&self, games: &[Begun]) -> Result<(), sqlx::Error> {
        for part in platform::db::parts(games) {
            let insert = async {
                platform::single!(&self.db, |pool| {
                    let query = sqlx::query(AssertSqlSafe(begin(part.len())));
                    let query = part.iter().fold(query, |query, begun| {
                        let query = query.bind(begun.id.as_uuid());
                        let query = query.bind(begun.players[0].as_uuid()).bind(begun.players[1].as_uuid());
                        let query = query.bind(i16::from(begun.board_size)).bind(begun.preset);
                        let query = query.bind(begun.rated).bind(begun.private);
                        query.bind(millis(begun.created_at)).bind(begun.created.as_slice())
                    });
                    query.execute(pool).await.map(drop)
                })
            };
            self.db.run(Box::pin(insert)).await?;
        }
        Ok(())
    }

    /// Games that are played now, newest first. Private ones only to their players.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn live(
        &self,
        filter: &Filter,
        caller: Option<PlayerId>,
        page: Page,
    ) -> Result<Vec<Listed>, sqlx::Error> {
        let sql = match filter {
            Filter { player: Some(_), .. } => LIVE_OF_PLAYER,
            Filter { preset, .. } if !preset.is_empty() => LIVE_OF_PRESET,
            Filter { board_size: 1.., .. } => LIVE_OF_SIZE,
            _ => LIVE,
        };
        let rows: Vec<(Uuid, Vec<u8>, i64)> = self
            .db
            .run(async {
                platform::on!(&self.db, |pool| {
                    let mut query = sqlx::query_as(sql)
                        .bind(page.after.time)
                        .bind(page.after.id)
                        .bind(uuid(caller))
                        .bind(&filter.preset)
                        .bind(filter.board_size)
                        .bind(filter.rated_code())
                        .bind(page.length)
                        .bind(i16::from(filter.secret));
                    if let Some(player) = filter.player {
                        query = query.bind(player.as_uuid());
                    }
                    query.fetch_all(pool).await
                })
            })
            .await?;
        let listed = |(id, created, at): (Uuid, Vec<u8>, i64)| {
            Ok(Listed {
                id: GameId::from_uuid(id),
                created: decode(&created)?,
                created_at: moment(at),
                finished: None,
                place: Place { time: at, id },
            })
        };
        rows.into_iter().map(listed).collect()
    }

    /// The games that are played now in which one of these players sits.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn seats_of(&self, players: &[PlayerId]) -> Result<Vec<Seats>, sqlx::Error> {
        let rows: Vec<(Uuid, Uuid, Uuid, Vec<u8>)> = platform::about!(&self.db, players, seats_of)?;
        let seats = |(id, black, white, created): (Uuid, Uuid, Uuid, Vec<u8>)| {
            let (id, players) = (GameId::from_uuid(id), [black, white].map(PlayerId::from_uuid));
            Ok(Seats { id, players, created: decode(&created)? })
        };
        rows.into_iter().map(seats).collect()
    }

    /// A player's finished games, the last one first. Private ones only to their players.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn finished(
        &self,
        player: PlayerId,
        filter: &Filter,
        caller: Option<PlayerId>,
        page: Page,
    ) -> Result<Vec<Listed>, sqlx::Error> {
        type Row = (Uuid, Option<Vec<u8>>, i64, i64, String, i32, i32);
        // Both halves go along an index of their own; nobody plays against themselves, so no game is in both.
        let sql = "SELECT id, created, created_at, finished_at, result, reason, moves FROM (
                 SELECT id, created, created_at, finished_at, result, reason, moves FROM games
                 WHERE black_id = $1 AND (finished_at, id) < ($2, $3)
                   AND (private = FALSE OR black_id = $4 OR white_id = $4)
                   AND ($5 = '' OR preset = $5) AND ($6 = 0 OR board_size = $6) AND ($7 = -1 OR rated = ($7 = 1))
                 ORDER BY finished_at DESC, id DESC LIMIT $8) AS as_black
             UNION ALL SELECT id, created, created_at, finished_at, result, reason, moves FROM (
                 SELECT id, created, created_at, finished_at, result, reason, moves FROM games
                 WHERE white_id = $1 AND (finished_at, id) < ($2, $3)
                   AND (private = FALSE OR black_id = $4 OR white_id = $4)
                   AND ($5 = '' OR preset = $5) AND ($6 = 0 OR board_size = $6) AND ($7 = -1 OR rated = ($7 = 1))
                 ORDER BY finished_at DESC, id DESC LIMIT $8) AS as_white
             ORDER BY finished_at DESC, id DESC LIMIT $8";
        let rows: Vec<Row> = self
            .db
            .run(async {
                platform::on!(&self.db, |pool| {
                    sqlx::query_as(sql)
                        .bind(player.as_uuid())
                        .bind(page.after.time)
                        .bind(page.after.id)
                        .bind(uuid(caller))
                        .bind(&filter.preset)
                        .bind(filter.board_size)
                        .bind(filter.rated_code())
                        .bind(page.length)
                        .fetch_all(pool)
                        .await
                })
            })
            .await?;
        let mut all = Vec::with_capacity(rows.len());
        for (id, created, created_at, finished_at, result, reason, moves) in rows {
            let created = match created {
                Some(created) => decode(&created)?,
                None => self.created(GameId::from_uuid(id)).await?,
            };
            all.push(Listed {
                id: GameId::from_uuid(id),
                created,
                created_at: moment(created_at),
                finished: Some(Finished { at: moment(finished_at), result, reason, moves }),
                place: Place { time: finished_at, id },
            });
        }
        Ok(all)
    }

    /// How a game of the archive was made, from its record.
    async fn created(&self, id: GameId) -> Result<GameCreated, sqlx::Error> {
        let entries = self.entries(id).await?.unwrap_or_default();
        let first = entries.first().and_then(|entry| created_in(&entry.payload));
        first.ok_or_else(|| damaged("a record that does not begin with its game's creation"))
    }
}

impl Filter {
    /// -1 for all, else 0 or 1: both databases take it as one kind of value.
    pub(super) fn rated_code(&self) -> i16 {
        self.rated.map_or(-1, i16::from)
    }
}

/// What the first entry of a game says of its creation.
pub fn created_in(entry: &[u8]) -> Option<GameCreated> {
    let entry = nigiri_proto::events::v1::GameEntry::decode(entry).ok()?;
    match entry.events.into_iter().next()?.event? {
        Event::Created(created) => Some(created),
        _ => None,
    }
}

fn decode(created: &[u8]) -> Result<GameCreated, sqlx::Error> {
    GameCreated::decode(created).map_err(|error| sqlx::Error::Decode(error.into()))
}

fn damaged(what: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(what.into())
}

fn uuid(player: Option<PlayerId>) -> Uuid {
    player.map_or_else(Uuid::nil, |player| player.as_uuid())
}
