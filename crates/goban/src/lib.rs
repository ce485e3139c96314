//! The game of Go: board, rules, scoring, life and death. Pure.
