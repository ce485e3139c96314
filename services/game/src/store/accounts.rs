//! Players who are somebody else now, or nobody: whose seats theirs are, in the archive and in games to come.

use kernel::{GameId, PlayerId};
use nigiri_proto::{
    events::v1::{ArchivedGame, GameEntry},
    game::v1::{GameCreated, game_event::Event},
};
use prost::Message;
use uuid::Uuid;

use super::Store;
use crate::codec::Unreadable;

/// Games that are written anew in one transaction.
const BATCH: i64 = 50;

/// A player whose seats are somebody else's now, or who was forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Who.
    pub player: PlayerId,
    /// Whose the seats are: the same player's after a deletion.
    pub into: PlayerId,
    /// The name to show.
    pub name: String,
}

const REMEMBER: &str = "INSERT INTO moved_players (player_id, into_id, name) VALUES ($1, $2, $3) \
    ON CONFLICT (player_id) DO UPDATE SET into_id = $2, name = $3";
/// Those who had become part of this player go the same way.
const FOLLOW: &str = "UPDATE moved_players SET into_id = $2, name = $3 WHERE into_id = $1";
const MOVED: &str = "SELECT player_id, into_id, name FROM moved_players WHERE player_id IN ($1, $2)";
const LIVE: &str = "SELECT id FROM live_games WHERE black_id = $1 \
    UNION ALL SELECT id FROM live_games WHERE white_id = $1";
const MET: &str = "SELECT EXISTS (SELECT 1 FROM games WHERE black_id = $1 AND white_id = $2) \
    OR EXISTS (SELECT 1 FROM games WHERE black_id = $2 AND white_id = $1) \
    OR EXISTS (SELECT 1 FROM live_games WHERE black_id = $1 AND white_id = $2) \
    OR EXISTS (SELECT 1 FROM live_games WHERE black_id = $2 AND white_id = $1)";
const PAGE: &str = "SELECT id, created, record FROM games WHERE (black_id = $1 OR white_id = $1) AND id > $2 \
    ORDER BY id LIMIT $3";
const REWRITE: &str = "UPDATE games SET created = $2, record = $3, \
    black_id = CASE WHEN black_id = $4 THEN $5 ELSE black_id END, \
    white_id = CASE WHEN white_id = $4 THEN $5 ELSE white_id END WHERE id = $1";
const LISTED: &str = "SELECT id, created FROM live_games WHERE black_id = $1 OR white_id = $1";
const RELIST: &str = "UPDATE live_games SET created = $2, \
    black_id = CASE WHEN black_id = $3 THEN $4 ELSE black_id END, \
    white_id = CASE WHEN white_id = $3 THEN $4 ELSE white_id END WHERE id = $1";

