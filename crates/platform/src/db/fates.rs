//! How the store's work ends in a simulation.

use std::{fmt, future::Future, pin::pin, sync::Arc, task::Poll};

use tokio::runtime::Handle;

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
pub struct Fates {
    decide: Arc<dyn Fn() -> Fate + Send + Sync>,
    keeper: Option<Handle>,
}

impl Fates {
    /// Fates that this function decides.
    pub fn new(decide: impl Fn() -> Fate + Send + Sync + 'static) -> Self {
        Self { decide: Arc::new(decide), keeper: None }
    }

    /// Likewise, and what the work leaves to be done later (the return of its connection to the pool) is done by this other runtime, at once: not
    /// by the simulation when it goes on. Its clock is not the simulation's, so that the work must not ask for the time.
    pub fn kept_by(self, keeper: Handle) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    pub(super) async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>> + Send,
    ) -> Result<T, sqlx::Error> {
        let fate = (self.decide)();
        match fate {
            Fate::Done | Fate::Unanswered => {}
            Fate::Refused => return Err(away()),
            Fate::Never => return std::future::pending().await,
        }
        let done = at_once(work, self.keeper.as_ref()).await;
        if fate == Fate::Unanswered { Err(away()) } else { done }
    }
}

/// Does some work to its end without letting anything else run on this thread.
async fn at_once<T>(work: impl Future<Output = T> + Send, keeper: Option<&Handle>) -> T {
    let mut work = pin!(tokio::task::unconstrained(work));
    std::future::poll_fn(|_| {
        let _kept = keeper.map(Handle::enter);
        Poll::Ready(futures_executor::block_on(work.as_mut()))
    })
    .await
}

fn away() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other("the simulated store is away"))
}

impl fmt::Debug for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fates")
    }
}
