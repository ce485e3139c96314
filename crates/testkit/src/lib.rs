//! A world in one process, and the tools of the tests.
