//! The rating service from outside: the store on SQLite and on Postgres, the plans of its statements, and the RPCs over gRPC.

mod plans;
mod rpc;
mod store;
mod world;
