//! Main time, then periods. A move within a period leaves the period whole; a period that runs out is gone, and the next one begins by itself, so
//! that the deadline of a turn is the end of the last period.

use super::Bank;

/// Milliseconds to the end of the last period.
pub(super) fn left(bank: Bank) -> i64 {
    bank.main.saturating_add(bank.period.saturating_mul(bank.count.into()))
}

/// After a turn that took so many milliseconds. A period ends with its last millisecond: whoever moves at that very moment has used it.
pub(super) fn spend(bank: Bank, used: i64) -> Bank {
    if used < bank.main {
        return Bank { main: bank.main - used, ..bank };
    }
    let gone = (used - bank.main).checked_div(bank.period).unwrap_or(0);
    // Only the allowance lets a move come after the last period.
    let count = bank.count.saturating_sub(u32::try_from(gone).unwrap_or(u32::MAX)).max(1);
    Bank { main: 0, count, ..bank }
}
