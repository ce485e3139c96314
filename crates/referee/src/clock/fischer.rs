//! One time for all of a player's moves, to which each move adds (R. J. Fischer, US patent 4,884,255).

use super::{Bank, absolute};

/// After a turn that took so many milliseconds.
pub(super) fn spend(bank: Bank, used: i64, increment: i64, cap: Option<i64>) -> Bank {
    let left = absolute::spend(bank, used).main.saturating_add(increment);
    Bank { main: cap.map_or(left, |cap| left.min(cap)), ..bank }
}
