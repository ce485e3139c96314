//! How the store's work ends in a simulation.

use std::{fmt, future::Future, pin::pin, sync::Arc, task::Poll};

/// How one piece of work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// As it does.
    Done,
    /// The store is away: nothing is done.
    Refused,
    /// All is done, but the answer is lost.
    Unanswered,
    /// The process has died: nothing is done, and there is no answer ever.
    Never,
}

/// Decides how each piece of work ends. The work itself is one step: nothing else happens on its thread meanwhile, and no time passes, so
/// that the database's own threads cannot change the order of what happens.
#[derive(Clone)]
pub struct Fates(Arc<dyn Fn() -> Fate + Send + Sync>);

impl Fates {
    /// Fates that this function decides.
    pub fn new(decide: impl Fn() -> Fate + Send + Sync + 'static) -> Self {
        Self(Arc::new(decide))
    }

    pub(super) async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>> + Send,
    ) -> Result<T, sqlx::Error> {
        let fate = (self.0)();
        match fate {
            Fate::Done | Fate::Unanswered => {}
            Fate::Refused => return Err(away()),
            Fate::Never => return std::future::pending().await,
        }
        let done = at_once(work).await;
        if fate == Fate::Unanswered { Err(away()) } else { done }
    }
}

/// Does some work to its end without letting anything else run on this thread.
async fn at_once<T>(work: impl Future<Output = T> + Send) -> T {
    let mut work = pin!(tokio::task::unconstrained(work));
    std::future::poll_fn(|_| Poll::Ready(futures_executor::block_on(work.as_mut()))).await
}

fn away() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other("the simulated store is away"))
}

impl fmt::Debug for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fates")
    }
}
