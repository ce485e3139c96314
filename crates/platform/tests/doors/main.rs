//! Connections over a real socket: TLS and its renewal, certificates of services, doors that are held open by nobody in particular, the ends
//! of calls, what is made of names, pages and whose they are, and compression.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

mod compression;
mod ends;
mod names;
mod pages;
mod slow;
mod tls;
mod world;
