//! From the log to the list of live games: every game once, soon after it has begun.

use ledger::Delivery;
use nigiri_proto::events::v1::CreatedNotice;
use platform::together::Together;
use prost::Message;

use crate::{
    archive::replay,
    error::Error,
    games::{Games, log_name},
    store::{
        Store,
        lists::{Begun, created_in},
    },
};

/// The consumer group of the topic `created` that fills the list.
pub const GROUP: &str = "live";

/// Games that are listed together, at most.
pub const MOST: usize = 64;

/// Fills the list: games that begin at the same moment are listed together. Cheap to clone.
#[derive(Clone)]
pub struct Lister {
    games: Games,
    listings: Together<Begun, Result<(), sqlx::Error>>,
}

impl Lister {
    /// Lists these games.
    pub fn new(games: Games) -> Self {
        let store = games.store().clone();
        let listings = Together::new(MOST, 1, move |begun: Vec<Begun>| {
            let store = store.clone();
            async move { list_all(&store, &begun).await }
        });
        Self { games, listings }
    }

    /// Lists the game of a notice. Doing it again changes nothing, nor does doing it after the game's end.
    ///
    /// # Errors
    /// When ledger or store are away, or the log does not begin with a game: the notice is tried again and, in the end, set aside.
    pub async fn list(&self, delivery: Delivery) -> Result<(), Error> {
        let damaged = |what: &str| Error::Internal(format!("a notice of a new game {what}"));
        let notice = CreatedNotice::decode(delivery.payload).map_err(|_| damaged("cannot be read"))?;
        let id = notice.game_id.parse().map_err(|_| damaged("has no id"))?;
        let first = self.games.ledger().read(&log_name(id)?, 0, 1).await?;
        // A log that has gone is in the archive.
        let Some(first) = first.first().filter(|entry| entry.sequence == 1) else { return Ok(()) };
        let game = replay(id, std::slice::from_ref(first))?
            .ok_or_else(|| damaged("has a log that makes no game"))?;
        let created = created_in(&first.payload).ok_or_else(|| damaged("has a log that makes no game"))?;
        self.listings.ask(Begun::new(id, &game, &created)).await?;
        Ok(())
    }
}

/// Lists games together; where that fails for another reason than a store that is away, one after the other, so that each has its own answer.
async fn list_all(store: &Store, begun: &[Begun]) -> Vec<Result<(), sqlx::Error>> {
    match store.begun(begun).await {
        Ok(()) => begun.iter().map(|_| Ok(())).collect(),
        Err(error) if begun.len() == 1 || platform::db::is_away(&error) => {
            begun.iter().map(|_| Err(platform::db::again(&error))).collect()
        }
        Err(_) => {
            let mut answers = Vec::with_capacity(begun.len());
            for one in begun {
                answers.push(store.begun(std::slice::from_ref(one)).await);
            }
            answers
        }
    }
}
