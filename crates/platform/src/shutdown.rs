//! How a process stops: first it drains (streams are told and end, calls finish), then it ends.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The two stages of an end, and the tasks that it waits for. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    stopping: CancellationToken,
    failed: CancellationToken,
    tasks: TaskTracker,
    leaving: Arc<Leaving>,
}

/// Between two streams that are told to leave at least so much time passes, if there is time.
const PACE: Duration = Duration::from_millis(2);

/// Which streams leave when.
#[derive(Debug, Default)]
struct Leaving {
    open: AtomicU32,
    /// When draining began: how many were open, and for how long they may be spread, in milliseconds.
    at_drain: AtomicU32,
    within: AtomicU64,
    told: AtomicU32,
}

/// A stream that is open, for as long as this value lives.
#[derive(Debug)]
pub struct OpenStream {
    shutdown: Shutdown,
    turn: Option<Instant>,
}

impl OpenStream {
    /// Waits until the process drains and it is this stream's turn to say so. Can be given up and asked again.
    pub async fn asked_to_leave(&mut self) {
        let turn = match self.turn {
            Some(turn) => turn,
            None => {
                self.shutdown.draining.cancelled().await;
                *self.turn.insert(Instant::now() + self.shutdown.leaving.next())
            }
        };
        tokio::time::sleep_until(turn).await;
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.shutdown.leaving.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Leaving {
    /// How long the next stream waits.
    fn next(&self) -> Duration {
        let all = self.at_drain.load(Ordering::Relaxed).max(1);
        let within = Duration::from_millis(self.within.load(Ordering::Relaxed)).min(PACE.saturating_mul(all));
        let before = self.told.fetch_add(1, Ordering::Relaxed).min(all);
        within.mul_f64(f64::from(before) / f64::from(all))
    }
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

    /// Cancelled when background work has panicked, or said so by [`Shutdown::fail`]: the process can no longer do what it promises, and ends.
    pub fn failed(&self) -> &CancellationToken {
        &self.failed
    }

    /// Ends the process: it has found that it cannot do what it promises.
    pub fn fail(&self) {
        self.failed.cancel();
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

    /// Begins to drain: every stream is told at once.
    pub fn drain(&self) {
        self.drain_over(Duration::ZERO);
    }

    /// Begins to drain: streams are told one after the other, spread over this time if they are many, so that those who come back elsewhere do not come all at once.
    pub fn drain_over(&self, time: Duration) {
        let leaving = &self.leaving;
        leaving.within.store(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        leaving.at_drain.store(leaving.open.load(Ordering::Relaxed), Ordering::Relaxed);
        self.draining.cancel();
    }

    /// Counts a stream that was opened.
    pub fn stream(&self) -> OpenStream {
        self.leaving.open.fetch_add(1, Ordering::Relaxed);
        OpenStream { shutdown: self.clone(), turn: None }
    }

    /// How many streams are open.
    pub fn open_streams(&self) -> u32 {
        self.leaving.open.load(Ordering::Relaxed)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How long after the drain began each of so many streams was told.
    async fn told(streams: u32, within: Duration) -> Vec<Duration> {
        let shutdown = Shutdown::new();
        let open: Vec<_> = (0..streams).map(|_| shutdown.stream()).collect();
        let waiting = open.into_iter().map(|mut stream| async move {
            // Given up and asked again, as a stream does that has something else to say.
            let pause = Duration::from_millis(10);
            while tokio::time::timeout(pause, stream.asked_to_leave()).await.is_err() {}
            Instant::now()
        });
        let waiting: Vec<_> = waiting.map(tokio::spawn).collect();
        tokio::time::sleep(Duration::from_millis(25)).await;
        let start = Instant::now();
        shutdown.drain_over(within);
        let mut told = Vec::new();
        for stream in waiting {
            told.push(stream.await.unwrap() - start);
        }
        told.sort_unstable();
        told
    }

    /// Many streams are spread evenly over the time of the drain, and are all told within it; few are not kept waiting.
    #[tokio::test(start_paused = true)]
    async fn streams_are_told_to_leave_one_after_the_other() {
        let within = Duration::from_millis(500);
        let many = told(500, within).await;
        assert!(many[499] <= within, "{:?}", many[499]);
        for (at, time) in (0_u32..).zip(&many) {
            let even = within * at / 500;
            assert!(time.abs_diff(even) < Duration::from_millis(20), "the {at}th after {time:?}");
        }
        assert!(told(3, within).await[2] < Duration::from_millis(10));
        assert!(told(100, Duration::ZERO).await[99] < Duration::from_millis(5));
    }
}
