//! The API as a whole: each call works, each refusal is provoked, and old clients go on.
#![allow(missing_docs, reason = "a test")]

mod agreed;
mod caller;
mod calls;
mod frozen;
mod operators;
mod plans;
mod refusals;
mod walk;
