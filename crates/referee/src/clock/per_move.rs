//! The same time for each move; what is left over is lost.

use std::time::Duration;

use crate::Violation;

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The time for a turn.
pub(super) const fn allotted(time: Duration) -> Duration {
    time
}

/// What is wrong with that time for a move, if anything is.
pub(super) fn violation(time: Duration) -> Option<Violation> {
    let whole = time.subsec_nanos().is_multiple_of(1_000_000);
    (!whole || !(SHORTEST..=LONGEST).contains(&time)).then(|| {
        Violation::new(
            "time_control.per_move.time",
            format!("{time:?} a move is not possible"),
            "from 1 s to 24 h in whole milliseconds".into(),
        )
    })
}
