//! Connections over a real socket: TLS and its renewal, certificates of services, and doors that are held open by nobody in particular.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

mod slow;
mod tls;
mod world;
