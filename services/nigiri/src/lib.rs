//! The nigiri binary: every service, and the tools.
