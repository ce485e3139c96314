//! Choosing a move: simple but sensible play on goban. Pure.
