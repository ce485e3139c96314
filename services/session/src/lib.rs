//! The session service.
