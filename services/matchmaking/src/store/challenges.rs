//! Challenges. What becomes of one is decided by a single update of its row, so that two who accept it at once cannot both have it.

use std::collections::HashMap;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::{
    game::v1::{Color, GameSettings},
    matchmaking::v1::ChallengeState,
};
use platform::{
    convert::{from_millis, to_millis},
    on, transact,
};
use prost::Message;
use uuid::Uuid;

use super::Store;
use crate::{
    challenge::{Challenge, Party},
    queue::LISTED_AFTER,
    ticket::Player,
};

/// A player has so many open challenges at most.
pub const MOST_OPEN: i64 = 20;

/// Lists have so many at most.
const LONGEST_LIST: i64 = 100;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, code, challenger_id, challenger_name, challenger_guest, opponent_id, opponent_name, opponent_guest, \
             opponent_bot, addressed, settings, color, state, begun, created_at, expires_at FROM challenges ",
            $rest
        )
    };
}

const BY_CODE: &str = select!("WHERE code = $1");
const BY_REQUEST: &str = select!("WHERE challenger_id = $1 AND request_id = $2");
const OPEN_OF: &str = select!(
    "WHERE (challenger_id = $1 OR opponent_id = $1) AND state = 1 AND expires_at > $2 ORDER BY created_at DESC, id LIMIT $3"
);
const CHANGED: &str = select!("WHERE changed_at >= $1 ORDER BY changed_at, id LIMIT $2");
const UNBEGUN: &str = select!("WHERE state = 2 AND NOT begun AND changed_at <= $1 LIMIT $2");
const COUNT: &str =
    "SELECT COUNT(*) FROM challenges WHERE challenger_id = $1 AND state = 1 AND expires_at > $2";
const ADD: &str = "INSERT INTO challenges (id, code, challenger_id, challenger_name, challenger_guest, request_id, opponent_id, \
     opponent_name, opponent_guest, opponent_bot, addressed, settings, color, state, begun, created_at, expires_at, changed_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1, $14, $15, $16, $15) ON CONFLICT DO NOTHING";
const ACCEPT: &str = "UPDATE challenges SET state = 2, opponent_id = $2, opponent_name = $3, opponent_guest = $4, opponent_bot = $5, \
     changed_at = $6 WHERE id = $1 AND state = 1 AND expires_at > $6";
const CLOSE: &str = "UPDATE challenges SET state = $2, changed_at = $3 WHERE id = $1 AND state = 1";
const GIVE_UP: &str =
    "UPDATE challenges SET state = 4, changed_at = $2 WHERE id = $1 AND state = 2 AND NOT begun";
const BEGUN: &str = "UPDATE challenges SET begun = $2, changed_at = $3 WHERE id = $1 AND NOT begun";
const EXPIRE: &str = "UPDATE challenges SET state = 5, changed_at = $1 WHERE state = 1 AND expires_at <= $1";
const CLOSE_ALL: &str = "UPDATE challenges SET state = 4, changed_at = $2 \
     WHERE (challenger_id = $1 OR opponent_id = $1) AND state = 1";
const CLOSE_BETWEEN: &str = "UPDATE challenges SET state = 4, changed_at = $3 WHERE state = 1 \
     AND ((challenger_id = $1 AND opponent_id = $2) OR (challenger_id = $2 AND opponent_id = $1))";
const DROP: &str = "DELETE FROM challenges WHERE expires_at <= $1";
// An older claim counts for as long as its game is still to be made.
const CLAIM: &str = "INSERT INTO challenge_claims (player_id, challenge_id, claimed_at) VALUES ($1, $2, $3) \
     ON CONFLICT (player_id) DO UPDATE SET challenge_id = excluded.challenge_id, claimed_at = excluded.claimed_at \
     WHERE challenge_claims.challenge_id = excluded.challenge_id OR (challenge_claims.claimed_at <= $4 AND NOT EXISTS \
     (SELECT 1 FROM challenges WHERE id = challenge_claims.challenge_id AND state = 2 AND NOT begun))";
const CLAIMED: &str = "SELECT challenge_id FROM challenge_claims WHERE player_id = $1";
/// The claims of as many players as there are places, if their challenge is accepted and its game is still to be made or, since `$1`, may not be listed yet.
fn claims_of(places: usize) -> String {
    let list = platform::db::list(2, places);
    format!(
        "SELECT claims.player_id, claims.challenge_id FROM challenge_claims AS claims \
         JOIN challenges ON challenges.id = claims.challenge_id \
         WHERE claims.player_id IN ({list}) AND challenges.state = 2 AND (NOT challenges.begun OR claims.claimed_at > $1)"
    )
}
const RELEASE: &str = "DELETE FROM challenge_claims WHERE challenge_id = $1";
const DROP_CLAIMS: &str = "DELETE FROM challenge_claims WHERE claimed_at <= $1";

