//! The life of one game: decide and apply, clocks. Pure.
