//! One time for all of a player's moves.

use super::{ALLOWANCE, Bank};

/// After a turn that took so many milliseconds.
pub(super) fn spend(bank: Bank, used: i64) -> Bank {
    Bank { main: bank.main.saturating_sub(used).max(1 - ALLOWANCE), ..bank }
}