/// What an acceptance came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The challenge is the player's.
    Now,
    /// It was not open any more.
    Closed,
    /// One of the two is about to play somebody else, by another challenge.
    Busy {
        /// Who.
        player: PlayerId,
        /// The id of that challenge.
        by: Uuid,
    },
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    code: String,
    challenger_id: Uuid,
    challenger_name: String,
    challenger_guest: bool,
    opponent_id: Option<Uuid>,
    opponent_name: String,
    opponent_guest: bool,
    opponent_bot: bool,
    addressed: bool,
    settings: Vec<u8>,
    color: i16,
    state: i16,
    begun: bool,
    created_at: i64,
    expires_at: i64,
}

impl From<Row> for Challenge {
    fn from(row: Row) -> Self {
        let player = |id, name: &str, guest| Player { id: PlayerId::from_uuid(id), name: name.into(), guest };
        let opponent =
            |id| Party { player: player(id, &row.opponent_name, row.opponent_guest), bot: row.opponent_bot };
        Self {
            id: row.id,
            challenger: player(row.challenger_id, &row.challenger_name, row.challenger_guest),
            opponent: row.opponent_id.map(opponent),
            addressed: row.addressed,
            // Written by this service alone; what cannot be read is refused by the game service.
            settings: GameSettings::decode(row.settings.as_slice()).unwrap_or_default(),
            color: Color::try_from(i32::from(row.color)).unwrap_or_default(),
            state: ChallengeState::try_from(i32::from(row.state)).unwrap_or_default(),
            begun: row.begun,
            created: from_millis(row.created_at),
            expires: from_millis(row.expires_at),
            code: row.code,
        }
    }
}

impl Store {
    /// Keeps a new challenge, unless there is one of this request: gives the one that is there then. None when its player has too many.
    pub async fn add_challenge(
        &self,
        new: &Challenge,
        request_id: &str,
    ) -> Result<Option<Challenge>, sqlx::Error> {
        let challenger = new.challenger.id.as_uuid();
        let opponent = new.opponent.as_ref();
        let row: Option<Row> = self
            .run(async {
                Ok(transact!(&self.db, |tx| {
                    let there = sqlx::query_as(BY_REQUEST).bind(challenger).bind(request_id);
                    let there: Option<Row> = there.fetch_optional(&mut **tx).await?;
                    let count = sqlx::query_scalar(COUNT).bind(challenger).bind(to_millis(new.created));
                    let count: i64 = count.fetch_one(&mut **tx).await?;
                    if there.is_some() || count >= MOST_OPEN {
                        there
                    } else {
                        let add = sqlx::query(ADD).bind(new.id).bind(&new.code).bind(challenger);
                        let add = add.bind(&*new.challenger.name).bind(new.challenger.guest).bind(request_id);
                        let add = add.bind(opponent.map(|opponent| opponent.player.id.as_uuid()));
                        let add = add.bind(opponent.map_or("", |opponent| &opponent.player.name));
                        let add = add.bind(opponent.is_some_and(|opponent| opponent.player.guest));
                        let add = add.bind(opponent.is_some_and(|opponent| opponent.bot));
                        let add = add
                            .bind(new.addressed)
                            .bind(new.settings.encode_to_vec())
                            .bind(small(new.color.into()))
                            .bind(false);
                        let add = add.bind(to_millis(new.created)).bind(to_millis(new.expires));
                        add.execute(&mut **tx).await?;
                        let added = sqlx::query_as(BY_REQUEST).bind(challenger).bind(request_id);
                        added.fetch_optional(&mut **tx).await?
                    }
                }))
            })
            .await?;
        Ok(row.map(Challenge::from))
    }

    /// The challenge with this code.
    pub async fn challenge(&self, code: &str) -> Result<Option<Challenge>, sqlx::Error> {
        let row: Option<Row> = self
            .run(async {
                on!(&self.db, |pool| sqlx::query_as(BY_CODE).bind(code).fetch_optional(pool).await)
            })
            .await?;
        Ok(row.map(Challenge::from))
    }

    /// The open challenges of a player, from either side, the newest first.
    pub async fn open_challenges(
        &self,
        player: PlayerId,
        now: Timestamp,
    ) -> Result<Vec<Challenge>, sqlx::Error> {
        let rows: Vec<Row> = self
            .run(async {
                on!(&self.db, |pool| {
                    let open = sqlx::query_as(OPEN_OF).bind(player.as_uuid()).bind(to_millis(now));
                    open.bind(LONGEST_LIST).fetch_all(pool).await
                })
            })
            .await?;
        Ok(rows.into_iter().map(Challenge::from).collect())
    }

    /// Challenges that have changed at this moment or later, the first change first; at most so many.
    pub async fn changed_challenges(
        &self,
        since: Timestamp,
        most: i64,
    ) -> Result<Vec<Challenge>, sqlx::Error> {
        let rows: Vec<Row> = self
            .run(async {
                on!(&self.db, |pool| {
                    sqlx::query_as(CHANGED).bind(to_millis(since)).bind(most).fetch_all(pool).await
                })
            })
            .await?;
        Ok(rows.into_iter().map(Challenge::from).collect())
    }

