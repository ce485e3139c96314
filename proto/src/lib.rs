//! The public API and the event schemas of Nigiri: generated types.
