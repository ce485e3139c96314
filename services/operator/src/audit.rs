//! Every act is written down before it is done, and its outcome after that.

use std::{future::Future, sync::Arc};

use kernel::PlayerId;
use nigiri_proto::operator::v1::ActOutcome;
use platform::clock::Clock;
use uuid::Uuid;

use crate::{error::Error, metrics, request::Reason, store::Store};

/// Who acts.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The operator's player id.
    pub id: PlayerId,
    /// The name that their token has.
    pub name: Arc<str>,
}

/// What an operator is about to do.
#[derive(Clone, Debug)]
pub struct Deed {
    /// The name of the call.
    pub act: &'static str,
    /// To what; empty for the whole system.
    pub target: String,
    /// How, in words.
    pub detail: String,
    /// Why.
    pub reason: Reason,
}

/// The audit log.
#[derive(Clone, Debug)]
pub struct Audit {
    store: Store,
    clock: Clock,
}

impl Audit {
    /// The audit log in this store.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Writes down that it is done, does it, and writes down what came of it.
    ///
    /// # Errors
    /// When it cannot be written down, and then it is not done; else as the act itself.
    pub async fn perform<T>(
        &self,
        operator: &Operator,
        deed: Deed,
        doing: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let id = Uuid::now_v7();
        self.store.begin_act(id, self.clock.now(), operator, &deed).await?;
        let done = doing.await;
        let (outcome, error) = match &done {
            Ok(_) => (ActOutcome::Done, String::new()),
            Err(error) => (ActOutcome::Failed, error.to_string()),
        };
        metrics::acted(deed.act, done.is_ok());
        let Deed { act, target, reason, .. } = &deed;
        tracing::info!(operator = %operator.id, act, target, %reason, error, "an operator acts");
        if let Err(error) = self.store.end_act(id, outcome, &error).await {
            // It is done, whatever the log can say of it; there it stays as begun.
            tracing::error!(%error, act, target, "the outcome of an act is not in the audit log");
        }
        done
    }
}