    /// Challenges that were accepted before this moment and whose games are not known to be there.
    pub async fn unbegun_challenges(&self, before: Timestamp) -> Result<Vec<Challenge>, sqlx::Error> {
        let rows: Vec<Row> = self
            .run(async {
                on!(&self.db, |pool| {
                    sqlx::query_as(UNBEGUN).bind(to_millis(before)).bind(LONGEST_LIST).fetch_all(pool).await
                })
            })
            .await?;
        Ok(rows.into_iter().map(Challenge::from).collect())
    }

    /// Accepts a challenge for a player, if none of those who are named is about to play by another challenge: all of it, or nothing.
    pub async fn accept(
        &self,
        id: Uuid,
        by: &Party,
        claimed: &[PlayerId],
        now: Timestamp,
    ) -> Result<Accepted, sqlx::Error> {
        // In one order for all, so that no two wait for each other.
        let mut claimed = claimed.to_vec();
        claimed.sort_unstable();
        let stale = listed_since(now);
        self.run(async {
            Ok(transact!(&self.db, |tx| {
                for player in claimed {
                    let claim = sqlx::query(CLAIM).bind(player.as_uuid()).bind(id).bind(to_millis(now));
                    if claim.bind(stale).execute(&mut **tx).await?.rows_affected() == 0 {
                        let other = sqlx::query_scalar(CLAIMED).bind(player.as_uuid());
                        return Ok(Accepted::Busy { player, by: other.fetch_one(&mut **tx).await? });
                    }
                }
                let accept = sqlx::query(ACCEPT).bind(id).bind(by.player.id.as_uuid()).bind(&*by.player.name);
                let accept = accept.bind(by.player.guest).bind(by.bot).bind(to_millis(now));
                if accept.execute(&mut **tx).await?.rows_affected() == 0 {
                    return Ok(Accepted::Closed);
                }
                Accepted::Now
            }))
        })
        .await
    }

    /// By which challenge each of these players is about to play a person by a clock, or has begun to a moment ago; who is not is missing.
    pub async fn claims_of(
        &self,
        players: &[PlayerId],
        now: Timestamp,
    ) -> Result<HashMap<PlayerId, Uuid>, sqlx::Error> {
        let rows: Vec<(Uuid, Uuid)> = platform::about!(&self.db, players, claims_of, listed_since(now))?;
        Ok(rows.into_iter().map(|(player, challenge)| (PlayerId::from_uuid(player), challenge)).collect())
    }

    /// The game of a challenge is over: its players may accept others.
    pub async fn release(&self, id: Uuid) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(RELEASE).bind(id).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// Closes a challenge that is open. False when it is not.
    pub async fn close(&self, id: Uuid, as_: ChallengeState, now: Timestamp) -> Result<bool, sqlx::Error> {
        let changed = self
            .run(async {
                Ok(transact!(&self.db, |tx| {
                    let close = sqlx::query(CLOSE).bind(id).bind(small(as_.into())).bind(to_millis(now));
                    close.execute(&mut **tx).await?.rows_affected()
                }))
            })
            .await?;
        Ok(changed == 1)
    }

    /// The game of an accepted challenge is there.
    pub async fn begun(&self, id: Uuid, now: Timestamp) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(BEGUN).bind(id).bind(true).bind(to_millis(now)).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// The game of an accepted challenge will never be there.
    pub async fn give_up(&self, id: Uuid, now: Timestamp) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(GIVE_UP).bind(id).bind(to_millis(now)).execute(&mut **tx).await?;
                sqlx::query(RELEASE).bind(id).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// Closes all open challenges of a player, from either side; or only those with another player.
    pub async fn close_all(
        &self,
        player: PlayerId,
        with: Option<PlayerId>,
        now: Timestamp,
    ) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                let close = match with {
                    Some(other) => sqlx::query(CLOSE_BETWEEN).bind(player.as_uuid()).bind(other.as_uuid()),
                    None => sqlx::query(CLOSE_ALL).bind(player.as_uuid()),
                };
                close.bind(to_millis(now)).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }

    /// Closes those whose time is up, and drops those whose time was up at `long_ago`.
    pub async fn expire_challenges(&self, now: Timestamp, long_ago: Timestamp) -> Result<(), sqlx::Error> {
        self.run(async {
            transact!(&self.db, |tx| {
                sqlx::query(EXPIRE).bind(to_millis(now)).execute(&mut **tx).await?;
                sqlx::query(DROP).bind(to_millis(long_ago)).execute(&mut **tx).await?;
                sqlx::query(DROP_CLAIMS).bind(to_millis(long_ago)).execute(&mut **tx).await?;
            });
            Ok(())
        })
        .await
    }
}

/// Games that have begun up to then are listed by the game service.
fn listed_since(now: Timestamp) -> i64 {
    to_millis(now).saturating_sub(to_millis(Timestamp::default() + LISTED_AFTER))
}

fn small(number: i32) -> i16 {
    i16::try_from(number).unwrap_or(0)
}
