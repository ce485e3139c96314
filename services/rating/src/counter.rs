//! From the news of a finished game to its effect.

use std::time::Duration;

use bytes::Bytes;
use ledger::{
    Delivery, SharedLedger,
    consumer::{Consumer, Policy},
};
use platform::db::is_away;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    metrics::{self, Fate},
    notice::{self, Malformed, News, RatedGame},
    store::{Counted, Store},
};

/// The topic of finished games.
pub const TOPIC: &str = "finished";
/// This service's group of its consumers.
pub const GROUP: &str = "rating";
/// A store that is away is tried again at least this often.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why a notice was not dealt with: it comes again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It makes no sense to this version.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[from] sqlx::Error),
}

/// Counts games. Cheap to clone.
#[derive(Clone)]
pub struct Counter {
    store: Store,
    ledger: SharedLedger,
}

impl Counter {
    /// Counts games in this store, at the ledger's time.
    pub fn new(store: Store, ledger: SharedLedger) -> Self {
        Self { store, ledger }
    }

    /// Follows the topic until `stopping`: deals with each notice, and again with those that failed, as the policy says. While the store is
    /// away the notices wait here, for as long as it takes: that is no fault of theirs.
    pub(crate) async fn run(self, policy: Policy, stopping: CancellationToken) {
        let consumer = Consumer {
            ledger: self.ledger.clone(),
            topic: TOPIC.to_owned(),
            group: GROUP.to_owned(),
            name: chance::uuid().to_string(),
            policy,
        };
        let handler = |delivery: Delivery| {
            let (counter, stopping) = (self.clone(), stopping.clone());
            async move { counter.insist(&delivery.payload, policy.backoff, &stopping).await }
        };
        consumer.run(handler, stopping.clone()).await;
    }

    /// Deals with a notice, again and again while the store is away.
    async fn insist(
        &self,
        payload: &Bytes,
        mut pause: Duration,
        stopping: &CancellationToken,
    ) -> Result<(), Error> {
        loop {
            let error = match self.deal_with(payload).await {
                Err(Error::Store(error)) if is_away(&error) => error,
                result => return result,
            };
            tracing::warn!(%error, "the store is away: a finished game waits to be counted");
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
                () = stopping.cancelled() => return Err(error.into()),
            }
        }
    }

    /// Deals with a notice: counts its game, if it is one that counts and has not counted before.
    ///
    /// # Errors
    /// When the notice makes no sense or the store fails. Nothing has changed then, or everything: deal with it again.
    pub async fn deal_with(&self, payload: &Bytes) -> Result<(), Error> {
        let result = match notice::read(payload) {
            Ok(News::Unrated) => Ok(Fate::Unrated),
            Ok(News::Rated(game)) => {
                let span = tracing::info_span!("rate", game.id = %game.id, trace = game.trace);
                self.count(&game).instrument(span).await.map_err(Error::from)
            }
            Err(error) => Err(Error::from(error)),
        };
        metrics::notice(match &result {
            Ok(fate) => *fate,
            Err(Error::Malformed(_)) => Fate::Malformed,
            Err(Error::Store(_)) => Fate::Failed,
        });
        result.map(|_| ())
    }

    async fn count(&self, game: &RatedGame) -> Result<Fate, sqlx::Error> {
        let change = match self.store.count(game, self.ledger.now()).await? {
            Counted::Now(change) => change,
            Counted::Before => return Ok(Fate::Repeated),
        };
        metrics::game(game.end, game.outcome);
        tracing::debug!(pool = %game.pool, k = change.k, black_gain = change.black_gain, "a game has counted");
        Ok(Fate::Rated)
    }
}
