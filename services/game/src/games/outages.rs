//! Time that an outage took from players is given back as soon as somebody can: not only when it would decide a game.
//!
//! The ledger knows the outages of each partition, by the store's clock, and tells them to whoever asks too late. A replica knows that there may have been one when a
//! sweep comes later than it should, by the store's clock: because the ledger was away, every replica was down, or that clock leapt. Then it asks once for each game that runs here; other games are asked about
//! when they are used here first.

#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures::StreamExt;
use kernel::Timestamp;
use ledger::{Append, AppendError, Deadline, Guard, OUTAGE_AFTER, Refused};
use referee::{Game, Refusal};

use super::Games;
use crate::{error::Error, live::LiveGame};

/// Games that are asked about at once.
const AT_ONCE: usize = 64;

/// How often it is tried again for one game when others write to it.
const ATTEMPTS: u32 = 4;

/// After how long a question that the ledger did not answer is asked again.
const PAUSE: Duration = Duration::from_millis(500);

impl Games {
    /// A sweep succeeded, at that moment of the store's clock. True if it came so late that there may have been an outage.
    pub(crate) fn swept(&self, now: Timestamp) -> bool {
        let last = self.shared.swept.swap(now.as_millis(), Ordering::Relaxed);
        let late = last == 0 || now.since(Timestamp::from_millis(last)) > OUTAGE_AFTER;
        if late {
            self.shared.doubtful_until.fetch_max(now.as_millis(), Ordering::Relaxed);
        }
        late
    }

    /// The ledger did not answer: there may be an outage now, if only of the part that a game lies in.
    pub(crate) fn doubt(&self) {
        self.shared.doubtful_until.fetch_max(self.ledger().now().as_millis(), Ordering::Relaxed);
    }

    /// Gives back, in the background, what an outage may have taken from the games that are known here.
    pub(super) fn give_back_later(&self) {
        let games = self.clone();
        tokio::spawn(async move {
            let known: Vec<_> = games.shared.known.lock().values().cloned().collect();
            let all = known.into_iter().map(|live| {
                let games = games.clone();
                async move { games.give_back_until_done(&live).await }
            });
            futures::stream::iter(all).buffer_unordered(AT_ONCE).collect::<()>().await;
        });
    }

    /// Likewise for one game, which is used here.
    pub fn give_back_soon(&self, live: &Arc<LiveGame>) {
        if self.is_doubtful(live) {
            let (games, live) = (self.clone(), Arc::clone(live));
            tokio::spawn(async move { games.give_back_until_done(&live).await });
        }
    }

    async fn give_back_until_done(&self, live: &LiveGame) {
        for _ in 0..ATTEMPTS {
            match self.give_back(live).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::debug!(game.id = %live.id(), %error, "what an outage took is given back later");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Whether an outage may have taken time from a game that it has not got back. Costs next to nothing where nothing was doubtful since the last time.
    pub(crate) fn is_doubtful(&self, live: &LiveGame) -> bool {
        let until = self.shared.doubtful_until.load(Ordering::Relaxed);
        if live.settled_until() >= until {
            return false;
        }
        let concerned = |game: &Game| game.due().is_some() && game.settled_until().as_millis() < until;
        let concerned = live.look(|game, _| concerned(game));
        if concerned == Some(false) {
            live.settle_until(until);
        }
        concerned == Some(true)
    }

    /// Gives back to a game what outages took from what runs in it, by an entry.
    ///
    /// # Errors
    /// When the ledger is away.
    pub(crate) async fn give_back(&self, live: &LiveGame) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            if !self.is_doubtful(live) {
                return Ok(());
            }
            let until = self.shared.doubtful_until.load(Ordering::Relaxed);
            let Some((expected, settled_until)) =
                live.look(|game, sequence| (sequence, game.settled_until()))
            else {
                return Ok(());
            };
            // It is too late for this in any case: the answer says which outages there were, and nothing is written.
            let question = Append {
                log: live.log().clone(),
                expected,
                payload: bytes::Bytes::new(),
                guard: Guard { not_after: Some(Timestamp::default()), settled_until, ..Guard::default() },
                deadline: Deadline::Keep,
                notices: Vec::new(),
            };
            match self.ledger().append(question).await {
                Err(AppendError::Refused(Refused::TooLate { .. })) => live.settle_until(until),
                Err(AppendError::Refused(Refused::Outage { outages, .. })) => {
                    match self.credit(live, &outages).await {
                        // What runs began after the outage, or nothing does.
                        Err(Error::Refused {
                            refusal: Refusal::NothingToCredit | Refusal::NoClock | Refusal::GameOver { .. },
                            ..
                        }) => live.settle_until(until),
                        result => result?,
                    }
                }
                Err(AppendError::Refused(Refused::Conflict { .. })) => self.catch_up(live).await?,
                Err(AppendError::Refused(refused)) => return Err(Error::Internal(refused.to_string())),
                Err(AppendError::Unavailable(error)) => return Err(error.into()),
                Ok(_) => return Err(Error::Internal("the ledger took what was too late".to_owned())),
            }
        }
        Ok(())
    }
}
