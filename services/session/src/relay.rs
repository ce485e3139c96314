//! Takes what is committed in the store to the ledger: at least once, in order.

use std::{sync::Arc, time::Duration};

use ledger::{Append, AppendError, Deadline, Guard, LogName, Notice, Refused, Sequence, SharedLedger};
use platform::{Context, auth::ACCOUNTS};
use tokio::{sync::Notify, time::Instant};

use crate::{error::Error, metrics, store::Store};

/// How often the store is asked without having been told: for what another replica left behind.
const POLL: Duration = Duration::from_secs(1);

/// How often the log is trimmed.
const TRIM: Duration = Duration::from_secs(600);

/// The relay of one replica.
pub struct Relay {
    store: Store,
    ledger: SharedLedger,
    context: Context,
    told: Arc<Notify>,
    /// Entries of the log are kept for this long: by then no token is left that they could be about.
    keep: Duration,
    last: Sequence,
}

impl Relay {
    /// A relay from this store to the context's ledger.
    pub fn new(store: Store, context: Context, told: Arc<Notify>, access_lifetime: Duration) -> Self {
        let keep = access_lifetime * 2 + Duration::from_secs(3600);
        Self { store, ledger: Arc::clone(&context.ledger), context, told, keep, last: 0 }
    }

    /// Relays until the process stops.
    pub async fn run(mut self) {
        let mut trimmed = Instant::now();
        loop {
            tokio::select! {
                () = self.context.shutdown.stopping().cancelled() => return,
                () = self.told.notified() => {}
                () = tokio::time::sleep(POLL) => {}
            }
            if let Err(error) = self.relay().await {
                tracing::warn!(%error, "what happened to accounts cannot be told to other services yet");
            }
            if trimmed.elapsed() >= TRIM {
                trimmed = Instant::now();
                if let Err(error) = self.trim().await {
                    tracing::warn!(%error, "cannot trim the log of accounts: trying again later");
                }
            }
        }
    }

    /// Takes everything that is waiting to the ledger.
    async fn relay(&mut self) -> Result<(), Error> {
        loop {
            let claimed = self.store.claim_notices(self.context.clock.now()).await?;
            if claimed.is_empty() {
                return Ok(());
            }
            for notice in claimed {
                // A failure leaves the rest in hand until the claim runs out: then this or another replica begins anew.
                self.append(notice.payload.into()).await?;
                self.store.drop_notice(notice.id).await?;
                metrics::told();
            }
        }
    }

    async fn append(&mut self, payload: bytes::Bytes) -> Result<(), Error> {
        let log = LogName::new(ACCOUNTS).map_err(|error| ledger::Unavailable(error.to_string()))?;
        loop {
            let notices = vec![Notice { topic: ACCOUNTS.to_owned(), payload: payload.clone() }];
            let append = Append {
                log: log.clone(),
                expected: self.last,
                payload: payload.clone(),
                guard: Guard::default(),
                deadline: Deadline::Keep,
                notices,
            };
            match self.ledger.append(append).await {
                Ok(appended) => {
                    self.last = appended.sequence;
                    return Ok(());
                }
                Err(AppendError::Refused(Refused::Conflict { last })) => self.last = last,
                Err(AppendError::Refused(refused)) => {
                    return Err(ledger::Unavailable(refused.to_string()).into());
                }
                Err(AppendError::Unavailable(error)) => return Err(error.into()),
            }
        }
    }

    /// Drops entries of the log that concern nobody any more, and messages that every group has had.
    async fn trim(&self) -> Result<(), ledger::Unavailable> {
        let Ok(log) = LogName::new(ACCOUNTS) else { return Ok(()) };
        let now = self.ledger.now();
        let mut first = 0;
        loop {
            let entries = self.ledger.read(&log, first, 500).await?;
            let old = entries.iter().take_while(|entry| entry.stamp + self.keep < now).count();
            match old.checked_sub(1).and_then(|last| entries.get(last)) {
                Some(last) => first = last.sequence,
                None => break,
            }
            if old < entries.len() {
                break;
            }
        }
        if first > 0 {
            self.ledger.trim(&log, first + 1).await?;
        }
        self.ledger.trim_topic(ACCOUNTS).await?;
        Ok(())
    }
}