impl Store {
    /// Remembers whose a player's seats are.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn remember(&self, moved: &Moved) -> Result<(), sqlx::Error> {
        let (player, into) = (moved.player.as_uuid(), moved.into.as_uuid());
        let remember = async {
            platform::transact!(&self.db, |tx| {
                for sql in [REMEMBER, FOLLOW] {
                    sqlx::query(sql).bind(player).bind(into).bind(&moved.name).execute(&mut **tx).await?;
                }
            });
            Ok(())
        };
        self.db.run(Box::pin(remember)).await
    }

    /// Which of two players are somebody else now, or nobody.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn moved(&self, players: [PlayerId; 2]) -> Result<Vec<Moved>, sqlx::Error> {
        let [one, other] = players.map(|player| player.as_uuid());
        let read = async {
            platform::on!(&self.db, |pool| sqlx::query_as(MOVED).bind(one).bind(other).fetch_all(pool).await)
        };
        let rows: Vec<(Uuid, Uuid, String)> = self.db.run(read).await?;
        let moved = |(player, into, name)| Moved {
            player: PlayerId::from_uuid(player),
            into: PlayerId::from_uuid(into),
            name,
        };
        Ok(rows.into_iter().map(moved).collect())
    }

    /// The games that a player is in, as far as they are listed.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn live_of(&self, player: PlayerId) -> Result<Vec<GameId>, sqlx::Error> {
        let player = player.as_uuid();
        let read = async {
            platform::on!(&self.db, |pool| sqlx::query_scalar(LIVE).bind(player).fetch_all(pool).await)
        };
        let ids: Vec<Uuid> = self.db.run(read).await?;
        Ok(ids.into_iter().map(GameId::from_uuid).collect())
    }

    /// Whether two players have played each other, or do now.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn have_met(&self, one: PlayerId, other: PlayerId) -> Result<bool, sqlx::Error> {
        let (one, other) = (one.as_uuid(), other.as_uuid());
        let read = async {
            platform::on!(&self.db, |pool| sqlx::query_scalar(MET)
                .bind(one)
                .bind(other)
                .fetch_one(pool)
                .await)
        };
        self.db.run(read).await
    }

    /// Writes a player's finished and listed games anew, so that they say whose they are now. Doing it again changes nothing.
    ///
    /// # Errors
    /// When the store is away, or a record is damaged.
    pub async fn rewrite(&self, moved: &Moved) -> Result<(), sqlx::Error> {
        let (player, into) = (moved.player.as_uuid(), moved.into.as_uuid());
        let relist = async {
            platform::transact!(&self.db, |tx| {
                let listed: Vec<(Uuid, Vec<u8>)> =
                    sqlx::query_as(LISTED).bind(player).fetch_all(&mut **tx).await?;
                for (id, created) in listed {
                    let created = created_anew(&created, moved)?;
                    let relist = sqlx::query(RELIST).bind(id).bind(created).bind(player).bind(into);
                    relist.execute(&mut **tx).await?;
                }
            });
            Ok(())
        };
        self.db.run(Box::pin(relist)).await?;
        let mut after = Uuid::nil();
        loop {
            let page = async {
                Ok(platform::transact!(&self.db, |tx| {
                    let page = sqlx::query_as(PAGE).bind(player).bind(after).bind(BATCH);
                    let page: Vec<(Uuid, Option<Vec<u8>>, Vec<u8>)> = page.fetch_all(&mut **tx).await?;
                    let last = page.last().map(|(id, ..)| *id);
                    for (id, created, record) in page {
                        let created = created.map(|created| created_anew(&created, moved)).transpose()?;
                        let record = record_anew(&record, moved)?;
                        let rewrite = sqlx::query(REWRITE).bind(id).bind(created).bind(record);
                        rewrite.bind(player).bind(into).execute(&mut **tx).await?;
                    }
                    last
                }))
            };
            let last: Option<Uuid> = self.db.run(Box::pin(page)).await?;
            match last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }
}

fn decoded<M: Message + Default>(bytes: &[u8]) -> Result<M, sqlx::Error> {
    M::decode(bytes).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// A message of which nothing is lost when it is written again. What a newer version has added would be.
fn complete<M: Message + Default>(bytes: &[u8]) -> Result<M, sqlx::Error> {
    let message: M = decoded(bytes)?;
    if message.encode_to_vec() == bytes {
        Ok(message)
    } else {
        Err(sqlx::Error::Decode(Unreadable::Newer.into()))
    }
}

fn created_anew(created: &[u8], moved: &Moved) -> Result<Vec<u8>, sqlx::Error> {
    let mut created: GameCreated = complete(created)?;
    reseat(&mut created, moved);
    Ok(created.encode_to_vec())
}

/// A record in which everything that a player did or was is what they are now.
fn record_anew(record: &[u8], moved: &Moved) -> Result<Vec<u8>, sqlx::Error> {
    let mut game: ArchivedGame = decoded(record)?;
    let (player, into) = (moved.player.to_string(), moved.into.to_string());
    for archived in &mut game.entries {
        let mut entry: GameEntry = complete(&archived.entry)?;
        if entry.player_id == player {
            entry.player_id.clone_from(&into);
        }
        for event in &mut entry.events {
            if let Some(Event::Created(created)) = &mut event.event {
                reseat(created, moved);
            }
        }
        archived.entry = entry.encode_to_vec().into();
    }
    Ok(game.encode_to_vec())
}

fn reseat(created: &mut GameCreated, moved: &Moved) {
    let player = moved.player.to_string();
    for seat in created.seats.iter_mut().filter(|seat| seat.player_id == player) {
        seat.player_id = moved.into.to_string();
        seat.name.clone_from(&moved.name);
        seat.guest &= moved.into == moved.player;
    }
}
