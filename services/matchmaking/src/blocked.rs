//! Whom players block, looked up for all together who look for an opponent at the same moment.

use std::sync::Arc;

use kernel::PlayerId;
use platform::{db::again, together::Together};

use crate::store::Store;

/// Players in one look-up, at most: each may block some hundreds.
const MOST: usize = 128;
/// Look-ups at a time.
const ROUNDS: usize = 2;

/// Whom players block. Cheap to clone.
#[derive(Clone)]
pub struct Blocked(Together<PlayerId, Result<Arc<[PlayerId]>, sqlx::Error>>);

impl Blocked {
    /// Those of a store.
    pub fn new(store: Store) -> Self {
        Self(Together::new(MOST, ROUNDS, move |players: Vec<PlayerId>| {
            let store = store.clone();
            async move {
                match store.blocks_of(&players).await {
                    Ok(blocks) => {
                        let of = |player| {
                            Ok(blocks.get(player).map_or_else(Arc::default, |by| by.as_slice().into()))
                        };
                        players.iter().map(of).collect()
                    }
                    Err(error) => players.iter().map(|_| Err(again(&error))).collect(),
                }
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
