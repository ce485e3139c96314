//! Black-box tests over the public API.
