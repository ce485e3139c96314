//! Main time, then so many moves in each period.

use super::{ALLOWANCE, Bank};

/// Milliseconds to the end of the running period, or of the first one.
pub(super) fn left(bank: Bank) -> i64 {
    bank.main.saturating_add(bank.period)
}

/// After a turn that took so many milliseconds. A move that comes when main time is over is the first of a period.
pub(super) fn spend(bank: Bank, used: i64, period: i64, stones: u8) -> Bank {
    if used < bank.main {
        return Bank { main: bank.main - used, ..bank };
    }
    let over = used - bank.main;
    if bank.count > 1 {
        let period = bank.period.saturating_sub(over).max(1 - ALLOWANCE);
        Bank { main: 0, period, count: bank.count - 1 }
    } else {
        Bank { main: 0, period, count: stones.max(1).into() }
    }
}
