//! Private servers for tests.
