use std::{sync::Arc, time::Duration};

use ledger::{Logs, Wake};
use platform::shutdown::Shutdown;
use tokio::{sync::broadcast::error::RecvError, time::Instant};

use super::{Games, LOG_KIND, game_of};
use crate::{error::Error, live::LiveGame, metrics, presence::Presence};

/// Due games that are decided at once: enough for a disk that takes some milliseconds for whatever is written together.
const CLAIMS: usize = 256;

/// Due games that one sweep finds at most, since between two sweeps there is a pause: more than ever run out in one second.
const DUE: usize = 8192;

/// A replica that has not reached the ledger for so long sends its watchers away, and again after as long: more than a hiccup, less than
/// a move takes.
const OUT_OF_TOUCH: Duration = Duration::from_secs(6);

/// How often idle games are dropped from the cache, and after how long.
const TIDY: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(60);

impl Games {
    /// Starts what keeps the games going: following the log, finding timeouts, tidying up. Due logs of replicas are told to `presence`.
    pub fn start(&self, shutdown: &Shutdown, presence: &Presence) {
        let games = self.clone();
        shutdown.spawn_until_stopping(async move { games.follow().await });
        let (games, presence) = (self.clone(), presence.clone());
        shutdown.spawn_until_stopping(async move { games.sweep(&presence).await });
        let games = self.clone();
        shutdown.spawn_until_stopping(async move {
            loop {
                tokio::time::sleep(TIDY).await;
                games.rest(TIDY);
                games.forget_idle(IDLE);
                ::metrics::gauge!(metrics::KNOWN).set(games.known() as f64);
                match games.store().live_games(games.ledger().now()).await {
                    Ok(live) => ::metrics::gauge!(metrics::LIVE).set(live as f64),
                    Err(error) => tracing::debug!(%error, "cannot count the live games"),
                }
            }
        });
    }

    /// Folds in what other replicas append.
    pub(crate) async fn follow(&self) {
        let mut wakes = self.ledger().wakes(&Logs::Kind(LOG_KIND.into()));
        loop {
            match wakes.recv().await {
                Ok(Wake::Appended(log, entry)) => {
                    let Some(live) = game_of(&log).and_then(|id| self.cached(id)) else { continue };
                    // A game of which nothing is known is being loaded right now: the loader reads this entry too, or is woken by it.
                    if !live.absorb(&entry) && live.sequence() > 0 {
                        self.read_later(live);
                    }
                }
                Ok(Wake::Lost) | Err(RecvError::Lagged(_)) => self.read_all_later(),
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Reads a game's log in the background: hints were lost.
    fn read_later(&self, live: Arc<LiveGame>) {
        let games = self.clone();
        tokio::spawn(async move {
            if let Err(error) = games.catch_up(&live).await {
                tracing::debug!(%error, "the log cannot be read; a heartbeat will try again");
            }
        });
    }

    fn read_all_later(&self) {
        let games = self.clone();
        tokio::spawn(async move {
            let known: Vec<_> = games.shared.known.lock().values().cloned().collect();
            for live in known {
                if games.catch_up(&live).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        });
    }

    /// Beats the ledger's heart and decides the games that are due.
    async fn sweep(&self, presence: &Presence) {
        let (mut touched, mut told) = (Instant::now(), 0);
        loop {
            tokio::time::sleep(ledger::SWEEP_INTERVAL).await;
            let due = match self.ledger().sweep(DUE).await {
                Ok(sweep) => sweep.due,
                Err(error) => {
                    tracing::debug!(%error, "the sweep failed; it will be tried again");
                    if touched.elapsed() > OUT_OF_TOUCH {
                        (touched, told) = (Instant::now(), told + 1);
                        self.shared.out_of_touch.raise(told);
                    }
                    continue;
                }
            };
            touched = Instant::now();
            due.iter().for_each(|(log, _)| presence.lapsed(log));
            if self.swept(self.ledger().now()) {
                self.give_back_later();
            }
            let games = due.into_iter().filter_map(|(log, deadline)| Some((game_of(&log)?, deadline)));
            let claims = games.map(|(id, deadline)| async move {
                match self.claim_timeout(id).await {
                    Ok(_) => {
                        ::metrics::histogram!(metrics::LATENESS).record(self.ledger().now().since(deadline));
                        tracing::info!(game.id = %id, "a player ran out of time");
                    }
                    Err(Error::Refused { refusal, .. }) => {
                        tracing::debug!(game.id = %id, %refusal, "not due after all")
                    }
                    Err(error @ Error::Newer(_)) => tracing::debug!(%error, "others decide it"),
                    Err(error) => tracing::warn!(game.id = %id, %error, "a timeout could not be decided"),
                }
            });
            use futures::StreamExt;
            futures::stream::iter(claims).buffer_unordered(CLAIMS).collect::<()>().await;
        }
    }
}
