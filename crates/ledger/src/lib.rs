//! Event logs, topics and deadlines on Redis, SQLite or memory.
