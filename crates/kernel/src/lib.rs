//! The words that every crate shares: ids and moments. Pure: no I/O, no clock.
