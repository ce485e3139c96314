//! The life of one game, from its creation to its result: a functional core. Pure: no I/O, no clock, no randomness.
//!
//! ```text
//! decide(&Game, actor, Command, now) -> Result<Decision, Refusal>    what happens, and under which condition
//! Game::apply(&Event, stamp)                                         what that makes of the game
//! ```
//!
//! A game is a fold over its log. [`decide`] looks at the state and answers with the events of one log entry, with what must
//! hold of the store's clock for the entry to be accepted ([`Guard`]), and with what becomes of the game's deadline
//! ([`NextDeadline`]). Once the store has accepted and stamped the entry, every replica applies its events with that stamp.
//! What was computed is in the events (captured stones, verdict, result), so [`Game::apply`] never judges, and replicas of
//! different versions agree.
//!
//! # Time
//!
//! All moments are of one clock: the store's. A turn begins with the stamp of the entry before it and is over, for the player,
//! at [`Game::deadline`]: a move *before* that moment is in time, at that moment the clock shows zero and the player has lost. A move
//! that was sent in time may arrive up to [`NETWORK_ALLOWANCE`] late, so the referee takes moves before [`Game::due`], which is the
//! deadline plus the allowance, and claims of a timeout from that very moment on. In the whole milliseconds of the store's clock:
//!
//! | | accepted by the store |
//! |---|---|
//! | a move or a pass | `stamp <= due - 1 ms` (the guard's `not_after`) |
//! | a claim of a timeout | `stamp >= due` (the guard's `not_before`, and the deadline that the store keeps) |
//!
//! At no moment do both hold, and at no moment does neither. An allowance is not more time to think: each turn's time is counted from
//! the stamp of the entry before it.
//!
//! Time in which the servers were away is given back to the running clock by an entry of its own
//! ([`Event::TimeCredited`]). It moves the deadline by at most the part of the outage that lies in the running turn, so a
//! clock that had run out before the outage stays run out.

mod agreement;
mod clock;
mod command;
mod count;
mod decide;
mod decision;
mod event;
mod game;
mod outcome;
mod presence;
mod proposal;
mod recount;
mod refusal;
mod seats;
mod settings;

pub use agreement::Agreement;
pub use clock::{Control, NETWORK_ALLOWANCE, Remaining};
pub use command::{Command, Ruling};
pub use count::{Found, Question, preview, question, question_of_preview};
pub use decide::{CREDIT_REASON, decide, decide_knowing};
pub use decision::{Decision, Guard, NextDeadline};
pub use event::Event;
pub use game::{Game, Rematch, rematch_id};
pub use outcome::{EndReason, Outcome};
pub use presence::{Grace, Presence};
pub use proposal::{Proposal, ProposalKind, Takeback};
pub use recount::{Mismatch, recount};
pub use refusal::Refusal;
pub use seats::{Seat, Seats};
pub use settings::{DeadStones, Handicap, Settings, Violation};
