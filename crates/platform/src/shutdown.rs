//! How a process stops: first it drains (streams are told and end, calls finish), then it ends.

use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The two stages of an end, and the tasks that it waits for. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    stopping: CancellationToken,
    failed: CancellationToken,
    tasks: TaskTracker,
}

impl Shutdown {
    /// A process that runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancelled when no new streams are taken and open ones say so and end.
    pub fn draining(&self) -> &CancellationToken {
        &self.draining
    }

    /// Cancelled when background work stops.
    pub fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Cancelled when background work has panicked: the process can no longer do what it promises, and ends.
    pub fn failed(&self) -> &CancellationToken {
        &self.failed
    }

    /// Runs background work that the end waits for. It must end soon after [`Shutdown::stopping`]. When it panics, the process
    /// ends.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(task);
        let failed = self.failed.clone();
        self.tasks.spawn(async move {
            if task.await.is_err_and(|error| error.is_panic()) {
                tracing::error!("background work has panicked: the process ends");
                failed.cancel();
            }
        });
    }

    /// Runs background work that goes on until [`Shutdown::stopping`], and is then dropped where it stands.
    pub fn spawn_until_stopping(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stopping = self.stopping.clone();
        self.spawn(async move {
            stopping.run_until_cancelled(task).await;
        });
    }

    /// Begins to drain.
    pub fn drain(&self) {
        self.draining.cancel();
    }

    /// Stops background work and waits for it.
    pub async fn stop(&self) {
        self.draining.cancel();
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// The signals that end a process. From [`Signals::listen`] on they no longer end it by themselves.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Listens to SIGTERM and SIGINT: before anybody is told that the process is ready.
    ///
    /// # Errors
    /// When the process may not listen to signals.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the next one; one that came since [`Signals::listen`] counts.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
