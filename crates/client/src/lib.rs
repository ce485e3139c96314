//! The public API for Rust programs.
