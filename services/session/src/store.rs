//! Players, sessions, identities and keys, on either store.

pub(crate) mod bots;
mod identities;
mod keys;
pub(crate) mod notices;
pub(crate) mod pending;
pub(crate) mod players;
mod sessions;

use kernel::PlayerId;
use nigiri_proto::events::v1::account_notice::Event;
use platform::{convert::from_millis as timestamp, db::Db};
use uuid::Uuid;

use crate::{
    error::Error,
    player::{Kind, Player},
};

pub use identities::{Identity, Joined};
pub use notices::Told;
pub(crate) use notices::tell;
pub use pending::PendingSignIn;
pub(crate) use platform::convert::to_millis as millis;
pub use sessions::{Rotation, Session, Times};

const PLAYER: &str = "SELECT id, name, kind, created_at, owner_id, deleted_at, banned_until, ban_reason, merged_into \
     FROM players WHERE id = $1";
const ADD_PLAYER: &str = "INSERT INTO players (id, name, skeleton, folded, kind, created_at, request_hash, owner_id, secret_hash) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";

/// The session service's part of a store.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
}

/// SHA-256 of something that the store should not know.
pub type Hash = [u8; 32];

#[derive(sqlx::FromRow)]
struct PlayerRow {
    id: Uuid,
    name: String,
    kind: i16,
    created_at: i64,
    owner_id: Option<Uuid>,
    deleted_at: i64,
    banned_until: i64,
    ban_reason: String,
    merged_into: Option<Uuid>,
}

/// The name that stands for a player who was deleted; nobody can have it.
pub const NEUTRAL_NAME: &str = "deleted";

impl Store {
    /// The session service's part of this store.
    pub fn new(db: Db) -> Self {
        Self { db }
    }
}

impl Told {
    fn of(player: Uuid, event: Event, ended: Vec<Uuid>, times: Times) -> Self {
        Self { player, event, ended, at: times.now, access_lifetime: times.access_lifetime }
    }
}

impl PlayerRow {
    fn is_banned(&self, now: i64) -> bool {
        self.banned_until > now
    }

    fn ban(self) -> Error {
        Error::Banned { reason: self.ban_reason, until: timestamp(self.banned_until) }
    }
}

impl TryFrom<PlayerRow> for Player {
    type Error = Error;

    fn try_from(row: PlayerRow) -> Result<Self, Error> {
        let deleted = row.deleted_at != 0;
        Ok(Self {
            id: PlayerId::from_uuid(row.id),
            name: if deleted { NEUTRAL_NAME.to_owned() } else { row.name },
            kind: Kind::from_number(row.kind).ok_or(Error::UnknownKind(row.kind))?,
            created: timestamp(row.created_at),
            owner: row.owner_id.map(PlayerId::from_uuid),
            deleted,
        })
    }
}

/// What stands in the place of a name that was given up: nobody's name has this character.
fn no_name(id: Uuid) -> String {
    format!("~{id}")
}
