//! Whom players block, and whom they have promised a game, looked up for all together who look for an opponent at the same moment.

use std::{collections::HashMap, sync::Arc};

use kernel::PlayerId;
use ledger::SharedLedger;
use platform::{db::again, together::Together};
use uuid::Uuid;

use crate::store::Store;

/// Players in one look-up, at most: each may block some hundreds.
const MOST: usize = 128;
/// Look-ups at a time.
const ROUNDS: usize = 2;

/// Something of players in the store.
type LookUp<T> = Together<PlayerId, Result<T, sqlx::Error>>;

/// Asks the store for what many players have, at once. Who is missing in its answer has nothing.
fn look_up<T, R>(of: impl Fn(Arc<[PlayerId]>) -> R + Send + Sync + 'static) -> LookUp<T>
where
    T: Clone + Default + Send + 'static,
    R: Future<Output = Result<HashMap<PlayerId, T>, sqlx::Error>> + Send + 'static,
{
    Together::new(MOST, ROUNDS, move |players: Vec<PlayerId>| {
        let players: Arc<[PlayerId]> = players.into();
        let asked = of(Arc::clone(&players));
        async move {
            match asked.await {
                Ok(all) => {
                    players.iter().map(|player| Ok(all.get(player).cloned().unwrap_or_default())).collect()
                }
                Err(error) => players.iter().map(|_| Err(again(&error))).collect(),
            }
        }
    })
}

/// By which challenge players are about to play a person by a clock. Cheap to clone.
#[derive(Clone)]
pub struct Promised(LookUp<Option<Uuid>>);

impl Promised {
    /// Those of a store, by this clock.
    pub fn new(store: Store, ledger: SharedLedger) -> Self {
        Self(look_up(move |players| {
            let (store, now) = (store.clone(), ledger.now());
            async move {
                let claims = store.claims_of(&players, now).await?;
                Ok(claims.into_iter().map(|(player, challenge)| (player, Some(challenge))).collect())
            }
        }))
    }

    /// The challenge by which a player is about to play, or has begun to a moment ago.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn by(&self, player: PlayerId) -> Result<Option<Uuid>, sqlx::Error> {
        self.0.ask(player).await
    }
}

/// Whom players block. Cheap to clone.
#[derive(Clone)]
pub struct Blocked(LookUp<Arc<[PlayerId]>>);

impl Blocked {
    /// Those of a store.
    pub fn new(store: Store) -> Self {
        Self(look_up(move |players| {
            let store = store.clone();
            async move {
                let blocks = store.blocks_of(&players).await?;
                Ok(blocks.into_iter().map(|(player, blocked)| (player, blocked.into())).collect())
            }
        }))
    }

    /// Whom a player blocks.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn by(&self, player: PlayerId) -> Result<Arc<[PlayerId]>, sqlx::Error> {
        self.0.ask(player).await
    }

    /// Whom a player blocks. When the store does not say, nobody: it is asked again when a match becomes a game.
    pub async fn by_or_nobody(&self, player: PlayerId) -> Arc<[PlayerId]> {
        self.by(player).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "whom a player blocks cannot be had now");
            Arc::default()
        })
    }

    /// Whether one of two blocks the other.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn is_between(&self, a: PlayerId, b: PlayerId) -> Result<bool, sqlx::Error> {
        let (by_a, by_b) = tokio::try_join!(self.by(a), self.by(b))?;
        Ok(by_a.contains(&b) || by_b.contains(&a))
    }
}
