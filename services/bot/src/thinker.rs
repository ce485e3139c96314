//! Where thoughts run: on blocking threads, so many at once for each level.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use search::{Budget, Choice, Level, choose};
use tokio::{sync::Semaphore, task::spawn_blocking, time::Instant};

use crate::{metrics, turn::Turn};

/// A thought that takes longer ends with the best move so far: on a machine that is not overloaded none does.
const LONGEST: Duration = Duration::from_secs(5);

/// A pool of thoughts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Thinker {
    easy: Arc<Semaphore>,
    normal: Arc<Semaphore>,
    hard: Arc<Semaphore>,
}

/// Raises the flag when the thought is not wanted any more.
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Thinker {
    /// As many thoughts of a level at once as there are cores; half as many of the long ones.
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let room = |permits| Arc::new(Semaphore::new(permits));
        Self { easy: room(cores), normal: room(cores), hard: room(cores.div_ceil(2)) }
    }

    /// Thinks about a turn; none when the thought failed. A future that is dropped ends its thought.
    pub async fn think(&self, turn: Arc<Turn>, level: Level) -> Option<Choice> {
        let room = match level {
            Level::Easy => &self.easy,
            Level::Normal => &self.normal,
            Level::Hard => &self.hard,
        };
        let permit = Arc::clone(room).acquire_owned().await.ok()?;
        let stop = StopWhenDropped(Arc::new(AtomicBool::new(false)));
        let budget = Budget { time: Some(LONGEST), ..Budget::of(level) }.stopped_by(Arc::clone(&stop.0));
        let began = Instant::now();
        let thought = spawn_blocking(move || {
            // Kept by the thread: a thought that is not awaited any more still takes its room until it has ended.
            let _permit = permit;
            choose(&turn.position, &turn.terms, level, &budget, turn.seed())
        });
        let choice = thought.await;
        metrics::thought(level, began.elapsed());
        choice.inspect_err(|error| tracing::error!(%error, %level, "a thought failed")).ok()
    }
}
