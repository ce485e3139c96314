//! From the news of a finished game to its effect.

use std::time::Duration;

use bytes::Bytes;
use kernel::Timestamp;
use ledger::{
    Delivery, SharedLedger,
    consumer::{Consumer, Policy},
};
use platform::{db::is_away, telemetry::trace, together::Together};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    examine::{self, examine},
    metrics::{self, Fate},
    notice::{self, Malformed, News, RatedGame},
    record::{self, Records},
    store::{Counted, Store},
};

/// The topic of finished games.
pub const TOPIC: &str = "finished";
/// This service's group of its consumers.
pub const GROUP: &str = "rating";
/// Games that one transaction counts, at most.
const MOST: usize = 64;
/// Transactions that one replica has under way at a time.
const ROUNDS: usize = 2;
/// A store that is away is tried again at least this often.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why a notice was not dealt with: it comes again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It makes no sense to this version.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The game's record is not to be had.
    #[error(transparent)]
    Ledger(#[from] ledger::Unavailable),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[from] sqlx::Error),
}

impl From<record::Error> for Error {
    fn from(error: record::Error) -> Self {
        match error {
            record::Error::Ledger(error) => Self::Ledger(error),
            record::Error::Store(error) => Self::Store(error),
        }
    }
}

impl From<examine::Error> for Error {
    fn from(error: examine::Error) -> Self {
        match error {
            examine::Error::Record(error) => error.into(),
            examine::Error::Store(error) => Self::Store(error),
        }
    }
}

/// Counts games. Cheap to clone.
#[derive(Clone)]
pub struct Counter {
    store: Store,
    records: Records,
    ledger: SharedLedger,
    /// Games that wait to be counted, each with the time at which it finished.
    counts: Together<(RatedGame, Timestamp), Result<Counted, sqlx::Error>>,
}

impl Counter {
    /// Counts games in this store, by what their records say.
    pub fn new(store: Store, ledger: SharedLedger) -> Self {
        let records = Records::new(ledger.clone(), store.db().clone());
        let (to, clock) = (store.clone(), ledger.clone());
        let counts = Together::new(MOST, ROUNDS, move |games: Vec<_>| {
            let (store, now) = (to.clone(), clock.now());
            async move { store.count_all(&games, now).await }
        });
        Self { store, records, ledger, counts }
    }

    /// Follows the topic until `stopping`: deals with each notice, and again with those that failed, as the policy says. While the store is
    /// away the notices wait here, for as long as it takes: that is no fault of theirs.
    pub async fn run(self, policy: Policy, stopping: CancellationToken) {
        let consumer = Consumer::new(self.ledger.clone(), TOPIC, GROUP, policy);
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

    /// Deals with a notice: counts its game, if it is one that counts and has not counted before, and looks at its players.
    ///
    /// # Errors
    /// When the notice makes no sense, or store or ledger fail. Deal with it again then: what was done stays done, once.
    pub async fn deal_with(&self, payload: &Bytes) -> Result<(), Error> {
        let result = match notice::read(payload) {
            Ok(News::Unrated) => Ok(Fate::Unrated),
            Ok(News::Rated(game)) => {
                let span = trace::caused("rating.count", game.trace.parse());
                span.record("game.id", tracing::field::display(game.id));
                let untraced = || tracing::info_span!("rate", game.id = %game.id, trace = game.trace);
                let span = if span.is_disabled() { untraced() } else { span };
                self.count(&game).instrument(span).await
            }
            Err(error) => Err(Error::from(error)),
        };
        metrics::notice(match &result {
            Ok(fate) => *fate,
            Err(Error::Malformed(_)) => Fate::Malformed,
            Err(Error::Store(_) | Error::Ledger(_)) => Fate::Failed,
        });
        result.map(|_| ())
    }

    async fn count(&self, game: &RatedGame) -> Result<Fate, Error> {
        let now = self.ledger.now();
        let finished = self.records.finished(game.id, game.sequence).await?.unwrap_or_else(|| {
            tracing::warn!(
                "neither log nor archive know when the game finished: it counts as if it had finished now"
            );
            now
        });
        let effect = match self.counts.ask((game.clone(), finished)).await? {
            Counted::Now(effect) => Some(effect),
            Counted::Before => None,
        };
        examine(&self.store, &self.records, game, effect.as_ref()).await?;
        let Some(effect) = effect else { return Ok(Fate::Repeated) };
        metrics::recomputed(effect.recomputed);
        if !effect.verdict.counts() {
            return Ok(Fate::Refused);
        }
        metrics::game(game.end, game.outcome);
        let (k, black_gain) = (effect.change.k, effect.change.black_gain);
        tracing::debug!(pool = %game.pool, k, black_gain, "a game has counted");
        Ok(Fate::Rated)
    }
}
